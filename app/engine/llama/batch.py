"""A llama_batch of several sequences, filled anew for every step."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from app.engine.llama.library import lib

if TYPE_CHECKING:
    from collections.abc import Sequence


class Batch:
    """Rows of (token, position, sequence), of which some want their logits.

    Args:
        capacity: the most rows.
        n_sequences: their numbers are 0 to one less.
    """

    def __init__(self, capacity: int, n_sequences: int) -> None:
        pointer = ctypes.POINTER(lib.llama_seq_id)
        self._ids = [(lib.llama_seq_id * 1)(number) for number in range(n_sequences)]
        self._pointers = [ctypes.cast(each, pointer) for each in self._ids]
        self._tokens = (lib.llama_token * capacity)()
        self._positions = (lib.llama_pos * capacity)()
        self._counts = (ctypes.c_int32 * capacity)(*([1] * capacity))
        self._sequences = (pointer * capacity)()
        self._logits = (ctypes.c_int8 * capacity)()
        self._size = 0
        self._batch = lib.llama_batch(
            n_tokens=0,
            token=self._tokens,
            pos=self._positions,
            n_seq_id=self._counts,
            seq_id=self._sequences,
            logits=self._logits,
        )

    def __len__(self) -> int:
        return self._size

    def clear(self) -> None:
        """Take all rows out."""
        self._size = 0

    def add(self, tokens: Sequence[int], position: int, sequence: int, *, wants_logits: bool) -> int:
        """Append tokens that follow each other; `wants_logits`: those of the last. Return the row of that."""
        first, self._size = self._size, self._size + len(tokens)
        rows = slice(first, self._size)
        self._tokens[rows] = tokens
        self._positions[rows] = range(position, position + len(tokens))
        self._sequences[rows] = [self._pointers[sequence]] * len(tokens)
        self._logits[rows] = [0] * len(tokens)
        self._logits[self._size - 1] = int(wants_logits)
        return self._size - 1

    def decode(self, handle: int | None) -> int:
        """Compute all rows and wait for the logits; return llama_decode's status."""
        self._batch.n_tokens = self._size
        status: int = lib.llama_decode(handle, self._batch)
        lib.llama_synchronize(handle)
        return status
