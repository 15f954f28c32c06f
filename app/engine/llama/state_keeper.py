"""Which conversation has a cache: the one that leaves is saved, the one that comes is brought back.

So are branches of one conversation, where much would have to be read again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.engine.kv_state import KvState, Origin, text_digest
from app.engine.llama.reuse import WORTH_TOKENS, common_prefix, parts_from, why_parted
from app.engine.llama.state import put_state, state_size, take_state
from app.engine.request import Foreseen
from app.engine.state_file import StateWorkStoppedError
from app.errors import Sentence, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.chat.message import Message
    from app.engine.events import TextPiece
    from app.engine.llama.cache import Cache
    from app.engine.llama.state_shelf import Found, Place, StateShelf
    from app.engine.request import GenerationRequest

_GREW_SHARE = 8
"""While idle a state is written anew when it grew by this part of itself: nine times its size at most in its life."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What was brought back: nothing when `place` is empty."""

    place: Place = ""
    tokens: int = 0
    took_ns: int = 0


class StateKeeper:
    """A cache, and the conversation whose tokens it holds.

    Args:
        shelf: where states are kept; that of all caches of a context.
        free_bytes: asks how much memory a copy of a state may take.

    Attributes:
        cache, shelf: these.
        origin: what the tokens in the cache came from, None when that is not known.
        why_lost: why the conversation being answered does not find its state; empty when it does, or had none.
    """

    def __init__(self, cache: Cache, shelf: StateShelf, free_bytes: Callable[[], int]) -> None:
        self.cache = cache
        self.shelf = shelf
        self._free_bytes = free_bytes
        self._holder = ""
        self._next = ""
        self._is_own = False
        self._is_old_in_memory = self._is_old_on_disk = False
        self._written_tokens = 0
        self._candidates: list[Found] = []
        self._found: Found | None = None
        self._spared: tuple[int, ...] = ()
        self.origin: Origin | None = None
        self.why_lost: Sentence | str = ""

    # -- before a prompt is read --------------------------------------------------------------------------------------

    def before_prompt(self, request: GenerationRequest) -> None:
        """Find the saved states of the conversation that is asked for, when another one has the cache."""
        conversation = request.conversation_id
        if conversation:
            self.shelf.set_budget(request.states)
        self._next, self._found, self._candidates, self.why_lost = conversation, None, [], ""
        if self._keeps_the_cache:
            return
        if conversation:
            self._candidates = self.shelf.find(conversation)
            self.why_lost = self.shelf.why_lost if not self._candidates else ""
        was_answered = sum(message.role == "user" for message in request.messages) > 1
        if not self._candidates and was_answered and not self.why_lost:
            self.why_lost = self.shelf.why_nothing(conversation, held_another=bool(self.cache.tokens))

    @property
    def _keeps_the_cache(self) -> bool:
        return self._next == self._holder and bool(self.cache.tokens)

    def looks_further(self, prompt: Sequence[int]) -> bool:
        """Find the saved states of other branches when the cache has much that this prompt has not; tell if there are.

        The prompt is then to be made again: its words may stand in those in other tokens.
        """
        if self._next and self._keeps_the_cache and parts_from(prompt, self.cache.tokens):
            self._candidates = self.shelf.find(self._next)
        return self._keeps_the_cache and bool(self._candidates)

    def candidates(self) -> tuple[Sequence[int], ...]:
        """Return the token ids that the prompt may begin with, the likeliest first."""
        return self._beginnings(self._candidates)

    def _beginnings(self, found: Sequence[Found]) -> tuple[Sequence[int], ...]:
        cache = self.cache
        beginnings: list[Sequence[int]] = []
        for tokens, undecoded in (
            *((each.tokens, each.undecoded) for each in found),
            (tuple(cache.tokens), cache.undecoded),
        ):
            if undecoded is not None:
                beginnings.append((*tokens, undecoded))
            beginnings.append(tokens)
        return tuple(beginnings)

    def tokens_to_restore(self, prompt: Sequence[int]) -> int:
        """Return how many tokens `restore` will bring back for this prompt; 0 when the cache is as good as that."""
        if not self._candidates:
            return 0
        found = self._found = _most_of(prompt, self._candidates)
        is_own = self._keeps_the_cache and self._is_own
        return len(found.tokens) if self._is_better(found, prompt, is_own=is_own) else 0

    def _is_better(self, found: Found, prompt: Sequence[int], *, is_own: bool) -> bool:
        common = common_prefix(found.tokens, prompt)
        gained = common - common_prefix(self.cache.tokens, prompt)
        return common >= WORTH_TOKENS and gained >= (WORTH_TOKENS if is_own else 1)

    def foresee(self, request: GenerationRequest, encode: Callable[[Sequence[Sequence[int]]], list[int]]) -> Foreseen:
        """Return what all of these steps would find for a request: only the budget it brings holds from now on.

        Args:
            encode: makes the prompt, which may begin with one of these token ids.
        """
        cache, conversation = self.cache, request.conversation_id
        if conversation:
            self.shelf.set_budget(request.states)
        keeps_the_cache = conversation == self._holder and bool(cache.tokens)
        states: list[Found] = []
        if conversation and not keeps_the_cache:
            states = self.shelf.find(conversation, only_looks=True)
        prompt = encode(self._beginnings(states))
        if conversation and keeps_the_cache and parts_from(prompt, cache.tokens):
            states = self.shelf.find(conversation, only_looks=True)
            prompt = encode(self._beginnings(states))
        found = _most_of(prompt, states) if states else None
        if found is None or not self._is_better(found, prompt, is_own=keeps_the_cache and self._is_own):
            return Foreseen(len(prompt), cache.reusable(prompt))
        if len(found.tokens) > cache.n_ctx and not request.may_grow:
            return Foreseen(len(prompt), 0)
        return Foreseen(len(prompt), cache.reusable_of(found.tokens, found.checkpoints, prompt))

    def take_over(self, prompt: Sequence[int]) -> None:
        """Save the state that has the cache, if the prompt is another conversation's or branch's: it gets it now."""
        if self._keeps_the_cache and self._is_own and parts_from(prompt, self.cache.tokens):
            self.keep()
            self._written_tokens = 0
        if not self._keeps_the_cache:
            self.keep()
            self._holder, self._is_own, self.origin = self._next, False, None
            self._is_old_in_memory = self._is_old_on_disk = False
            self._written_tokens = 0

    def restore(self, prompt: Sequence[int]) -> Restored:
        """Fill the cache with the state that was found; the cache is empty when that fails, and `why_lost` says why."""
        cache = self.cache
        if not self.tokens_to_restore(prompt) or (found := self._found) is None:
            return Restored()
        started_ns = time.perf_counter_ns()
        cache.clear()
        self._candidates, self._found = [], None
        if len(found.tokens) > cache.n_ctx:
            self.why_lost = Sentence(
                "The saved KV cache of {tokens:,} tokens does not fit into the context of {n_ctx:,}.",
                tokens=len(found.tokens),
                n_ctx=cache.n_ctx,
            )
            return Restored()
        try:
            state = self.shelf.read(found, lambda: cache.cancelled)
        except StateWorkStoppedError:
            self._spared = found.tokens
            return Restored()
        assert cache.handle is not None
        if state is not None and not put_state(cache.handle, state.data, cache.number):
            cache.clear()
            self.shelf.refuse(found)
            state = None
        self.shelf.take_from_memory(found)
        if state is None:
            self.why_lost = self.shelf.why_lost
            return Restored()
        cache.tokens, cache.undecoded = list(state.tokens), state.undecoded
        cache.checkpoints.replace(state.checkpoints)
        self.origin, self._is_own = state.origin, True
        return Restored(found.place, len(state.tokens), time.perf_counter_ns() - started_ns)

    def reuse(self, prompt: Sequence[int], messages: Sequence[Message], template: str) -> tuple[int, Sentence | str]:
        """Keep what the prompt begins with, drop the rest; return how many tokens that is and why not more.

        The reason is one sentence, or two; empty when nothing was lost.
        """
        cache, origin = self.cache, self.origin
        held = len(cache.tokens)
        common = min(common_prefix(cache.tokens, prompt), len(prompt) - 1)
        cached, reason = cache.reuse_prefix(prompt)
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
        return self.shelf.take_notes()

    # -- after an answer ----------------------------------------------------------------------------------------------

    def after_prompt(self, origin: Origin) -> None:
        """The prompt is known, and what of it is in the cache: the cache belongs to the present conversation."""
        self.origin = origin
        self._is_own = self._is_old_in_memory = self._is_old_on_disk = True

    def after_answer(self, pieces: Sequence[TextPiece], continues: Message | None = None) -> None:
        """The answer came, or what there was of it; `continues`: what it was written on to."""
        if self.origin is not None:
            begun, thought = (continues.content, bool(continues.thinking)) if continues is not None else ("", False)
            answer = begun + "".join(piece.text for piece in pieces if piece.channel == "answer")
            thought = thought or any(piece.channel == "thinking" for piece in pieces)
            self.origin = replace(self.origin, answer=text_digest(answer), thought=thought)

    def forget(self) -> None:
        """Save the state of the conversation that has the cache; the cache is going to be emptied."""
        self.keep()
        self._holder, self.origin = "", None

    def discard(self, conversation_id: str) -> None:
        """Delete what is kept of a conversation."""
        if self._holder == conversation_id:
            self._is_old_in_memory = self._is_old_on_disk = False
        self.shelf.discard(conversation_id)

    def write(self) -> None:
        """Have the state of the conversation that has the cache written, where that was not done since it changed."""
        self._save(to_memory=False, to_disk=self._is_old_on_disk)

    def keep(self) -> None:
        """Save the state of the conversation that has the cache, where that was not done since it changed."""
        self._save(self._is_old_in_memory, self._is_old_on_disk)

    def while_idle(self) -> None:
        """Write the state while nobody waits, so that little is left to do at the end; not again for every turn."""
        if len(self.cache.tokens) * _GREW_SHARE >= self._written_tokens * (_GREW_SHARE + 1):
            self.write()

    def _save(self, to_memory: bool, to_disk: bool) -> None:
        cache, conversation = self.cache, self._holder
        tokens = cache.tokens
        in_memory = self.shelf.budget.memory_bytes if to_memory else 0
        on_disk = self.shelf.disk_bytes if to_disk else 0
        if not (conversation and max(in_memory, on_disk) and len(tokens) >= WORTH_TOKENS and cache.handle):
            return
        if self._spared[: len(tokens)] == tuple(tokens):
            return  # stopped while it was brought back: the file holds all of this and more
        state = self._take(max(in_memory, on_disk))
        if state is None:
            self.shelf.note_lost(conversation)
            return
        if to_memory:
            self._is_old_in_memory = False
        if to_disk:
            self._is_old_on_disk, self._written_tokens = False, len(tokens)
        self.shelf.put(conversation, state, to_memory=to_memory, to_disk=to_disk)

    def _take(self, most_bytes: int) -> KvState | None:
        cache = self.cache
        assert cache.handle is not None
        size = state_size(cache.handle, cache.number)
        if not 0 < size <= most_bytes:
            return None
        while size > self._free_bytes():
            if not self.shelf.drop_oldest():
                self.shelf.notes.append(
                    Sentence("The KV cache of the last conversation was not kept: memory is short.")
                )
                return None
        try:
            data = take_state(cache.handle, cache.number)
        except MemoryError:
            return None
        points = tuple(cache.checkpoints.points)
        origin = self.origin or Origin()
        return None if data is None else KvState(tuple(cache.tokens), cache.undecoded, origin, data, points)


def _most_of(prompt: Sequence[int], states: Sequence[Found]) -> Found:
    """Return the state that has most of a prompt."""
    return max(states, key=lambda each: common_prefix(each.tokens, prompt))
