"""Checkpoints: what lets sliding windows and recurrent layers step back without reading everything again."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from app.engine.kv_state import Checkpoint
from app.engine.llama.state import PARTIAL, put_state, state_size, take_state

if TYPE_CHECKING:
    from collections.abc import Iterable

logger = logging.getLogger(__name__)

MOST = 8
MOST_BYTES = 512 * 1024**2
"""One of Gemma 3 27B's windows of 1,024 tokens is 416 MiB, of most models a tenth."""
WORTH_TOKENS = 64
"""Closer together they save less than they cost, as in llama-server (server-context.cpp)."""


class Checkpoints:
    """Those of one sequence, by rising number of tokens; the oldest is dropped first."""

    def __init__(self, sequence: int = 0) -> None:
        self._sequence = sequence
        self.points: tuple[Checkpoint, ...] = ()

    def take(self, handle: int, tokens: int) -> None:
        """Keep what the context holds now, which is `tokens` tokens; nothing when it is too large."""
        if tokens < WORTH_TOKENS or any(point.tokens == tokens for point in self.points):
            return
        size = state_size(handle, self._sequence, PARTIAL)
        if not 0 < size <= MOST_BYTES:
            return
        try:
            data = take_state(handle, self._sequence, PARTIAL)
        except MemoryError:
            return
        if data is None:
            return
        points = [*(point for point in self.points if point.tokens < tokens), Checkpoint(tokens, data)]
        while len(points) > MOST or sum(point.size_bytes for point in points) > MOST_BYTES:
            del points[0]
        self.points = tuple(points)

    def restore(self, handle: int, most_tokens: int) -> int | None:
        """Put the latest one back that holds at most so many tokens; return how many it holds.

        None: there is none. 0: llama.cpp refused it, and the sequence must be cleared.
        """
        for point in reversed(self.points):
            if point.tokens <= most_tokens:
                if put_state(handle, point.data, self._sequence, PARTIAL):
                    return point.tokens
                logger.warning("llama.cpp refused a checkpoint of %d tokens", point.tokens)
                return 0
        return None

    def keep(self, tokens: int) -> None:
        """Drop those of more tokens: what followed was taken out of the cache."""
        self.points = tuple(point for point in self.points if point.tokens <= tokens)

    def replace(self, points: Iterable[Checkpoint]) -> None:
        """Use those of another state."""
        self.points = tuple(points)
