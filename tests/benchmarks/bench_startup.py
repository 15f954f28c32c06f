"""Time from the start of the process to a window one can type in, against an empty window.

    python -m tests.benchmarks.bench_startup [PAIRS]

A window can be typed in when its first frame is drawn and a key that was sent then is in the text. Pairs are measured
in turns, each window in a process of its own. Goal: within 2 x of the empty one; neither pyqtgraph nor llama_cpp nor
huggingface_hub imported at the first paint.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.benchmarks.yardstick import spread, table

PAIRS = 7
ROOT = Path(__file__).parents[2]


def start(kind: str, home: str) -> dict[str, Any]:
    """Start `first_window`; return its report with `seconds` from the start of the process to the first key."""
    environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ, "TOKOMETER_HOME": home, "PYTHONPATH": str(ROOT)}
    environment["PYTHONPYCACHEPREFIX"] = f"{home}/bytecode"  # an installed package comes with its bytecode
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "tests.benchmarks.first_window", kind]
    started_ns = time.perf_counter_ns()
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    report = json.loads(done.stdout)
    report["seconds"] = (report["usable_ns"] - started_ns) / 1e9
    return report


def main() -> None:
    """Print the table."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS
    reports: dict[str, list[dict[str, Any]]] = {"app": [], "empty": []}
    with tempfile.TemporaryDirectory() as home:
        for kind in reports:
            start(kind, home)  # compiles, fills the page cache, makes the folders and the database
        for number in range(pairs):
            for kind in ("app", "empty") if number % 2 else ("empty", "app"):
                reports[kind].append(start(kind, home))
    app, empty = reports["app"], reports["empty"]
    imported = sorted({name for report in app for name in report["imported"]})

    def values(key: str, scale: float = 1.0) -> list[float]:
        return [report[key] * scale for report in app]

    def ratio(key: str) -> str:
        return spread([ours[key] / theirs[key] for ours, theirs in zip(app, empty, strict=True)])

    table(
        "Start to a window that takes keys (pairs measured in turns)",
        [
            ("tokometer, wall time", spread(values("seconds"), " s")),
            ("empty window, wall time", spread([report["seconds"] for report in empty], " s")),
            ("ratio of wall times (goal: at most 2)", ratio("seconds")),
            ("ratio of CPU times", ratio("cpu_s")),
            ("longest stall in the 2 s after", spread(values("stall_ms"), " ms")),
            ("most CPU time of the window's thread at once in them", spread(values("stall_cpu_ms"), " ms")),
            ("slow libraries imported before the first paint (goal: none)", ", ".join(imported) or "none"),
        ],
    )


if __name__ == "__main__":
    main()
