"""Keeps the KV caches of conversations that are not being answered, in memory and on disk, and brings them back."""

from __future__ import annotations

import logging
import os
import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from app.engine.kv_state import KvState, Origin, text_digest
from app.engine.llama.reuse import why_parted
from app.engine.llama.state import put_state, state_size, take_state
from app.engine.llama.state_writer import StateWriter
from app.engine.state_file import StateWorkStoppedError, read_description, read_state
from app.engine.states import StateBudget, StateFolder, conversation_key
from app.errors import Sentence, StorageError, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from app.chat.message import Message
    from app.engine.events import TextPiece
    from app.engine.kv_state import StateKey
    from app.engine.llama.context import LlamaContext
    from app.engine.request import GenerationRequest

logger = logging.getLogger(__name__)

WORTH_TOKENS = 64
"""A shorter state is read again sooner than it is brought back."""

Place = Literal["", "memory", "disk"]


@dataclass(frozen=True, slots=True)
class Found:
    """A saved state of the conversation that is going to be answered; on disk only its tokens are known yet."""

    place: Place
    tokens: tuple[int, ...]
    undecoded: int | None
    origin: Origin
    state: KvState | None = None
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class Restored:
    """What was brought back: nothing when `place` is empty."""

    place: Place = ""
    tokens: int = 0
    took_ns: int = 0


