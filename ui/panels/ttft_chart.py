"""The bars of the TTFT panel: what is drawn and in which range."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.units import NS_PER_S
from ui.formatting import duration_unit, labelled
from ui.panels.looks import CACHED, MISSING, TTFT_PARTS
from ui.panels.stacked import StackedBars
from ui.panels.ticks import value_axis, whole_ticks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from app.telemetry.timings import TtftParts
    from ui.panels.canvas import Canvas
    from ui.theme import Theme

FEWEST_TURNS, MOST_TURNS = 10, 20
"""How many bars there is room for: no fewer than the first, and by itself no more than the second."""

_PIXELS_PER_LABEL = 26
_HEADROOM = 1.12
_NARROWEST = 4


class TtftChart:
    """Bar number n stands at n on the x axis; the newest are kept in view until the user scrolls away from them."""

    def __init__(self, theme: Theme, canvas: Canvas) -> None:
        self._follow = True
        self._room: float | None = None
        self.bars = StackedBars(theme, TTFT_PARTS, missing=MISSING, dot=CACHED)
        self._canvas = canvas
        canvas.add_pixel_item(self.bars)

    def draw(self, parts: Sequence[TtftParts | None], cached: Sequence[bool], highlighted: int | None) -> None:
        """Show the turns.

        Args:
            parts: None for a turn without a first token.
            cached: whether a part of the turn's prompt was in the cache.
            highlighted: number of the turn to be framed.
        """
        rows = [(p.queue_ns, p.tokenise_ns, p.prefill_ns, p.rest_ns) if p else (np.nan,) * 4 for p in parts]
        parts_s = np.array(rows, dtype=np.float64).reshape(-1, 4) / NS_PER_S
        self.bars.highlighted = highlighted
        self.bars.set_bars(np.arange(1, len(parts_s) + 1, dtype=np.float64), parts_s, np.array(cached, dtype=bool))
        self._show_ranges(parts_s)

    def note_scrolled(self) -> None:
        """Keep the width the user chose, and go on following where the newest bar is in view."""
        first, last = self._canvas.x_range
        self._room = last - first
        self._follow = last >= len(self.bars.positions) + 0.5

    def follow(self) -> None:
        """Show the newest bars again, as many as usual."""
        self._room, self._follow = None, True

    def _show_ranges(self, parts_s: NDArray[np.float64]) -> None:
        n = len(parts_s)
        usual_room = FEWEST_TURNS if n <= FEWEST_TURNS else MOST_TURNS
        end = max(n, usual_room) + 0.5
        self._canvas.set_limits(0.5, end, _NARROWEST)
        first, last = (max(0.5, end - (self._room or usual_room)), end) if self._follow else self._canvas.x_range
        shown = parts_s[max(0, int(first - 0.5)) : int(last + 0.5)].sum(axis=1)
        width, height = self._canvas.size
        top, ticks = value_axis(float(np.nanmax(shown, initial=0.0)) * _HEADROOM, height, duration_unit)
        self._canvas.set_ranges((first, last), (0.0, top))
        self._canvas.set_ticks("left", ticks)
        numbers = whole_ticks(max(first, 1), last, int(width // _PIXELS_PER_LABEL))
        self._canvas.set_ticks("bottom", labelled(numbers))
