"""Why the first token was slow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.chat.context_window import kept_tokens
from app.chat.summary_outline import summary_budget
from app.errors import Sentence
from app.telemetry.diagnosis.expect import prefill_effect, ttft_effect
from app.telemetry.diagnosis.finding import Effect, Evidence, Finding, Remedy

if TYPE_CHECKING:
    from app.telemetry.diagnosis.case import Case

_LEAST_LOST_TOKENS = 32
_LEAST_LOST_SHARE = 0.25
_LONG_PROMPT_TOKENS = 256
_COLD_S = 0.5
_SMALL_UBATCH = 64
_USUAL_UBATCH = 512
_MICRO_BATCHES_THAT_COUNT = 4


def long_prompt(case: Case) -> Finding | None:
    """Much was read that is not in the cache and could not be."""
    if not case.first_token_is_slow or not case.prefill_dominates or prefix_lost(case) or small_batch(case):
        return None
    if case.uncached_tokens < _LONG_PROMPT_TOKENS:
        return None
    stats = case.stats
    evidence = [
        Evidence(Sentence("tokens read"), case.uncached_tokens, "tokens"),
        Evidence(Sentence("reading"), stats.prefill_s or 0.0, "s"),
        Evidence(Sentence("time to first token"), stats.ttft_s or 0.0, "s"),
        Evidence(Sentence("prefill speed"), stats.prefill_tokens_per_s or 0.0, "tokens/s"),
    ]
    remedies: list[Remedy] = []
    kept = kept_tokens(case.model.n_ctx) + summary_budget(case.model.n_ctx)
    if stats.cache_miss and kept < case.uncached_tokens:  # a conversation opened anew: its past was read, too
        remedies.append(
            Remedy(
                "summarise",
                Sentence(
                    "Summarise: of the conversation {kept:,} tokens at most are read when it is opened.", kept=kept
                ),
                ttft_effect(case, kept),
            )
        )
    return Finding(
        "long_prompt",
        "warning",
        Sentence(
            "{tokens:,} new tokens had to be read before the first word: {prefill:.1f} of {ttft:.1f} s.",
            tokens=case.uncached_tokens,
            prefill=stats.prefill_s or 0.0,
            ttft=stats.ttft_s or 0.0,
        ),
        tuple(evidence),
        tuple(remedies),
    )


def prefix_lost(case: Case) -> Finding | None:
    """The cache held more of the conversation than could be used again."""
    stats = case.stats
    lost = case.previous_context_tokens - (stats.cached_tokens or 0)
    again = min(lost, case.uncached_tokens)
    if not stats.cache_miss or stats.cached_tokens is None or again < _LEAST_LOST_TOKENS or not stats.prefill_s:
        return None
    lost_s = again * stats.prefill_s / case.uncached_tokens
    if not stats.ttft_s or lost_s < _LEAST_LOST_SHARE * stats.ttft_s:
        return None
    remedies = []
    if case.message_tokens is not None:
        remedies.append(
            Remedy(
                "new_conversation",
                Sentence("Start a new conversation: only the message itself is read."),
                ttft_effect(case, case.message_tokens),
            )
        )
    return Finding(
        "prefix_lost",
        "warning" if case.first_token_is_slow else "notice",
        Sentence(
            "{tokens:,} tokens that had been read were read again, about {lost:.1f} of {ttft:.1f} s: {why}",
            tokens=again,
            lost=lost_s,
            ttft=stats.ttft_s,
            why=stats.cache_miss,
        ),
        (
            Evidence(Sentence("tokens in the cache before"), case.previous_context_tokens, "tokens"),
            Evidence(Sentence("tokens used again"), stats.cached_tokens, "tokens"),
            Evidence(Sentence("tokens read again"), again, "tokens"),
            Evidence(Sentence("time for them"), lost_s, "s"),
        ),
        tuple(remedies),
    )


def cpu_prefill(case: Case) -> Finding | None:
    """The CPU reads although there is a GPU."""
    model = case.model
    if not case.gpus or model.layers_offloaded or not case.first_token_is_slow or not case.prefill_dominates:
        return None
    remedies = []
    if case.gpu_layers_that_fit:
        remedies.append(
            Remedy(
                "gpu_layers",
                Sentence("Put {layers} of {total} layers on the GPU.", layers=case.gpu_layers_that_fit,
                         total=model.layers_total),
                Effect("ttft_s", case.stats.ttft_s or 0.0, None),
                case.gpu_layers_that_fit,
            )
        )  # fmt: skip
    return Finding(
        "cpu_prefill",
        "warning",
        Sentence(
            "The CPU read the prompt, {rate:,.0f} tokens/s, while {gpu} holds no layer.",
            rate=case.stats.prefill_tokens_per_s or 0.0,
            gpu=case.gpus[0].description,
        ),
        (
            Evidence(Sentence("prefill speed"), case.stats.prefill_tokens_per_s or 0.0, "tokens/s"),
            Evidence(Sentence("layers on GPUs"), model.layers_offloaded, "count"),
            Evidence(Sentence("layers"), model.layers_total, "count"),
        ),
        tuple(remedies),
    )


def cold_load(case: Case) -> Finding | None:
    """The first answer after a load waits for it, and reads the weights from disk."""
    stats = case.stats
    if case.turns_since_load or stats.ttft_s is None:
        return None
    usual = case.curve.at(case.uncached_tokens, stats.cached_tokens or 0) if case.curve else None
    queue_s = stats.queue_s or 0.0
    beyond = stats.ttft_s - usual.high if usual is not None else queue_s
    if beyond < _COLD_S:
        return None
    return Finding(
        "cold_load",
        "notice",
        Sentence(
            "This was the first answer after the model was loaded ({load:.1f} s): {beyond:.1f} s more than usual.",
            load=case.model.load_ns / 1e9,
            beyond=beyond,
        ),
        (
            Evidence(Sentence("load"), case.model.load_ns / 1e9, "s"),
            Evidence(Sentence("time in the queue"), queue_s, "s"),
            Evidence(Sentence("time to first token"), stats.ttft_s, "s"),
            Evidence(Sentence("usual at most"), usual.high if usual is not None else stats.ttft_s - queue_s, "s"),
        ),
    )


def small_batch(case: Case) -> Finding | None:
    """A tiny micro-batch reads all weights again for every few tokens."""
    n_ubatch = case.model.n_ubatch
    many = case.uncached_tokens >= _MICRO_BATCHES_THAT_COUNT * n_ubatch
    if n_ubatch > _SMALL_UBATCH or not many or not case.prefill_dominates:
        return None
    times = -(-case.uncached_tokens // n_ubatch)
    return Finding(
        "small_batch",
        "problem",
        Sentence(
            "The prompt was read {size} tokens at a time, so the weights were read {times:,} times.",
            size=n_ubatch,
            times=times,
        ),
        (
            Evidence(Sentence("micro-batch"), n_ubatch, "tokens"),
            Evidence(Sentence("tokens read"), case.uncached_tokens, "tokens"),
            Evidence(Sentence("readings of the weights"), times, "count"),
            Evidence(Sentence("reading"), case.stats.prefill_s or 0.0, "s"),
        ),
        (
            Remedy(
                "batch_size",
                Sentence("Read {size} tokens at a time.", size=_USUAL_UBATCH),
                prefill_effect(case, _USUAL_UBATCH),
                _USUAL_UBATCH,
            ),
        ),
    )
