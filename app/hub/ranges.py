"""A file on the hub, read piece by piece with range requests: enough of it for a header, never the weights."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.engine.gguf import parse_header
from app.engine.gguf_reader import WINDOW_BYTES
from app.errors import HubError, Sentence
from app.hub.connection import request
from app.hub.problems import login_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.engine.gguf import Header
    from app.hub.connection import Abort
    from app.hub.partial import RemoteFile

_PIECE_BYTES = 4 * 1024 * 1024
_PART_BYTES = 64 * 1024
"""Read at once of a part after the first one, which holds the vocabulary: the others have a few names."""
_MAGIC_BYTES = 4
"""In front of what is read at once."""
_MOST_BYTES = 64 * 1024 * 1024
"""Of the headers of one model: the largest vocabularies with their merges take about 16 MiB."""
_CONTENT_RANGE = re.compile(r"bytes (\d{1,19})-\d{1,19}/(\d{1,19})")


def fetch_headers(files: Sequence[RemoteFile], abort: Abort) -> list[Header]:
    """Return the headers of a model that is not here, of all its parts.

    Raises:
        ModelFileError: one is not a GGUF, or its header is damaged.
        HubError: one cannot be fetched, or there is no end to them.
        StoppedError: it was aborted.
    """
    headers: list[Header] = []
    bytes_left = _MOST_BYTES
    for file in files:
        window_bytes = _PART_BYTES if headers else WINDOW_BYTES
        ranges = RangeFile(file, abort, window_bytes + _MAGIC_BYTES, bytes_left)
        ranges.read(1)  # now the size is known
        ranges.seek(0)
        headers.append(parse_header(ranges, ranges.size, file.label, window_bytes))
        bytes_left -= ranges.asked_bytes
    return headers


class RangeFile:
    """Reads a remote file; what was fetched last is kept, what is stepped over is not fetched.

    Attributes:
        size: of the whole file, known after the first read.
        asked_bytes: so far, whether they came or not.
    """

    def __init__(self, file: RemoteFile, abort: Abort, first_bytes: int, most_bytes: int) -> None:
        """`first_bytes` are fetched with the first read, `most_bytes` in all."""
        self._file = file
        self._abort = abort
        self._first_bytes = first_bytes
        self._most_bytes = most_bytes
        self._position = 0
        self._piece = b""
        self._piece_start = 0
        self.size = file.size or 0
        self.asked_bytes = 0

    def seek(self, offset: int, /) -> int:
        """Move within the file, from its beginning."""
        self._position = offset
        return offset

    def tell(self) -> int:
        """Where it reads next."""
        return self._position

    def read(self, count: int, /) -> bytes:
        """Return `count` bytes, fewer at the end. Raises as `fetch_headers`."""
        if self.size:
            count = min(count, self.size - self._position)
        if count <= 0:
            return b""
        end = self._position + count
        parts = []
        while self._position < end:
            start = self._position - self._piece_start
            if not 0 <= start < len(self._piece):
                self._fetch()
                if not self._piece:
                    break
                continue
            part = self._piece[start : start + end - self._position]
            parts.append(part)
            self._position += len(part)
        return b"".join(parts)

    def _fetch(self) -> None:
        length = _PIECE_BYTES if self.asked_bytes else self._first_bytes
        if self.size:
            length = min(length, self.size - self._position)
        if self.asked_bytes + length > self._most_bytes:
            raise HubError(Sentence("{file} has a longer header than any model: take another.", file=self._file.label))
        last = self._position + length - 1
        headers = {"Range": f"bytes={self._position}-{last}", "Accept-Encoding": "identity"}
        with request(self._file.url, headers, self._abort, f"{self._file.repo}/{self._file.label}") as answer:
            if answer.headers.get_content_type() == "text/html":
                raise login_page(answer.host, self._file.label)
            match = _CONTENT_RANGE.fullmatch(answer.headers.get("Content-Range", "").strip())
            if answer.status != 206 or match is None or int(match[1]) != self._position:
                raise HubError(
                    Sentence(
                        "{host} sends files only whole, so what {file} takes cannot be said before it is downloaded.",
                        host=answer.host,
                        file=self._file.label,
                    )
                )
            self.size = int(match[2])
            self._piece = answer.read(length, whole=True)
        self._piece_start = self._position
        self.asked_bytes += length
