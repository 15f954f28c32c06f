"""The bench in the engine's child process, on the real starter model."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from app.chat.message import Message
from app.engine.bench import (
    BenchEvent,
    BenchFinished,
    BenchMeasured,
    BenchProgressed,
    BenchRefused,
    BenchRequest,
    BenchStarted,
    BenchTest,
)
from app.engine.config import ModelConfig
from app.engine.events import GenerationFinished, ModelLoaded
from app.engine.process import EngineProcess
from app.engine.request import GenerationRequest

if TYPE_CHECKING:
    from pathlib import Path

    from app.engine.self_test import SelfTests

pytestmark = pytest.mark.model
HUGE = 40_000_000


def bench(engine: EngineProcess, *tests: BenchTest, repetitions: int = 2, warm_up: bool = True) -> list[BenchEvent]:
    return list(engine.bench(BenchRequest(tests, time.perf_counter_ns(), repetitions, warm_up)))


def phases(events: list[BenchEvent], test: int) -> list[tuple[str, int]]:
    return [(each.phase, each.repetition) for each in events if isinstance(each, BenchProgressed) and each.test == test]


def measured(events: list[BenchEvent]) -> list[BenchMeasured]:
    return [event for event in events if isinstance(event, BenchMeasured)]


def test_every_kind_of_test_is_measured(engine: EngineProcess) -> None:
    tests = (
        BenchTest(16),
        BenchTest(0, 4),
        BenchTest(8, 2),
        BenchTest(8, 4, n_parallel=1),
        BenchTest(8, 4, n_parallel=2),
    )
    events = bench(engine, *tests)
    assert isinstance(events[0], BenchStarted)
    assert events[0].environment.model_type == "llama 256M Q4_1"
    assert events[0].environment.model_n_params == 134_515_008
    assert events[0].environment.model_size == pytest.approx(92.10 * 1024**2, rel=1e-3)
    assert events[0].environment.backends == "CPU"
    assert events[0].environment.cpu_info
    assert isinstance(events[-1], BenchFinished)
    assert (events[-1].reason, events[-1].error) == ("done", "")
    found = measured(events)
    assert [event.test for event in found] == list(range(5))
    assert all(len(event.samples_ns) == 2 and min(event.samples_ns) > 0 for event in found)
    assert [event.n_ctx for event in found] == [256, 256, 256, 256, 512]
    for event in found[3:]:
        assert [sum(part) for part in zip(event.prompt_ns, event.gen_ns, strict=True)] == list(event.samples_ns)
    assert all(event.prompt_ns == () for event in found[:3])


def test_a_depth_is_read_once_and_put_back_while_it_stays(engine: EngineProcess) -> None:
    events = bench(engine, BenchTest(8, 0, 300), BenchTest(0, 2, 300), BenchTest(0, 2, 20))
    assert phases(events, 0) == [("warm_up", 0), ("depth", 1), ("run", 1), ("run", 2)]
    assert phases(events, 1) == [("warm_up", 0), ("run", 1), ("run", 2)]
    assert phases(events, 2) == [("warm_up", 0), ("depth", 1), ("run", 1), ("run", 2)]
    assert [event.n_ctx for event in measured(events)] == [512, 512, 256]


def test_a_state_of_another_type_is_read_anew(engine: EngineProcess) -> None:
    events = bench(engine, BenchTest(0, 2, 20), BenchTest(0, 2, 20, type_k="q8_0"), repetitions=1, warm_up=False)
    assert phases(events, 1) == [("depth", 1), ("run", 1)]


def test_a_prompt_longer_than_a_batch_is_read_in_several(engine: EngineProcess) -> None:
    (one,) = measured(bench(engine, BenchTest(100, 2, n_batch=32, n_ubatch=16, n_threads=1), repetitions=1))
    assert one.n_threads == 1
    (batched,) = measured(bench(engine, BenchTest(50, 2, n_parallel=3, n_batch=32, n_ubatch=16), repetitions=1))
    assert batched.n_ctx == 3 * 256


@pytest.mark.parametrize(
    ("test", "said"),
    [
        (BenchTest(8, type_v="q8_0", flash_attention="off"), "could not make a context"),
        (BenchTest(8, type_k="q9"), "q9 is not a KV cache type"),
        (BenchTest(8, n_depth=HUGE), "GiB are free"),
        (BenchTest(HUGE, 1, n_parallel=8), "GiB are free"),
    ],
)
def test_a_test_that_cannot_be_is_refused_in_one_sentence(engine: EngineProcess, test: BenchTest, said: str) -> None:
    events = bench(engine, test, BenchTest(8), repetitions=1)
    (refused,) = [event for event in events if isinstance(event, BenchRefused)]
    assert refused.test == 0
    assert said in refused.reason
    assert [event.test for event in measured(events)] == [1]


def test_cancel_in_the_middle_keeps_whole_repetitions(engine: EngineProcess) -> None:
    request = BenchRequest((BenchTest(8), BenchTest(1800)), time.perf_counter_ns(), 2, warm_up=False)
    events = []
    asked_ns = 0
    for event in engine.bench(request):
        events.append(event)
        if isinstance(event, BenchProgressed) and event.test == 1:
            thread = threading.Thread(target=engine.cancel)
            asked_ns = time.perf_counter_ns()
            thread.start()
            thread.join()
    assert isinstance(events[-1], BenchFinished)
    assert events[-1].reason == "cancelled"
    assert events[-1].at_ns > asked_ns
    assert [event.test for event in measured(events)] == [0]


def test_what_was_asked_before_a_cancel_does_not_begin(engine: EngineProcess) -> None:
    request = BenchRequest((BenchTest(8),), time.perf_counter_ns())
    engine.cancel()
    (only,) = engine.bench(request)
    assert isinstance(only, BenchFinished)
    assert only.reason == "cancelled"


def test_the_model_still_answers_after_a_bench(engine: EngineProcess) -> None:
    bench(engine, BenchTest(8), repetitions=1)
    request = GenerationRequest((Message("user", "Hi"),), time.perf_counter_ns(), max_tokens=3)
    last = list(engine.generate(request))[-1]
    assert isinstance(last, GenerationFinished)
    assert last.finish_reason in ("length", "stop")


def test_without_a_model_there_is_one_sentence(self_tests: SelfTests) -> None:
    (only,) = bench(EngineProcess(self_tests), BenchTest(8))
    assert isinstance(only, BenchFinished)
    assert (only.reason, only.error) == ("failed", "No model is loaded: open one first.")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_the_death_of_the_process_is_one_sentence(starter: Path, self_tests: SelfTests) -> None:
    engine = EngineProcess(self_tests)
    assert isinstance(list(engine.load(ModelConfig(starter, n_ctx=256)))[-1], ModelLoaded)
    events = []
    for event in engine.bench(BenchRequest((BenchTest(1800),), time.perf_counter_ns())):
        events.append(event)
        if isinstance(event, BenchProgressed):
            assert engine.pid is not None
            os.kill(engine.pid, signal.SIGSEGV)
    last = events[-1]
    assert isinstance(last, BenchFinished)
    assert last.reason == "crashed"
    assert "while it measured" in last.error
    assert engine.model is None
    engine.close()


def test_other_architectures_run_too(architectures: Path, self_tests: SelfTests) -> None:
    engine = EngineProcess(self_tests)
    tested = 0
    for path in sorted(architectures.glob("*.gguf")):
        if not isinstance(list(engine.load(ModelConfig(path, n_ctx=256)))[-1], ModelLoaded):
            continue
        events = bench(engine, BenchTest(8, 2, 40), BenchTest(8, 2, n_parallel=2), repetitions=1)
        assert isinstance(events[-1], BenchFinished)
        assert (path.name, events[-1].reason, events[-1].error) == (path.name, "done", "")
        assert (path.name, len(measured(events))) == (path.name, 2)
        tested += 1
    engine.close()
    assert tested
