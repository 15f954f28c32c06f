"""Event-loop gaps while an answer streams into the whole window: python -m tests.benchmarks.bench_window.

A gap is what a precise 5 ms timer comes late. Limits: at 200 tokens/s p95 under 16 ms, at 1,000 tokens/s p95 under
33 ms, no gap over 100 ms, in a conversation of 500 messages with the three charts open.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PySide6.QtCore import QElapsedTimer, QEventLoop, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from app.chat.conversation import Conversation
from app.chat.message import Message
from app.paths import paths
from tests.fakes import Answer, ScriptedEngine
from ui.arguments import Arguments
from ui.parts import Parts, compose
from ui.session import Session

SECONDS = 5
PARAGRAPH = "The prompt's **beginning** is still in the `KV cache`, so only the new tokens are read.\n\n"
WORDS = PARAGRAPH.split(" ")


@dataclass(frozen=True)
class Limit:
    """Milliseconds for a rate in tokens per second."""

    rate: int
    p95_ms: float
    max_ms: float = 100


LIMITS = (Limit(200, 16), Limit(1000, 33))


class Gaps(QObject):
    """Collects how late a 5 ms timer comes."""

    def __init__(self) -> None:
        super().__init__()
        self.late_ms: list[float] = []
        self._clock = QElapsedTimer()
        self._timer = QTimer(self, timerType=Qt.TimerType.PreciseTimer, interval=5)
        self._timer.timeout.connect(self._on_timeout)

    def start(self) -> None:
        self._clock.start()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def _on_timeout(self) -> None:
        self.late_ms.append(max(0.0, self._clock.nsecsElapsed() / 1e6 - 5))
        self._clock.restart()


def conversation(messages: int) -> Conversation:
    """A conversation of that many messages."""
    pairs = [
        (Message("user", f"Question {number}?"), Message("assistant", PARAGRAPH * 4, model="Fake 135M"))
        for number in range(messages // 2)
    ]
    return Conversation(title="Long", messages=tuple(message for pair in pairs for message in pair))


def measure(parts: Parts, engine: ScriptedEngine, messages: int, rate: int) -> tuple[list[float], float, float]:
    """Stream for `SECONDS`; return the gaps, the tokens per second that came, and the share of a core the GUI took."""
    tokens = rate * SECONDS
    engine.answers.clear()
    engine.answers.append(Answer(pieces=tuple(WORDS[n % len(WORDS)] + " " for n in range(tokens)), delay_s=1 / rate))
    parts.chat.show(Session.reopened(conversation(messages), (), parts.models.model))
    parts.chat.session.is_stored = False
    wait(500)
    gaps = Gaps()
    started, cpu = time.perf_counter(), time.thread_time()
    gaps.start()
    parts.chat.send("Go on")
    while parts.chat.running is not None:
        wait(50)
    gaps.stop()
    seconds = time.perf_counter() - started
    return gaps.late_ms, tokens / seconds, (time.thread_time() - cpu) / seconds


def wait(milliseconds: int) -> None:
    """Run the event loop for a while."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def main() -> int:
    """Print the table; status 1 when a limit is broken."""
    application = QApplication([])
    engine = ScriptedEngine()
    window = compose(application, Arguments(Path("fake.gguf")), paths(), lambda: engine)
    window.resize(1360, 860)
    window.show()
    parts = window.findChild(Parts)
    while parts.models.model is None:
        wait(50)
    window.panels.ensure_plots()
    broken = False
    print("messages  asked tok/s  came tok/s  gap p95 ms  max ms  GUI core")
    for limit in LIMITS:
        for messages in (10, 500):
            late, rate, share = measure(parts, engine, messages, limit.rate)
            p95, highest = float(np.percentile(late, 95)), max(late)
            print(f"{messages:8} {limit.rate:12} {rate:11.0f} {p95:11.1f} {highest:7.1f} {share:8.0%}")
            broken |= messages == 500 and (p95 >= limit.p95_ms or highest >= limit.max_ms)
    window.close()
    return int(broken)


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as home:
        os.environ["TOKOMETER_HOME"] = home
        sys.exit(main())
