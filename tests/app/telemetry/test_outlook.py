"""What a message will cost before it is sent, what twice the context costs, and when a summary pays."""

from __future__ import annotations

import pytest

from app.telemetry.outlook import doubled_context, outlook
from app.telemetry.payoff import HORIZON_TURNS, SummaryPlan, summary_payoff
from app.telemetry.speed import SpeedSample, TpotLine, TtftCurve, fit_tpot, fit_ttft


def machine(pair_s: float = 0.0) -> tuple[TtftCurve, TpotLine]:
    """50 ms + 2 ms per uncached token + attention; 10 ms + 4 us x context per token, exactly."""
    samples = [
        SpeedSample(n, c, 0.05 + 0.002 * n + pair_s * n * (c + n / 2), 100.0 + c + n, 0.010 + 4e-6 * (100 + c + n), 50)
        for n in (20, 200, 900)
        for c in (0, 500, 2000)
    ]
    curve, line = fit_ttft(samples), fit_tpot(samples)
    assert isinstance(curve, TtftCurve)
    assert isinstance(line, TpotLine)
    return curve, line


def test_the_line_beside_send() -> None:
    curve, _ = machine()
    ahead = outlook(2785, 945, 2500, 4096, curve)
    assert ahead.new_tokens == 1840
    assert ahead.ttft is not None
    assert ahead.ttft.value == pytest.approx(3.73)
    said = "1,840 new tokens, about 3.7 s to the first token (3.7 to 3.7 s), context 61% → 68%"
    assert ahead.sentence == said
    assert ahead.missing is None


def test_without_data_the_tokens_are_known_all_the_same() -> None:
    ahead = outlook(1000, 900, 950, 4096, fit_ttft([]))
    assert ahead.ttft is None
    assert ahead.missing is not None
    assert ahead.missing.need == 4
    assert ahead.sentence == "100 new tokens, context 23% → 24%"


def test_what_does_not_fit_is_said() -> None:
    curve, _ = machine()
    ahead = outlook(4096, 100, 3000, 4096, curve)
    assert not ahead.fits
    assert "do not fit" in ahead.sentence
    assert outlook(100, 100, 100, 4096, curve).new_tokens == 1  # one token is always read, for its logits


def test_twice_the_context() -> None:
    _, line = machine()
    cost = doubled_context(line, 1000)
    assert (cost.now.value, cost.doubled.value) == (pytest.approx(0.014), pytest.approx(0.018))
    assert cost.slower == pytest.approx(4 / 14)
    assert not cost.is_extrapolated
    assert doubled_context(line, 3000).is_extrapolated


PLAN = SummaryPlan(instruction_tokens=100, summary_tokens=200, kept_tokens=500, answer_tokens=300, new_tokens=50)


def test_a_summary_costs_its_reading_its_writing_and_the_reading_after_it() -> None:
    payoff = summary_payoff(*machine(), 3000, PLAN)
    cost = (0.05 + 0.002 * 100) + 200 * (0.010 + 4e-6 * 3000) + 0.002 * 500
    assert payoff.cost_s == pytest.approx(cost)
    assert payoff.saving_s_per_token == pytest.approx(4e-6 * 2500)
    assert payoff.saving_s_per_turn == pytest.approx(300 * 4e-6 * 2500)
    assert payoff.turns == pytest.approx(cost / 3.0)
    assert payoff.tokens == pytest.approx(cost / 0.01)


@pytest.mark.parametrize("pair_s", [0.0, 1e-6])
def test_at_the_context_that_pays_the_cost_is_back_in_ten_turns(pair_s: float) -> None:
    curve, line = machine(pair_s)
    limit = summary_payoff(curve, line, 3000, PLAN).context_tokens
    assert limit is not None
    at_limit = summary_payoff(curve, line, round(limit), PLAN)
    assert at_limit.turns == pytest.approx(HORIZON_TURNS, rel=0.01)
    later = summary_payoff(curve, line, round(limit * 1.5), PLAN)
    assert later.turns is not None
    assert later.turns < HORIZON_TURNS


def test_a_model_that_context_does_not_slow_gains_nothing() -> None:
    curve, _ = machine()
    flat = fit_tpot([SpeedSample(10, 0, 1.0, float(n), 0.01, 50) for n in (100, 400, 900, 2000)])
    assert isinstance(flat, TpotLine)
    payoff = summary_payoff(curve, flat, 3000, PLAN)
    assert payoff.turns is None or payoff.turns > 1e6
    assert payoff.context_tokens is None or payoff.context_tokens > 1e6
    nothing_older = summary_payoff(*machine(), 400, PLAN)
    assert nothing_older.turns is nothing_older.tokens is None
