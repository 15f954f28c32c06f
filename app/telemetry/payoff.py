"""When a summary pays for itself: its own cost against what a shorter context saves from then on.

n   context now                 i   tokens of the instruction    f, p, q  fixed, per token, per pair of TTFT
m   context after the summary   S   tokens of the summary        a, b     base and per token of TPOT
A   tokens of an answer         u   new tokens of a turn

cost        = f + p i + q i (n + i/2)      reading the instruction after the conversation, which is cached
            + S (a + b n)                  writing the summary
            + p m + q m^2/2                reading what is left anew with the next turn
saving      = (A b + q u) (n - m)          per turn: each token is written, and each new one read, onto m not n
turns       = cost / saving                tokens = cost / (b (n - m))
pays within H turns from n* = (c0 + H k m) / (H k - c1)      cost = c0 + c1 n,  k = A b + q u
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.telemetry.history import HistoryTurn
    from app.telemetry.speed import TpotLine, TtftCurve

HORIZON_TURNS = 10
"""A summary that takes more turns than this to pay for itself seldom does: conversations end."""


@dataclass(frozen=True, slots=True)
class SummaryPlan:
    """What a summary will be like, in tokens.

    Attributes:
        kept_tokens: m, the prompt after it: system prompt, summary and the turns kept word for word.
        answer_tokens, new_tokens: A and u, of a usual turn.
    """

    instruction_tokens: int
    summary_tokens: int
    kept_tokens: int
    answer_tokens: float
    new_tokens: float


@dataclass(frozen=True, slots=True)
class Payoff:
    """Whether summarising is worth its time.

    Attributes:
        cost_s: once.
        saving_s_per_turn, saving_s_per_token: from then on; 0 when nothing becomes shorter.
        turns, tokens: until the cost is back; None when it never is. `tokens` counts those written alone.
        context_tokens: n*, from which it pays within `HORIZON_TURNS`; None when no context is long enough.
    """

    cost_s: float
    saving_s_per_turn: float
    saving_s_per_token: float
    turns: float | None
    tokens: float | None
    context_tokens: float | None


def summary_payoff(curve: TtftCurve, line: TpotLine, context_tokens: int, plan: SummaryPlan) -> Payoff:
    """Return what a summary now costs and saves."""
    i, s, m = plan.instruction_tokens, plan.summary_tokens, plan.kept_tokens
    p, q = curve.per_token_s, curve.per_pair_s
    a, b = line.base_s, line.per_token_s
    fixed = curve.fixed_s + p * i + q * i * i / 2 + s * a + p * m + q * m * m / 2
    per_context = q * i + s * b
    cost = fixed + per_context * context_tokens
    shorter = max(context_tokens - m, 0)
    per_turn = plan.answer_tokens * b + q * plan.new_tokens
    saving_turn, saving_token = per_turn * shorter, b * shorter
    room = HORIZON_TURNS * per_turn - per_context
    return Payoff(
        cost_s=cost,
        saving_s_per_turn=saving_turn,
        saving_s_per_token=saving_token,
        turns=cost / saving_turn if saving_turn > 0 else None,
        tokens=cost / saving_token if saving_token > 0 else None,
        context_tokens=(fixed + HORIZON_TURNS * per_turn * m) / room if room > 0 else None,
    )


def usual_plan(turns: Sequence[HistoryTurn], n_ctx: int, instruction_tokens: int) -> SummaryPlan | None:
    """Return what a summary will be like after these turns; None before there are any.

    It keeps as many of the last turns as a summary in this context does, and a usual turn is the median of those.
    """
    from app.chat.context_window import kept_tokens  # not above: it would come before the window's first frame
    from app.chat.summary_outline import summary_budget

    answers = [turn.completion_tokens for turn in turns if turn.completion_tokens]
    new = [tokens for turn in turns if (tokens := turn.sample.uncached_tokens) is not None]
    if not answers or not new:
        return None
    budget = summary_budget(n_ctx)
    from statistics import median  # not above: nothing slow is imported before the first frame

    return SummaryPlan(instruction_tokens, budget, kept_tokens(n_ctx) + budget, median(answers), median(new))
