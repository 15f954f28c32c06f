"""Whether a context fits into memory, and the largest that does, by a load that allocates nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import psutil

from app.engine.config import DEFAULT_N_CTX_CAP
from app.engine.llama.context import LlamaContext
from app.engine.llama.log_capture import parse_memory
from app.engine.llama.model import LlamaModel
from app.errors import BadInputError, EngineError, Sentence

if TYPE_CHECKING:
    from app.engine.config import ModelConfig
    from app.engine.events import ModelInfo
    from app.engine.llama.log_capture import LogCapture

N_CTX_STEP = 256
"""llama.cpp pads every context to a multiple of this (llama-context.cpp)."""

_WIDEST_KV_BYTES = 4
_SMALLEST_N_CTX = 512


def _upper_bound_bytes(info: ModelInfo, n_ctx: int) -> int:
    """More than any KV cache of this model can take: every layer, every embedding, K and V in f32."""
    width = max(info.n_embd, (info.n_head_kv or 0) * max(info.head_dim_k or 0, info.head_dim_v or 0))
    return n_ctx * info.n_layer * 2 * width * _WIDEST_KV_BYTES


class DryRun:
    """A model loaded without its weights, on which contexts are measured without being allocated (`no_alloc`)."""

    def __init__(self, config: ModelConfig, n_gpu_layers: int, log: LogCapture) -> None:
        self._config = config
        self._log = log
        self._model = LlamaModel(
            config.path,
            n_gpu_layers=n_gpu_layers,
            use_extra_bufts=False,
            on_progress=lambda _fraction: True,
            errors=log.errors,
            no_alloc=True,
        )

    def context_bytes(self, n_ctx: int) -> int:
        """Return the bytes of KV cache, recurrent state, compute and output buffers together."""
        config = replace(self._config, n_ctx=n_ctx)
        with self._log.record() as lines:
            LlamaContext(self._model, config, n_ctx, n_threads=1).free()
        memory = parse_memory(lines, n_ctx)
        kv_bytes = sum(cache.cells * cache.bytes_per_cell for cache in memory.kv_caches)
        return kv_bytes + memory.total_bytes("recurrent", "compute", "output")

    def largest_n_ctx(self, budget_bytes: int, ceiling: int) -> int:
        """Return the largest context up to `ceiling` whose buffers fit into the budget; 0 when none does."""
        low, high = 0, ceiling // N_CTX_STEP
        while low < high:
            middle = (low + high + 1) // 2
            if self.context_bytes(middle * N_CTX_STEP) <= budget_bytes:
                low = middle
            else:
                high = middle - 1
        return low * N_CTX_STEP

    def free(self) -> None:
        """Free the model's metadata."""
        self._model.free()


def choose_n_ctx(config: ModelConfig, info: ModelInfo, n_gpu_layers: int, log: LogCapture) -> int:
    """Return the context length to create.

    None in the config: the trained context, at most `DEFAULT_N_CTX_CAP` and what fits beside the weights. A number is
    taken as it is, unless its buffers alone are larger than the memory that is free.

    Raises:
        BadInputError: the context asked for cannot fit.
    """
    if config.n_ctx is not None and config.n_ctx < 1:
        raise BadInputError(
            Sentence("A context of {n_ctx} tokens is impossible: choose 256 or more.", n_ctx=config.n_ctx)
        )
    wanted = config.n_ctx or min(info.n_ctx_train or DEFAULT_N_CTX_CAP, DEFAULT_N_CTX_CAP)
    available = psutil.virtual_memory().available
    budget = available if config.n_ctx else max(available - info.file_bytes, available // 4)
    if _upper_bound_bytes(info, wanted) < budget // 2:
        return wanted
    dry_run = DryRun(config, n_gpu_layers, log)
    try:
        return _fitting_n_ctx(dry_run, config, wanted, budget)
    finally:
        dry_run.free()


def _fitting_n_ctx(dry_run: DryRun, config: ModelConfig, wanted: int, budget: int) -> int:
    try:
        needed: int | None = dry_run.context_bytes(wanted)
    except EngineError:
        needed = None
    if needed is not None and needed <= budget:
        return wanted
    largest = dry_run.largest_n_ctx(budget, min(wanted, 2**20))
    if config.n_ctx is None:
        return max(largest, _SMALLEST_N_CTX)
    if needed is None:
        raise BadInputError(
            Sentence(
                "A context of {wanted:,} tokens is more than llama.cpp can address: choose at most {largest:,} "
                "tokens, or a smaller KV cache type.",
                wanted=wanted,
                largest=largest,
            )
        )
    raise BadInputError(
        Sentence(
            "A context of {wanted:,} tokens needs {needed:.1f} GiB and {free:.1f} GiB are free: choose at most "
            "{largest:,} tokens, or a smaller KV cache type.",
            wanted=wanted,
            needed=needed / 1024**3,
            free=budget / 1024**3,
            largest=largest,
        )
    )
