"""Where each item lies: heights, known or estimated, and the place that keeps still while they become known."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from ui.chat.item import Item, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

GAP = 8
GAP_BELOW = 6
PADDING = 16
INSET = 16
COLUMN_EM = 46


def column_width(available: int, em: float) -> int:
    """Return the width of the centred column of messages: lines of a readable length, or all there is."""
    return max(200, min(available, round(em * COLUMN_EM) + 2 * INSET))


@dataclass(frozen=True, slots=True)
class Anchor:
    """A point of an item that keeps its place in the window: `offset` pixels below its top."""

    index: int
    offset: float


class Column:
    """The tops of items stacked with these heights."""

    def __init__(self, heights: Iterable[int]) -> None:
        self.tops = list(accumulate(heights, initial=PADDING))

    @property
    def height(self) -> int:
        """Of everything, the padding included."""
        return self.tops[-1] + PADDING

    def visible(self, top: float, height: float) -> range:
        """Return the indices of the items that reach into a window."""
        last_item = len(self.tops) - 2
        first = max(0, bisect_right(self.tops, top) - 1)
        last = min(last_item, bisect_right(self.tops, top + height) - 1)
        return range(min(first, last_item + 1), last + 1)


def estimate_height(item: Item, width: int, char_width: float, line_height: float) -> int:
    """Guess an item's height from its number of characters; it is corrected once the item is laid out."""
    if item.kind in (Kind.SUMMARY, Kind.EDGE):
        return round(line_height * 2.5)
    per_line = max(10, int(width / char_width))
    text = item.text
    lines = len(text) // per_line + text.count("\n") * 0.8 + 1
    if item.kind is Kind.USER:
        lines = min(lines, 42)
    return round(lines * line_height * 1.15 + line_height * (4 if item.kind is Kind.ASSISTANT else 2.5))
