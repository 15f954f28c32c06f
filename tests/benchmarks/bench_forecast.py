"""How well TTFT and TPOT are foretold on turns the fit has not seen, and whether a wait's parts sum to the wall time.

    python -m tests.benchmarks.bench_forecast
    python -m tests.benchmarks.bench_forecast cpu     # in processor time of one thread: on a machine that is busy

Goals: median error of both at most 15 %; parts and wall time, by a clock of its own, within 2 ms on every turn.
"""

from __future__ import annotations

import random
import sys
import time
from typing import TYPE_CHECKING

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.events import ModelLoaded, TokensGenerated
from app.engine.llama.in_process import InProcessEngine
from app.engine.process import EngineProcess
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling
from app.telemetry.recorder import TurnRecorder
from app.telemetry.speed import NotYet, fit_tpot, fit_ttft, sample_of
from app.telemetry.waiting import WaitCheck, wait_of
from tests.benchmarks.yardstick import N_CTX, model_file, percentile, self_tests, spread, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.engine.base import Engine
    from app.telemetry.timings import TurnStats

CONVERSATIONS = 7
TURNS = 8
WORDS = ("the", "ferry", "leaves", "at", "dusk", "while", "lights", "of", "town", "grow", "small", "and", "rain")


def turns(engine: Engine, check: WaitCheck) -> Iterator[TurnStats]:
    """Conversations as people have them: short and long messages, short and long answers."""
    chance = random.Random(5)
    for number in range(CONVERSATIONS * TURNS):
        if number % TURNS == 0:
            engine.forget()
            messages: list[Message] = []
        size = chance.choice((8, 20, 60, 150, 300))
        messages.append(Message("user", " ".join(chance.choices(WORDS, k=size)) + "?"))
        began_ns = time.perf_counter_ns()
        request = GenerationRequest(
            tuple(messages), began_ns, Sampling(seed=number), max_tokens=chance.choice((20, 60, 120))
        )
        recorder, text = TurnRecorder(began_ns), ""
        for event in engine.generate(request):
            recorder.observe(event, time.perf_counter_ns())
            if isinstance(event, TokensGenerated):
                text += "".join(piece.text for piece in event.pieces)
        recorder.observe_shown(time.perf_counter_ns())
        wait = wait_of(recorder.stats, wall_ns=time.perf_counter_ns() - began_ns)
        if wait is not None:
            check.observe(wait)
        messages.append(Message("assistant", text))
        yield recorder.stats


def main() -> None:
    in_cpu_time = "cpu" in sys.argv[1:]
    if in_cpu_time:  # everything in this process on one thread: what other programs take is not counted
        time.perf_counter_ns = time.process_time_ns
    engine: Engine = (InProcessEngine if in_cpu_time else EngineProcess)(self_tests())
    last = list(engine.load(ModelConfig(model_file(), n_ctx=N_CTX, n_threads=1 if in_cpu_time else None)))[-1]
    assert isinstance(last, ModelLoaded), last
    check = WaitCheck()
    seen = []
    errors: dict[str, list[float]] = {"TTFT": [], "TPOT": []}
    inside: dict[str, list[bool]] = {"TTFT": [], "TPOT": []}
    for stats in turns(engine, check):
        sample, curve, line = sample_of(stats), fit_ttft(seen), fit_tpot(seen)
        seen.append(sample)
        if not isinstance(curve, NotYet) and sample.ttft_s and sample.uncached_tokens:
            estimate = curve.at(sample.uncached_tokens, sample.cached_tokens or 0)
            errors["TTFT"].append(abs(estimate.value / sample.ttft_s - 1))
            inside["TTFT"].append(estimate.low <= sample.ttft_s <= estimate.high)
        if not isinstance(line, NotYet) and sample.tpot_s and sample.context_tokens:
            estimate = line.at(sample.context_tokens)
            errors["TPOT"].append(abs(estimate.value / sample.tpot_s - 1))
            inside["TPOT"].append(estimate.low <= sample.tpot_s <= estimate.high)
    engine.close()
    for name, values in errors.items():
        table(
            f"{name} foretold from the turns before (goal: median 15 %)",
            [
                ("error", spread(values, " %", 100)),
                ("p90", f"{percentile(values, 90) * 100:.1f} %"),
                ("inside the 90 % interval", f"{sum(inside[name])} of {len(inside[name])}"),
            ],
        )
    table(
        "Parts of the wait against the wall time (goal: within 2 ms)",
        [("turns", f"{check.answers}, {check.broken} broken"), ("worst", f"{check.worst_s * 1000:.3f} ms")],
    )


if __name__ == "__main__":
    main()
