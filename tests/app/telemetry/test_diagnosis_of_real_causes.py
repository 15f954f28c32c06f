"""Causes made for real: an edited first message, threads without cores, a tiny batch, a full context, a CPU hog."""

from __future__ import annotations

import subprocess
import sys
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING

import psutil
import pytest

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling
from app.telemetry.diagnosis import Case, diagnose
from app.telemetry.recorder import TurnRecorder
from app.telemetry.speed import SpeedSample, fit_tpot
from app.telemetry.system_state import SystemSampler, SystemState

if TYPE_CHECKING:
    from pathlib import Path

    from app.engine.process import EngineProcess
    from app.telemetry.timings import TurnStats

CORES = psutil.cpu_count(logical=False) or 1
HOG = "import time\nprint(flush=True)\nwhile True: time.perf_counter()"


def turn(engine: EngineProcess, texts: list[str], max_tokens: int = 4) -> TurnStats:
    messages = [Message("assistant" if number % 2 else "user", text) for number, text in enumerate(texts)]
    request = GenerationRequest(tuple(messages), time.perf_counter_ns(), Sampling(temperature=0), max_tokens=max_tokens)
    recorder = TurnRecorder(request.submitted_ns, engine.model.n_ctx if engine.model else None)
    for event in engine.generate(request):
        recorder.observe(event)
    return recorder.stats


def keys(stats: TurnStats, engine: EngineProcess, config: ModelConfig, **known: object) -> set[str]:
    assert engine.model is not None
    case = Case(stats, engine.model, config, cores=CORES, **known)
    return {finding.key for finding in diagnose(case)}


def story(engine: EngineProcess, tokens: int) -> str:
    """A message whose prompt has at most so many tokens, and that asks for a long answer."""
    text = "Continue this story. "
    for sentence in ("The ferry left the harbour at dusk, and the lights of the town grew small behind it. ", "On. "):
        while engine.count_tokens([Message("user", text + sentence)]) <= tokens:
            text += sentence
    return text


def test_an_edited_first_message_loses_the_prefix(engine: EngineProcess, starter: Path) -> None:
    config = ModelConfig(starter, n_ctx=2048)
    engine.forget()
    told = story(engine, 300)
    first = turn(engine, [told])
    assert "prefix_lost" not in keys(first, engine, config)
    second = turn(engine, [told, "Yes.", "And then?"])
    held = first.context_tokens or 0
    assert "prefix_lost" not in keys(second, engine, config, previous_context_tokens=held, message_tokens=12)
    held = second.context_tokens or 0
    edited = turn(engine, ["Once " + told, "Yes.", "And then?"])
    found = [
        finding
        for finding in diagnose(
            Case(edited, engine.model, config, previous_context_tokens=held, message_tokens=12)  # type: ignore[arg-type]
        )
        if finding.key == "prefix_lost"
    ]
    assert len(found) == 1
    assert "A message is another" in found[0].sentence
    assert found[0].remedies[0].expected.after is not None
    assert found[0].remedies[0].expected.after < found[0].remedies[0].expected.before


def test_a_tiny_batch_and_a_full_context(engine: EngineProcess, starter: Path) -> None:
    config = ModelConfig(starter, n_ctx=256, n_batch=8, n_ubatch=8)
    list(engine.load(config))
    stats = turn(engine, [story(engine, 253)], max_tokens=64)
    assert {"small_batch", "context_cut"} <= keys(stats, engine, config, n_ctx_that_fits=2048)
    list(engine.load(ModelConfig(starter, n_ctx=2048)))
    stats = turn(engine, [story(engine, 252)])
    assert not {"small_batch", "context_cut", "too_many_threads"} & keys(stats, engine, config)


def test_four_times_as_many_threads_as_cores(engine: EngineProcess, starter: Path) -> None:
    config = ModelConfig(starter, n_ctx=256, n_threads=4 * CORES)
    list(engine.load(config))
    assert "too_many_threads" in keys(turn(engine, ["Hello"]), engine, config)
    list(engine.load(ModelConfig(starter, n_ctx=2048)))
    assert "too_many_threads" not in keys(turn(engine, ["Hello"]), engine, config)


def test_a_hog_beside_the_engine_is_other_load(engine: EngineProcess, starter: Path) -> None:
    hogs = [
        subprocess.Popen([sys.executable, "-c", HOG], stdout=subprocess.PIPE, start_new_session=True)
        for _ in range(CORES)
    ]
    # Not children of this process to the sampler: its family is the engine's alone.
    sampler = SystemSampler(engine_pid(engine))
    try:
        for hog in hogs:
            assert hog.stdout is not None
            hog.stdout.readline()
        sampler.begin()
        stats = turn(engine, ["Tell me a long story."], max_tokens=8)
        state = sampler.end()
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
            assert hog.stdout is not None
            hog.stdout.close()
    assert state.others_cpu is not None
    assert state.others_cpu > 0.15
    assert stats.tpot_s is not None
    twice_as_fast = [SpeedSample(1, 0, 1.0, float(n), stats.tpot_s / 2, 50) for n in (10, 100, 400, 900)]
    config = ModelConfig(starter, n_ctx=2048)
    assert "other_load" in keys(stats, engine, config, system=state, tpot=fit_tpot(twice_as_fast))


def engine_pid(engine: EngineProcess) -> int:
    (child,) = (child for child in psutil.Process().children() if "app.engine.llama.child" in " ".join(child.cmdline()))
    assert engine.model is not None
    return child.pid


def test_nothing_is_counted_before_the_turn_begins() -> None:
    state = SystemSampler().end()
    assert state.others_cpu is None
    assert state.swapped_bytes is None


def test_others_are_all_programs_less_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    # Ten seconds of four processors: 18 s were busy, 12 of them ours.
    counters = iter([(100.0, 500.0, 40.0, 1000), (110.0, 518.0, 52.0, 1700)])
    monkeypatch.setattr(SystemSampler, "_counters", lambda self: next(counters))
    monkeypatch.setattr(psutil, "cpu_count", lambda logical=True: 4)
    monkeypatch.setattr(psutil, "cpu_freq", lambda: SimpleNamespace(current=1200.0, max=3000.0), raising=False)
    monkeypatch.setattr(psutil, "sensors_battery", lambda: SimpleNamespace(power_plugged=False), raising=False)
    sampler = SystemSampler()
    sampler.begin()
    assert sampler.end() == SystemState(6 / 40, 700, True, 0.4)


def test_a_moment_too_short_to_tell_and_a_system_that_does_not_say(monkeypatch: pytest.MonkeyPatch) -> None:
    counters = iter([(100.0, 500.0, 40.0, 1000), (100.01, 500.02, 40.0, 1000)])
    monkeypatch.setattr(SystemSampler, "_counters", lambda self: next(counters))
    monkeypatch.setattr(psutil, "cpu_freq", lambda: None, raising=False)
    monkeypatch.setattr(psutil, "sensors_battery", lambda: None, raising=False)
    sampler = SystemSampler()
    sampler.begin()
    assert sampler.end() == SystemState(None, 0, None, None)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's /sys")
def test_where_there_is_no_sys_the_battery_is_not_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("psutil._pslinux.POWER_SUPPLY_PATH", str(tmp_path / "no such folder"))
    sampler = SystemSampler()
    sampler.begin()
    assert sampler.end().on_battery is None
