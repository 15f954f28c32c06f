"""Cost of redrawing the three panels: GUI-thread CPU time per redraw, painting included.

    QT_QPA_PLATFORM=offscreen python tests/benchmarks/bench_panels.py

100 finished turns of 1,000 tokens each, then an answer that grows by 50 tokens between two redraws: what four redraws
a second cost at 200 tokens/s. `unchanged` is a redraw without a new event, `hidden` one of a panel that is not shown.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from PySide6.QtWidgets import QApplication

from app.engine.events import MemorySampled, PrefillProgressed, PromptTokenised, TokensGenerated
from app.telemetry.recorder import TurnRecorder
from app.telemetry.series import ConversationSeries
from app.telemetry.timings import TurnStats
from tests.fakes import MIB, MS, fake_model
from ui.panels.memory import MemoryPanel
from ui.panels.tpot import TpotPanel
from ui.panels.ttft import TtftPanel
from ui.theme import Scheme, Theme

if TYPE_CHECKING:
    from collections.abc import Callable

    from ui.panels.plot import PlotPanel

TURNS, TOKENS, REDRAWS, TOKENS_PER_REDRAW = 100, 1000, 60, 50
SIZE = (480, 240)
LIMIT_MS = 12.0
"""Three charts at 4 Hz must leave the 33 ms rhythm of the text alone: a redraw of all three stays well below it."""


def conversation(n_ctx: int) -> ConversationSeries:
    """Return a long conversation with uneven latencies."""
    rng = np.random.default_rng(7)
    series = ConversationSeries(machine_total_bytes=8192 * MIB)
    series.set_model(fake_model(n_ctx=n_ctx))
    for number in range(TURNS):
        context = number * (TOKENS + 40)
        instants = 108 * MS + np.cumsum(rng.gamma(9.0, 1.2, TOKENS) * MS).astype(int)
        series.add_turn(
            f"m{number}",
            TurnStats(
                0,
                1 * MS,
                3 * MS,
                3 * MS,
                103 * MS,
                tuple(instants.tolist()),
                prompt_tokens=context + 40,
                cached_tokens=context,
                context_tokens=context + 40 + TOKENS,
                n_ctx=n_ctx,
                finish_reason="stop",
            ),
        )
        for step in range(0, TOKENS, 200):
            series.process_bytes = 150 * MIB + (context + step) * 23_040
            series.set_context_tokens(context + 40 + step)
    return series


class LiveAnswer:
    """An answer that grows by some tokens at a time."""

    def __init__(self, series: ConversationSeries) -> None:
        self._series = series
        self._prompt = series.context_tokens
        self._count = 0
        self._rng = np.random.default_rng(11)
        self._now = 108 * MS
        self.recorder = TurnRecorder(0, series.n_ctx)
        series.begin_turn("live", self.recorder)
        self.recorder.observe(PromptTokenised(1 * MS, 3 * MS, self._prompt, 0))
        self.recorder.observe(PrefillProgressed(0, self._prompt, 3 * MS))
        self.recorder.observe(PrefillProgressed(self._prompt, self._prompt, 103 * MS))

    def grow(self) -> None:
        """Sample some more tokens and hand them to the series."""
        for gap in self._rng.gamma(9.0, 1.2, TOKENS_PER_REDRAW):
            self._now += int(gap * MS)
            self._count += 1
            self.recorder.observe(TokensGenerated((self._now,), (), self._prompt + self._count))
        self.recorder.observe(MemorySampled(150 * MIB + (self._prompt + self._count) * 23_040, self._now))
        self._series.observe()


def cpu_ms(work: Callable[[], None], before: Callable[[], None] = lambda: None) -> list[float]:
    """Return the CPU time of each run of `work` on this thread."""
    times = []
    for _ in range(REDRAWS):
        before()
        start = time.thread_time()
        work()
        times.append((time.thread_time() - start) * 1000)
    return times


def row(name: str, times: list[float]) -> float:
    """Print one line of the table and return the median."""
    median = statistics.median(times)
    print(f"{name:<28}{median:>10.2f}{np.percentile(times, 95):>10.2f}{max(times):>10.2f}")
    return median


def main() -> int:
    """Measure, print the table, and return 1 when a redraw of all three costs too much."""
    application = QApplication.instance() or QApplication([])
    theme = Theme(application, Scheme.LIGHT)
    theme.lay_style_sheet()
    series = conversation(n_ctx=131_072)
    panels: list[PlotPanel] = [TtftPanel(theme), TpotPanel(theme), MemoryPanel(theme)]
    first = []
    for panel in panels:
        panel.resize(*SIZE)
        panel.set_series(series)
        panel.show()
        start = time.thread_time()
        panel.ensure_plot()
        panel.redraw()
        application.processEvents()
        first.append((type(panel).__name__, (time.thread_time() - start) * 1000))
    live = LiveAnswer(series)

    def redraw(*chosen: PlotPanel) -> None:
        for panel in chosen:
            panel.redraw()
        application.processEvents()

    print(f"{TURNS} turns x {TOKENS} tokens, {SIZE[0]}x{SIZE[1]} px, {TOKENS_PER_REDRAW} new tokens a redraw")
    print(f"{'ms of CPU per redraw':<28}{'median':>10}{'p95':>10}{'max':>10}")
    for panel in panels:
        row(f"{type(panel).__name__} live", cpu_ms(lambda panel=panel: redraw(panel), live.grow))
    everything = row("all three live", cpu_ms(lambda: redraw(*panels), live.grow))
    row("all three unchanged", cpu_ms(lambda: redraw(*panels)))

    def new_turn() -> None:
        series.add_turn(f"n{series.turns_revision}", series.turns[0].stats)

    row("all three, a new turn", cpu_ms(lambda: redraw(*panels), new_turn))
    for panel in panels:
        panel.hide()
    application.processEvents()
    row("all three hidden", cpu_ms(lambda: redraw(*panels), live.grow))
    print("first drawing:", ", ".join(f"{name} {ms:.0f} ms" for name, ms in first))
    print(f"ratio of all three live to the limit of {LIMIT_MS:g} ms: {everything / LIMIT_MS:.2f}")
    return 0 if everything <= LIMIT_MS else 1


if __name__ == "__main__":
    sys.exit(main())
