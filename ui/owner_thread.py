"""A thread that owns one resource for life: jobs run on it one after another, answers come back to the GUI thread."""

from __future__ import annotations

import queue
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot
from shiboken6 import isValid

Job = Callable[[], None]


class OwnerThread(QThread):
    """Runs posted jobs in order. Subclasses own the resource and add the verbs.

    A queue instead of an event loop: the thread has nothing else to wait for, and closing is one more job.
    """

    _answered = Signal(object, object)

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._closing = False
        self._answered.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def is_closing(self) -> bool:
        """Whether the thread ends with the jobs posted so far."""
        return self._closing

    def post(self, job: Job) -> None:
        """Run a job after those posted before."""
        self._jobs.put(job)

    def answer(self, done: Callable[[Any], None], result: object) -> None:
        """Call `done(result)` in the thread this object lives in; not when it is a method of what Qt has deleted since.

        For jobs.
        """
        self._answered.emit(done, result)

    def close(self, timeout_ms: int) -> bool:
        """Finish the posted jobs, release the resource, end. Return whether that was done in time."""
        if not self._closing:
            self._closing = True
            self._jobs.put(None)
        return self.wait(timeout_ms) if self.isRunning() else True

    def run(self) -> None:
        """Work until closed; a job's unexpected error is reported and the next job runs."""
        while (job := self._jobs.get()) is not None:
            try:
                job()
            except Exception:  # noqa: BLE001 - one faulty job must not end the thread that owns the data
                sys.excepthook(*sys.exc_info())
        self.release()

    def release(self) -> None:
        """Free the resource, in its own thread."""

    @Slot(object, object)
    def _deliver(self, done: Callable[[Any], None], result: object) -> None:
        asked = done
        while isinstance(asked, partial):
            asked = asked.func
        owner = getattr(asked, "__self__", None)
        if not isinstance(owner, QObject) or isValid(owner):
            done(result)
