"""Why writing is slow: what the model and its settings make of each token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.chat.context_window import kept_tokens
from app.chat.summary_outline import summary_budget
from app.errors import Sentence
from app.telemetry.diagnosis.expect import (
    SMALLER_KV,
    more_layers_effect,
    smaller_kv_ratio,
    tpot_at,
    tpot_by_bytes,
)
from app.telemetry.diagnosis.finding import Effect, Evidence, Finding, Remedy

if TYPE_CHECKING:
    from app.telemetry.diagnosis.case import Case

_BANDWIDTH_BOUND = 0.5
"""Decode loops reach 50 to 85 % of the bandwidth measured by plain reading: from here memory is the limit."""

_SLOWED = 0.5
"""The forecast and this answer itself must both be half as long again per token before the context is blamed."""
_KV_SHARE_THAT_COUNTS = 0.1


def bandwidth_bound(case: Case) -> Finding | None:
    """Memory delivers what it can: only fewer bytes help."""
    point = case.decode
    if point is None or point.share is None or point.share < _BANDWIDTH_BOUND or not case.writing_is_slow:
        return None
    assert case.work is not None
    step_bytes, rate = point.n_bytes / point.tokens, case.ceilings.read_bytes_per_s or 0.0
    remedies = []
    for smaller in sorted(case.quantisations, key=lambda each: -each.file_bytes):
        share = smaller.file_bytes / case.model.info.file_bytes
        if share < 1:
            remedies.append(
                Remedy(
                    "smaller_quant",
                    Sentence("Use {name}: {share:.0%} of the bytes.", name=smaller.name, share=share),
                    tpot_by_bytes(case, weights=share),
                    smaller.path,
                )
            )
    remedies += _smaller_kv(case)
    return Finding(
        "bandwidth_bound",
        "notice",
        Sentence(
            "Every token reads {size:,.2f} GB and memory delivers {rate:,.1f} GB/s: writing runs at {share:.0%} of "
            "what this machine can do.",
            size=step_bytes / 1e9,
            rate=rate / 1e9,
            share=point.share,
        ),
        (
            Evidence(Sentence("bytes per token"), step_bytes, "bytes"),
            Evidence(Sentence("of them KV cache"), case.work.kv_read_bytes(case.context_tokens), "bytes"),
            Evidence(Sentence("measured bandwidth"), rate, "bytes/s"),
            Evidence(Sentence("share of the bandwidth"), point.share, "share"),
            Evidence(Sentence("time per token"), case.stats.tpot_s or 0.0, "s"),
        ),
        tuple(remedies),
    )


def context_slowed(case: Case) -> Finding | None:
    """Each token looks back over a long conversation."""
    line = case.line
    if line is None or case.stats.tpot_s is None or not line.base_s:
        return None
    slower = line.slowdown(case.context_tokens) - 1
    if min(slower, case.stats.tpot_s / line.base_s - 1) < _SLOWED or line.at(case.context_tokens).low <= line.base_s:
        return None
    kept = kept_tokens(case.model.n_ctx) + summary_budget(case.model.n_ctx)
    remedies = []
    if kept < case.context_tokens:
        remedies.append(
            Remedy("summarise", Sentence("Summarise: {kept:,} tokens at most stay.", kept=kept), tpot_at(case, kept))
        )
    message = case.message_tokens or 0
    remedies.append(
        Remedy(
            "new_conversation",
            Sentence("Start a new conversation."),
            tpot_at(case, message + case.stats.completion_tokens / 2),
        )
    )
    remedies += _smaller_kv(case)
    return Finding(
        "context_slowed",
        "warning" if case.writing_is_slow else "notice",
        Sentence(
            "With {tokens:,.0f} tokens of context a token takes {slower:.0%} longer than at the start of a "
            "conversation.",
            tokens=case.context_tokens,
            slower=slower,
        ),
        (
            Evidence(Sentence("context"), case.context_tokens, "tokens"),
            Evidence(Sentence("time per token"), case.stats.tpot_s, "s"),
            Evidence(Sentence("at the start"), line.base_s, "s"),
            Evidence(Sentence("per 1,000 tokens of context"), 1000 * line.per_token_s, "s"),
            Evidence(Sentence("turns measured"), line.turns, "count"),
        ),
        tuple(remedies),
    )


def _smaller_kv(case: Case) -> list[Remedy]:
    """A smaller KV cache is read faster where memory is the limit and the cache a part worth naming."""
    ratio, point = smaller_kv_ratio(case), case.decode
    if ratio is None or point is None or case.work is None or (point.share or 0.0) < _BANDWIDTH_BOUND:
        return []
    share = case.work.kv_read_bytes(case.context_tokens) / case.work.step_bytes(case.context_tokens)
    if share < _KV_SHARE_THAT_COUNTS:
        return []
    sentence = Sentence("Keep K and V as {type}: {share:.0%} of the bytes.", type=SMALLER_KV, share=ratio)
    return [Remedy("kv_type", sentence, tpot_by_bytes(case, kv=ratio), SMALLER_KV)]


def layers_on_cpu(case: Case) -> Finding | None:
    """Some layers lie on the CPU although a GPU is there."""
    model, more = case.model, case.gpu_layers_that_fit or 0
    left = model.layers_total - model.layers_offloaded
    if not case.gpus or not left or not (case.writing_is_slow or more > model.layers_offloaded):
        return None
    remedies = []
    if more > model.layers_offloaded:
        remedies.append(
            Remedy(
                "gpu_layers",
                Sentence("Put {layers} layers on the GPU: they fit.", layers=more),
                more_layers_effect(case, more),
                more,
            )
        )
    return Finding(
        "layers_on_cpu",
        "warning",
        Sentence(
            "{left} of {total} layers are computed by the CPU, and every token waits for them.",
            left=left,
            total=model.layers_total,
        ),
        (
            Evidence(Sentence("layers on GPUs"), model.layers_offloaded, "count"),
            Evidence(Sentence("layers on the CPU"), left, "count"),
            Evidence(Sentence("time per token"), case.stats.tpot_s or 0.0, "s"),
        ),
        tuple(remedies),
    )


def kv_on_cpu(case: Case) -> Finding | None:
    """The KV cache is kept off the GPU that computes."""
    model = case.model
    if case.config.offload_kqv or not model.layers_offloaded or case.stats.tpot_s is None:
        return None
    on_cpu = sum(b.size_bytes for b in model.memory.buffers if b.kind == "kv" and b.device.startswith("CPU"))
    if not on_cpu:
        return None
    return Finding(
        "kv_on_cpu",
        "problem",
        Sentence(
            "The KV cache is in the CPU's memory while {layers} of {total} layers are on the GPU: every token "
            "crosses over to read it.",
            layers=model.layers_offloaded,
            total=model.layers_total,
        ),
        (
            Evidence(Sentence("KV cache on the CPU"), on_cpu, "bytes"),
            Evidence(Sentence("layers on GPUs"), model.layers_offloaded, "count"),
            Evidence(Sentence("time per token"), case.stats.tpot_s, "s"),
        ),
        (
            Remedy(
                "kv_offload",
                Sentence("Keep the KV cache where its layers are."),
                _kv_on_gpu_effect(case, case.stats.tpot_s),
            ),
        ),
    )


def _kv_on_gpu_effect(case: Case, before: float) -> Effect:
    """At most the time to read the cache from the CPU's memory is saved; the GPU's own is small beside it."""
    rate = case.ceilings.read_bytes_per_s
    if case.work is None or not rate:
        return Effect("tpot_s", before, None)
    kv_s = min(case.work.kv_read_bytes(case.context_tokens) / rate, before)
    weights = case.work.weights_bytes()
    gpu_rate = weights / (before - kv_s) if before > kv_s else rate
    return Effect("tpot_s", before, before - kv_s + case.work.kv_read_bytes(case.context_tokens) / max(gpu_rate, rate))
