"""How fast memory is known before a load: 64 contexts through the dry run, again from its cache, and estimates.

    python -m tests.benchmarks.bench_dry_run [GGUF]

Goals: 64 contexts under 3 s, the child's start included; an estimate under 30 ms once the header is read.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from app.engine.config import ModelConfig
from app.engine.dry_run import DryRuns
from app.engine.events import Device
from app.telemetry.planner import Planner
from tests.benchmarks.yardstick import model_file, percentile, spread, table

if TYPE_CHECKING:
    from collections.abc import Callable

GIB = 1024**3
CONTEXTS = 64
ROUNDS = 5
ESTIMATES = 100


class WithCard(DryRuns):
    """A machine with a card that is too small for everything: the fit has the most to do."""

    def devices(self, rpc_servers: tuple[str, ...] = ()) -> tuple[Device, ...]:
        cpu = next(device for device in super().devices(rpc_servers) if device.kind == "cpu")
        return (Device("CUDA0", "a card", "gpu", "CUDA", 2 * GIB, GIB + 100 * 1024**2), cpu)


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def configs(path: Path) -> list[ModelConfig]:
    """Lengths, types, batches and flash attention, as someone may try them in the dialog."""
    found = [
        ModelConfig(path, n_ctx=n_ctx, n_gpu_layers=0, type_k=kv_type, n_ubatch=n_ubatch, flash_attention=flash)
        for kv_type in ("f16", "q8_0")
        for n_ubatch in (512, 128)
        for flash in ("on", "off")
        for n_ctx in (512, 1024, 2048, 4096, 6144, 8192, 12_288, 16_384)
    ]
    assert len(found) == CONTEXTS
    return found


def estimates(path: Path, runs: DryRuns) -> list[float]:
    """One after the other at ever other lengths, as a slider asks."""
    planner = Planner(runs)
    planner.plan(ModelConfig(path), accuracy="estimate")
    times = [
        seconds(lambda n=n: planner.plan(ModelConfig(path, n_ctx=512 + 77 * n), accuracy="estimate"))
        for n in range(ESTIMATES)
    ]
    planner.close()
    return times


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else model_file()
    wanted = configs(path)
    first, again = [], []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            runs = DryRuns(Path(folder))
            devices = runs.devices()
            first.append(seconds(lambda: runs.measure(wanted, devices)))  # noqa: B023 - called at once
            runs.close()
            remembered = DryRuns(Path(folder))
            again.append(seconds(lambda: remembered.measure(wanted, devices)))  # noqa: B023 - called at once
            assert remembered.children_started == 0
    with tempfile.TemporaryDirectory() as folder:
        alone, card = estimates(path, DryRuns(Path(folder))), estimates(path, WithCard(Path(folder)))
    table(
        f"Memory before a load, {path.name}",
        [
            (f"{CONTEXTS} contexts through the dry run", spread(first, " s")),
            (f"{CONTEXTS} contexts from its cache", spread(again, " ms", 1000)),
            ("an estimate, CPU alone", f"p50 {percentile(alone, 50) * 1e3:.2g} ms, max {max(alone) * 1e3:.2g} ms"),
            (
                "an estimate, layers to be shared out",
                f"p50 {percentile(card, 50) * 1e3:.2g} ms, max {max(card) * 1e3:.2g} ms",
            ),
        ],
    )


if __name__ == "__main__":
    main()
