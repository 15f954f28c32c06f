"""The roofline on logarithmic axes: the machine's limits, a point per phase, batch sizes as a line."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt

from ui.formatting import figure, number
from ui.panels.canvas import Canvas
from ui.panels.marks import Mark, Shape
from ui.panels.stacked import Points

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.telemetry.roofline import Roofline
    from ui.panels.ticks import Tick
    from ui.theme import Theme

ROOF = Mark("text", Shape.LINE)
RIDGE = Mark("muted", Shape.LINE, dash=Qt.PenStyle.DashLine)
BATCHES = Mark("compute", Shape.LINE, dash=Qt.PenStyle.DotLine)
BATCH_POINTS = Mark("compute", Shape.TRIANGLE)
PREFILL_POINT = Mark("prefill", Shape.DIAMOND)
DECODE_POINT = Mark("decode", Shape.DOT)
_ROOM = 0.35
_LEAST_DECADES = 2.0


class RooflineChart:
    """Places are the logarithms of operations per byte and of operations per second.

    Attributes:
        canvas: its `hovered` says where the pointer is, in these places.
    """

    def __init__(self, theme: Theme, x_caption: str, parent: QWidget) -> None:
        self.canvas = Canvas(theme, x_caption, can_scroll=False, parent=parent)
        self.roof = self.canvas.add_curve(ROOF)
        self.batches = self.canvas.add_curve(BATCHES)
        self.ridge = self.canvas.add_line(RIDGE, angle=90)
        self.batch_points = Points(theme, BATCH_POINTS)
        self.prefill = Points(theme, PREFILL_POINT)
        self.decode = Points(theme, DECODE_POINT)
        for item in (self.batch_points, self.prefill, self.decode):
            self.canvas.add_pixel_item(item)
        self._picture: Roofline | None = None

    def draw(self, picture: Roofline) -> None:
        """Show a turn's picture."""
        self._picture = picture
        line = [(math.log10(each.intensity), math.log10(each.flops_per_s)) for each in picture.line]
        phases = {each.phase: (math.log10(each.intensity), math.log10(each.flops_per_s)) for each in picture.phases}
        places = [*line, *phases.values()]
        peak, rate = picture.ceilings.flops_per_s, picture.ceilings.read_bytes_per_s
        if picture.ridge is not None and peak:
            places.append((math.log10(picture.ridge), math.log10(peak)))
        if not places:
            return
        x_first, x_last = _range([x for x, _ in places])
        y_first, y_last = _range([y for _, y in places])
        self.canvas.set_ranges((x_first, x_last), (y_first, y_last))
        self.canvas.set_ticks("bottom", _decades(x_first, x_last, ""))
        self.canvas.set_ticks("left", _decades(y_first, y_last, "FLOP/s"))
        xs = np.linspace(x_first, x_last, 200)
        under = np.minimum(
            xs + math.log10(rate) if rate else np.full_like(xs, np.inf), math.log10(peak) if peak else np.inf
        )
        shown = np.isfinite(under)
        self.roof.setData(xs[shown], under[shown])
        self.ridge.setVisible(picture.ridge is not None)
        if picture.ridge is not None:
            self.ridge.setValue(math.log10(picture.ridge))
        self.batches.setData(np.array([x for x, _ in line]), np.array([y for _, y in line]))
        self.batch_points.set_points([x for x, _ in line], [y for _, y in line])
        for item, phase in ((self.prefill, "prefill"), (self.decode, "decode")):
            place = phases.get(phase)  # type: ignore[call-overload]
            item.set_points([place[0]] if place else [], [place[1]] if place else [])

    def nearest(self, x: float) -> tuple[str, float] | None:
        """Return what is drawn nearest to a place, a phase or a batch such as `batch 8`, and its intensity."""
        if self._picture is None:
            return None
        named: list[tuple[str, float]] = [(each.phase, each.intensity) for each in self._picture.phases]
        named += [(f"batch {each.batch}", each.intensity) for each in self._picture.line]
        return min(named, key=lambda each: abs(math.log10(each[1]) - x), default=None)


def _range(values: list[float]) -> tuple[float, float]:
    first, last = min(values) - _ROOM, max(values) + _ROOM
    short = max(_LEAST_DECADES - (last - first), 0.0)
    return first - short / 2, last + short / 2


def _decades(first: float, last: float, unit: str) -> list[Tick]:
    ticks = []
    for power in range(math.ceil(first), math.floor(last) + 1):
        value = 10.0**power
        ticks.append((float(power), figure(value, unit) if unit else number(value)))
    return ticks
