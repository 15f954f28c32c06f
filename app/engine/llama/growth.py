"""The elastic context: a larger one takes over what stands in the KV cache, and nothing is read again.

So do all sequences of a context that has several: each has as many cells as the others.

A context doubles. So every token is copied at most once on average however long the conversation becomes, at most half
of the reserved cache lies idle, and from 4,096 to a million tokens it happens eight times.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.engine.events import ContextGrown, MemoryBreakdown
from app.engine.llama.log_capture import parse_memory
from app.engine.llama.room import HOST, MIB, context_bytes, fits, largest_with_room, padded
from app.engine.llama.state import put_state, state_size, take_state
from app.errors import ContextFullError, EngineError, Sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from app.engine.events import LoadedModel
    from app.engine.llama.cache import Cache
    from app.engine.llama.context import LlamaContext
    from app.engine.llama.log_capture import LogCapture

logger = logging.getLogger(__name__)

_SMALLEST_SHARE = 8
"""Where doubling does not fit, a context may grow by less, but not by less than this part of itself."""


@dataclass(frozen=True, slots=True)
class Step:
    """A larger size that fits. `beside`: the present context may stay until the new one has taken over."""

    n_ctx: int
    beside: bool


class ElasticContext:
    """Lets one LlamaContext grow with its conversations, and shrink when they end.

    Attributes:
        context: the same object for the life of the model.
        caches: what holds the conversations; more than the context itself where it has several sequences.
        model: the loaded model with the context as it is now.
        free_bytes: asks how much more a context may take, per device.
        spare_bytes: asks how much of this machine's memory would be given back for a larger context.
    """

    def __init__(
        self,
        context: LlamaContext,
        model: LoadedModel,
        log: LogCapture,
        free: Callable[[], Mapping[str, int]],
    ) -> None:
        self.model = model
        self.context = context
        self.caches: Sequence[Cache] = (context,)
        self._log = log
        self.free_bytes = free
        self._start_n_ctx = model.n_ctx
        self.spare_bytes: Callable[[], int] = int

    def plan(self, needed_tokens: int, wanted_tokens: int = 0) -> Step | None:
        """Choose the size for a conversation that needs so many cells and would like to have `wanted_tokens`.

        None: the present context holds them, is at its limit, or memory has no room for what is only wanted.

        Raises:
            ContextFullError: what is needed does not fit into memory.
        """
        model = self.model
        if max(needed_tokens, wanted_tokens) <= model.n_ctx or model.n_ctx >= model.n_ctx_max:
            return None
        n_ctx = model.n_ctx
        while n_ctx < max(needed_tokens, wanted_tokens):
            n_ctx *= 2
        n_ctx = min(n_ctx, model.n_ctx_max)
        copy_bytes, free = self._state_bytes(), self._free_with_spare()
        for beside in (True, False):
            if fits(model, n_ctx, copy_bytes, free, beside=beside):
                return Step(n_ctx, beside)
        if needed_tokens <= model.n_ctx:
            return None
        least = min(padded(max(needed_tokens, model.n_ctx + model.n_ctx // _SMALLEST_SHARE)), model.n_ctx_max)
        largest = largest_with_room(model.n_ctx, n_ctx, lambda size: fits(model, size, copy_bytes, free, beside=False))
        if largest < least:
            raise ContextFullError(self._refusal(least, copy_bytes, free))
        return Step(largest, beside=False)

    def has_room(self, step: Step) -> bool:
        """Tell whether a step finds room without what is `spare`."""
        return fits(self.model, step.n_ctx, self._state_bytes(), self.free_bytes(), beside=step.beside)

    def _free_with_spare(self) -> dict[str, int]:
        free = dict(self.free_bytes())
        free[HOST] += self.spare_bytes()
        return free

    def grow(self, step: Step, *, read_again: bool = False) -> ContextGrown | None:
        """Make the context larger; what it holds moves along.

        Args:
            read_again: decode the tokens anew in case llama.cpp refuses the state; else the cache is empty then.

        Returns:
            None when it was cancelled; the present context is then as it was.

        Raises:
            ContextFullError: the larger context could not be made; the present one is as it was.
            EngineError: nor could the present one be made again; there is no context any more.
        """
        started_ns = time.perf_counter_ns()
        context, before = self.context, self.model
        held = [_Held(cache, list(cache.tokens), cache.undecoded, _state_of(cache)) for cache in self.caches]
        if context.cancelled:
            return None
        try:
            lines = self._replace(step.n_ctx, beside=step.beside)
        except EngineError:
            if not step.beside:
                _put_back(held, read_again=True)
            if context.handle is None:
                raise
            raise ContextFullError(
                Sentence(
                    "llama.cpp could not make a context of {n_ctx:,} tokens: summarise the conversation, start a new "
                    "one or load the model with a smaller KV cache type.",
                    n_ctx=step.n_ctx,
                )
            ) from None
        self._adopt(lines)
        lost = _put_back(held, read_again=read_again)
        memory = self.model.memory
        ended_ns = time.perf_counter_ns()
        return ContextGrown(
            n_ctx=context.n_ctx,
            previous_n_ctx=before.n_ctx,
            carried_tokens=sum(len(each.tokens) for each in held) - lost,
            memory=memory,
            took_ns=ended_ns - started_ns,
            at_ns=ended_ns,
            n_batch=context.n_batch,
            n_ubatch=context.n_ubatch,
            added_kv_bytes=memory.total_bytes("kv") - before.memory.total_bytes("kv"),
            added_bytes=memory.total_bytes() - before.memory.total_bytes(),
            note=Sentence("llama.cpp could not carry over the {tokens:,} tokens of the KV cache.", tokens=lost)
            if lost
            else "",
        )

    def shrink(self) -> bool:
        """Forget all; a context that has grown goes back to the size it began with: return whether it did.

        Raises EngineError when no context could be made; there is none any more.
        """
        for cache in self.caches:
            cache.clear()
        if self.model.n_ctx == self._start_n_ctx:
            return False
        try:
            lines = self._replace(self._start_n_ctx, beside=False)
        except EngineError:
            if self.context.handle is None:
                raise
            logger.warning("the context could not be made smaller again")
            return False
        self._adopt(lines)
        return True

    def _adopt(self, lines: Sequence[str]) -> None:
        context, model = self.context, self.model
        weights = tuple(buffer for buffer in model.memory.buffers if buffer.kind == "weights")
        memory = parse_memory(lines, context.n_ctx)
        self.model = replace(
            model,
            n_ctx=context.n_ctx,
            n_batch=context.n_batch,
            n_ubatch=context.n_ubatch,
            memory=MemoryBreakdown((*weights, *memory.buffers), memory.kv_caches),
        )

    def _replace(self, n_ctx: int, *, beside: bool) -> list[str]:
        """Put an empty context of that size in the old one's place; return what llama.cpp said of it.

        Raises EngineError; the old one is then there still, or again but empty, or gone (`handle` is None).
        """
        context = self.context
        previous = context.n_ctx
        if not beside:
            context.free()
        try:
            with self._log.record() as lines:
                context.adopt(context.make(n_ctx))
        except EngineError:
            if not beside:
                context.adopt(context.make(previous))
            raise
        return lines

    def _state_bytes(self) -> int:
        handle = self.context.handle
        return sum(state_size(handle, each.number) for each in self.caches if each.tokens) if handle is not None else 0

    def _refusal(self, n_ctx: int, copy_bytes: int, free: Mapping[str, int]) -> Sentence:
        """Return what is wrong, of the device that lacks most."""
        model = self.model
        new, old = (context_bytes(model, size, free) for size in (n_ctx, model.n_ctx))
        new[HOST] += copy_bytes
        name = max(free, key=lambda device: new[device] - old[device] - free[device])
        return Sentence(
            "The context holds {n_ctx:,} tokens and cannot grow: {larger:,} need {need:,} MiB more and {free:,} MiB "
            "are free; summarise the conversation, start a new one or load the model with a smaller KV cache type.",
            n_ctx=model.n_ctx,
            larger=n_ctx,
            need=-(-(new[name] - old[name]) // MIB),
            free=free[name] // MIB,
        )


@dataclass(frozen=True, slots=True)
class _Held:
    cache: Cache
    tokens: list[int]
    undecoded: int | None
    state: bytearray | None


def _state_of(cache: Cache) -> bytearray | None:
    return take_state(cache.handle, cache.number) if cache.tokens and cache.handle is not None else None


def _put_back(held: Sequence[_Held], *, read_again: bool) -> int:
    """Fill the new, empty context; return how many tokens llama.cpp did not take."""
    lost = 0
    for each in held:
        cache = each.cache
        if cache.handle is None or not each.tokens:
            continue
        if each.state is not None and put_state(cache.handle, each.state, cache.number):
            cache.tokens = each.tokens
        else:
            lost += len(each.tokens)
            cache.clear()
            if read_again:
                cache.read(each.tokens)
        cache.undecoded = each.undecoded
    return lost
