"""The elastic context: a larger one takes over what stands in the KV cache, and nothing is read again.

A context doubles. So every token is copied at most once on average however long the conversation becomes, at most half
of the reserved cache lies idle, and from 4,096 to a million tokens it happens eight times.
"""

from __future__ import annotations

import ctypes
import logging
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import psutil

from app.engine.events import ContextGrown, MemoryBreakdown
from app.engine.llama.devices import list_devices
from app.engine.llama.library import lib
from app.engine.llama.log_capture import parse_memory
from app.errors import ContextFullError, EngineError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from app.engine.events import LoadedModel
    from app.engine.llama.context import LlamaContext
    from app.engine.llama.log_capture import LogCapture

logger = logging.getLogger(__name__)

HOST = ""
"""The name under which `free_memory` gives this machine's own memory."""

_N_CTX_STEP = 256
"""llama.cpp pads every context to a multiple of this (llama-context.cpp)."""

_SMALLEST_SHARE = 8
"""Where doubling does not fit, a context may grow by less, but not by less than this part of itself."""

_UNKNOWN_SHARE = 16
"""Some architectures put more into compute buffers than masks and scores: this part of them."""

_HOST_RESERVE_BYTES = 512 * 1024**2
_GPU_RESERVE_BYTES = 1024**3
"""Left free: of this machine's memory for the other programs; of a GPU's llama.cpp's own default for --fit."""

FreeMemory = "Callable[[], Mapping[str, int]]"


def free_memory() -> dict[str, int]:
    """Return the bytes a context may take, the reserve already left out: of `HOST`, and of each GPU by name."""
    free = {HOST: max(0, psutil.virtual_memory().available - _HOST_RESERVE_BYTES)}
    for device in list_devices():
        if device.kind in ("gpu", "igpu") and device.free_bytes is not None:
            free[device.name] = max(0, device.free_bytes - _GPU_RESERVE_BYTES)
    return free


