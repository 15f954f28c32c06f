"""A file on the hub, read piece by piece with range requests: enough of it for a header, never the weights."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.engine.gguf import parse_header
from app.errors import HubError, Sentence
from app.hub.connection import request
from app.hub.problems import login_page

if TYPE_CHECKING:
    from app.engine.gguf import Header
    from app.hub.connection import Abort
    from app.hub.partial import RemoteFile

_FIRST_BYTES = 1024 * 1024 + 4096
"""The first look of a header's reader, a MiB from behind the magic, then needs no second piece."""
_PIECE_BYTES = 4 * 1024 * 1024
_MOST_BYTES = 64 * 1024 * 1024
"""Of one header: the largest vocabularies with their merges take about 16 MiB."""
_CONTENT_RANGE = re.compile(r"bytes (\d{1,19})-\d{1,19}/(\d{1,19})")


def fetch_header(file: RemoteFile, abort: Abort) -> Header:
    """Return the header of a file that is not here.

    Raises:
        ModelFileError: it is not a GGUF, or its header is damaged.
        HubError: it cannot be fetched, or the header has no end.
        StoppedError: it was aborted.
    """
    ranges = RangeFile(file, abort)
    ranges.read(1)  # now the size is known
    ranges.seek(0)
    return parse_header(ranges, ranges.size, file.label)


class RangeFile:
    """Reads a remote file; what was fetched last is kept, what is stepped over is not fetched.

    Attributes:
        size: of the whole file, known after the first read.
    """

    def __init__(self, file: RemoteFile, abort: Abort) -> None:
        self._file = file
        self._abort = abort
        self._position = 0
        self._piece = b""
        self._piece_start = 0
        self.size = file.size or 0
        self._asked_bytes = 0

    def seek(self, offset: int, /) -> int:
        """Move within the file, from its beginning."""
        self._position = offset
        return offset

    def tell(self) -> int:
        """Where it reads next."""
        return self._position

    def read(self, count: int, /) -> bytes:
        """Return `count` bytes, fewer at the end. Raises as `fetch_header`."""
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
        length = _PIECE_BYTES if self._asked_bytes else _FIRST_BYTES
        if self.size:
            length = min(length, self.size - self._position)
        if self._asked_bytes + length > _MOST_BYTES:
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
        self._asked_bytes += length
