"""Event-loop gaps while an answer streams into the whole window, charts included.

    python -m tests.benchmarks.bench_window [SECONDS]

A gap is what a precise 5 ms timer comes late. Goals, in a conversation of 500 messages with the three charts in sight:
p95 under 16 ms at 200 tokens/s and under 33 ms at 1,000 tokens/s, no gap over 100 ms; a flush of the transcript costs
at most 1.5 times what it costs among 10 messages. `busy` is the most CPU time of the window's thread between two ticks:
where the gap is longer than that, the thread waited for the machine or the GIL. `idle` is the same window at rest.
At last the charts are hidden and shown in turns at a usual rate: they should cost under 3 % of one core.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from app.paths import paths
from tests.benchmarks.long_conversation import PacingEngine, conversation
from tests.benchmarks.loop import Gaps, wait, wait_until
from tests.benchmarks.yardstick import percentile, spread, table
from ui.arguments import Arguments
from ui.parts import Parts, compose
from ui.session import Session

if TYPE_CHECKING:
    from ui.chat.transcript import Transcript

SECONDS = 8.0
SIZE = (1600, 1000)
RATES = (200, 1000)
MESSAGES = (10, 500)
TURNS, USUAL_RATE = 4, 20
HEADINGS = (
    "tok/s",
    "messages",
    "came",
    "p50 ms",
    "p95 ms",
    "max ms",
    "busy ms",
    "GUI core",
    "flushes",
    "ms/flush",
    "all",
)


@dataclass(frozen=True)
class Run:
    """One answer as the window's thread lived it; `rate` 0 is the window at rest."""

    rate: int
    messages: int
    came_per_s: float
    gaps: Gaps
    cpu_share: float
    flush_ms: list[float]
    cpu_ms: float

    @property
    def flush_median_ms(self) -> float:
        return statistics.median(self.flush_ms)

    def cells(self) -> tuple[str, ...]:
        late = self.gaps.late_ms
        cells = (
            str(self.rate or "idle"),
            str(self.messages),
            f"{self.came_per_s:.0f}",
            *(f"{value:.1f}" for value in (percentile(late, 50), percentile(late, 95), max(late))),
            f"{max(self.gaps.busy_ms):.1f}",
            f"{self.cpu_share:.0%}",
            str(len(self.flush_ms)),
        )
        if not self.flush_ms:
            return (*cells, "", "")
        return (*cells, f"{self.flush_median_ms:.2f}", f"{self.cpu_ms / len(self.flush_ms):.2f}")


class FlushCosts:
    """The CPU time in ms of each flush of a transcript, layout included, painting not."""

    def __init__(self, transcript: Transcript) -> None:
        self.costs_ms: list[float] = []
        self._flush = transcript._flush
        transcript._flush = self._measured  # type: ignore[method-assign]

    def _measured(self) -> None:
        begin = time.thread_time()
        self._flush()
        self.costs_ms.append((time.thread_time() - begin) * 1000)


class Bench:
    """The window on a pacing engine."""

    def __init__(self, application: QApplication, seconds: float) -> None:
        self.engine = PacingEngine()
        self.engine.seconds = seconds
        self.window = compose(application, Arguments(Path("fake.gguf")), paths(), lambda: self.engine)
        self.window.resize(*SIZE)
        self.window.show()
        self._parts = self.window.findChild(Parts)
        self._costs = FlushCosts(self.window.transcript)
        wait_until(lambda: self._parts.models.model is not None)
        self.window.panels.ensure_plots()

    def open(self, messages: int) -> None:
        """Show a stored conversation and let everything come to rest."""
        long, turns = conversation(messages)
        self._parts.store.write(lambda store: store.create(long))
        session = Session.reopened(long, turns, self._parts.models.model)
        self._parts.chat.show(session)
        self.window.transcript.setFocus()  # a blinking cursor is not what is measured
        wait(1000)

    def stream(self, rate: int, messages: int) -> Run:
        """Have an answer written; with a rate of 0, only wait."""
        self.engine.rate = rate
        self._costs.costs_ms = []
        gaps = Gaps()
        begin, cpu = time.perf_counter(), time.thread_time()
        gaps.start()
        if rate:
            self._parts.chat.send("Go on")
            wait_until(lambda: self._parts.chat.running is None)
        else:
            wait(round(self.engine.seconds * 500))
        gaps.stop()
        seconds, cpu = time.perf_counter() - begin, time.thread_time() - cpu
        came = rate * self.engine.seconds / seconds
        return Run(rate, messages, came, gaps, cpu / seconds, self._costs.costs_ms, cpu * 1000)


def panels_cost(bench: Bench) -> tuple[str, str]:
    """Return what the charts add to the window's thread while an answer is written, as a row."""
    shares: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(TURNS):
        for is_shown in shares:
            bench.window.panels.setVisible(is_shown)
            bench.open(MESSAGES[0])
            shares[is_shown].append(bench.stream(USUAL_RATE, MESSAGES[0]).cpu_share)
    added = [shown - hidden for shown, hidden in zip(shares[True], shares[False], strict=True)]
    return f"at {USUAL_RATE} tokens/s", spread(added, " %", 100)


def main() -> None:
    """Print the table and the ratios."""
    application = QApplication([])
    bench = Bench(application, float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS)
    print("".join(f"{heading:>9}" for heading in HEADINGS))
    flush_ms: dict[int, dict[int, float]] = {rate: {} for rate in RATES}
    for messages in MESSAGES:
        for rate in (0, *RATES):
            bench.open(messages)
            run = bench.stream(rate, messages)
            print("".join(f"{cell:>9}" for cell in run.cells()), flush=True)
            if rate:
                flush_ms[rate][messages] = run.flush_median_ms
    few, many = MESSAGES
    table(
        "A flush in the long conversation over one in the short (goal: at most 1.5)",
        [(f"at {rate} tokens/s", f"{costs[many] / costs[few]:.2f}") for rate, costs in flush_ms.items()],
    )
    table("GUI thread, share of one core with the charts less without (goal: under 3 %)", [panels_cost(bench)])
    bench.window.close()


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as home:
        os.environ["TOKOMETER_HOME"] = home
        main()
