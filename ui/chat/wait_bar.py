"""A thin stacked bar: where the wait for an answer went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QToolTip, QWidget

from ui.chat.tooltip import plain_tooltip

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from ui.chat.item import Bar, Segment
    from ui.chat.style import Style

HEIGHT = 7
WIDEST = 420


class WaitBar(QWidget):
    """Segments from left to right, as long as their share; the one under the pointer is told first.

    Signals:
        clicked: the user wants to know more.
    """

    clicked = Signal()

    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(parent)
        self._style = style
        self._segments: tuple[Segment, ...] = ()
        self._text = ""
        self.setObjectName("wait_bar")
        self.setAccessibleName(self.tr("Where the wait went"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.hide()

    @property
    def segments(self) -> tuple[Segment, ...]:
        """What is drawn."""
        return self._segments

    def show_bar(self, bar: Bar | None) -> None:
        """Draw this one, or nothing."""
        self._segments, self._text = (bar.segments(), bar.text()) if bar is not None else ((), "")
        self.setAccessibleDescription(self._text)
        self.setVisible(bool(self._segments))
        self.update()

    def boxes(self) -> list[QRectF]:
        """Return where each segment lies."""
        total = sum(segment.amount for segment in self._segments)
        boxes, left = [], 0.0
        for segment in self._segments:
            width = self.width() * segment.amount / total
            boxes.append(QRectF(left, 0, width, self.height()))
            left += width
        return boxes

    def text_at(self, x: float) -> str:
        """Return what is told at a place: the segment there, then the whole."""
        pairs = zip(self.boxes(), self._segments, strict=True)
        here = next((segment.text for box, segment in pairs if box.left() <= x < box.right()), "")
        return "\n\n".join(filter(None, (here, self._text)))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), plain_tooltip(self.text_at(event.pos().x())), self)
            return True
        return super().event(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.clicked.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        colours = self._style.colours
        for box, segment in zip(self.boxes(), self._segments, strict=True):
            segment.mark.fill(painter, box, colours)
        painter.setPen(QColor(colours.border))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
