"""What longer contexts will cost, in one line and its explanation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from ui.formatting import count, duration, number, percent, tokens, turn_count
from ui.translation import joined

if TYPE_CHECKING:
    from app.telemetry.outlook import ContextCost
    from app.telemetry.payoff import Payoff
    from app.telemetry.speed import TpotLine


def outlook_text(line: TpotLine | None, cost: ContextCost | None, payoff: Payoff | None) -> tuple[str, str]:
    """Return the line under the chart and what it rests on; empty while nothing is known."""
    if line is None:
        return "", ""
    short, long = [], [_formula(line)]
    if cost is not None:
        text = QCoreApplication.translate("outlook", "at 2× the context {time} per token (+{slower})")
        short.append(text.format(time=duration(cost.doubled.value), slower=percent(cost.slower)))
        long.append(_doubled(cost))
    if payoff is not None and payoff.context_tokens is not None:
        text = QCoreApplication.translate("outlook", "a summary pays from {tokens} on")
        short.append(text.format(tokens=tokens(round(payoff.context_tokens))))
    if payoff is not None:
        long.append(_payoff(payoff))
    return " · ".join(short), "\n".join(long)


def _formula(line: TpotLine) -> str:
    text = QCoreApplication.translate(
        "outlook", "Time per token = {base} + {slope} per 1,000 tokens of context, fitted to {turns} of your own."
    )
    slope = duration(1000 * line.per_token_s)
    return text.format(base=duration(line.base_s), slope=slope, turns=turn_count(line.turns))


def _doubled(cost: ContextCost) -> str:
    text = QCoreApplication.translate(
        "outlook",
        "Now, at {context}, {now}; at {doubled}, {then}, in 9 of 10 cases {low} to {high}.",
    )
    sentence = text.format(
        context=tokens(cost.context_tokens),
        now=duration(cost.now.value),
        doubled=tokens(cost.doubled_context_tokens),
        then=duration(cost.doubled.value),
        low=duration(cost.doubled.low),
        high=duration(cost.doubled.high),
    )
    if cost.is_extrapolated:
        beyond = QCoreApplication.translate("outlook", "No answer has had that much context yet.")
        sentence = joined(sentence, beyond)
    return sentence


def _payoff(payoff: Payoff) -> str:
    from app.telemetry.payoff import HORIZON_TURNS  # not above: it would come before the window's first frame

    if payoff.turns is None:
        text = QCoreApplication.translate(
            "outlook", "A summary now would cost {cost} and save nothing: nothing would become shorter."
        )
        sentence = text.format(cost=duration(payoff.cost_s))
    else:
        text = QCoreApplication.translate(
            "outlook", "A summary now would cost {cost} once and save {saving} a turn: it pays after {turns} turns."
        )
        saving = duration(payoff.saving_s_per_turn)
        sentence = text.format(cost=duration(payoff.cost_s), saving=saving, turns=number(payoff.turns))
    if payoff.context_tokens is not None:
        text = QCoreApplication.translate("outlook", "From {tokens} of context on it pays within {turns} turns.")
        later = text.format(tokens=tokens(round(payoff.context_tokens)), turns=count(HORIZON_TURNS))
        sentence = joined(sentence, later)
    return sentence
