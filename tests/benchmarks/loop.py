"""The event loop in benchmarks: wait in it, and measure how late it is."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer, Slot

if TYPE_CHECKING:
    from collections.abc import Callable

TICK_MS = 5
TIMEOUT_S = 120


class Gaps(QObject):
    """Collects how much later than due a precise 5 ms timer comes, from `start` to `stop`.

    Attributes:
        late_ms: wall time beyond the 5 ms.
        busy_ms: CPU time of this thread between two ticks. A late tick without it waited for the GIL or the machine.
    """

    def __init__(self) -> None:
        super().__init__()
        self.late_ms: list[float] = []
        self.busy_ms: list[float] = []
        self._wall_s = self._cpu_s = 0.0
        self._timer = QTimer(self, timerType=Qt.TimerType.PreciseTimer, interval=TICK_MS)
        self._timer.timeout.connect(self._on_tick)

    def start(self) -> None:
        self._wall_s, self._cpu_s = time.perf_counter(), time.thread_time()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    @Slot()
    def _on_tick(self) -> None:
        wall_s, cpu_s = time.perf_counter(), time.thread_time()
        self.late_ms.append(max(0.0, (wall_s - self._wall_s) * 1000 - TICK_MS))
        self.busy_ms.append((cpu_s - self._cpu_s) * 1000)
        self._wall_s, self._cpu_s = wall_s, cpu_s


def wait(milliseconds: int) -> None:
    """Run the event loop for a while."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def wait_until(condition: Callable[[], bool]) -> None:
    """Run the event loop until something has happened; end the process when it does not."""
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"not within {TIMEOUT_S} s")
        wait(20)
