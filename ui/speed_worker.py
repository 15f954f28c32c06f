"""The thread for what is worked out of measurements: curves, causes, the machine's ceilings. No engine is in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from app.errors import TokometerError
from ui.owner_thread import OwnerThread

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QObject

T = TypeVar("T")

SHUTDOWN_TIMEOUT_MS = 5000
"""Measuring the machine cannot be cut short; it takes about three seconds."""


@dataclass(frozen=True, slots=True)
class NotKnown:
    """Why something cannot be worked out, in one sentence."""

    reason: str


class SpeedWorker(OwnerThread):
    """Runs jobs one after another; starts with the first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__("speed", parent)

    def run_job(self, job: Callable[[], T], done: Callable[[T | NotKnown], None]) -> None:
        """Call `done` in the GUI thread with what the job returns; never once the thread is to end."""
        if self.is_closing:
            return
        if not self.isRunning():
            self.start()
        self.post(lambda: self._run_job(job, done))

    def shutdown(self, timeout_ms: int = SHUTDOWN_TIMEOUT_MS) -> bool:
        """End after what is under way. Return whether that was done in time."""
        return self.close(timeout_ms)

    def _run_job(self, job: Callable[[], T], done: Callable[[T | NotKnown], None]) -> None:
        if self.is_closing:
            return
        result: T | NotKnown
        try:
            result = job()
        except TokometerError as error:
            result = NotKnown(str(error))
        self.answer(done, result)
