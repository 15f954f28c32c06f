"""What takes the memory when it is short, and an answer that the context cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.chat.context_window import kept_tokens
from app.chat.summary_outline import summary_budget
from app.errors import Sentence
from app.telemetry.diagnosis.expect import (
    SMALLER_KV,
    context_memory_effect,
    kv_memory_effect,
    smaller_kv_ratio,
    ttft_effect,
)
from app.telemetry.diagnosis.finding import Evidence, Finding, Remedy

if TYPE_CHECKING:
    from app.telemetry.diagnosis.case import Case

_MIB = 1024 * 1024
_SHORT = 0.1
"""Memory is short when a device that the model lies on has less than this share free."""

_LARGE_KV = 0.4
_MOSTLY_UNUSED = 0.25
_STEP = 256
_ROOM_TO_GROW = 2


def _is_short(case: Case) -> bool:
    used = {buffer.device for buffer in case.model.memory.buffers}
    return any(
        device.free_bytes is not None and device.total_bytes and device.free_bytes < _SHORT * device.total_bytes
        for device in case.devices
        if device.name in used or (device.kind == "cpu" and any(name.startswith("CPU") for name in used))
    )


def kv_share(case: Case) -> Finding | None:
    """Memory is short and much of it is KV cache."""
    memory = case.model.memory
    kv, whole = memory.total_bytes("kv"), memory.total_bytes()
    if not _is_short(case) or not whole or kv < _LARGE_KV * whole:
        return None
    return Finding(
        "kv_share",
        "warning",
        Sentence(
            "Memory is short, and {share:.0%} of what the model takes is KV cache for {n_ctx:,} tokens.",
            share=kv / whole,
            n_ctx=case.model.n_ctx,
        ),
        (
            Evidence(Sentence("KV cache"), kv, "bytes"),
            Evidence(Sentence("all memory of the model"), whole, "bytes"),
            Evidence(Sentence("context"), case.model.n_ctx, "tokens"),
        ),
    )


def reserve_unused(case: Case) -> Finding | None:
    """Memory is short and most of the KV cache is empty."""
    memory, used_tokens = case.model.memory, case.stats.context_tokens
    reserved = memory.total_bytes("kv")
    if not _is_short(case) or not reserved or not used_tokens:
        return None
    used = memory.kv_used_bytes(used_tokens)
    enough = -(-_ROOM_TO_GROW * used_tokens // _STEP) * _STEP
    if used > _MOSTLY_UNUSED * reserved or enough >= case.model.n_ctx:
        return None
    return Finding(
        "reserve_unused",
        "warning",
        Sentence(
            "Memory is short, and {unused:,.0f} of {reserved:,.0f} MiB reserved for the KV cache are empty.",
            unused=(reserved - used) / _MIB,
            reserved=reserved / _MIB,
        ),
        (
            Evidence(Sentence("KV cache reserved"), reserved, "bytes"),
            Evidence(Sentence("KV cache used"), used, "bytes"),
            Evidence(Sentence("conversation"), used_tokens, "tokens"),
        ),
        (
            Remedy(
                "context",
                Sentence("Use a context of {n_ctx:,} tokens, twice what is used.", n_ctx=enough),
                context_memory_effect(case, enough),
                enough,
            ),
        ),
    )


def quantised_kv(case: Case) -> Finding | None:
    """Memory is short and the KV cache could be kept in fewer bits."""
    ratio, reserved = smaller_kv_ratio(case), case.model.memory.total_bytes("kv")
    if not _is_short(case) or ratio is None or not reserved:
        return None
    saved = reserved * (1 - ratio)
    return Finding(
        "quantised_kv",
        "notice",
        Sentence(
            "Memory is short, and K and V as {type} would take {saved:,.0f} MiB less.",
            type=SMALLER_KV,
            saved=saved / _MIB,
        ),
        (
            Evidence(Sentence("KV cache"), reserved, "bytes"),
            Evidence(Sentence("saved"), saved, "bytes"),
            Evidence(Sentence("type of K and V"), f"{case.model.type_k}, {case.model.type_v}", ""),
        ),
        (
            Remedy(
                "kv_type",
                Sentence("Keep K and V as {type}: {share:.0%} of the bytes.", type=SMALLER_KV, share=ratio),
                kv_memory_effect(case, ratio),
                SMALLER_KV,
            ),
        ),
    )


def context_cut(case: Case) -> Finding | None:
    """The answer ended because the context was full."""
    stats, n_ctx = case.stats, case.model.n_ctx
    if stats.finish_reason != "context":
        return None
    remedies = []
    largest = case.n_ctx_that_fits or 0
    if largest > n_ctx:
        larger = min(largest, 2 * n_ctx)
        remedies.append(
            Remedy(
                "context",
                Sentence("Use a context of {n_ctx:,} tokens: it fits.", n_ctx=larger),
                context_memory_effect(case, larger),
                larger,
            )
        )
    kept = kept_tokens(n_ctx) + summary_budget(n_ctx)
    remedies.append(
        Remedy(
            "summarise",
            Sentence("Summarise: {kept:,} tokens at most stay.", kept=kept),
            ttft_effect(case, kept),
        )
    )
    if case.message_tokens is not None:
        sentence = Sentence("Start a new conversation.")
        remedies.append(Remedy("new_conversation", sentence, ttft_effect(case, case.message_tokens)))
    return Finding(
        "context_cut",
        "problem",
        Sentence("The answer was cut off: the context of {n_ctx:,} tokens is full.", n_ctx=n_ctx),
        (
            Evidence(Sentence("context"), n_ctx, "tokens"),
            Evidence(Sentence("prompt"), stats.prompt_tokens or 0, "tokens"),
            Evidence(Sentence("answer"), stats.completion_tokens, "tokens"),
        ),
        tuple(remedies),
    )
