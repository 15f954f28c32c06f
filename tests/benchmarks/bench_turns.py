"""How a conversation's second turn starts, how soon Stop stops, and whether memory comes back.

    python -m tests.benchmarks.bench_turns

Goals: only new tokens are read in a second turn; Stop p95 under 150 ms in load, prefill and decode; the process tree's
memory after 20 cycles of load, chat, unload within 5 % of that after the first.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import psutil

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.events import GenerationEvent, GenerationFinished, LoadFailed, PrefillProgressed, TokensGenerated
from app.engine.process import EngineProcess
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling
from app.telemetry.recorder import TurnRecorder
from tests.benchmarks.bench_engine import answer, loaded, prompt_of
from tests.benchmarks.yardstick import model_file, percentile, self_tests, spread, table

if TYPE_CHECKING:
    from app.telemetry.timings import TurnStats

STOPS = 20
CYCLES = 20


def second_turn(engine: EngineProcess) -> None:
    engine.forget()
    history: list[Message] = [Message("user", prompt_of(engine, 2000))]

    def turn() -> TurnStats:
        request = GenerationRequest(tuple(history), time.perf_counter_ns(), Sampling(temperature=0), max_tokens=16)
        recorder, text = TurnRecorder(request.submitted_ns), ""
        for event in engine.generate(request):
            recorder.observe(event)
            if isinstance(event, TokensGenerated):
                text += "".join(piece.text for piece in event.pieces)
        history.append(Message("assistant", text))
        return recorder.stats

    first = turn()
    history.append(Message("user", "And the other shore?"))
    second = turn()
    assert first.ttft_s is not None
    assert second.ttft_s is not None
    rows = [
        (f"{name}: prompt {stats.prompt_tokens}, cached {stats.cached_tokens}", f"TTFT {stats.ttft_s:.3f} s")
        for name, stats in (("first turn", first), ("second turn", second))
    ]
    table("Second turn after 2,000 tokens of history", [*rows, ("ratio", f"{second.ttft_s / first.ttft_s:.4f}")])


def stop_latency(engine: EngineProcess, moment: type[GenerationEvent], prompt: str) -> list[float]:
    """Seconds from `cancel` to the end of the answer, cancelled some time into its prefill or its decode."""
    latencies = []
    for number in range(STOPS):
        engine.forget()
        request = GenerationRequest((Message("user", prompt),), time.perf_counter_ns(), max_tokens=400)
        pressed: list[float] = []

        def press(pressed: list[float] = pressed) -> None:
            pressed.append(time.perf_counter())
            engine.cancel()

        timer = threading.Timer(0.02 + 0.01 * number, press)
        for event in engine.generate(request):
            if isinstance(event, moment) and not timer.is_alive() and not pressed:
                timer.start()
            if isinstance(event, GenerationFinished):
                if event.finish_reason == "cancelled":  # the story may have ended before
                    latencies.append(time.perf_counter() - pressed[0])
                timer.join()
    return latencies


def load_stop_latency() -> list[float]:
    """Seconds from `cancel` to the end of a load, cancelled some time after its beginning."""
    engine, latencies = EngineProcess(self_tests()), []
    for number in range(STOPS):
        pressed: list[float] = []

        def press(pressed: list[float] = pressed) -> None:
            pressed.append(time.perf_counter())
            engine.cancel()

        timer = threading.Timer(0.02 + 0.04 * number, press)
        timer.start()
        for event in engine.load(ModelConfig(model_file(), n_ctx=2048)):
            if isinstance(event, LoadFailed) and event.kind == "cancelled":  # it may have been loaded before
                latencies.append(time.perf_counter() - pressed[0])
        timer.join()
    engine.close()
    return latencies


def report_stop(name: str, latencies: list[float]) -> None:
    rows = [("latency", spread(latencies, " ms", 1000)), ("p95", f"{percentile(latencies, 95) * 1000:.1f} ms")]
    table(f"Stop in {name} (goal: p95 under 150 ms)", rows)


def tree_bytes() -> int:
    process = psutil.Process()
    return sum(one.memory_info().rss for one in (process, *process.children(recursive=True)))


def cycles() -> None:
    engine = EngineProcess(self_tests())
    loaded_bytes, unloaded_bytes = [], []
    for _ in range(CYCLES):
        list(engine.load(ModelConfig(model_file(), n_ctx=2048)))
        answer(engine, "Say hello.", 8)
        loaded_bytes.append(tree_bytes())
        engine.unload()
        unloaded_bytes.append(tree_bytes())
    rows = [
        (name, f"{values[0] / 2**20:.1f} -> {values[-1] / 2**20:.1f} MiB, ratio {values[-1] / values[0]:.4f}")
        for name, values in (("loaded", loaded_bytes), ("unloaded", unloaded_bytes))
    ]
    table(f"Memory of the process tree, first and last of {CYCLES} cycles (goal: within 5 %)", rows)


def main() -> None:
    engine = loaded(EngineProcess(self_tests()))
    assert isinstance(engine, EngineProcess)
    second_turn(engine)
    long_prompt = prompt_of(engine, 2000)
    for name, moment, prompt in (
        ("prefill", PrefillProgressed, long_prompt),
        ("decode", TokensGenerated, "Tell me a very long story."),
    ):
        report_stop(name, stop_latency(engine, moment, prompt))
    engine.close()
    report_stop("load", load_stop_latency())
    cycles()


if __name__ == "__main__":
    main()