def context_bytes(model: LoadedModel, n_ctx: int, devices: Mapping[str, int]) -> dict[str, int]:
    """Return what a context of another size would take, per device of `devices`; any other buffer is the host's.

    From what the present one takes: a cache that spans it grows with it, a sliding window's and recurrent state stay;
    compute buffers grow by their masks, and without flash attention by the scores of all heads (llama-graph.cpp).
    Where a window is larger than the present context this is more than llama.cpp will take, never less.
    """
    caches = model.memory.kv_caches
    spanning = [cache for cache in caches if cache.cells * cache.tokens_per_cell >= model.n_ctx]
    now = sum(cache.cells * cache.bytes_per_cell for cache in caches)
    then = now + sum((-(-n_ctx // cache.tokens_per_cell) - cache.cells) * cache.bytes_per_cell for cache in spanning)
    per_score = 2 if model.flash_attention else 4 * (1 + (model.info.n_head or 1))
    scores = max(0, n_ctx - model.n_ctx) * model.n_ubatch * len(spanning) * per_score
    sizes = dict.fromkeys(devices, 0)
    for buffer in model.memory.buffers:
        name = buffer.device.split("[")[0]  # an RPC server's address follows its name
        device = name if name in sizes else HOST
        if buffer.kind == "kv":
            sizes[device] += -(-buffer.size_bytes * then // now) if now else 0
        elif buffer.kind == "compute":
            sizes[device] += buffer.size_bytes + scores + (buffer.size_bytes // _UNKNOWN_SHARE if scores else 0)
        elif buffer.kind != "weights":
            sizes[device] += buffer.size_bytes
    return sizes


def fits(model: LoadedModel, n_ctx: int, copy_bytes: int, free: Mapping[str, int], *, beside: bool) -> bool:
    """Tell whether a context of that size, and the copy of the state on its way, find room.

    `beside`: while the present one still exists; else after it was freed, the copy being made before.
    """
    new = context_bytes(model, n_ctx, free)
    old = dict.fromkeys(free, 0) if beside else context_bytes(model, model.n_ctx, free)
    new[HOST] += copy_bytes
    return copy_bytes <= free[HOST] and all(new[name] <= free[name] + old[name] for name in free)


def largest_n_ctx(model: LoadedModel, n_ctx_train: int, free: Mapping[str, int]) -> int:
    """Return how far the context can grow: to the trained one, if the memory that is free holds it; else less.

    The copy on the way to it is at most half as large as its KV cache.
    """
    kv_per_token = sum(cache.bytes_per_cell / cache.tokens_per_cell for cache in model.memory.kv_caches)

    def has_room(n_ctx: int) -> bool:
        return fits(model, n_ctx, int(kv_per_token * n_ctx / 2), free, beside=False)

    return max(model.n_ctx, _largest(model.n_ctx, _padded(n_ctx_train), has_room))


def _padded(n_ctx: int) -> int:
    return -(-n_ctx // _N_CTX_STEP) * _N_CTX_STEP


def _largest(low: int, high: int, has_room: Callable[[int], bool]) -> int:
    """Return the largest multiple of the step up to `high` that has room, searched from `low` on; else less than it."""
    if low > high or has_room(high):
        return high
    steps_low, steps_high = low // _N_CTX_STEP, high // _N_CTX_STEP
    while steps_low < steps_high:
        middle = (steps_low + steps_high + 1) // 2
        if has_room(middle * _N_CTX_STEP):
            steps_low = middle
        else:
            steps_high = middle - 1
    return steps_low * _N_CTX_STEP


@dataclass(frozen=True, slots=True)
class Step:
    """A larger size that fits. `beside`: the present context may stay until the new one has taken over."""

    n_ctx: int
    beside: bool


class ElasticContext:
    """Lets one LlamaContext grow with its conversation, and shrink when that ends.

    Attributes:
        context: the same object for the life of the model.
        model: the loaded model with the context as it is now.
    """

    def __init__(
        self,
        context: LlamaContext,
        model: LoadedModel,
        log: LogCapture,
        free: Callable[[], Mapping[str, int]] = free_memory,
    ) -> None:
        self.model = model
        self.context = context
        self._log = log
        self._free = free
        self._start_n_ctx = model.n_ctx

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
        copy_bytes, free = self._state_bytes(), self._free()
        for beside in (True, False):
            if fits(model, n_ctx, copy_bytes, free, beside=beside):
                return Step(n_ctx, beside)
        if needed_tokens <= model.n_ctx:
            return None
        least = min(_padded(max(needed_tokens, model.n_ctx + model.n_ctx // _SMALLEST_SHARE)), model.n_ctx_max)
        largest = _largest(model.n_ctx, n_ctx, lambda size: fits(model, size, copy_bytes, free, beside=False))
        if largest < least:
            raise ContextFullError(self._refusal(least, copy_bytes, free))
        return Step(largest, beside=False)

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
        tokens, undecoded = list(context.tokens), context.undecoded
        state = self._take_state()
        if context.cancelled:
            return None
        try:
            lines = self._replace(step.n_ctx, beside=step.beside)
        except EngineError:
            if not step.beside:
                self._put_state(state, tokens, read_again=True)
            if context.handle is None:
                raise
            raise ContextFullError(
                f"llama.cpp could not make a context of {step.n_ctx:,} tokens: summarise the conversation, start a new "
                "one or load the model with a smaller KV cache type."
            ) from None
        carried = self._put_state(state, tokens, read_again=read_again)
        context.undecoded = undecoded
        self._adopt(lines)
        memory = self.model.memory
        ended_ns = time.perf_counter_ns()
        return ContextGrown(
            n_ctx=context.n_ctx,
            previous_n_ctx=before.n_ctx,
            carried_tokens=len(tokens) if carried else 0,
            memory=memory,
            took_ns=ended_ns - started_ns,
            at_ns=ended_ns,
            n_batch=context.n_batch,
            n_ubatch=context.n_ubatch,
            added_kv_bytes=memory.total_bytes("kv") - before.memory.total_bytes("kv"),
            added_bytes=memory.total_bytes() - before.memory.total_bytes(),
            note="" if carried else f"llama.cpp could not carry over the {len(tokens):,} tokens of the KV cache.",
        )

    def shrink(self) -> bool:
        """Forget the conversation; a context that has grown goes back to the size it began with: return whether it did.

        Raises EngineError when no context could be made; there is none any more.
        """
        self.context.clear()
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
        return int(lib.llama_state_seq_get_size(self.context.handle, 0)) if self.context.tokens else 0

    def _take_state(self) -> ctypes.Array[ctypes.c_uint8] | None:
        size = self._state_bytes()
        if not size:
            return None
        state = (ctypes.c_uint8 * size)()
        return state if lib.llama_state_seq_get_data(self.context.handle, state, size, 0) == size else None

    def _put_state(
        self, state: ctypes.Array[ctypes.c_uint8] | None, tokens: Sequence[int], *, read_again: bool
    ) -> bool:
        """Fill the new, empty context; return whether the state was taken (or there was none to take)."""
        context = self.context
        if context.handle is None or not tokens:
            return True
        if state is not None and lib.llama_state_seq_set_data(context.handle, state, len(state), 0) == len(state):
            context.tokens = list(tokens)
            return True
        context.clear()
        if read_again:
            for first in range(0, len(tokens), context.n_ubatch):
                if not context.decode(tokens[first : first + context.n_ubatch]):
                    break
        return False

    def _refusal(self, n_ctx: int, copy_bytes: int, free: Mapping[str, int]) -> str:
        new, old = (context_bytes(self.model, size, free) for size in (n_ctx, self.model.n_ctx))
        need = sum(new.values()) - sum(old.values()) + copy_bytes
        cheaper = self.model.type_k in ("f16", "bf16", "f32") or self.model.type_v in ("f16", "bf16", "f32")
        advice = "load the model with a smaller KV cache type" if cheaper else "close other programs"
        return (
            f"The context holds {self.model.n_ctx:,} tokens and cannot grow: {n_ctx:,} need {need / 1024**2:,.0f} MiB "
            f"more and {sum(free.values()) / 1024**2:,.0f} MiB are free; summarise the conversation, start a new one "
            f"or {advice}."
        )
