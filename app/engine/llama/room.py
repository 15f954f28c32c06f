"""How large a context the free memory has room for, from what the present one takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psutil

from app.engine.llama.devices import list_devices

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from app.engine.events import LoadedModel

HOST = ""
"""The name under which `free_memory` gives this machine's own memory."""

_N_CTX_STEP = 256
"""llama.cpp pads every context to a multiple of this (llama-context.cpp)."""

_UNKNOWN_SHARE = 16
"""Some architectures put more into compute buffers than masks and scores: this part of them."""

MIB = 1024**2


def free_memory(reserve_bytes: int) -> dict[str, int]:
    """Return the bytes a context may take, the reserve left out already: of `HOST`, and of each GPU by name."""
    free = {HOST: max(0, psutil.virtual_memory().available - reserve_bytes)}
    for device in list_devices():
        if device.kind in ("gpu", "igpu") and device.free_bytes is not None:
            free[device.name] = max(0, device.free_bytes - reserve_bytes)
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
        return fits(model, n_ctx, int(model.n_parallel * kv_per_token * n_ctx / 2), free, beside=False)

    return max(model.n_ctx, largest_with_room(model.n_ctx, padded(n_ctx_train), has_room))


def padded(n_ctx: int) -> int:
    """Return the size llama.cpp makes of one that was asked for."""
    return -(-n_ctx // _N_CTX_STEP) * _N_CTX_STEP


def largest_with_room(low: int, high: int, has_room: Callable[[int], bool]) -> int:
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
