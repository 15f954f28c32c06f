"""Grouped bars with their standard deviations, painted in pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPen

from ui.panels.marks import Mark
from ui.panels.stacked import PixelItem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPainter, QTransform

    from ui.theme import Theme

GROUP_WIDTH = 0.8
"""Of the distance between two groups."""

_WIDEST_BAR = 56
_GAP = 3
_WHISKER = 4
SERIES = (
    Mark("kv_used"),
    Mark("compute", pattern=Qt.BrushStyle.FDiagPattern),
    Mark("rest", pattern=Qt.BrushStyle.DiagCrossPattern),
    Mark("recurrent", pattern=Qt.BrushStyle.Dense3Pattern),
    Mark("kv_reserved", pattern=Qt.BrushStyle.BDiagPattern),
    Mark("weights", pattern=Qt.BrushStyle.HorPattern),
)


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar.

    Attributes:
        group: where the middle of its group stands: a whole number from 1.
        place: where it stands in the group, in bars from the middle.
        share: of the distance between two groups that it may take.
        height, deviation: tokens per second.
        is_disturbed: gets a cross on its top.
        text: what it is, in words.
    """

    group: float
    place: float
    share: float
    height: float
    deviation: float
    mark: Mark
    is_disturbed: bool
    text: str


class ErrorBars(PixelItem):
    """Bars from 0 up, each with a whisker one standard deviation up and down."""

    def __init__(self, theme: Theme, disturbed: Mark) -> None:
        super().__init__(theme)
        self._disturbed = disturbed
        self.bars: tuple[Bar, ...] = ()
        self._group_px = 1.0

    def set_bars(self, bars: Sequence[Bar]) -> None:
        """Show these."""
        self.bars = tuple(bars)
        self.update()

    def draw(self, painter: QPainter, to_pixels: QTransform) -> None:
        colours = self._theme.colours
        self._group_px = abs(to_pixels.m11())
        for bar in self.bars:
            x, width = self._x(bar), self._width(bar)
            base, top = (to_pixels.map(QPointF(x, y)) for y in (0.0, bar.height))
            outline = QRectF(round(base.x() - width / 2), round(top.y()), width, round(base.y()) - round(top.y()))
            bar.mark.fill(painter, outline, colours)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(colours.muted), 1))
            painter.drawRect(outline)
            low, high = (to_pixels.map(QPointF(x, max(bar.height + sign * bar.deviation, 0.0))) for sign in (-1, 1))
            painter.setPen(QPen(QColor(colours.text), 1))
            painter.drawLine(low, high)
            for end in (low, high):
                painter.drawLine(end - QPointF(_WHISKER, 0), end + QPointF(_WHISKER, 0))
            if bar.is_disturbed:
                self._disturbed.draw_point(painter, high - QPointF(0, 8), 3.5, colours)

    def bar_at(self, x: float) -> Bar | None:
        """Return the bar nearest to a place on the x axis."""
        return min(self.bars, key=lambda bar: abs(self._x(bar) - x), default=None)

    def _width(self, bar: Bar) -> int:
        """In pixels."""
        return min(max(3, round(bar.share * self._group_px) - _GAP), _WIDEST_BAR)

    def _x(self, bar: Bar) -> float:
        """Where the bar's middle stands, however wide it may be drawn."""
        return bar.group + bar.place * (self._width(bar) + _GAP) / self._group_px
