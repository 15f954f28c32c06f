"""Finds the GGUF files below a folder. Links are followed, each folder is entered once, depth and number
are bounded."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from app.errors import Sentence
from app.reasons import reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_DEPTH = 16
MOST_ENTRIES = 200_000
_TRASHES = ("$RECYCLE.BIN", "Trash", ".Trashes")


@dataclass(slots=True)
class Walk:
    """One walk over one or more folders.

    Attributes:
        is_cancelled: asked at every entry; the walk ends when it says so.
        notes: a sentence for each folder that was left out.
        folders: those that were looked into.
    """

    is_cancelled: Callable[[], bool]
    most_depth: int = MOST_DEPTH
    most_entries: int = MOST_ENTRIES
    notes: list[str] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    _seen: set[tuple[int, int]] = field(default_factory=set)

    def files(self, root: Path) -> Iterator[Path]:
        """Yield every `*.gguf`, one that cannot be looked at too, in the order of their names within a folder."""
        if is_file(root):
            yield root
            return
        entries_left = self.most_entries
        folders = [(root, 0)]
        while folders:
            folder, depth = folders.pop()
            entries = self._entries(folder, entries_left + 1)
            is_too_many = len(entries) > entries_left
            entries_left -= len(entries)
            below: list[tuple[Path, int]] = []
            for entry in entries:
                if self.is_cancelled():
                    return
                if _is_folder(entry):
                    if entry.name not in _TRASHES and not entry.name.startswith(".Trash-"):
                        below.append((Path(entry.path), depth + 1))
                elif entry.name.lower().endswith(".gguf") and _may_be_file(entry):
                    yield Path(entry.path)
            if is_too_many:
                self.notes.append(
                    Sentence(
                        "{path} holds more than {count:,} files; the rest was skipped: add a smaller folder.",
                        path=root,
                        count=self.most_entries,
                    )
                )
                return
            if below and depth >= self.most_depth:
                self.notes.append(Sentence("{path} is nested too deeply; what lies below was skipped.", path=folder))
            else:
                folders += reversed(below)

    def _entries(self, folder: Path, most: int) -> list[os.DirEntry[str]]:
        try:
            status = folder.stat()
            identity = (status.st_dev, status.st_ino)
            if identity in self._seen:
                return []
            self._seen.add(identity)
            self.folders.append(folder)
            with os.scandir(folder) as entries:
                return sorted(islice(entries, most), key=lambda entry: entry.name)
        except OSError as error:
            self.leave_out(folder, error)
            return []

    def leave_out(self, path: Path, error: OSError) -> None:
        """Say that this could not be looked into."""
        self.notes.append(
            Sentence("{path} cannot be read ({error}) and was skipped.", path=path, error=reason_of(error))
        )


def is_there(path: Path) -> bool:
    """Whether it exists and can be looked at; unlike `Path.exists` never an error."""
    try:
        path.stat()
    except OSError:
        return False
    return True


def may_be_there(path: Path) -> bool:
    """Whether it exists, or it is forbidden to find out."""
    try:
        path.stat()
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def is_file(path: Path) -> bool:
    """Whether it is a regular file; unlike `Path.is_file` never an error."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _may_be_file(entry: os.DirEntry[str]) -> bool:
    """Not a pipe or a device, which would block whoever opens it; a link that leads nowhere is a broken file."""
    try:
        return stat.S_ISREG(entry.stat().st_mode)
    except OSError:
        return True
