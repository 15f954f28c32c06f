"""What the three panels share: heading, chart, legend, read-out, keyboard, context menu, and when they draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QStackedLayout, QVBoxLayout, QWidget

from ui.panels.empty import EmptyState
from ui.panels.export import Exporter
from ui.panels.labels import ElidedLabel
from ui.panels.legend import Legend

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPaintEvent, QShowEvent

    from app.telemetry.series import ConversationSeries
    from app.telemetry.tables import Table
    from ui.panels.canvas import Canvas
    from ui.panels.legend import Entry
    from ui.theme import Theme

_READOUT_MARGIN = 12


class PlotPanel(QWidget):
    """Base of the panels. A panel says what it shows by overriding the methods in the second half of this class.

    `redraw` may be called at any time: it does nothing while the panel is hidden or when nothing has changed.
    """

    turn_activated = Signal(str)

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._series: ConversationSeries | None = None
        self._canvas: Canvas | None = None
        self._drawn: object = None
        self._described: object = None
        self._cursor: float | None = None
        self._title = QLabel(self)
        self._title.setProperty("role", "title")
        self._detail = ElidedLabel(self, all_or_nothing=True)
        self._detail.setProperty("role", "muted")
        self._detail.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._value = QLabel(self)
        self._value.setProperty("role", "title")
        for label in (self._title, self._value, self._detail):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._frame = QFrame(self)
        self._frame.setObjectName(name)
        self._frame.setProperty("role", "plot")
        self._frame.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._empty = EmptyState(theme, "", self._frame)
        self._legend = Legend(theme, self)
        self._readout = QLabel(self)
        self._readout.setProperty("role", "readout")
        self._readout.setTextFormat(Qt.TextFormat.PlainText)
        self._readout.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._readout.hide()
        self.exporter = Exporter(self, name.removesuffix("_plot"), self)
        self._lay_out()
        self._retranslate()
        self._on_theme_changed()
        theme.changed.connect(self._on_theme_changed)

    def set_series(self, series: ConversationSeries) -> None:
        """Show another conversation."""
        self._series = series
        self._hide_readout()
        self._reset()
        self._invalidate()

    def redraw(self) -> None:
        """Draw what has changed since the last call."""
        series = self._series
        if series is None or not self.isVisible():
            return
        state = self._state(series)
        if state == self._drawn and not self._is_running(series):
            return
        self._drawn = state
        self._show_headline(series)
        has_data = self._has_data(series)
        self._legend.setVisible(has_data)
        if has_data and self._canvas is not None:
            self._pages.setCurrentWidget(self._canvas.widget)
            self._draw(series, self._canvas)
            self._refresh_readout()
        elif not has_data:
            self._empty.set_text(self._empty_text())
            self._pages.setCurrentWidget(self._empty)
        described = (id(series), series.turns_revision, series.model)
        if described != self._described:
            self._described = described
            self._frame.setAccessibleDescription(self.summary())

    def ensure_plot(self) -> None:
        """Make the chart now; otherwise it is made after the panel was first painted."""
        if self._canvas is not None:
            return
        self._canvas = self._make_canvas()
        self._canvas.hovered.connect(self._on_hovered)
        self._canvas.left.connect(self._hide_readout)
        self._canvas.clicked.connect(self._on_clicked)
        self._canvas.double_clicked.connect(self._on_reset)
        self._canvas.scrolled.connect(self._on_scrolled)
        self._canvas.resized.connect(self._invalidate)
        self._canvas.widget.viewport().setMouseTracking(True)
        self._pages.addWidget(self._canvas.widget)
        self._invalidate()

    def context_menu(self) -> QMenu:
        """Return the menu of this chart; the caller shows it."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.exporter.fill(menu, self._series is not None and self._has_data(self._series))
        if self._can_scroll():
            menu.addSeparator()
            menu.addAction(self.tr("Show the latest"), self._on_reset)
        return menu

    def picture(self) -> QWidget:
        """Return the panel without read-out, for an image."""
        self._hide_readout()
        return self

    # What a panel says.

    def table(self) -> Table:
        """Return the chart's data."""
        raise NotImplementedError

    def summary(self) -> str:
        """Return the chart's numbers in words, for screen readers."""
        raise NotImplementedError

    def _heading(self) -> tuple[str, str]:
        """Return the title and the definition of the number beside it."""
        raise NotImplementedError

    def _make_canvas(self) -> Canvas:
        raise NotImplementedError

    def _empty_text(self) -> str:
        raise NotImplementedError

    def _has_data(self, series: ConversationSeries) -> bool:
        raise NotImplementedError

    def _show_headline(self, series: ConversationSeries) -> None:
        raise NotImplementedError

    def _draw(self, series: ConversationSeries, canvas: Canvas) -> None:
        raise NotImplementedError

    def _reading(self, x: float) -> tuple[float, str] | None:
        """Return the nearest place on the x axis that has a value, and what it is there."""
        raise NotImplementedError

    def _stops(self) -> Sequence[float]:
        """Return the places on the x axis where the keyboard's cursor stops, rising."""
        raise NotImplementedError

    def _message_at(self, _x: float) -> str:
        """Return the id of the answer at a place on the x axis; empty when there is none."""
        return ""

    def _can_scroll(self) -> bool:
        return False

    def _state(self, series: ConversationSeries) -> object:
        """Return what the chart depends on: while it stays equal there is nothing to draw."""
        return series.revision

    def _is_running(self, _series: ConversationSeries) -> bool:
        """Whether the chart changes by time alone."""
        return False

    def _reset(self) -> None:
        """Forget where the user has scrolled to."""

    def _note_scrolled(self) -> None:
        """The user has scrolled or zoomed."""

    # How it is put together.

    def _lay_out(self) -> None:
        heading = QHBoxLayout()
        heading.setSpacing(8)
        heading.addWidget(self._title)
        heading.addWidget(self._detail, 1)
        heading.addWidget(self._value)
        self._pages = QStackedLayout(self._frame)
        self._pages.setContentsMargins(1, 1, 1, 1)
        self._pages.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 6, 8, 6)
        layout.setSpacing(2)
        layout.addLayout(heading)
        layout.addWidget(self._frame, 1)
        layout.addWidget(self._legend)
        self.setMinimumSize(200, 120)

    def _set_headline(self, value: str, detail: str, detail_tooltip: str = "") -> None:
        self._value.setText(value)
        self._detail.setText(detail)
        if detail_tooltip:
            self._detail.setToolTip(detail_tooltip)

    def _set_legend(self, entries: Sequence[Entry]) -> None:
        self._legend.set_entries(entries)

    def _retranslate(self) -> None:
        title, explanation = self._heading()
        self._title.setText(title)
        for label in (self._title, self._value, self._detail):
            label.setToolTip(explanation)
        for widget in (self, self._frame):
            widget.setAccessibleName(title)
        self._empty.set_text(self._empty_text())
        self._described = None
        self._invalidate()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._canvas is None:
            QTimer.singleShot(0, self, self.ensure_plot)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._invalidate()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.context_menu().popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End):
            self._move_cursor(Qt.Key(key))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._cursor is not None:
            self._activate(self._cursor)
        elif key == Qt.Key.Key_Escape and self._readout.isVisible():
            self._hide_readout()
        else:
            super().keyPressEvent(event)

    def _move_cursor(self, key: Qt.Key) -> None:
        stops = self._stops() if self._series is not None else ()
        if not stops or self._canvas is None:
            return
        current = self._cursor
        match key:
            case Qt.Key.Key_Home:
                target = stops[0]
            case Qt.Key.Key_Left if current is not None:
                target = next((stop for stop in reversed(stops) if stop < current), stops[0])
            case Qt.Key.Key_Right if current is not None:
                target = next((stop for stop in stops if stop > current), stops[-1])
            case _:
                target = stops[-1]
        self._show_readout(target)

    @Slot(float, float)
    def _on_hovered(self, x: float, _y: float) -> None:
        self._show_readout(x)

    def _show_readout(self, x: float) -> None:
        reading = self._reading(x) if self._series is not None else None
        if reading is None or self._canvas is None:
            self._hide_readout()
            return
        self._cursor, text = reading
        self._canvas.show_cross_hair(self._cursor)
        self._readout.setText(text)
        self._readout.adjustSize()
        self._place_readout()
        self._readout.show()
        self._readout.raise_()

    def _place_readout(self) -> None:
        assert self._canvas is not None
        assert self._cursor is not None
        anchor = self._canvas.widget.mapTo(self, self._canvas.to_widget(self._cursor, 0).toPoint())
        x = anchor.x() + _READOUT_MARGIN
        if x + self._readout.width() > self.width():
            x = anchor.x() - _READOUT_MARGIN - self._readout.width()
        x = max(2, min(x, self.width() - self._readout.width() - 2))
        self._readout.move(QPoint(x, self._frame.y() + 2))

    def _refresh_readout(self) -> None:
        if self._readout.isVisible() and self._cursor is not None:
            self._show_readout(self._cursor)

    @Slot()
    def _hide_readout(self) -> None:
        self._cursor = None
        self._readout.hide()
        if self._canvas is not None:
            self._canvas.show_cross_hair(None)

    @Slot(float, float)
    def _on_clicked(self, x: float, _y: float) -> None:
        self._activate(x)

    def _activate(self, x: float) -> None:
        message_id = self._message_at(x) if self._series is not None else ""
        if message_id:
            self.turn_activated.emit(message_id)

    @Slot()
    def _on_scrolled(self) -> None:
        self._note_scrolled()
        self._invalidate()

    @Slot()
    def _on_reset(self) -> None:
        self._reset()
        self._invalidate()

    @Slot()
    def _on_theme_changed(self) -> None:
        self._readout.setFont(self._theme.font(delta_points=-1))
        if self._canvas is not None:
            self._canvas.restyle()
        self._invalidate()

    @Slot()
    def _invalidate(self) -> None:
        self._drawn = None
        self.redraw()
