"""A run on a scripted engine: rows, progress and time left exactly; refusals, crashes and cancels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.bench.plan import BenchGrid, make_plan
from app.bench.runner import BenchRun, RowMeasured, RunEvent, RunFinished, RunProgressed, RunRefused
from app.bench.time_left import TimeLeft, Work
from app.engine.bench import BenchTest
from app.engine.events import LoadFailed
from tests.fakes import Answer, ScriptedEngine, Timing, fake_model

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"not read by a scripted engine")
    return path


@pytest.fixture
def engine(model: Path) -> ScriptedEngine:
    return ScriptedEngine(model=fake_model(model))


def run(engine: ScriptedEngine, grid: BenchGrid) -> list[RunEvent]:
    return list(BenchRun(engine, make_plan(grid), grid.repetitions, grid.warm_up).run())


def rows(events: list[RunEvent]) -> list:
    return [event.row for event in events if isinstance(event, RowMeasured)]


def test_samples_become_rows(engine: ScriptedEngine, model: Path) -> None:
    engine.timing = Timing(read_ms=1, step_ms=10, extra_ms=(0, 20), others_cpu=0.03)
    events = run(engine, BenchGrid((model,), n_prompt=(100,), n_gen=(10,), n_parallel=(2,), repetitions=2))
    pp, tg, batched = rows(events)
    assert (pp.test.name, pp.samples_ts) == ("pp100", (1000.0, pytest.approx(100 / 0.12)))
    assert (tg.test.name, tg.samples_ns) == ("tg10", (100_000_000, 120_000_000))
    assert (batched.prompt_ns, batched.gen_ns) == ((200_000_000,) * 2, (100_000_000, 120_000_000))
    assert batched.gen_ts[0] == 200.0
    assert all(row.others_cpu == 0.03 and row.n_threads == 2 for row in (pp, tg, batched))
    assert pp.subject.model_filename == str(model)
    assert pp.subject.fingerprint
    assert pp.subject.machine
    assert events[-1] == RunFinished(cancelled=False)


def test_one_load_and_one_request_for_all_tests_of_a_model(engine: ScriptedEngine, model: Path) -> None:
    run(engine, BenchGrid((model,), n_depth=(0, 8), type_k=("f16", "q8_0"), n_threads=(1, 2), repetitions=1))
    (config,) = engine.load_configs
    assert (config.path, config.n_gpu_layers) == (model, "auto")
    (request,) = engine.bench_requests
    assert len(request.tests) == 16


def test_progress_counts_tests_over_all_models(engine: ScriptedEngine, tmp_path: Path, model: Path) -> None:
    other = tmp_path / "other.gguf"
    other.write_bytes(b"x")
    events = run(engine, BenchGrid((model, other), n_prompt=(8,), n_gen=(4,), repetitions=1, warm_up=False))
    progress = [event for event in events if isinstance(event, RunProgressed)]
    assert [(event.step, event.done) for event in progress] == [
        ("load", 0), ("run", 0), ("run", 1), ("load", 2), ("run", 2), ("run", 3),
    ]  # fmt: skip
    assert {event.total for event in progress} == {4}


def test_the_time_left_is_that_of_the_tests_that_are_left(engine: ScriptedEngine, model: Path) -> None:
    engine.timing = Timing(read_ms=1, step_ms=10)
    events = run(engine, BenchGrid((model,), n_prompt=(100,), n_gen=(10,), repetitions=2))
    left = [(event.step, event.repetition, event.seconds_left) for event in events if isinstance(event, RunProgressed)]
    assert left == [
        ("load", 0, None),
        ("warm_up", 0, None),  # nothing seen yet
        # Reading takes 1 ms per token now, and a step is guessed at four times that: 2 x 0.1 s and 3 x 10 x 4 ms.
        ("run", 1, pytest.approx(0.32)),
        ("run", 2, pytest.approx(0.22)),
        ("warm_up", 0, pytest.approx(0.12)),
        ("run", 1, pytest.approx(0.08)),
        ("run", 2, pytest.approx(0.1)),  # a step was seen to take 10 ms
    ]


def test_the_time_left_counts_a_depth_once_while_it_stays() -> None:
    left = TimeLeft(repetitions=2, warm_up=False)
    left.observe(BenchTest(0, 10), "run", 100_000_000)
    left.observe(BenchTest(0, 10, 1000), "depth", 2_000_000_000)
    deep = (BenchTest(0, 10, 1000), BenchTest(0, 10, 1000), BenchTest(0, 10, 500))
    assert left.seconds([Work(deep)]) == pytest.approx(6 * 0.1 + 2.0 + 1.0)


def test_the_time_left_is_that_of_all_models_by_the_size_of_their_files(
    engine: ScriptedEngine, tmp_path: Path, model: Path
) -> None:
    other = tmp_path / "other.gguf"
    other.write_bytes(2 * model.read_bytes())
    engine.timing = Timing(read_ms=1, step_ms=10)
    grid = BenchGrid((model, other), n_prompt=(100,), n_gen=(), repetitions=1, warm_up=False)
    left = [event.seconds_left for event in run(engine, grid) if isinstance(event, RunProgressed)]
    assert left == [
        None,
        None,
        # 0.1 s and a load of 0.25 s, of a file twice as large.
        pytest.approx(2 * 0.35),
        pytest.approx(2 * 0.1),
    ]


def test_the_time_left_counts_whole_answers_and_their_loads(model: Path) -> None:
    answer = Answer(pieces=("a", "b", ""), queue_ms=0, tokenise_ms=0, prefill_ms=20, first_ms=0, itl_ms=10)
    engine = ScriptedEngine(answer, model=fake_model(model))
    engine.timing = Timing(read_ms=1, step_ms=10)
    grid = BenchGrid((model,), n_prompt=(20,), n_gen=(3,), repetitions=1, warm_up=False, end_to_end=True)
    events = [event for event in run(engine, grid) if isinstance(event, RunProgressed)]
    assert [(event.step, event.seconds_left) for event in events] == [
        ("load", None),
        ("run", None),
        ("run", pytest.approx(3 * 0.004 + 0.25 + 0.02 + 3 * 0.004)),
        ("load", pytest.approx(0.25 + 0.02 + 3 * 0.01)),
        ("answer", pytest.approx(0.02 + 3 * 0.01)),
    ]


def test_a_refused_test_does_not_stop_the_others(engine: ScriptedEngine, model: Path) -> None:
    engine.timing = Timing(refused={BenchTest(8): "Too large."})
    events = run(engine, BenchGrid((model,), n_prompt=(8,), n_gen=(4,), repetitions=1))
    assert RunRefused(model, BenchTest(8), "Too large.", "bad_input") in events
    assert [row.test.name for row in rows(events)] == ["tg4"]


def test_a_model_that_cannot_be_loaded_is_said_once(engine: ScriptedEngine, model: Path) -> None:
    engine.loads.append(LoadFailed("model.gguf is damaged.", "bad_input"))
    events = run(engine, BenchGrid((model,), repetitions=1, end_to_end=True))
    assert [event for event in events if isinstance(event, RunRefused)] == [
        RunRefused(model, None, "model.gguf is damaged.", "bad_input")
    ]
    assert events[-1] == RunFinished(cancelled=False)


def test_a_crash_is_one_sentence_and_the_next_model_goes_on(
    engine: ScriptedEngine, tmp_path: Path, model: Path
) -> None:
    other = tmp_path / "other.gguf"
    other.write_bytes(b"x")
    engine.timing = Timing(crash_at=1)
    events = run(engine, BenchGrid((model, other), n_prompt=(8,), n_gen=(4,), repetitions=1))
    refused = [event for event in events if isinstance(event, RunRefused)]
    assert [(event.model, event.reason, event.fault) for event in refused] == [
        (model, "The engine's process ended.", "crashed"),
        (other, "The engine's process ended.", "crashed"),
    ]
    assert len(rows(events)) == 2


def test_cancel_keeps_what_was_measured(engine: ScriptedEngine, model: Path) -> None:
    grid = BenchGrid((model,), n_prompt=(8,), n_gen=(4,), repetitions=3)
    bench = BenchRun(engine, make_plan(grid), grid.repetitions)
    events = []
    for event in bench.run():
        events.append(event)
        if isinstance(event, RunProgressed) and event.test == BenchTest(0, 4) and event.repetition == 2:
            bench.cancel()
    pp, tg = rows(events)
    assert (len(pp.samples_ns), len(tg.samples_ns)) == (3, 2)
    assert events[-1] == RunFinished(cancelled=True)


def test_cancel_between_a_load_and_its_tests_is_not_lost(
    engine: ScriptedEngine, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = BenchRun(engine, make_plan(BenchGrid((model,), repetitions=2)), 2)

    def fingerprint(_path: Path) -> str:
        bench.cancel()
        return "4bcbe339c889e1ea"

    monkeypatch.setattr("app.bench.runner.model_fingerprint", fingerprint)
    events = list(bench.run())
    assert events[-1] == RunFinished(cancelled=True)
    assert rows(events) == []
    assert engine.bench_requests == []


def test_cancel_before_a_load_begins_nothing(engine: ScriptedEngine, model: Path) -> None:
    bench = BenchRun(engine, make_plan(BenchGrid((model,))), 1)
    bench.cancel()
    assert list(bench.run()) == [RunFinished(cancelled=True)]
    assert engine.load_configs == []


def test_whole_answers_are_timed_as_turns_are(model: Path) -> None:
    answer = Answer(pieces=("a", "b", "c"), queue_ms=1, tokenise_ms=2, prefill_ms=100, first_ms=5, itl_ms=10)
    engine = ScriptedEngine(answer, model=fake_model(model))
    grid = BenchGrid((model,), n_prompt=(64,), n_gen=(3,), repetitions=2, end_to_end=True, type_k=("f16", "q8_0"))
    events = run(engine, grid)
    chats = [row for row in rows(events) if row.method == "end-to-end"]
    assert [row.test.type_k for row in chats] == ["f16", "q8_0"]
    for row in chats:
        assert row.test.n_prompt == answer.prompt_tokens  # what it really had
        assert row.ttft_s == (pytest.approx(0.108),) * 2
        assert row.tpot_s == (pytest.approx(0.010),) * 2
        assert row.samples_ns == (128_000_000,) * 2
        assert row.sample_tokens == (23, 23)
    tests, *for_chats = engine.load_configs
    assert tests.type_k == "f16"
    assert [(config.type_k, config.n_ctx) for config in for_chats] == [("f16", 131), ("q8_0", 131)]
    assert engine.forgotten == len(engine.requests) == 2 * (1 + 2)  # warm-ups included
    assert {request.max_tokens for request in engine.requests} == {3}


def test_an_answer_that_fails_is_said(model: Path) -> None:
    engine = ScriptedEngine(Answer(finish_reason="failed", error="It broke."), model=fake_model(model))
    events = run(engine, BenchGrid((model,), n_prompt=(64,), n_gen=(3,), repetitions=2, end_to_end=True))
    refused = [event for event in events if isinstance(event, RunRefused)]
    assert [(event.reason, event.fault) for event in refused] == [("It broke.", "failed")]
    assert len(engine.requests) == 1
