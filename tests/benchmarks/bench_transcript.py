"""What the transcript costs the window's thread: `python tests/benchmarks/bench_transcript.py` prints a table.

Times are CPU milliseconds of the window's thread, with layout and painting. One flush is 7 tokens, that is 200 tokens/s
drawn 30 times a second. Nothing is asserted: the figures depend on the machine.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import psutil
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from tests.ui.chat.samples import ANSWER
from ui.chat.item_view import ItemView
from ui.chat.transcript import Item, Kind, State, Transcript
from ui.theme import Theme

TOKENS_PER_FLUSH = 7
CHARS_PER_TOKEN = 4
MIB = 1024 * 1024


class Bench:
    """A transcript in a window of 800 x 700."""

    def __init__(self, application: QApplication, theme: Theme) -> None:
        self.application = application
        self.transcript = Transcript(theme)
        self.transcript.resize(800, 700)
        self.transcript.show()
        self.application.processEvents()

    def close(self) -> None:
        self.transcript.close()
        self.transcript.deleteLater()
        self.application.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        self.application.processEvents()

    def settle(self) -> None:
        timer = self.transcript._stage.ahead_timer
        while True:
            self.application.processEvents()
            if not timer.isActive():
                return

    def timed(self, action) -> float:
        begin = time.thread_time_ns()
        action()
        self.transcript.grab()
        self.application.processEvents()
        return (time.thread_time_ns() - begin) / 1e6

    def show(self, items: list[Item]) -> float:
        return self.timed(lambda: self.transcript.set_items(items))

    def load(self, messages: int) -> float:
        items = []
        for turn in range(messages // 2):
            items.append(Item(f"u{turn}", Kind.USER, "You", f"Question {turn}?", has_menu=True))
            items.append(Item(f"a{turn}", Kind.ASSISTANT, "Model", ANSWER, footer="TTFT 0.24 s", has_menu=True))
        return self.show(items)

    def stream(self, text: str, tokens_per_flush: int = TOKENS_PER_FLUSH) -> list[float]:
        """Stream a text as an answer; return the cost of each flush."""
        transcript = self.transcript
        transcript.append_item(Item("s", Kind.ASSISTANT, "Model", state=State.STREAMING))
        size = tokens_per_flush * CHARS_PER_TOKEN
        costs = []
        for start in range(0, len(text), size):
            piece = text[start : start + size]

            def flush(piece: str = piece) -> None:
                transcript._flush_timer.start(100_000)
                transcript.append_text("s", "answer", piece)
                transcript._flush()

            begin = time.thread_time_ns()
            flush()
            transcript.viewport().repaint()
            self.application.processEvents()
            costs.append((time.thread_time_ns() - begin) / 1e6)
        finished = Item("s", Kind.ASSISTANT, "Model", text)
        costs.append(self.timed(lambda: transcript.finish(finished)))
        transcript.remove_from("s")
        return costs

    def scroll(self, steps: int, distance: int) -> list[float]:
        bar = self.transcript.verticalScrollBar()

        def step() -> None:
            bar.setSliderPosition(max(0, bar.value() - distance))
            bar.triggerAction(bar.SliderAction.SliderMove)
            self.transcript.viewport().repaint()
            self.application.processEvents()

        costs = []
        for _ in range(steps):
            begin = time.thread_time_ns()
            step()
            costs.append((time.thread_time_ns() - begin) / 1e6)
        self.transcript.jump_to_latest()
        return costs

    def resize(self) -> float:
        def change() -> None:
            self.transcript.resize(560, 700)
            self.application.processEvents()

        return self.timed(change)

    def live_views(self) -> int:
        views = self.transcript.viewport().findChildren(ItemView)
        return sum(view.parent() is self.transcript.viewport() for view in views)


def summary(costs: list[float]) -> str:
    ordered = sorted(costs)
    p95 = ordered[min(len(ordered) - 1, round(len(ordered) * 0.95))]
    return f"mean {sum(costs) / len(costs):6.2f}   p95 {p95:6.2f}   max {ordered[-1]:7.2f}"


def row(name: str, value: str) -> None:
    print(f"{name:<44} {value}", flush=True)


def main() -> None:
    application = QApplication([])
    theme = Theme(application)
    theme.lay_style_sheet()
    flush_means = {}
    for messages in (10, 100, 500):
        bench = Bench(application, theme)
        before = psutil.Process().memory_info().rss
        row(f"load {messages} messages", f"{bench.load(messages):6.1f}")
        bench.settle()
        added = (psutil.Process().memory_info().rss - before) / MIB
        row("  memory added; live widgets", f"{added:6.1f} MiB; {bench.live_views()}")
        costs = bench.stream(ANSWER * 2)
        flush_means[messages] = sum(costs) / len(costs)
        row(f"  flush at {messages} messages", summary(costs))
        row("  scroll by 120 pixels", summary(bench.scroll(50, 120)))
        row("  scroll by 20 screens", summary(bench.scroll(10, 14_000)))
        row("  change of width", f"{bench.resize():6.1f}")
        bench.close()
    row("flush at 500 against 10 messages, ratio", f"{flush_means[500] / flush_means[10]:6.2f}")
    prose = "A sentence of *ordinary* prose with `code` in it, and so on.\n\n" * 500
    code = "```python\n" + "".join(f"value_{i} = compute({i})  # note\n" for i in range(600)) + "```\n"
    items = "".join(f"{i}. item number {i} of a list without blank lines\n" for i in range(600))
    table = "| a | b | c |\n|---|---|---|\n" + "".join(f"| {i} | some words | {i * i} |\n" for i in range(150))
    line = "x" * 200_000
    for name, text, rate in (
        ("8,000 tokens of prose", prose, 7),
        ("a code block of 600 lines", code, 7),
        ("a list of 600 items", items, 7),
        ("a table of 150 rows", table, 7),
        ("prose at 1,000 tokens/s", prose, 33),
        ("one unbroken line of 200,000 characters", line, 60),
    ):
        bench = Bench(application, theme)
        bench.load(500)
        bench.settle()
        row(f"flush: {name}", summary(bench.stream(text, rate)))
        shown = [Item("long", Kind.ASSISTANT, "Model", text)]
        row("  shown at once, until it can be seen", f"{bench.show(shown):6.1f}")
        bench.settle()
        bench.close()


if __name__ == "__main__":
    main()
