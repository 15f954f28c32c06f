"""What telemetry costs: the same answers with everything measured live against only counting the tokens, in turns.

    python -m tests.benchmarks.bench_telemetry

Goal: under 1 % of decode speed. The recorder, charts' series, wait, roofline and system counters run in this process,
at the rate the window draws them, while the engine writes in its child.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.events import ModelLoaded, TokensGenerated
from app.engine.model_file import read_model
from app.engine.process import EngineProcess
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling
from app.telemetry.ceilings import Ceilings
from app.telemetry.model_work import model_work
from app.telemetry.recorder import TurnRecorder
from app.telemetry.roofline import roofline
from app.telemetry.series import ConversationSeries
from app.telemetry.system_state import SystemSampler
from app.telemetry.waiting import wait_of
from tests.benchmarks.yardstick import N_CTX, model_file, self_tests, spread, table

if TYPE_CHECKING:
    from app.telemetry.work import ModelWork

PAIRS = 9
NEW_TOKENS = 128
DRAWN_EVERY_NS = 250_000_000
STORY = "Tell me a very long story about a ferry that crosses the sea at night."
CEILINGS = Ceilings(2e10, 5e11, None, None)


def request() -> GenerationRequest:
    return GenerationRequest((Message("user", STORY),), time.perf_counter_ns(), Sampling(seed=3), max_tokens=NEW_TOKENS)


def without(engine: EngineProcess) -> float:
    """Seconds per token, from the engine's own instants."""
    engine.forget()
    instants: list[int] = []
    for event in engine.generate(request()):
        if isinstance(event, TokensGenerated):
            instants.extend(event.sampled_ns)
    return (instants[-1] - instants[0]) / (len(instants) - 1) / 1e9


def with_telemetry(engine: EngineProcess, work: ModelWork, spent: list[float]) -> float:
    """The same with everything on; `spent` gets the share of one core that it took."""
    engine.forget()
    assert engine.model is not None
    series = ConversationSeries(engine.model)
    asked = request()
    recorder = TurnRecorder(asked.submitted_ns, engine.model.n_ctx)
    sampler = SystemSampler()
    sampler.begin()
    series.begin_turn("m", recorder)
    cpu, drawn_ns = time.process_time(), 0
    for event in engine.generate(asked):
        now = time.perf_counter_ns()
        recorder.observe(event, now)
        if now - drawn_ns > DRAWN_EVERY_NS:
            drawn_ns = now
            series.observe()
            stats = recorder.stats
            wait_of(stats, now)
            roofline(work, CEILINGS, stats, engine.model.n_ubatch, recorder=recorder)
            assert series.live_latencies is not None
            series.live_latencies.percentile_s(99)
    sampler.end()
    stats = recorder.stats
    assert stats.tpot_s is not None
    assert stats.e2e_s is not None
    spent.append((time.process_time() - cpu) / stats.e2e_s)
    return stats.tpot_s


def main() -> None:
    engine = EngineProcess(self_tests())
    config = ModelConfig(model_file(), n_ctx=N_CTX)
    last = list(engine.load(config))[-1]
    assert isinstance(last, ModelLoaded), last
    work = model_work(read_model(config.path)[1], config)
    without(engine)
    costs, spent = [], []
    for number in range(PAIRS):
        if number % 2:
            on, off = with_telemetry(engine, work, spent), without(engine)
        else:
            off, on = without(engine), with_telemetry(engine, work, spent)
        costs.append(on / off - 1)
    engine.close()
    table(
        f"Telemetry on against off, {PAIRS} pairs of {NEW_TOKENS} tokens",
        [
            ("time per token more (goal: under 1 %)", spread(costs, " %", 100)),
            ("share of one core here, events included", spread(spent, " %", 100)),
        ],
    )


if __name__ == "__main__":
    main()
