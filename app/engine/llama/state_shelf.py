"""The saved states of all conversations, several where one has branches: in memory by last use, on disk a file each."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from app.engine.llama.reuse import takes_the_place
from app.engine.llama.state_writer import StateWriter
from app.engine.state_file import StateWorkStoppedError, read_description, read_state
from app.engine.states import MOST_BRANCHES, StateBudget, StateFolder, conversation_key
from app.errors import Sentence, StorageDamagedError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.engine.kv_state import KvState, Origin, StateKey

logger = logging.getLogger(__name__)

Place = Literal["", "memory", "disk"]


@dataclass(frozen=True, slots=True)
class Found:
    """A saved state of a conversation; on disk only its description is known yet, and not checked.

    `checkpoints`: after how many of its tokens it has one.
    """

    conversation: str
    place: Place
    tokens: tuple[int, ...]
    undecoded: int | None
    origin: Origin
    checkpoints: tuple[int, ...]
    state: KvState | None = None
    path: Path | None = None


class StateShelf:
    """Keeps within a budget, the one used longest ago dropped first.

    Args:
        make_key: what all states must have been made with; asked once, when it is needed.
        n_vocab: token ids from there on are none.
        n_caches: as many conversations may want to be written at the same time.

    Attributes:
        why_lost: why the last look-up found nothing that can be used, when that is known; else empty.
        notes: sentences for the user.
    """

    def __init__(self, make_key: Callable[[], StateKey], n_vocab: int, n_caches: int = 1) -> None:
        self._make_key = make_key
        self._n_vocab = n_vocab
        self._in_memory: list[tuple[str, KvState]] = []
        self._dropped: set[str] = set()
        self._writer = StateWriter(n_caches)
        self.budget = StateBudget()
        self.why_lost: Sentence | str = ""
        self.notes: list[Sentence] = []

    @cached_property
    def _key(self) -> StateKey:
        return self._make_key()

    @property
    def memory_bytes(self) -> int:
        """What the states in memory take."""
        return sum(state.size_bytes for _, state in self._in_memory)

    @property
    def held_bytes(self) -> int:
        """What the states in memory take, and those that are being written."""
        states = [*(state for _, state in self._in_memory), *self._writer.states]
        return sum({id(state): state.size_bytes for state in states}.values())

    @property
    def disk_bytes(self) -> int:
        """What those on disk may take."""
        return self.budget.disk_bytes if self.budget.folder is not None else 0

    def set_budget(self, budget: StateBudget) -> None:
        """Keep within this one from now on; on disk from the next write on."""
        self.budget = budget
        self._drop_beyond_budget()

    def find(self, conversation: str, *, only_looks: bool = False) -> list[Found]:
        """Return the saved states of a conversation that can be used here, those in memory first, the newest first.

        `only_looks`: files that are damaged stay for who asks for the conversation, who is told so.
        """
        self.why_lost = ""
        states = [state for whose, state in reversed(self._in_memory) if whose == conversation]
        if self.disk_bytes:
            states += self._writer.holding(conversation, self._key)
        found = [
            Found(conversation, "memory", each.tokens, each.undecoded, each.origin, _places(each), each)
            for each in states
        ]
        if self.disk_bytes:
            found += self._find_on_disk(conversation, only_looks=only_looks)
        if not found and self.disk_bytes and not self.why_lost:
            self.why_lost = self._why_foreign(conversation)
        return found

    def read(self, found: Found, should_stop: Callable[[], bool]) -> KvState | None:
        """Return a state that was found, every byte of it checked; None when that failed.

        Raises:
            StateWorkStoppedError: `should_stop` said so.
        """
        if found.path is None:
            return found.state
        try:
            description, state = read_state(found.path, should_stop)
        except StateWorkStoppedError:
            raise
        except StorageError:
            self._refuse_damaged(found.path)
            return None
        except (OSError, MemoryError) as error:
            logger.warning("a saved KV cache cannot be read: %s", error)
            self.why_lost = Sentence("The saved KV cache of this conversation could not be read.")
            return None
        is_its = conversation_key(description.conversation_id) == conversation_key(found.conversation)
        if state.tokens != found.tokens or not is_its:
            self._refuse_damaged(found.path)
            return None
        try:
            os.utime(found.path)  # used last: dropped last
        except OSError:
            logger.info("the time of a saved KV cache cannot be set")
        return state

    def refuse(self, found: Found) -> None:
        """llama.cpp did not take it: it is of no use."""
        self.why_lost = Sentence("llama.cpp refused the saved KV cache of this conversation.")
        if found.path is not None:
            _remove(found.path)

    def take_from_memory(self, found: Found) -> None:
        """A state is in the cache again."""
        self._in_memory = [each for each in self._in_memory if each[1] is not found.state]

    def put(self, conversation: str, state: KvState, *, to_memory: bool, to_disk: bool) -> None:
        """Keep a state where it fits into the budget, in the place of older ones of the same branch."""
        self._dropped.discard(conversation)
        if to_memory and state.size_bytes <= self.budget.memory_bytes:
            self._in_memory = [
                each
                for each in self._in_memory
                if each[0] != conversation or not takes_the_place(state.tokens, each[1].tokens)
            ]
            self._in_memory.append((conversation, state))
            own = [each for each in self._in_memory if each[0] == conversation]
            if len(own) > MOST_BRANCHES:
                self._in_memory.remove(own[0])
            self._drop_beyond_budget()
        if to_disk and self.budget.folder is not None and state.size_bytes <= self.budget.disk_bytes:
            self._writer.write(self.budget.folder, self.budget.disk_bytes, conversation, self._key, state)

    def note_lost(self, conversation: str) -> None:
        """A state could not be kept."""
        self._dropped.add(conversation)

    def drop_oldest(self) -> bool:
        """Give the memory of the state back that was used longest ago; False when there is none."""
        if not self._in_memory:
            return False
        conversation, _ = self._in_memory.pop(0)
        if not self.disk_bytes:
            self._dropped.add(conversation)
        return True

    def drop_all(self) -> None:
        """Give the memory of all states back: it is needed for something better."""
        while self.drop_oldest():
            pass

    def why_nothing(self, conversation: str, *, held_another: bool) -> Sentence:
        """Say why an answered conversation has no state, when nothing more special is known."""
        if conversation in self._dropped or conversation_key(conversation) in self._writer.dropped:
            return Sentence("The KV cache of this conversation was dropped to stay within what may be kept.")
        if held_another:
            return Sentence("Another conversation used the cache in between.")
        return Sentence("The cache was empty: the model or the conversation was opened anew.")

    def take_notes(self) -> tuple[Sentence, ...]:
        """Return what the user should know of saving, once."""
        notes, self.notes = [*self.notes, *self._writer.take_notes()], []
        return tuple(notes)

    def discard(self, conversation: str) -> None:
        """Delete the states of a conversation, also one that is just being written."""
        self._in_memory = [each for each in self._in_memory if each[0] != conversation]
        self._writer.discard(conversation)
        if self.budget.folder is not None:
            StateFolder(self.budget.folder).remove(conversation)

    def close(self, wait_s: float) -> None:
        """Write what is asked for, within that time, and end."""
        self._in_memory.clear()
        self._writer.finish(wait_s)

    def _drop_beyond_budget(self) -> None:
        while self.memory_bytes > self.budget.memory_bytes:
            self.drop_oldest()

    def _find_on_disk(self, conversation: str, *, only_looks: bool) -> list[Found]:
        assert self.budget.folder is not None
        states = StateFolder(self.budget.folder).states(conversation, self._key.digest)
        found = []
        for saved in reversed(states):
            try:
                found.append(self._describe(conversation, saved.path))
            except OSError as error:
                logger.warning("a saved KV cache cannot be read: %s", error)
            except StorageError:
                if not only_looks:
                    self._refuse_damaged(saved.path)
        return found

    def _describe(self, conversation: str, path: Path) -> Found:
        description, tokens = read_description(path)
        ids = tokens if description.undecoded is None else (*tokens, description.undecoded)
        if not all(0 <= token < self._n_vocab for token in ids) or description.key.digest != self._key.digest:
            raise StorageDamagedError(path.name)
        checkpoints = tuple(place for place, _ in description.checkpoints)
        return Found(conversation, "disk", tokens, description.undecoded, description.origin, checkpoints, path=path)

    def _refuse_damaged(self, path: Path) -> None:
        logger.warning("the saved KV cache %s is damaged or comes from elsewhere", path.name)
        _remove(path)
        self.why_lost = Sentence("The saved KV cache of this conversation was damaged, so it was ignored.")

    def _why_foreign(self, conversation: str) -> Sentence | str:
        assert self.budget.folder is not None
        for saved in reversed(StateFolder(self.budget.folder).states(conversation)):
            try:
                description, _ = read_description(saved.path)
            except (StorageError, OSError):
                continue
            return self._key.why_not(description.key)
        return ""


def _places(state: KvState) -> tuple[int, ...]:
    return tuple(point.tokens for point in state.checkpoints)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        logger.warning("%s cannot be deleted: %s", path.name, error)
