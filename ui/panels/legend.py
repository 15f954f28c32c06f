"""The row under a chart that names its series, with their present values where there is room."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Slot
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ui.panels.marks import Shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent, QResizeEvent

    from ui.panels.marks import Mark
    from ui.theme import Theme

_GAP = 12.0
_SIGN_GAP = 4.0
_USUAL_ROWS = 2
_Rows = list[list[tuple[float, "Entry", bool]]]
"""Of each entry its place in its row, and whether its value is shown."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One series: its look, its name, its value now (may be empty) and what it means.

    A `spare` entry is left out where it would begin a third row.
    """

    mark: Mark
    label: str
    value: str = ""
    tooltip: str = ""
    spare: bool = False


class Legend(QWidget):
    """Wraps its entries; when they would take more than two rows the values are left to the hover read-out."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._entries: tuple[Entry, ...] = ()
        self._rows_at: dict[int, _Rows] = {}
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What is shown."""
        return self._entries

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Show these series."""
        if tuple(entries) == self._entries:
            return
        former_rows = len(self._rows(self.width()))
        self._entries = tuple(entries)
        self._rows_at.clear()
        self.setAccessibleName(", ".join(f"{entry.label} {entry.value}".strip() for entry in entries))
        if len(self._rows(self.width())) != former_rows:
            self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        rows = self._rows(width)
        return round(len(rows) * self._line_height())

    def sizeHint(self) -> QSize:
        return QSize(240, self.heightForWidth(max(self.width(), 240)))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, round(self._line_height()) if self._entries else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()  # another number of rows may be needed now

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours, metrics = self._theme.colours, QFontMetricsF(self.font())
        side = self._sign_side()
        for row, cells in enumerate(self._rows(self.width())):
            middle = (row + 0.5) * self._line_height()
            baseline = middle + (metrics.ascent() - metrics.descent()) / 2
            for x, entry, with_value in cells:
                width = self._sign_width(entry)
                entry.mark.draw_sample(painter, QRectF(x, round(middle - side / 2), width, side), colours)
                x += width + _SIGN_GAP
                painter.setPen(QColor(colours.muted))
                painter.drawText(QPointF(x, baseline), entry.label)
                if with_value and entry.value:
                    x += metrics.horizontalAdvance(entry.label + " ")
                    painter.setPen(QColor(colours.text))
                    painter.drawText(QPointF(x, baseline), entry.value)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self._rows_at.clear()
        super().changeEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            entry = self.entry_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), entry.tooltip if entry else "", self)
            return True
        return super().event(event)

    def entry_at(self, position: QPointF) -> Entry | None:
        """Return the entry under a point of this widget."""
        rows = self._rows(self.width())
        row = int(position.y() // self._line_height())
        if not 0 <= row < len(rows):
            return None
        before = [entry for x, entry, _ in rows[row] if x <= position.x()]
        return before[-1] if before else None

    def _rows(self, width: int) -> _Rows:
        if width not in self._rows_at:
            rows = self._wrapped(width, with_values=True)
            self._rows_at[width] = rows if len(rows) <= _USUAL_ROWS else self._wrapped(width, with_values=False)
        return self._rows_at[width]

    def _wrapped(self, width: int, with_values: bool) -> _Rows:
        metrics = QFontMetricsF(self.font())
        rows: _Rows = []
        x = 0.0
        for entry in self._entries:
            text = f"{entry.label} {entry.value}" if with_values and entry.value else entry.label
            advance = self._sign_width(entry) + _SIGN_GAP + metrics.horizontalAdvance(text)
            if not rows or x + advance > width:
                if entry.spare and len(rows) >= _USUAL_ROWS:
                    continue
                rows.append([])
                x = 0.0
            rows[-1].append((x, entry, with_values))
            x += advance + _GAP
        return rows

    def _line_height(self) -> float:
        return QFontMetricsF(self.font()).height() + 1

    def _sign_width(self, entry: Entry) -> float:
        """Return the width of an entry's sign; a line needs some length to show its dashes."""
        return self._sign_side() * (2 if entry.mark.shape is Shape.LINE else 1)

    def _sign_side(self) -> float:
        return round(QFontMetricsF(self.font()).ascent() * 0.7)

    @Slot()
    def _restyle(self) -> None:
        self.setFont(self._theme.font(delta_points=-1))
        self.updateGeometry()
        self.update()
