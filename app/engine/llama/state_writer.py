"""Writes saved states to the disk on a thread of its own, so that neither an answer nor Stop waits for it."""

from __future__ import annotations

import logging
import shutil
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.engine.llama.reuse import takes_the_place
from app.engine.state_file import StateWorkStoppedError, read_description, remove_leftovers, write_state
from app.engine.states import MOST_BRANCHES, StateFolder
from app.errors import Sentence, StorageError
from app.files import make_folder
from app.reasons import reason_of

if TYPE_CHECKING:
    from pathlib import Path

    from app.engine.kv_state import KvState, StateKey

logger = logging.getLogger(__name__)

_LEFT_FREE_BYTES = 1024**3
"""A cache must not fill the disk; llama.cpp's --fit-target leaves as much of a device's memory."""

_LAST_CHUNK_S = 0.5
"""A write that is given up ends with the piece under way, but a slow disk may hold that up."""


@dataclass(frozen=True, slots=True)
class _Job:
    folder: Path
    budget_bytes: int
    conversation_id: str
    key: StateKey
    state: KvState


class StateWriter:
    """One state is being written at a time; of those that wait, a newer one takes the place of its conversation's.

    Args:
        most_waiting: as many wait, each in memory; one more takes the place of the oldest.

    Attributes:
        dropped: the conversations (by `conversation_key`) whose states made room for others.
    """

    def __init__(self, most_waiting: int = 1) -> None:
        self._changed = threading.Condition()
        self._most_waiting = most_waiting
        self._waiting: list[_Job] = []
        self._writing: _Job | None = None
        self._thread: threading.Thread | None = None
        self._has_ended = False
        self._given_up: set[str] = set()
        self._notes: list[Sentence] = []
        self.dropped: set[str] = set()

    def write(self, folder: Path, budget_bytes: int, conversation_id: str, key: StateKey, state: KvState) -> None:
        """Have a state written, others dropped for it."""
        with self._changed:
            if self._has_ended:
                return
            self._given_up.discard(conversation_id)
            others = [job for job in self._waiting if job.conversation_id != conversation_id]
            job = _Job(folder, budget_bytes, conversation_id, key, state)
            self._waiting = [*others, job][-self._most_waiting :]
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="state-writer", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    @property
    def states(self) -> list[KvState]:
        """Those that are not on the disk yet, the newest first."""
        return [job.state for job in self._jobs()]

    def holding(self, conversation_id: str, key: StateKey) -> list[KvState]:
        """Return the states of a conversation that are not on the disk yet, the newest first."""
        return [job.state for job in self._jobs() if job.conversation_id == conversation_id and job.key == key]

    def _jobs(self) -> list[_Job]:
        with self._changed:
            return [*reversed(self._waiting), *filter(None, (self._writing,))]

    def discard(self, conversation_id: str) -> None:
        """Write nothing of this conversation any more."""
        with self._changed:
            self._give_up(conversation_id)
            while self._writing is not None and self._writing.conversation_id == conversation_id:
                self._changed.wait()

    def finish(self, wait_s: float) -> None:
        """Write what is asked for, within that time, and end."""
        ends = time.monotonic() + wait_s
        with self._changed:
            while (self._waiting or self._writing) and (left := ends - time.monotonic()) > 0:
                self._changed.wait(left)
            if self._waiting or self._writing:
                logger.warning("the KV cache was not written in time")
            self._has_ended = True
            self._waiting.clear()
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(_LAST_CHUNK_S)

    def take_notes(self) -> list[Sentence]:
        """Return what the user should know, once."""
        with self._changed:
            notes, self._notes = self._notes, []
            return notes

    def _give_up(self, conversation_id: str) -> None:
        self._waiting = [job for job in self._waiting if job.conversation_id != conversation_id]
        if self._writing is not None and self._writing.conversation_id == conversation_id:
            self._given_up.add(conversation_id)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._writing = None
                self._changed.notify_all()
                while not self._waiting:
                    if self._has_ended:
                        return
                    self._changed.wait()
                self._writing = job = self._waiting.pop(0)
            try:
                self._write(job)
            except StateWorkStoppedError:
                logger.info("writing a KV cache was given up")
            except OSError as error:
                logger.warning("a KV cache could not be written: %s", error)
                self._note(Sentence("The KV cache could not be saved on disk ({error}).", error=reason_of(error)))

    def _write(self, job: _Job) -> None:
        folder = StateFolder(job.folder)
        make_folder(job.folder)
        remove_leftovers(job.folder)
        replaced = _replaced(folder, job)
        path = replaced[0] if replaced else folder.free_place(job.conversation_id, job.key.digest)
        size = job.state.size_bytes
        dropped = folder.shrink(job.budget_bytes - size, but=path)
        self.dropped.update(dropped)
        if shutil.disk_usage(job.folder).free < size + _LEFT_FREE_BYTES:
            self._note(Sentence("The KV cache was not saved: the disk is nearly full."))
            return
        write_state(path, job.state, job.key, job.conversation_id, lambda: self._is_given_up(job))
        for needless in replaced[1:]:
            needless.unlink(missing_ok=True)

    def _is_given_up(self, job: _Job) -> bool:
        with self._changed:
            return self._has_ended or job.conversation_id in self._given_up

    def _note(self, sentence: Sentence) -> None:
        with self._changed:
            self._notes.append(sentence)


def _replaced(folder: StateFolder, job: _Job) -> list[Path]:
    """Return the files that this state makes needless; where there would be too many beside it, the oldest."""
    states = folder.states(job.conversation_id, job.key.digest)
    replaced = [saved.path for saved in states if _is_replaced(saved.path, job.state)]
    return replaced or [saved.path for saved in states[: max(len(states) - MOST_BRANCHES + 1, 0)]]


def _is_replaced(path: Path, state: KvState) -> bool:
    try:
        _, tokens = read_description(path)
    except (StorageError, OSError):
        return True  # it is of no use
    return takes_the_place(state.tokens, tokens)
