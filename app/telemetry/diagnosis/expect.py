"""What a change should do to the wait: the fitted curves where there are some, else the turn's own rates, else None."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.engine.memory.block_types import kv_type
from app.telemetry.diagnosis.finding import Effect

if TYPE_CHECKING:
    from app.telemetry.diagnosis.case import Case

SMALLER_KV = "q8_0"
"""The mildest of the quantised types: 8.5 bits a value."""

_WIDE_KV = ("f32", "f16", "bf16")


def ttft_effect(case: Case, uncached_tokens: float, cached_tokens: float = 0) -> Effect:
    """TTFT if so many tokens were read."""
    before = case.stats.ttft_s or 0.0
    if case.curve is not None:
        return Effect("ttft_s", before, case.curve.at(uncached_tokens, cached_tokens).value)
    prefill_s = case.stats.prefill_s or 0.0
    if not case.uncached_tokens:
        return Effect("ttft_s", before, None)
    return Effect("ttft_s", before, before - prefill_s + prefill_s * uncached_tokens / case.uncached_tokens)


def tpot_at(case: Case, context_tokens: float) -> Effect:
    """TPOT at another length of the conversation, with this machine as fast as it is in this turn."""
    before = case.stats.tpot_s or 0.0
    if case.line is None:
        return Effect("tpot_s", before, None)
    now = case.line.at(case.context_tokens).value
    return Effect("tpot_s", before, before * case.line.at(context_tokens).value / now if now else None)


def tpot_by_bytes(case: Case, *, weights: float = 1.0, kv: float = 1.0) -> Effect:
    """TPOT of a decode that memory limits, if weights and KV cache were this many times as large."""
    before = case.stats.tpot_s or 0.0
    if case.work is None:
        return Effect("tpot_s", before, None)
    now = case.work.step_bytes(case.context_tokens)
    of_weights, of_kv = case.work.weights_bytes(), case.work.kv_read_bytes(case.context_tokens)
    return Effect("tpot_s", before, before * (now + (weights - 1) * of_weights + (kv - 1) * of_kv) / now)


def smaller_kv_ratio(case: Case) -> float | None:
    """KV cache at `SMALLER_KV` against now; None when it is not wide, or the type needs flash attention that is off."""
    if not case.model.flash_attention or not {case.model.type_k, case.model.type_v} <= set(_WIDE_KV):
        return None
    smaller = kv_type(SMALLER_KV)
    wide = [kv_type(name) for name in (case.model.type_k, case.model.type_v)]
    now = sum(block.n_bytes / block.elements for block in wide)
    return 2 * smaller.n_bytes / smaller.elements / now


def kv_memory_effect(case: Case, ratio: float) -> Effect:
    """The model's memory if each cell of the KV cache took this share."""
    memory = case.model.memory
    return Effect("memory_bytes", memory.total_bytes(), memory.total_bytes() - memory.total_bytes("kv") * (1 - ratio))


def context_memory_effect(case: Case, n_ctx: int) -> Effect:
    """The model's memory with a context of this length; windows stay as they are as long as they are shorter."""
    memory = case.model.memory
    after = memory.total_bytes() - memory.total_bytes("kv")
    for cache in memory.kv_caches:
        wanted = -(-n_ctx // cache.tokens_per_cell)
        holds_all = cache.cells * cache.tokens_per_cell >= case.model.n_ctx
        after += (wanted if holds_all else min(cache.cells, wanted)) * cache.bytes_per_cell
    return Effect("memory_bytes", memory.total_bytes(), after)


def weights_memory_effect(case: Case, share: float) -> Effect:
    """The model's memory with this share of its weights."""
    memory = case.model.memory
    saved = memory.total_bytes("weights") * (1 - share)
    return Effect("memory_bytes", memory.total_bytes(), memory.total_bytes() - saved)


def prefill_effect(case: Case, n_ubatch: int) -> Effect:
    """TTFT with another micro-batch, by the roofline: each part lasts as long as its bytes or its operations."""
    stats, work, ceilings = case.stats, case.work, case.ceilings
    before = stats.ttft_s or 0.0
    if work is None or not ceilings.read_bytes_per_s or not ceilings.flops_per_s or not stats.prefill_s:
        return Effect("ttft_s", before, None)
    cached, tokens = stats.cached_tokens or 0, case.uncached_tokens
    arithmetic_s, rate = work.prefill_operations(cached, tokens) / ceilings.flops_per_s, ceilings.read_bytes_per_s

    def at_best(size: int) -> float:
        return max(arithmetic_s, work.prefill_bytes(cached, tokens, size) / rate)

    share = at_best(n_ubatch) / at_best(case.model.n_ubatch)
    return Effect("ttft_s", before, before - stats.prefill_s * (1 - share))


def more_layers_effect(case: Case, n_gpu_layers: int) -> Effect:
    """TPOT with so many layers on GPUs: sum over devices of bytes / bandwidth.

    The CPU's bandwidth is its ceiling, the GPUs' what their share of the layers took in this turn; without layers there
    now nothing is known of their speed.
    """
    before, model, rate = case.stats.tpot_s or 0.0, case.model, case.ceilings.read_bytes_per_s
    if not model.layers_offloaded or not rate or case.work is None:
        return Effect("tpot_s", before, None)
    n_bytes = case.work.step_bytes(case.context_tokens)
    on_cpu = 1 - model.layers_offloaded / model.layers_total
    cpu_s = min(on_cpu * n_bytes / rate, before)
    gpu_s_per_layer = (before - cpu_s) / model.layers_offloaded
    left = 1 - min(n_gpu_layers, model.layers_total) / model.layers_total
    return Effect("tpot_s", before, cpu_s * left / on_cpu + gpu_s_per_layer * n_gpu_layers if on_cpu else before)
