"""Bars, areas, points and grid lines, painted in pixels: crisp edges, true patterns, a tenth of filled curves' cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF, QTransform
from PySide6.QtWidgets import QGraphicsObject, QStyleOptionGraphicsItem, QWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from ui.panels.marks import Mark
    from ui.theme import Theme

_POINT_RADIUS = 3.0
_BAR_WIDTH = 0.7


class PixelItem(QGraphicsObject):
    """An item in the data's coordinates whose `draw` gets the way from there to pixels."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._bounds = QRectF(0, 0, 1, 1)

    def set_bounds(self, bounds: QRectF) -> None:
        """Say what part of the plane the chart shows: the item paints anywhere in it."""
        if bounds != self._bounds:
            self.prepareGeometryChange()
            self._bounds = bounds

    def boundingRect(self) -> QRectF:
        return self._bounds

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        to_pixels = painter.worldTransform()
        painter.save()
        painter.resetTransform()
        self.draw(painter, to_pixels)
        painter.restore()

    def draw(self, painter: QPainter, to_pixels: QTransform) -> None:
        raise NotImplementedError


class GridLines(PixelItem):
    """Thin lines across the chart at the ticks of the left axis."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._heights: tuple[float, ...] = ()

    def set_heights(self, heights: Sequence[float]) -> None:
        """Draw lines at these values."""
        self._heights = tuple(heights)
        self.update()

    def draw(self, painter: QPainter, to_pixels: QTransform) -> None:
        painter.setPen(QPen(QColor(self._theme.colours.grid), 1))
        for height in self._heights:
            start = to_pixels.map(QPointF(self._bounds.left(), height))
            end = to_pixels.map(QPointF(self._bounds.right(), height))
            y = round(start.y())
            painter.drawLine(QPointF(start.x(), y), QPointF(end.x(), y))


class Points(PixelItem):
    """Signs of one kind.

    Attributes:
        xs, ys: shape (n,), where they stand.
    """

    def __init__(self, theme: Theme, mark: Mark) -> None:
        super().__init__(theme)
        self._mark = mark
        self.xs: NDArray[np.float64] = np.empty(0)
        self.ys: NDArray[np.float64] = np.empty(0)

    def set_points(self, xs: ArrayLike, ys: ArrayLike) -> None:
        """Show these points."""
        self.xs, self.ys = np.asarray(xs, dtype=np.float64), np.asarray(ys, dtype=np.float64)
        self.update()

    def draw(self, painter: QPainter, to_pixels: QTransform) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for x, y in zip(self.xs.tolist(), self.ys.tolist(), strict=True):
            self._mark.draw_point(painter, to_pixels.map(QPointF(x, y)), _POINT_RADIUS, self._theme.colours)


class StackedBars(PixelItem):
    """One bar per number on the x axis.

    Attributes:
        positions: shape (n,), where the bars stand.
        parts: shape (n, k), heights of the parts from the bottom up, in the order of `marks`; NaN: no bar, a cross.
        dotted: shape (n,), which bars carry a diamond on their top.
        highlighted: position of the bar with a frame, None for none.
    """

    def __init__(self, theme: Theme, marks: Sequence[Mark], missing: Mark, dot: Mark) -> None:
        super().__init__(theme)
        self.marks = tuple(marks)
        self._missing, self._dot = missing, dot
        self.positions: NDArray[np.float64] = np.empty(0)
        self.parts: NDArray[np.float64] = np.empty((0, len(self.marks)))
        self.dotted: NDArray[np.bool_] = np.empty(0, dtype=bool)
        self.highlighted: float | None = None

    def set_bars(self, positions: NDArray[np.float64], parts: NDArray[np.float64], dotted: NDArray[np.bool_]) -> None:
        """Show these bars."""
        self.positions, self.parts, self.dotted = positions, parts, dotted
        self.update()

    def draw(self, painter: QPainter, to_pixels: QTransform) -> None:
        start, end = np.searchsorted(self.positions, [self._bounds.left() - 1, self._bounds.right() + 1])
        width = max(2, round(_BAR_WIDTH * abs(to_pixels.m11())))
        for index in range(start, end):
            self._draw_bar(painter, to_pixels, index, width)

    def _draw_bar(self, painter: QPainter, to_pixels: QTransform, index: int, width: int) -> None:
        colours = self._theme.colours
        position = float(self.positions[index])
        left = round(to_pixels.map(QPointF(position, 0)).x() - width / 2)
        heights = np.concatenate([[0.0], np.cumsum(self.parts[index])])
        if np.isnan(heights[-1]):
            base = to_pixels.map(QPointF(position, 0))
            self._missing.draw_point(painter, base - QPointF(0, 2 * _POINT_RADIUS), _POINT_RADIUS, colours)
            return
        edges = [round(to_pixels.map(QPointF(0, float(height))).y()) for height in heights]
        for mark, bottom, top in zip(self.marks, edges, edges[1:], strict=False):
            if bottom > top:
                mark.fill(painter, QRectF(left, top, width, bottom - top), colours)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        is_highlighted = position == self.highlighted
        painter.setPen(QPen(QColor(colours.text if is_highlighted else colours.muted), 2 if is_highlighted else 1))
        painter.drawRect(QRectF(left, edges[-1], width - 1, edges[0] - edges[-1]))
        if self.dotted[index]:
            centre = QPointF(left + width / 2, edges[-1] - _POINT_RADIUS - 3)
            self._dot.draw_point(painter, centre, _POINT_RADIUS, colours)


class StackedArea(PixelItem):
    """Layers between polylines.

    Attributes:
        positions: shape (n,), rising.
        layers: shape (k, n), thickness of each layer from the bottom up, in the order of `marks`.
    """

    def __init__(self, theme: Theme, marks: Sequence[Mark]) -> None:
        super().__init__(theme)
        self.marks = tuple(marks)
        self.positions: NDArray[np.float64] = np.empty(0)
        self.layers: NDArray[np.float64] = np.empty((len(self.marks), 0))

    def set_layers(self, positions: NDArray[np.float64], layers: NDArray[np.float64]) -> None:
        """Show these layers."""
        self.positions, self.layers = positions, layers
        self.update()

    def draw(self, painter: QPainter, to_pixels: QTransform) -> None:
        colours = self._theme.colours
        bottom = self._edge(to_pixels, np.zeros_like(self.positions))
        total = np.zeros_like(self.positions)
        separator = QPen(QColor(colours.base), 1)
        for mark, layer in zip(self.marks, self.layers, strict=True):
            total = total + layer
            top = self._edge(to_pixels, total)
            if layer.any():
                mark.fill(painter, QPolygonF([*bottom, *reversed(top)]), colours)
                painter.setPen(separator)
                painter.drawPolyline(QPolygonF(bottom))
            bottom = top

    def _edge(self, to_pixels: QTransform, heights: NDArray[np.float64]) -> list[QPointF]:
        xs, ys = self.positions.tolist(), heights.tolist()
        return [to_pixels.map(QPointF(x, y)) for x, y in zip(xs, ys, strict=True)]
