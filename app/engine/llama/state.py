"""A sequence's state out of a context and into one, whole or only the part that cannot step back."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from app.engine.llama.library import lib

if TYPE_CHECKING:
    from app.engine.kv_state import Bytes

WHOLE = 0
PARTIAL = 1
"""LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY of llama.h: sliding windows and recurrent layers only."""


def state_size(handle: int, sequence: int = 0, flags: int = WHOLE) -> int:
    """Return how many bytes `take_state` would give."""
    return int(lib.llama_state_seq_get_size_ext(handle, sequence, flags))


def take_state(handle: int, sequence: int = 0, flags: int = WHOLE) -> bytearray | None:
    """Return a copy of a sequence's state; None when there is none or llama.cpp cannot give it.

    Raises MemoryError when there is no room for it.
    """
    size = state_size(handle, sequence, flags)
    if not size:
        return None
    data = bytearray(size)
    written = lib.llama_state_seq_get_data_ext(handle, _address(data), size, sequence, flags)
    return data if written == size else None


def put_state(handle: int, data: Bytes, sequence: int = 0, flags: int = WHOLE) -> bool:
    """Replace a sequence's state; False when llama.cpp refuses it, and then what was there is gone."""
    return bool(lib.llama_state_seq_set_data_ext(handle, _address(data), len(data), sequence, flags) == len(data))


def _address(data: Bytes) -> ctypes.Array[ctypes.c_uint8]:
    return (ctypes.c_uint8 * len(data)).from_buffer(data)
