"""A file that is not yet whole: `NAME.part` with its bytes, `NAME.part.json` with what they are bytes of.

What several connections fetch at once lies beside it until its turn comes, in `NAME.part.START-END`.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, BinaryIO

from app.errors import HubError, Sentence
from app.files import make_folder, remove_written, write_atomically
from app.hub.endpoint import file_url
from app.hub.leftovers import NOTE, PART
from app.hub.names import printable

if TYPE_CHECKING:
    from pathlib import Path

_EXTENT = re.compile(r"(?P<start>\d{1,19})-(?P<end>\d{1,19})")
_MOST_OPENINGS = 5
"""On a file system whose numbers of files do not stay the same, none is ever recognised."""
_LOCKED_BYTE = 2**62  # behind the end of any file: what is locked on Windows cannot be written


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One file of a repository.

    Attributes:
        name: its path in the repository.
        revision: branch or commit.
        size: bytes, None until the hub has said it.
        sha256: in hexadecimal, empty until the hub has said it.
        etag: of the server that sends the bytes, empty until it has said it.
    """

    repo: str
    name: str
    revision: str = "main"
    size: int | None = None
    sha256: str = ""
    etag: str = ""

    @property
    def url(self) -> str:
        """Where it is fetched."""
        return file_url(self.repo, self.revision, self.name)

    @property
    def label(self) -> str:
        """Its name for a sentence, on one line."""
        return printable(self.name.replace("\n", " "))


@dataclass(frozen=True, slots=True)
class Block:
    """Bytes from `start` to before `end` of the whole file, in a file of their own."""

    path: Path
    start: int
    end: int

    @property
    def done(self) -> int:
        """How many of them are there."""
        try:
            return min(self.path.stat().st_size, self.end - self.start)
        except OSError:
            return 0


class Partial:
    """The files beside the one that is to be; the caller opens it before the rest."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.path = target.with_name(target.name + PART)
        self.note = target.with_name(target.name + NOTE)
        self._file: BinaryIO | None = None

    def open(self) -> None:
        """Open and lock it for this process alone.

        Raises:
            HubError: another process is downloading this file.
            OSError: the folder or the file cannot be made.
        """
        for tries_left in reversed(range(_MOST_OPENINGS)):
            file = self._opened()
            if not _lock(file):
                file.close()
                raise HubError(
                    Sentence("{file} is already being downloaded by another window or terminal.", file=self.target.name)
                )
            if self._is_ours(file) or not tries_left:
                self._file = file
                return
            file.close()

    def _opened(self) -> BinaryIO:
        make_folder(self.path.parent)
        try:
            return self.path.open("ab+")
        except FileNotFoundError:  # `remove` of a neighbour took the folder that was empty
            make_folder(self.path.parent)
            return self.path.open("ab+")

    def _is_ours(self, file: BinaryIO) -> bool:
        """Whether it still has this name: who held the lock may have made it the model before letting go."""
        try:
            return os.path.samestat(os.fstat(file.fileno()), self.path.stat())
        except OSError:
            return False

    @property
    def file(self) -> BinaryIO:
        """For reading what is there and appending."""
        assert self._file is not None
        return self._file

    def block(self, start: int, end: int) -> Block:
        """Name a block; its file is made by who fills it."""
        return Block(self.path.with_name(f"{self.path.name}.{start}-{end}"), start, end)

    def blocks(self) -> list[Block]:
        """Return the blocks that are there, in order."""
        found = []
        with contextlib.suppress(OSError), os.scandir(self.path.parent) as entries:
            for entry in entries:
                match = _EXTENT.fullmatch(entry.name.removeprefix(f"{self.path.name}."))
                if match and entry.name.startswith(self.path.name):
                    found.append(self.block(int(match["start"]), int(match["end"])))
        return sorted(found, key=lambda block: block.start)

    def done_bytes(self) -> int:
        """Return how many bytes are there, those of the blocks too."""
        size = 0
        with contextlib.suppress(OSError):
            size = self.path.stat().st_size
        return size + sum(block.done for block in self.blocks())

    def clear(self) -> None:
        """Begin from nothing."""
        self.remove_blocks()
        self.file.seek(0)
        self.file.truncate()

    def remember(self, file: RemoteFile) -> None:
        """Write down what the bytes are of, before the first of them."""
        write_atomically(self.note, json.dumps(asdict(file)).encode())

    def remembered(self) -> RemoteFile | None:
        """Return what the bytes are of; None when it is not written down or damaged."""
        return read_note(self.note)

    def close(self) -> None:
        """Close it, and with that unlock it."""
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):  # what a full disk did not take was said when it was written
                file.close()

    def _is_taken(self) -> bool:
        """Whether another process or object has it open."""
        try:
            with self.path.open("rb") as file:
                return not _lock(file)
        except OSError:
            return False

    def complete(self) -> None:
        """Make it the file it is to be, in one step. Raises OSError."""
        self.file.flush()
        os.fsync(self.file.fileno())
        if sys.platform == "win32":
            self.close()  # what is open cannot be renamed
        self.path.replace(self.target)
        self.remove_blocks()
        remove_written(self.note)
        self.close()

    def remove_blocks(self) -> None:
        """Delete all blocks."""
        for block in self.blocks():
            with contextlib.suppress(OSError):
                block.path.unlink(missing_ok=True)

    def remove(self, root: Path | None = None) -> None:
        """Delete all of it, and the folders up to `root` that are empty then; nothing while another fetches it."""
        if self._file is None and self._is_taken():
            return
        self.close()
        self.remove_blocks()
        remove_written(self.note)
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)
        if root is not None:
            with contextlib.suppress(OSError):
                for folder in self.path.parents:
                    if folder == root or root not in folder.parents:
                        break
                    folder.rmdir()


def read_note(path: Path) -> RemoteFile | None:
    """Return what a `.part.json` says; None when it is missing or damaged."""
    kinds = {"size": int | None}
    try:
        values = json.loads(path.read_bytes())
        given = {each.name: values[each.name] for each in fields(RemoteFile)}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    if not all(isinstance(value, kinds.get(name, str)) for name, value in given.items()):
        return None
    file = RemoteFile(**given)
    return file if file.size is None or file.size > 0 else None


def _lock(file: BinaryIO) -> bool:
    """Lock a file until it is closed; false when another process or object holds it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(_LOCKED_BYTE)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        return sys.platform != "win32" or error.errno != 13  # a file system without locks must not forbid downloads
    return True
