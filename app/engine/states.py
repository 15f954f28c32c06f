"""Saved states of the KV cache: how much of them is kept, and the folder of those on disk."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SUFFIX = ".kv"
MOST_BRANCHES = 4
"""So many states are kept of one conversation; it must not push those of all others out."""

_NAME = re.compile(r"(?P<conversation>[A-Za-z0-9-]{1,64})\.(?P<key>[0-9a-f]{16})(-\d+)?\.kv")


@dataclass(frozen=True, slots=True)
class StateBudget:
    """How many bytes of saved states are kept; 0 keeps none. Without a folder none are kept on disk."""

    folder: Path | None = None
    memory_bytes: int = 0
    disk_bytes: int = 0


@dataclass(frozen=True, slots=True)
class SavedState:
    """One file. `used_ns`: when it was written or last restored, in ns since 1970."""

    path: Path
    conversation: str
    size_bytes: int
    used_ns: int


def conversation_key(conversation_id: str) -> str:
    """Return a conversation's id as it stands in file names, whatever the id is made of."""
    if re.fullmatch(r"[A-Za-z0-9-]{1,64}", conversation_id):
        return conversation_id
    import hashlib  # not above: nothing slow is imported before the first frame

    return hashlib.blake2b(conversation_id.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class StateFolder:
    """The files of saved states; files of other names are left alone. What cannot be read counts as not there."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def file(self, conversation_id: str, key_digest: str) -> Path:
        """Return where a conversation's first state under a key is kept, whether it is there or not."""
        return self.path / f"{conversation_key(conversation_id)}.{key_digest[:16]}{SUFFIX}"

    def free_place(self, conversation_id: str, key_digest: str) -> Path:
        """Return where one more state of a conversation under a key can be kept."""
        first = self.file(conversation_id, key_digest)
        places = chain([first], (first.with_name(f"{first.stem}-{number}{SUFFIX}") for number in count(2)))
        return next(path for path in places if not path.exists())

    def states(self, conversation_id: str | None = None, key_digest: str = "") -> list[SavedState]:
        """Return the files, of one conversation or of all, under one key or all, the one used longest ago first."""
        wanted = None if conversation_id is None else conversation_key(conversation_id)
        found = []
        try:
            paths = list(self.path.iterdir())
        except OSError:
            return []
        for path in paths:
            match = _NAME.fullmatch(path.name)
            if match is None or wanted not in (None, match["conversation"]):
                continue
            if key_digest and match["key"] != key_digest[:16]:
                continue
            with suppress(OSError):  # another process may have dropped it
                status = path.stat()
                found.append(SavedState(path, match["conversation"], status.st_size, status.st_mtime_ns))
        return sorted(found, key=lambda state: state.used_ns)

    def total_bytes(self, conversation_id: str | None = None) -> int:
        """Return the size of the files, of one conversation or of all."""
        return sum(state.size_bytes for state in self.states(conversation_id))

    def remove(self, conversation_id: str) -> None:
        """Delete a conversation's states."""
        for state in self.states(conversation_id):
            with suppress(OSError):
                state.path.unlink()

    def shrink(self, budget_bytes: int, but: Path | None = None) -> list[str]:
        """Delete states, the one used longest ago first, until the others fit into the budget.

        `but` is not counted and not deleted: it is going to be replaced. Returns the conversations that lost one.
        """
        states = [state for state in self.states() if state.path != but]
        total, dropped = sum(state.size_bytes for state in states), []
        for state in states:
            if total <= budget_bytes:
                break
            with suppress(OSError):
                state.path.unlink()
                dropped.append(state.conversation)
            total -= state.size_bytes
        return dropped
