"""Our bench against llama-bench and llama-batched-bench, which should be built against the same libraries.

    LLAMA_BENCH=/path/llama-bench LLAMA_BATCHED_BENCH=/path/llama-batched-bench \
        python -m tests.benchmarks.bench_llama_bench [--pairs 5] [--turns 4] [--repetitions 2] [--threads N]

Pairs are measured one after the other, in alternating order; what is printed is ours over theirs. Goals: the median of
5 pairs within 3 %, of batches within 5 %. Each side of a pair is the mean of several runs, ours and theirs in turns, so
that what else the machine does falls on both.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from app.engine.bench import BenchFinished, BenchMeasured, BenchRequest, BenchTest
from app.engine.config import ModelConfig
from app.engine.cores import usable_cores
from app.engine.events import ModelLoaded
from app.engine.process import EngineProcess
from tests.benchmarks.yardstick import model_file, self_tests, table

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
TESTS = {
    "pp128": BenchTest(128),
    "pp512": BenchTest(512),
    "tg64": BenchTest(0, 64),
    "tg64 @ d1024": BenchTest(0, 64, 1024),
}
BATCH_PROMPT, BATCH_GEN, BATCHES = 128, 32, (1, 2, 4)


def program(variable: str) -> str:
    path = os.environ.get(variable, "")
    if not Path(path).is_file():
        sys.exit(f"set {variable} to the path of the program to compare with")
    return path


def ours(engine: EngineProcess, test: BenchTest, repetitions: int) -> BenchMeasured:
    found = None
    for event in engine.bench(BenchRequest((test,), time.perf_counter_ns(), repetitions)):
        if isinstance(event, BenchMeasured):
            found = event
        elif isinstance(event, BenchFinished):
            assert event.reason == "done", event
    assert found is not None
    return found


def our_speed(engine: EngineProcess, test: BenchTest, repetitions: int) -> float:
    return statistics.fmean(1e9 * test.tokens / ns for ns in ours(engine, test, repetitions).samples_ns)


def lines_of(command: list[str]) -> list[dict[str, float]]:
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def their_speed(model: Path, test: BenchTest, repetitions: int, threads: int) -> float:
    flags = f"-p {test.n_prompt} -n {test.n_gen} -d {test.n_depth} -r {repetitions} -t {threads} -o jsonl"
    return lines_of([program("LLAMA_BENCH"), "-m", str(model), *flags.split()])[0]["avg_ts"]


def our_batches(engine: EngineProcess, threads: int) -> dict[int, tuple[float, float]]:
    speeds = {}
    for width in BATCHES:
        test = BenchTest(BATCH_PROMPT, BATCH_GEN, n_parallel=width, n_threads=threads)
        found = ours(engine, test, 1)
        speeds[width] = (
            1e9 * BATCH_PROMPT * width / found.prompt_ns[0],
            1e9 * BATCH_GEN * width / found.gen_ns[0],
        )
    return speeds


def their_batches(model: Path, threads: int) -> dict[int, tuple[float, float]]:
    widths = ",".join(map(str, BATCHES))
    flags = f"-npp {BATCH_PROMPT} -ntg {BATCH_GEN} -npl {widths} -c 1024 -t {threads} --output-format jsonl"
    lines = lines_of([program("LLAMA_BATCHED_BENCH"), "-m", str(model), *flags.split()])
    return {int(line["pl"]): (line["speed_pp"], line["speed_tg"]) for line in lines}


def in_turns(turns: int, our_run: Callable[[], T], their_run: Callable[[], T]) -> tuple[list[T], list[T]]:
    """Return what both found, one after the other, each the first one every other time."""
    found: tuple[list[T], list[T]] = ([], [])
    for number in range(turns):
        for side in (0, 1) if number % 2 else (1, 0):
            found[side].append((our_run, their_run)[side]())
    return found


def summary(pairs: list[tuple[float, float]]) -> str:
    ratios = [our / their for our, their in pairs]
    listed = " ".join(f"{ratio:.3f}" for ratio in ratios)
    our, their = (statistics.median(pair[i] for pair in pairs) for i in range(2))
    return f"ours/theirs median {statistics.median(ratios):.3f}  ({listed})  {our:.1f} / {their:.1f} t/s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--turns", type=int, default=4, help="runs of each side in a pair")
    parser.add_argument("--repetitions", type=int, default=2, help="in each run")
    parser.add_argument("--threads", type=int, default=usable_cores())
    parser.add_argument("--model", type=Path, default=model_file())
    options = parser.parse_args()
    engine = EngineProcess(self_tests())
    last = list(engine.load(ModelConfig(options.model, n_ctx=256, n_threads=options.threads)))[-1]
    assert isinstance(last, ModelLoaded), last
    rows = []
    for name, test in TESTS.items():
        pairs = []
        for _ in range(options.pairs):
            our_speeds, their_speeds = in_turns(
                options.turns,
                lambda test=test: our_speed(engine, test, options.repetitions),
                lambda test=test: their_speed(options.model, test, options.repetitions, options.threads),
            )
            pairs.append((statistics.fmean(our_speeds), statistics.fmean(their_speeds)))
        rows.append((name, summary(pairs)))
        print(*rows[-1], flush=True)
    batches: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for _ in range(options.pairs):
        our_found, their_found = in_turns(
            options.turns,
            lambda: our_batches(engine, options.threads),
            lambda: their_batches(options.model, options.threads),
        )
        for width in BATCHES:
            for part, phase in enumerate(("S_PP", "S_TG")):
                pair = [statistics.fmean(run[width][part] for run in found) for found in (our_found, their_found)]
                batches.setdefault((phase, width), []).append((pair[0], pair[1]))
    rows += [(f"-npl {width} {phase}", summary(pairs)) for (phase, width), pairs in batches.items()]
    engine.close()
    table(f"Against llama-bench, {options.threads} threads, {options.model.name}", rows)


if __name__ == "__main__":
    main()
