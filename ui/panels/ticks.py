"""Round limits and ticks of an axis; the charts set these themselves, and only when they change."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ui.formatting import axis_labels

if TYPE_CHECKING:
    from collections.abc import Callable

    from ui.formatting import Unit

_STEPS = (1.0, 2.0, 5.0, 10.0)
_FEWEST_STEPS = 3
_PIXELS_PER_STEP = 34

Tick = tuple[float, str]


def nice_step(span: float, most: int) -> float:
    """Return the smallest 1, 2 or 5 x 10^k that divides a span into at most `most` steps."""
    raw = span / max(most, 1)
    power = 10.0 ** math.floor(math.log10(raw))
    return next(step * power for step in _STEPS if step * power >= raw * (1 - 1e-9))


def value_axis(largest: float, pixels: float, unit_of: Callable[[float], Unit]) -> tuple[float, list[Tick]]:
    """Return the axis' end, half steps from 0 so that `largest` fits, and its ticks; the last one names the unit."""
    unit = unit_of(largest)
    largest = largest if largest > 0 else unit.size
    step = nice_step(largest / unit.size, max(_FEWEST_STEPS, int(pixels // _PIXELS_PER_STEP)))
    half_steps = math.ceil(2 * largest / unit.size / step - 1e-9)
    end = half_steps / 2 * step * unit.size
    if unit_of(end) != unit:  # 0.9 s is 900 ms, but its axis ends at 1 s
        return value_axis(end, pixels, unit_of)
    values = [number * step for number in range(half_steps // 2 + 1)]
    return end, list(zip([value * unit.size for value in values], axis_labels(values, unit), strict=True))


def whole_ticks(first: float, last: float, most: int) -> list[float]:
    """Return whole numbers at nice steps within a range: turn numbers, token counts."""
    step = max(1, round(nice_step(max(last - first, 1), most)))
    start = math.ceil(max(first, 0) / step) * step
    return [float(value) for value in range(start, math.floor(last) + 1, step)]


def context_ticks(n_ctx: int, most: int) -> list[float]:
    """Return the halves, quarters or eighths of a context, its limit included."""
    parts = next((parts for parts in (8, 4, 2) if parts <= most), 1)
    return [float(round(n_ctx * part / parts)) for part in range(parts + 1)]


def round_context(tokens: int, n_ctx: int | None) -> int:
    """Return the next power of two, at least 256 and at most the context: an axis' end that seldom moves."""
    end = max(256, 1 << max(tokens - 1, 1).bit_length())
    return min(end, n_ctx) if n_ctx is not None and n_ctx >= tokens else end
