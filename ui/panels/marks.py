"""How a series looks: its colour by role and its fill or line, the same in the chart and in the legend."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPen, QPolygonF

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from ui.theme import Colours

_TINT_ALPHA = 70


class Shape(Enum):
    """What stands for a series."""

    FILL = auto()
    LINE = auto()
    DOT = auto()
    DIAMOND = auto()
    CROSS = auto()
    TRIANGLE = auto()


@dataclass(frozen=True, slots=True)
class Mark:
    """One series' look. `colour` is a field of `ui.theme.Colours`; pattern and dash keep series apart without it."""

    colour: str
    shape: Shape = Shape.FILL
    pattern: Qt.BrushStyle = Qt.BrushStyle.SolidPattern
    dash: Qt.PenStyle = Qt.PenStyle.SolidLine

    def qcolor(self, colours: Colours) -> QColor:
        """Return the colour in a palette."""
        return QColor(getattr(colours, self.colour))

    def pen(self, colours: Colours) -> QPen:
        """Return a pen one pixel wide: wider ones cost pyqtgraph ten times as much."""
        pen = QPen(self.qcolor(colours), 1, self.dash)
        pen.setCosmetic(True)
        return pen

    def fill(self, painter: QPainter, outline: QRectF | QPolygonF, colours: Colours) -> None:
        """Fill an outline given in pixels."""
        colour = self.qcolor(colours)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.pattern is not Qt.BrushStyle.SolidPattern:
            tint = QColor(colour)
            tint.setAlpha(_TINT_ALPHA)
            _draw(painter, outline, QBrush(tint))
        _draw(painter, outline, QBrush(colour, self.pattern))

    def draw_point(self, painter: QPainter, centre: QPointF, radius: float, colours: Colours) -> None:
        """Draw a dot, diamond, cross or triangle around a point given in pixels."""
        x, y = centre.x(), centre.y()
        colour = self.qcolor(colours)
        if self.shape is Shape.CROSS:
            painter.setPen(QPen(colour, 1.5))
            painter.drawLine(QPointF(x - radius, y - radius), QPointF(x + radius, y + radius))
            painter.drawLine(QPointF(x - radius, y + radius), QPointF(x + radius, y - radius))
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        if self.shape is Shape.DOT:
            painter.drawEllipse(centre, radius, radius)
            return
        corners = [QPointF(x, y - radius), QPointF(x + radius, y), QPointF(x, y + radius), QPointF(x - radius, y)]
        if self.shape is Shape.TRIANGLE:
            corners = [QPointF(x, y - radius), QPointF(x + radius, y + radius), QPointF(x - radius, y + radius)]
        painter.drawPolygon(QPolygonF(corners))

    def draw_sample(self, painter: QPainter, box: QRectF, colours: Colours) -> None:
        """Draw this series' sign in a legend."""
        if self.shape is Shape.FILL:
            self.fill(painter, box, colours)
            painter.setPen(QPen(QColor(colours.muted), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box)
        elif self.shape is Shape.LINE:
            painter.setPen(QPen(self.qcolor(colours), 1.5, self.dash))
            painter.drawLine(QPointF(box.left(), box.center().y()), QPointF(box.right(), box.center().y()))
        else:
            self.draw_point(painter, box.center(), box.width() / 2, colours)


def _draw(painter: QPainter, outline: QRectF | QPolygonF, brush: QBrush) -> None:
    if isinstance(outline, QRectF):
        painter.fillRect(outline, brush)
        return
    painter.setBrush(brush)
    painter.drawPolygon(outline)
