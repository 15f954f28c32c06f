"""The receipt of a summary."""

from app.telemetry.receipt import PromptCost, prefill_rate_per_s, prompt_cost
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
