"""Which files were found to have which SHA-256, so that a model of many GiB is not read again each time it is named."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from app.hub.json_table import read_table, write_table

if TYPE_CHECKING:
    from pathlib import Path

DIGESTS_FILE = "digests.json"
_MOST_FILES = 10_000


class Digests:
    """Digests by path, size and time, in one JSON file; one that cannot be read counts as empty. For any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def find(self, file: Path) -> str:
        """Return the digest in hexadecimal; empty when it is not known or the file has changed. Raises OSError."""
        entry = self._entry(file)
        status = file.stat()
        match entry:
            case [int(size), int(time_ns), str(digest), *_] if (size, time_ns) == (status.st_size, status.st_mtime_ns):
                return digest
        return ""

    def promised(self, file: Path) -> str:
        """Return the digest that the hub gave for what was downloaded to this place; empty when it gave none."""
        match self._entry(file):
            case [int(), int(), str(digest), "hub"]:
                return digest
        return ""

    def remember(self, file: Path, digest: str, *, is_promised: bool = False) -> None:
        """Keep a digest. A disk that refuses loses a cache only. Raises OSError when the file itself is gone.

        Args:
            is_promised: it is the one the hub gave.
        """
        status = file.stat()
        with self._lock:
            known = read_table(self._path)
            known.pop(str(file.absolute()), None)
            source = ["hub"] if is_promised else []
            known[str(file.absolute())] = [status.st_size, status.st_mtime_ns, digest, *source]
            write_table(self._path, known, _MOST_FILES)

    def _entry(self, file: Path) -> object:
        with self._lock:
            return read_table(self._path).get(str(file.absolute()))
