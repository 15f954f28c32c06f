"""What the three panels share: heading, chart, legend, read-out, keyboard, context menu, and when they draw."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QMenu, QStackedLayout, QVBoxLayout, QWidget

from ui.panels.empty import EmptyState
from ui.panels.export import Exporter
from ui.panels.heading import Heading
from ui.panels.legend import Legend
from ui.panels.readout import Readout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QShowEvent

    from app.telemetry.series import ConversationSeries
    from app.telemetry.tables import Table
    from ui.panels.canvas import Canvas
    from ui.theme import Theme

_CURSOR_KEYS = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End)


class PlotPanel(QWidget):
    """Base of the panels; one overrides the abstract methods, which say what it shows.

    `redraw` may be called at any time: it does nothing while the panel is hidden or when nothing has changed.

    Attributes:
        canvas: where the chart is drawn, None until `ensure_plot`.
    """

    turn_activated = Signal(str)

    def __init__(self, theme: Theme, name: str, can_scroll: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._can_scroll = can_scroll
        self._series: ConversationSeries | None = None
        self.canvas: Canvas | None = None
        self._drawn: object = None
        self._described: object = None
        self.heading = Heading(self)
        self.legend = Legend(theme, self)
        self.readout = Readout(theme, self)
        self.exporter = Exporter(self, name.removesuffix("_plot"), self)
        self._frame = QFrame(self)
        self._frame.setObjectName(name)
        self._frame.setProperty("role", "plot")
        self._frame.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._empty = EmptyState(self._frame)
        self._pages = QStackedLayout(self._frame)
        self._pages.setContentsMargins(1, 1, 1, 1)
        self._pages.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 6, 8, 6)
        layout.setSpacing(2)
        layout.addWidget(self.heading)
        layout.addWidget(self._frame, 1)
        layout.addWidget(self.legend)
        self.legend.hide()
        self.setMinimumSize(200, 120)
        self._retranslate()
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
        self.legend.setVisible(has_data)
        if has_data and self.canvas is not None:
            self._pages.setCurrentWidget(self.canvas.widget)
            self._draw(series, self.canvas)
            if self.readout.position is not None:
                self.show_readout(self.readout.position)
        elif not has_data:
            self._hide_readout()
            self._pages.setCurrentWidget(self._empty)
        described = (id(series), series.turns_revision, series.model)
        if described != self._described:
            self._described = described
            self._frame.setAccessibleDescription(self.summary())

    def ensure_plot(self) -> None:
        """Make the chart, unless that has been done."""
        from ui.panels.canvas import Canvas  # not above: numpy would come before the window's first frame

        if self.canvas is not None:
            return
        canvas = Canvas(self._theme, self._x_caption(), self._can_scroll, self._frame)
        self._make_chart(canvas)
        canvas.hovered.connect(self._on_hovered)
        canvas.left.connect(self._hide_readout)
        canvas.clicked.connect(self._on_clicked)
        canvas.double_clicked.connect(self.show_latest)
        canvas.scrolled.connect(self._on_scrolled)
        canvas.resized.connect(self._invalidate)
        self._pages.addWidget(canvas.widget)
        self.canvas = canvas
        self._invalidate()

    def context_menu(self) -> QMenu:
        """Return the menu of this chart; the caller shows it."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.exporter.fill(menu, self._series is not None and self._has_data(self._series))
        if self._can_scroll:
            menu.addSeparator()
            menu.addAction(self.tr("Show the latest"), self.show_latest)
        return menu

    def picture(self) -> QWidget:
        """Return the panel without read-out, for an image."""
        self._hide_readout()
        return self

    def show_readout(self, x: float) -> None:
        """Show the values nearest to a place on the x axis."""
        reading = self._reading(self._series, x) if self._series is not None else None
        if reading is None or self.canvas is None:
            self._hide_readout()
            return
        position, text = reading
        self.canvas.show_cross_hair(position)
        anchor = self.canvas.widget.mapTo(self, self.canvas.to_widget(position, 0).toPoint())
        self.readout.show_at(position, text, QPoint(anchor.x(), self._frame.y() + 2))

    @Slot()
    def show_latest(self) -> None:
        """Undo the user's scrolling and zooming."""
        self._reset()
        self._invalidate()

    @abstractmethod
    def table(self) -> Table:
        """Return the chart's data."""

    @abstractmethod
    def summary(self) -> str:
        """Return the chart's numbers in words, for screen readers."""

    @abstractmethod
    def _title(self) -> tuple[str, str]:
        """Return the title and the definition of the number beside it."""

    @abstractmethod
    def _x_caption(self) -> str:
        """Return what the x axis counts."""

    @abstractmethod
    def _empty_text(self) -> str:
        """Return what will appear, and when."""

    @abstractmethod
    def _make_chart(self, canvas: Canvas) -> None:
        """Put the chart's items on the canvas."""

    @abstractmethod
    def _has_data(self, series: ConversationSeries) -> bool:
        """Whether there is anything to draw."""

    @abstractmethod
    def _show_headline(self, series: ConversationSeries) -> None:
        """Update the heading."""

    @abstractmethod
    def _draw(self, series: ConversationSeries, canvas: Canvas) -> None:
        """Update the chart and the legend."""

    @abstractmethod
    def _reading(self, series: ConversationSeries, x: float) -> tuple[float, str] | None:
        """Return the nearest place on the x axis that has a value, and what it is there."""

    @abstractmethod
    def _stops(self, series: ConversationSeries) -> Sequence[float]:
        """Return the places on the x axis where the keyboard's cursor stops, rising."""

    def _message_at(self, _series: ConversationSeries, _x: float) -> str:
        """Return the id of the answer at a place on the x axis; empty when there is none."""
        return ""

    def _state(self, series: ConversationSeries) -> object:
        """Return what the chart depends on: while it stays equal there is nothing to draw."""
        return series.revision

    def _is_running(self, _series: ConversationSeries) -> bool:
        """Whether the chart changes by time alone."""
        return False

    def _reset(self) -> None:
        """Forget where the user has scrolled to."""

    def _note_scrolled(self, canvas: Canvas) -> None:
        """The user has scrolled or zoomed."""

    def _retranslate(self) -> None:
        title, explanation = self._title()
        self.heading.set_title(title, explanation)
        for widget in (self, self._frame):
            widget.setAccessibleName(title)
        self._empty.set_text(self._empty_text())
        self._frame.setAccessibleDescription(self._empty_text())
        if self.canvas is not None:
            self.canvas.set_caption(self._x_caption())
        self._described = None
        self._invalidate()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._invalidate()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.context_menu().popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, position = event.key(), self.readout.position
        if key in _CURSOR_KEYS:
            self._move_cursor(Qt.Key(key))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and position is not None:
            self._activate(position)
        elif key == Qt.Key.Key_Escape and position is not None:
            self._hide_readout()
        else:
            super().keyPressEvent(event)

    def _move_cursor(self, key: Qt.Key) -> None:
        stops = self._stops(self._series) if self._series is not None else ()
        if not stops:
            return
        position = self.readout.position
        target = stops[-1]
        if key == Qt.Key.Key_Home:
            target = stops[0]
        elif key == Qt.Key.Key_Left and position is not None:
            target = next((stop for stop in reversed(stops) if stop < position), stops[0])
        elif key == Qt.Key.Key_Right and position is not None:
            target = next((stop for stop in stops if stop > position), stops[-1])
        self.show_readout(target)

    def _activate(self, x: float) -> None:
        message_id = self._message_at(self._series, x) if self._series is not None else ""
        if message_id:
            self.turn_activated.emit(message_id)

    @Slot(float, float)
    def _on_hovered(self, x: float, _y: float) -> None:
        self.show_readout(x)

    @Slot(float, float)
    def _on_clicked(self, x: float, _y: float) -> None:
        self._activate(x)

    @Slot()
    def _hide_readout(self) -> None:
        self.readout.clear_position()
        if self.canvas is not None:
            self.canvas.show_cross_hair(None)

    @Slot()
    def _on_scrolled(self) -> None:
        if self.canvas is not None:
            self._note_scrolled(self.canvas)
        self._invalidate()

    @Slot()
    def _on_theme_changed(self) -> None:
        if self.canvas is not None:
            self.canvas.restyle()
        self._invalidate()

    @Slot()
    def _invalidate(self) -> None:
        self._drawn = None
        self.redraw()
