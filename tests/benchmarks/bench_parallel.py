"""What several answers at once gain: aggregate tokens/s of 1, 2 and 4 in the same steps, in turns, in one run.

    python -m tests.benchmarks.bench_parallel

Wall time, and processor time, which other load disturbs less.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.cores import usable_cores
from app.engine.events import ModelLoaded
from app.engine.llama.engine import LlamaEngine
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling
from app.telemetry.recorder import TurnRecorder
from tests.benchmarks.yardstick import model_file, self_tests, table

COUNTS = (1, 2, 4)
ROUNDS = 5
NEW_TOKENS = 48
STORY = "Tell me a very long story about ferry number {} that crosses the sea at night."


@dataclass
class Measured:
    """Tokens per second of one round."""

    wall: float
    cpu: float
    own: float


def loaded(n_parallel: int) -> LlamaEngine:
    verdict = self_tests().verdict()
    repack = verdict is not None and verdict.repacking_is_safe
    config = ModelConfig(
        model_file(), n_ctx=512, n_parallel=n_parallel, n_gpu_layers=0, use_extra_bufts=repack, n_threads=usable_cores()
    )
    engine = LlamaEngine()
    last = list(engine.load_settled(config))[-1]
    assert isinstance(last, ModelLoaded), last
    return engine


def one_round(engine: LlamaEngine, count: int) -> Measured:
    """Write `count` fresh answers; timed from the first token of the last to the first end."""
    engine.forget()
    recorders: dict[str, TurnRecorder] = {}
    for number in range(count):
        request = GenerationRequest(
            (Message("user", STORY.format(number)),),
            time.perf_counter_ns(),
            Sampling(seed=number),
            max_tokens=NEW_TOKENS,
        )
        recorders[request.id] = TurnRecorder(request.submitted_ns)
        engine.submit(request)
    wall = cpu = 0.0
    before = 0
    for answered in engine.serve():
        recorders[answered.request_id].observe(answered.event)
        tokens = [recorder.completion_tokens for recorder in recorders.values()]
        if not wall and all(tokens):
            wall, cpu, before = time.perf_counter(), time.process_time(), sum(tokens)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    written = sum(recorder.completion_tokens for recorder in recorders.values()) - before
    own = statistics.median(recorder.stats.decode_tokens_per_s or 0.0 for recorder in recorders.values())
    return Measured(written / wall, written / cpu, own)


def main() -> None:
    engines = {count: loaded(count) for count in COUNTS}
    rounds: dict[int, list[Measured]] = {count: [] for count in COUNTS}
    for _ in range(ROUNDS):
        for count, engine in engines.items():
            rounds[count].append(one_round(engine, count))

    def median(count: int, name: str) -> float:
        return statistics.median(getattr(each, name) for each in rounds[count])

    def times(count: int, name: str) -> str:
        return f"{median(count, name):.1f} ({median(count, name) / median(1, name):.2f})"

    table(
        f"Aggregate tokens/s (times one alone): wall; per processor second; one answer's own; medians of {ROUNDS}",
        [
            (f"{count} at once", f"{times(count, 'wall')}; {times(count, 'cpu')}; {median(count, 'own'):.1f}")
            for count in COUNTS
        ],
    )
    for engine in engines.values():
        engine.close()


if __name__ == "__main__":
    main()
