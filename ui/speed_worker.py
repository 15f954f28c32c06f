"""The thread for what is worked out of measurements: curves, causes, the machine's ceilings. No engine is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.job_thread import JobThread

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

SHUTDOWN_TIMEOUT_MS = 5000
"""Measuring the machine cannot be cut short; it takes about three seconds."""


class SpeedWorker(JobThread):
    """Runs its jobs one after another."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__("speed", parent)

    def shutdown(self, timeout_ms: int = SHUTDOWN_TIMEOUT_MS) -> bool:
        """End after what is under way. Return whether that was done in time."""
        return self.close(timeout_ms)
