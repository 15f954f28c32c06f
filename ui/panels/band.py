"""The ground of a fitted curve: where new values are expected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPolygonF

from ui.panels.stacked import PixelItem

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QPainter, QTransform

    from ui.panels.marks import Mark
    from ui.theme import Theme

_ALPHA = 45


class BandItem(PixelItem):
    """A tinted area between two curves over the same places."""

    def __init__(self, theme: Theme, mark: Mark) -> None:
        super().__init__(theme)
        self._mark = mark
        self._xs: NDArray[np.float64] = np.empty(0)
        self._low: NDArray[np.float64] = np.empty(0)
        self._high: NDArray[np.float64] = np.empty(0)

    def set_band(self, xs: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
        """Draw this area; arrays of shape (k,), none of them with k = 0."""
        self._xs, self._low, self._high = xs, low, high
        self.update()

    def draw(self, painter: QPainter, to_pixels: QTransform) -> None:
        if not len(self._xs):
            return
        xs = np.concatenate([self._xs, self._xs[::-1]])
        ys = np.concatenate([self._high, self._low[::-1]])
        outline = QPolygonF([to_pixels.map(QPointF(x, y)) for x, y in zip(xs.tolist(), ys.tolist(), strict=True)])
        colour = self._mark.qcolor(self._theme.colours)
        colour.setAlpha(_ALPHA)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.setClipRect(to_pixels.mapRect(self._bounds))
        painter.drawPolygon(outline)