class StateKeeper:
    """One sequence of a context, and the saved states of the conversations that had it.

    Attributes:
        origin: what the tokens in the cache came from, None when that is not known.
        why_lost: why the conversation being answered does not find its state; empty when it does, or had none.
    """

    def __init__(
        self,
        context: LlamaContext,
        make_key: Callable[[], StateKey],
        free_bytes: Callable[[], int],
        n_vocab: int,
        sequence: int = 0,
    ) -> None:
        self._context = context
        self._make_key = make_key
        self._free_bytes = free_bytes
        self._n_vocab = n_vocab
        self._sequence = sequence
        self._budget = StateBudget()
        self._holder = ""
        self._is_changed = False
        self._is_own = False
        self._found: Found | None = None
        self._spared: tuple[int, ...] = ()
        self._in_memory: OrderedDict[str, KvState] = OrderedDict()
        self._dropped: set[str] = set()
        self._writer = StateWriter()
        self._notes: list[Sentence] = []
        self.origin: Origin | None = None
        self.why_lost: Sentence | str = ""

    @property
    def memory_bytes(self) -> int:
        """What the states in memory take."""
        return sum(state.size_bytes for state in self._in_memory.values())

    @cached_property
    def _key(self) -> StateKey:
        return self._make_key()

    # -- before a prompt is read --------------------------------------------------------------------------------------

    def before_prompt(self, request: GenerationRequest) -> None:
        """Save the state of the conversation that had the cache when another one is asked for, and find that one's."""
        self._budget = request.states
        self._drop_beyond_budget()
        self._found, self.why_lost = None, ""
        conversation = request.conversation_id
        if conversation == self._holder and self._context.tokens:
            return
        held_another = bool(self._context.tokens)
        self.keep()
        self._holder, self._is_changed, self._is_own, self.origin = conversation, False, False, None
        if conversation:
            try:
                self._found = self._find(conversation)
            except OSError as error:
                logger.warning("a saved KV cache cannot be read: %s", error)
        was_answered = sum(message.role == "user" for message in request.messages) > 1
        if self._found is None and was_answered and not self.why_lost:
            self.why_lost = self._why_nothing(conversation, held_another)

    def candidates(self) -> tuple[Sequence[int], ...]:
        """Return the token ids that the prompt may begin with, the likeliest first."""
        context, found = self._context, self._found
        candidates: list[Sequence[int]] = []
        for tokens, undecoded in (
            *(((found.tokens, found.undecoded),) if found is not None else ()),
            (tuple(context.tokens), context.undecoded),
        ):
            if undecoded is not None:
                candidates.append((*tokens, undecoded))
            candidates.append(tokens)
        return tuple(candidates)

    def tokens_to_restore(self, prompt: Sequence[int]) -> int:
        """Return how many tokens `restore` will bring back for this prompt; 0 when the cache is as good as that."""
        found = self._found
        if found is None or common_prefix(found.tokens, prompt) < WORTH_TOKENS:
            return 0
        is_better = common_prefix(found.tokens, prompt) > common_prefix(self._context.tokens, prompt)
        return len(found.tokens) if is_better else 0

    def restore(self, prompt: Sequence[int]) -> Restored:
        """Fill the cache with the state that was found; the cache is empty when that fails, and `why_lost` says why."""
        found, context = self._found, self._context
        if found is None or not self.tokens_to_restore(prompt):
            return Restored()
        started_ns = time.perf_counter_ns()
        context.clear()
        self.origin, self._found = None, None
        if len(found.tokens) > context.n_ctx:
            self.why_lost = Sentence(
                "The saved KV cache of {tokens:,} tokens does not fit into the context of {n_ctx:,}.",
                tokens=len(found.tokens),
                n_ctx=context.n_ctx,
            )
            return Restored()
        state = found.state if found.state is not None else self._read(found)
        if state is None:
            return Restored()
        self._in_memory.pop(self._holder, None)
        assert context.handle is not None
        if not put_state(context.handle, state.data, self._sequence):
            context.clear()
            self.why_lost = Sentence("llama.cpp refused the saved KV cache of this conversation.")
            if found.path is not None:
                _remove(found.path)
            return Restored()
        context.tokens, context.undecoded = list(state.tokens), state.undecoded
        context.checkpoints.replace(state.checkpoints)
        self.origin, self._is_own = state.origin, True
        return Restored(found.place, len(state.tokens), time.perf_counter_ns() - started_ns)

    def reuse(self, prompt: Sequence[int], messages: Sequence[Message], template: str) -> tuple[int, Sentence | str]:
        """Keep what the prompt begins with, drop the rest; return how many tokens that is and why not more.

        The reason is one sentence, or two; empty when nothing was lost.
        """
        context, origin = self._context, self.origin
        held = len(context.tokens)
        common = min(common_prefix(context.tokens, prompt), len(prompt) - 1)
        cached, reason = context.reuse_prefix(prompt)
        if self.why_lost:
            return cached, self.why_lost
        if (found := self._found) is not None and not self._is_own:
            return cached, why_parted(found.origin, messages, common_prefix(found.tokens, prompt), template)
        if cached == held or not self._is_own:
            return cached, ""
        if origin is not None:
            parted = why_parted(origin, messages, common, template)
            reason = joined(filter(None, (parted, reason if cached < common else "")))
        return cached, reason

    def take_notes(self) -> tuple[Sentence, ...]:
        """Return what the user should know of saving, once."""
        notes, self._notes = [*self._notes, *self._writer.take_notes()], []
        return tuple(notes)

    # -- after an answer ----------------------------------------------------------------------------------------------

    def after_prompt(self, origin: Origin) -> None:
        """The prompt is known, and what of it is in the cache: the cache belongs to the present conversation."""
        self.origin = origin
        self._is_changed = self._is_own = True

    def after_answer(self, pieces: Sequence[TextPiece]) -> None:
        """The answer came, or what there was of it."""
        if self.origin is not None:
            answer = "".join(piece.text for piece in pieces if piece.channel == "answer")
            thought = any(piece.channel == "thinking" for piece in pieces)
            self.origin = replace(self.origin, answer=text_digest(answer), thought=thought)

    def forget(self) -> None:
        """Save the state of the conversation that has the cache; the cache is going to be emptied."""
        self.keep()
        self._holder, self.origin = "", None

    def discard(self, conversation_id: str) -> None:
        """Delete what is kept of a conversation."""
        if self._holder == conversation_id:
            self._holder = ""
        self._in_memory.pop(conversation_id, None)
        self._writer.discard(conversation_id)
        if self._budget.folder is not None:
            StateFolder(self._budget.folder).remove(conversation_id)

    def close(self, wait_s: float) -> None:
        """Write the state of the conversation that has the cache, if that can be done in time."""
        self._budget = replace(self._budget, memory_bytes=0)
        self.keep()
        self._in_memory.clear()
        self._writer.finish(wait_s)

    def keep(self) -> None:
        """Save the state of the conversation that has the cache, unless that was done already."""
        context, conversation, budget = self._context, self._holder, self._budget
        tokens = context.tokens
        if not (conversation and self._is_changed and len(tokens) >= WORTH_TOKENS and context.handle):
            return
        self._is_changed = False
        if self._spared[: len(tokens)] == tuple(tokens):
            return  # stopped while it was brought back: the file holds all of this and more
        on_disk = budget.disk_bytes if budget.folder is not None else 0
        size = state_size(context.handle, self._sequence)
        if not 0 < size <= max(budget.memory_bytes, on_disk):
            if max(budget.memory_bytes, on_disk):
                self._dropped.add(conversation)
            return
        if size > self._free_bytes():
            self._dropped.add(conversation)
            self._notes.append(Sentence("The KV cache of the last conversation was not kept: memory is short."))
            return
        try:
            data = take_state(context.handle, self._sequence)
        except MemoryError:
            data = None
        if data is None:
            self._dropped.add(conversation)
            return
        state = KvState(
            tuple(tokens), context.undecoded, self.origin or Origin(), data, tuple(context.checkpoints.points)
        )
        self._dropped.discard(conversation)
        if state.size_bytes <= budget.memory_bytes:
            self._in_memory[conversation] = state
            self._in_memory.move_to_end(conversation)
            self._drop_beyond_budget()
        if budget.folder is not None and state.size_bytes <= on_disk:
            self._writer.write(budget.folder, on_disk, conversation, self._key, state)

    # -- inside -------------------------------------------------------------------------------------------------------

    def _drop_beyond_budget(self) -> None:
        while self.memory_bytes > self._budget.memory_bytes:
            conversation, _ = self._in_memory.popitem(last=False)
            if not self._budget.disk_bytes:
                self._dropped.add(conversation)

    def _find(self, conversation: str) -> Found | None:
        state = self._in_memory.get(conversation)
        if state is not None:
            return Found("memory", state.tokens, state.undecoded, state.origin, state)
        if self._budget.folder is None or not self._budget.disk_bytes:
            return None
        state = self._writer.holding(conversation, self._key)
        if state is not None:
            return Found("memory", state.tokens, state.undecoded, state.origin, state)
        folder = StateFolder(self._budget.folder)
        path = folder.file(conversation, self._key.digest)
        try:
            description, tokens = read_description(path)
        except FileNotFoundError:
            self.why_lost = self._why_foreign(folder, conversation)
            return None
        except StorageError:
            self._refuse_damaged(path)
            return None
        ids = tokens if description.undecoded is None else (*tokens, description.undecoded)
        if not all(0 <= token < self._n_vocab for token in ids) or description.key.digest != self._key.digest:
            self._refuse_damaged(path)
            return None
        return Found("disk", tokens, description.undecoded, description.origin, path=path)

    def _read(self, found: Found) -> KvState | None:
        assert found.path is not None
        try:
            description, state = read_state(found.path, lambda: self._context.cancelled)
        except StateWorkStoppedError:
            self._spared = found.tokens
            return None
        except StorageError:
            self._refuse_damaged(found.path)
            return None
        except (OSError, MemoryError) as error:
            logger.warning("a saved KV cache cannot be read: %s", error)
            self.why_lost = Sentence("The saved KV cache of this conversation could not be read.")
            return None
        is_it = state.tokens == found.tokens and conversation_key(description.conversation_id) == conversation_key(
            self._holder
        )
        if not is_it:
            self._refuse_damaged(found.path)
            return None
        try:
            os.utime(found.path)  # used last: dropped last
        except OSError:
            logger.info("the time of a saved KV cache cannot be set")
        return state

    def _refuse_damaged(self, path: Path) -> None:
        logger.warning("the saved KV cache %s is damaged or comes from elsewhere", path.name)
        _remove(path)
        self.why_lost = Sentence("The saved KV cache of this conversation was damaged, so it was ignored.")

    def _why_foreign(self, folder: StateFolder, conversation: str) -> Sentence | str:
        for saved in reversed(folder.states(conversation)):
            try:
                description, _ = read_description(saved.path)
            except (StorageError, OSError):
                continue
            return self._key.why_not(description.key)
        return ""

    def _why_nothing(self, conversation: str, held_another: bool) -> Sentence:
        if conversation in self._dropped or conversation_key(conversation) in self._writer.dropped:
            return Sentence("The KV cache of this conversation was dropped to stay within what may be kept.")
        if held_another:
            return Sentence("Another conversation used the cache in between.")
        return Sentence("The cache was empty: the model or the conversation was opened anew.")


def common_prefix(tokens: Sequence[int], prompt: Sequence[int]) -> int:
    """Return how many tokens two begin with alike."""
    most = min(len(tokens), len(prompt))
    for number, (one, other) in enumerate(zip(tokens, prompt, strict=False)):
        if one != other:
            return number
    return most


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        logger.warning("%s cannot be deleted: %s", path.name, error)
