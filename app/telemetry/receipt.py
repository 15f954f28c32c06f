"""What a summary saves: tokens, KV cache, the time to read the whole prompt and the time per token after it.

Expected are: KV = cells for the prompt x bytes per cell; TTFT of the prompt with nothing of it cached, by the curve
fitted to the user's own turns or, before there are enough, tokens / measured prefill rate; TPOT by the line fitted to
them. Measured is the first answer to a prompt with the summary, which reads all of it anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.chat.conversation import PromptCost, Receipt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.chat.conversation import Summary
    from app.engine.events import LoadedModel
    from app.telemetry.speed import NotYet, TpotLine, TtftCurve
    from app.telemetry.timings import TurnStats


def prompt_cost(
    tokens: int | None,
    model: LoadedModel | None,
    turns: Iterable[TurnStats],
    ttft: TtftCurve | NotYet | None = None,
    tpot: TpotLine | NotYet | None = None,
) -> PromptCost:
    """Return the cost to expect of a prompt with this model.

    Args:
        turns: with this model, for the rate where there is no curve.
        ttft, tpot: fitted to the user's turns; None: not known.
    """
    from app.telemetry.speed import TpotLine, TtftCurve  # not above: it would come before the window's first frame

    if tokens is None:
        return PromptCost()
    if isinstance(ttft, TtftCurve):
        ttft_s: float | None = ttft.at(tokens).value
    else:
        rate = prefill_rate_per_s(turns)
        ttft_s = tokens / rate if rate else None
    return PromptCost(
        tokens=tokens,
        kv_bytes=model.memory.kv_used_bytes(tokens) if model is not None else None,
        ttft_s=ttft_s,
        tpot_s=tpot.at(tokens).value if isinstance(tpot, TpotLine) else None,
    )


def make_receipt(
    summary: Summary,
    model: LoadedModel | None,
    turns: Sequence[TurnStats],
    ttft: TtftCurve | NotYet | None = None,
    tpot: TpotLine | NotYet | None = None,
) -> Receipt:
    """Return what a summary is to save; `turns` are those of its conversation, oldest first.

    Without a fitted line the TPOT before is that of the last answer, and the one after is not known.
    """
    before, after = (
        prompt_cost(tokens, model, turns, ttft, tpot) for tokens in (summary.tokens_before, summary.tokens_after)
    )
    if before.tpot_s is None:
        last = next((stats.tpot_s for stats in reversed(turns) if stats.tpot_s is not None), None)
        before = PromptCost(before.tokens, before.kv_bytes, before.ttft_s, last)
    return Receipt(before, after)


def measured_cost(stats: TurnStats, model: LoadedModel | None) -> PromptCost | None:
    """Return what a prompt and the answer to it took; None when no token came of it."""
    if stats.prompt_tokens is None or stats.ttft_s is None:
        return None
    kv_bytes = model.memory.kv_used_bytes(stats.prompt_tokens) if model is not None else None
    return PromptCost(stats.prompt_tokens, kv_bytes, stats.ttft_s - (stats.queue_s or 0.0), stats.tpot_s)


def prefill_rate_per_s(turns: Iterable[TurnStats]) -> float | None:
    """Return all uncached prompt tokens of the turns / all their prefill time, None without any."""
    tokens, seconds = 0, 0.0
    for stats in turns:
        if stats.prompt_tokens is not None and stats.cached_tokens is not None and stats.prefill_s:
            tokens += stats.prompt_tokens - stats.cached_tokens
            seconds += stats.prefill_s
    return tokens / seconds if seconds else None
