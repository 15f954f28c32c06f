"""Speed over all conversations: points, two runs laid over each other, and a notice when it became worse."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import timedelta

import pytest

from app.engine.config import ModelConfig
from app.telemetry.environment import Change, changes, environment_json, settings_key
from app.telemetry.history import HistoryTurn, overlay, points, slowdowns
from tests.app.storage.samples import NOON
from tests.fakes import fake_model

OLD, NEW = '{"library": "b1", "n_threads": 2}', '{"library": "b2", "n_threads": 2}'


def turn(number: int, times: float = 1.0, environment: str = OLD, uncached: int = 0) -> HistoryTurn:
    """50 ms + 2 ms per uncached token; 10 ms + 4 us x context per written token."""
    uncached = uncached or (40, 400, 150, 900)[number % 4]
    prompt, steps = 100 + 300 * (number % 5) + uncached, 40
    context = prompt + (steps + 1) / 2
    return HistoryTurn(
        message_id=f"m{number}",
        conversation_id="c",
        created_at=NOON + timedelta(minutes=number),
        model_name="Fake",
        model_file="fake.gguf",
        settings="{}",
        environment_json=environment,
        prompt_tokens=prompt,
        cached_tokens=prompt - uncached,
        completion_tokens=steps + 1,
        ttft_s=(0.05 + 0.002 * uncached) * times + 0.25,
        queue_s=0.25,
        prefill_s=0.002 * uncached * times,
        tpot_s=(0.010 + 4e-6 * context) * times,
        finish_reason="stop",
    )


def noisy(count: int, times: float = 1.0, first: int = 0, environment: str = OLD) -> list[HistoryTurn]:
    chance = random.Random(4)
    return [turn(number, times * chance.uniform(0.95, 1.05), environment) for number in range(first, first + count)]


def test_points_of_the_charts() -> None:
    unknown = replace(turn(2), ttft_s=None, tpot_s=None, prompt_tokens=None)
    drawn = points([turn(0), unknown, turn(1)])
    assert drawn.uncached_tokens.tolist() == [40, 400]
    assert drawn.ttft_s.tolist() == pytest.approx([0.13, 0.85])  # without the queue
    assert drawn.ttft_ids == drawn.tpot_ids == ("m0", "m1")
    assert drawn.context_tokens.tolist() == [160.5, 820.5]
    assert points([]).tpot_s.tolist() == []


def test_two_runs_are_compared_at_the_same_lengths() -> None:
    laid = overlay([turn(number) for number in range(10)], [turn(number, 1.5, NEW) for number in range(3)])
    assert laid.ttft_times == pytest.approx(1.5, rel=1e-3)
    assert laid.tpot_times == pytest.approx(1.5, rel=1e-3)
    assert laid.changes == (Change("build of llama.cpp", "b1", "b2"),)
    assert len(laid.first.ttft_s) == 10
    assert overlay([turn(0)], [turn(1)]).tpot_times is None


def test_a_slower_build_is_noticed_and_named() -> None:
    found = slowdowns(noisy(20) + noisy(6, 1.4, 20, NEW))
    assert [notice.metric for notice in found] == ["ttft_s", "tpot_s"]
    for notice in found:
        assert notice.times == pytest.approx(1.4, rel=0.05)
        assert (notice.recent, notice.past) == (6, 20)
        assert notice.usual_times < 1.1
        assert "What changed: build of llama.cpp, from b1 to b2." in notice.sentence


def test_slower_without_a_recorded_change_says_so() -> None:
    found = slowdowns(noisy(20) + noisy(5, 1.4, 20))
    assert {notice.changes for notice in found} == {()}
    assert "nothing that is recorded changed" in found[0].sentence


@pytest.mark.parametrize(
    "turns",
    [
        [],
        noisy(25),
        noisy(20) + noisy(6, 0.7, 20, NEW),
        noisy(20) + noisy(6, 1.05, 20, NEW),
        noisy(7) + noisy(5, 2.0, 7, NEW),
        noisy(20) + noisy(2, 2.0, 20, NEW),
    ],
    ids=["nothing", "as always", "faster", "within the spread", "short past", "too few turns since"],
)
def test_no_notice_without_reason(turns: list[HistoryTurn]) -> None:
    assert slowdowns(turns) == ()


def test_a_past_that_scatters_needs_more_to_be_worse() -> None:
    chance = random.Random(1)
    past = [turn(number, chance.choice((0.7, 1.0, 1.5))) for number in range(24)]
    assert slowdowns(past + noisy(6, 1.3, 24, NEW)) == ()
    assert slowdowns(past + noisy(6, 3.0, 24, NEW)) != ()


def test_longer_prompts_are_not_a_slowdown() -> None:
    past = [turn(number, uncached=50 + 10 * number) for number in range(12)]
    assert slowdowns([*past, *(turn(number, uncached=2000) for number in range(12, 18))]) == ()


def test_settings_are_the_same_whatever_the_file_and_the_context() -> None:
    def key(**settings: object) -> str:
        load = {"path": "/a.gguf", "n_ctx": 4096, "type_k": "f16", **settings}
        return settings_key(json.dumps({"load": load, "sampling": {"temperature": 1}}))

    assert key() == key(path="/b.gguf", n_ctx=8192) != key(type_k="q8_0")
    assert settings_key("") == settings_key("[1]") == settings_key('{"load": 3}') == ""


def test_an_environment_holds_what_moves_speed() -> None:
    model = fake_model()
    now = json.loads(environment_json(model))
    assert now["n_threads"] == 2
    assert now["library"]
    assert "n_ctx" not in now
    other = environment_json(replace(model, n_threads=4, backend="CUDA0"))
    assert [(change.name, change.before, change.after) for change in changes(json.dumps(now), other)] == [
        ("backend", "CPU", "CUDA0"),
        ("threads", "2", "4"),
    ]
    assert changes("", "not JSON") == ()
    assert ModelConfig(model.info.path).n_threads is None  # what was asked for is not what it became
