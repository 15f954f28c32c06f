"""The receipt of a summary."""

import pytest

from app.chat.conversation import PromptCost, Summary
from app.telemetry.receipt import make_receipt, measured_cost, prefill_rate_per_s, prompt_cost
from app.telemetry.timings import TurnStats
from tests.fakes import fake_model

S = 1_000_000_000


def turn(prompt: int | None, cached: int | None, seconds: float) -> TurnStats:
    return TurnStats(
        submitted_ns=0,
        prefill_started_ns=0,
        prefill_done_ns=round(seconds * S),
        prompt_tokens=prompt,
        cached_tokens=cached,
    )


def test_the_rate_weighs_every_turn_by_its_tokens():
    assert prefill_rate_per_s([turn(1000, 0, 1.0), turn(1100, 1000, 0.5)]) == 1100 / 1.5


def test_without_a_measured_prefill_the_rate_is_unknown():
    assert prefill_rate_per_s([]) is None
    assert prefill_rate_per_s([turn(None, None, 1.0), turn(10, 0, 0.0)]) is None


def test_the_cost_of_a_prompt():
    assert prompt_cost(2000, fake_model(), [turn(1000, 0, 0.5)]) == PromptCost(2000, 2000 * 23_040, 1.0)


def test_unknown_stays_unknown():
    assert prompt_cost(None, fake_model(), []) == PromptCost(None, None, None)
    assert prompt_cost(10, None, []) == PromptCost(10, None, None)


def answered(prompt: int, ttft_ms: int, itl_ms: int) -> TurnStats:
    tokens = tuple((ttft_ms + itl_ms * number) * S // 1000 for number in range(3))
    return TurnStats(submitted_ns=0, started_ns=S // 10, token_ns=tokens, prompt_tokens=prompt, cached_tokens=0)


def test_without_a_fitted_line_the_last_tpot_is_the_one_before_and_the_one_after_is_unknown():
    summary = Summary("s", "m", tokens_before=2000, tokens_after=500)
    receipt = make_receipt(summary, fake_model(), [answered(100, 500, 20), answered(100, 500, 30)])
    assert receipt.before.tpot_s == pytest.approx(0.03)
    assert receipt.after.tpot_s is None
    assert (receipt.before.tokens, receipt.after.tokens) == (2000, 500)
    assert receipt.after.kv_bytes == 500 * 23_040
    assert receipt.measured is None


def test_measured_is_the_first_answer_without_its_queue():
    cost = measured_cost(answered(700, 600, 20), fake_model())
    assert cost == PromptCost(700, 700 * 23_040, pytest.approx(0.5), pytest.approx(0.02))


def test_an_answer_without_a_token_measures_nothing():
    assert measured_cost(turn(700, 0, 1.0), fake_model()) is None
