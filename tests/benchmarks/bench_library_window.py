"""How the window stays at hand while 300 models are listed: `python -m tests.benchmarks.bench_library_window`.

It takes a minute. The models are those of `bench_library`. Cold: nothing is remembered; warm: the page is opened again
in a new window. A gap is how much later than due a 5 ms timer comes while models are found, and while it is said where
they go; `busy` is the processor time of the window's own thread between two ticks. Idle is the same window when nothing
is asked of it: what is late then is the machine's.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.bench_library import N_MODELS, forget, write_models
from tests.benchmarks.loop import Gaps, wait, wait_until

SETTLE_MS, IDLE_MS = 1500, 5000


@dataclass(frozen=True)
class Measured:
    """Seconds until all rows were there and all were placed, and the gaps before, until the one and the other."""

    first_row_s: float
    listed_s: float
    placed_s: float
    idle: Gaps
    listing: Gaps
    placing: Gaps


def measure() -> Measured:
    """Open a window and its page of models, and watch the event loop until all is known."""
    from ui.application import create
    from ui.garbage import GarbageCollector
    from ui.parts import Parts

    _, window = create(["tokometer"])
    parts = window.findChild(Parts)
    window.findChild(Parts).begun.connect(GarbageCollector(window).begin)
    window.show()
    wait(SETTLE_MS)
    disk = parts.disk
    idle, listing, placing = Gaps(), Gaps(), Gaps()
    idle.start()
    wait(IDLE_MS)
    idle.stop()
    listing.start()
    start = time.perf_counter()
    parts.models_window.show_page("library_page")
    wait_until(lambda: bool(disk.models))
    first_row_s = time.perf_counter() - start
    wait_until(lambda: disk.is_listed)
    listed_s = time.perf_counter() - start
    listing.stop()
    placing.start()
    wait_until(lambda: len(disk.placings) == len(disk.models))
    placing.stop()
    placed_s = time.perf_counter() - start
    assert len(disk.models) >= N_MODELS, disk.notes
    window.close()
    window.deleteLater()
    return Measured(first_row_s, listed_s, placed_s, idle, listing, placing)


def quantile(values: list[float], share: float) -> float:
    """Return the value that this share of the values does not exceed."""
    return sorted(values)[min(int(share * len(values)), len(values) - 1)] if values else 0.0


def main() -> int:
    """Print the table."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    folder = Path(tempfile.mkdtemp())
    try:
        os.environ["TOKOMETER_HOME"] = os.environ["HOME"] = str(folder)
        from app.paths import paths
        from app.settings import Settings, save_settings

        paths().models.mkdir(parents=True)
        write_models(paths().models)
        save_settings(paths().settings_file, Settings(autoload=False))
        forget(paths().models)
        runs = [("cold", measure()), ("warm", measure())]
    finally:
        shutil.rmtree(folder)
    print(f"| {'':14} | first row s | seconds | gap p50 ms | gap p95 ms | max ms | busy p95 ms | busy max ms |")
    print(f"|{'-' * 16}|------------:|--------:|-----------:|-----------:|-------:|------------:|------------:|")
    for name, run in runs:
        for what, seconds, gaps in (
            ("idle", IDLE_MS / 1000, run.idle),
            ("listing", run.listed_s, run.listing),
            ("placing", run.placed_s, run.placing),
        ):
            late, busy = gaps.late_ms, gaps.busy_ms
            cells = [f"{f'{name}, {what}':14}", f"{run.first_row_s:11.2f}", f"{seconds:7.2f}"]
            cells += [f"{quantile(late, 0.5):10.1f}", f"{quantile(late, 0.95):10.1f}", f"{max(late, default=0.0):6.1f}"]
            cells += [f"{quantile(busy, 0.95):11.1f}", f"{max(busy, default=0.0):11.1f}"]
            print(f"| {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
