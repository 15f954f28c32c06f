"""Walks over the bytes of a GGUF header without trusting a single count in it.

Only a window of the file is held, whatever the header claims; large arrays are stepped over by seeking.
"""

from __future__ import annotations

import struct
import time
from typing import Protocol

from app.errors import Sentence

WINDOW_BYTES = 1024 * 1024
_MOST_TEXT_BYTES = 16 * 1024 * 1024
_MOST_NAME_BYTES = 65_535
_MOST_STRINGS = 2_000_000
"""In all arrays together: the largest vocabularies have 262,144 tokens and twice as many merges."""

_STRINGS_AT_ONCE, _PAUSE_S = 4096, 5e-5
"""About 2 ms, then a moment in which the window's thread gets the interpreter: asking for it takes 5 ms each time."""

STRING, ARRAY, BOOL = 8, 9, 7
SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<B", 10: "<Q", 11: "<q", 12: "<d"}
"""enum gguf_type -> struct format of one element."""

Scalar = int | float | bool | str


class Source(Protocol):
    """What a header is read from: a binary file, or what acts like one."""

    def seek(self, offset: int, /) -> int:
        """Read from there next."""

    def tell(self) -> int:
        """Where it reads next."""

    def read(self, count: int, /) -> bytes:
        """Return as many bytes, fewer at the end."""


class Reader:
    """A position in a file of `size` bytes. Raises EOFError behind its end, ValueError for what no model has."""

    def __init__(self, file: Source, size: int, window_bytes: int = WINDOW_BYTES) -> None:
        """`window_bytes` are read at once."""
        self._file = file
        self._window_bytes = window_bytes
        self._size = size
        self._window = b""
        self._window_start = self.position = file.tell()
        self._strings_left = _MOST_STRINGS

    def _need(self, count: int) -> int:
        """Have the next `count` bytes in the window; returns where in it they begin."""
        if count < 0 or self.position + count > self._size:
            raise EOFError
        start = self.position - self._window_start
        if start + count > len(self._window):
            self._file.seek(self.position)
            self._window = self._file.read(max(self._window_bytes, count))
            self._window_start, start = self.position, 0
            if len(self._window) < count:
                raise EOFError
        return start

    def skip(self, count: int) -> None:
        """Step over bytes that must be there."""
        if self.position + count > self._size:
            raise EOFError
        self.position += count

    def scalar(self, form: str) -> int | float:
        """Read one number."""
        size = struct.calcsize(form)
        start = self._need(size)
        value: int | float = struct.unpack_from(form, self._window, start)[0]
        self.position += size
        return value

    def count(self) -> int:
        """Read a length or a number of things."""
        start = self._need(8)
        self.position += 8
        return int.from_bytes(self._window[start : start + 8], "little")

    def text(self, most_bytes: int = _MOST_TEXT_BYTES) -> str:
        """Read a string."""
        length = self.count()
        if self.position + length > self._size:
            raise EOFError
        if length > most_bytes:
            raise ValueError(Sentence("a text is longer than any model has"))
        start = self._need(length)
        self.position += length
        return self._window[start : start + length].decode("utf-8", "replace")

    def name(self) -> str:
        """Read a key or a tensor's name."""
        return self.text(_MOST_NAME_BYTES)

    def numbers(self, element: int, length: int) -> tuple[Scalar, ...]:
        """Read an array of numbers or booleans."""
        form = SCALARS[element]
        size = struct.calcsize(form) * length
        start = self._need(size)
        values = struct.unpack_from(f"<{length}{form[1]}", self._window, start)
        self.position += size
        return tuple(map(bool, values)) if element == BOOL else values

    def skip_strings(self, count: int) -> None:
        """Walk over strings."""
        if count * 8 > self._size - self.position:
            raise EOFError
        self._strings_left -= count
        if self._strings_left < 0:
            raise ValueError(Sentence("it lists more texts than any vocabulary has"))
        length_of = struct.Struct("<Q").unpack_from
        while count:
            offset = self._need(8)
            window, last = self._window, len(self._window) - 8
            stop = max(0, count - _STRINGS_AT_ONCE)
            while count > stop and offset <= last:
                offset += 8 + length_of(window, offset)[0]
                count -= 1
            self.position = self._window_start + offset
            if self.position > self._size:
                raise EOFError
            if count:
                time.sleep(_PAUSE_S)
