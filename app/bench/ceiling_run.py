"""Measuring the machine as a run: events like a bench's, and it can be cancelled."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.bench.ceilings import measure_memory_read
from app.bench.runner import RunFinished
from app.errors import TokometerError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.telemetry.ceilings import Ceiling


@dataclass(frozen=True, slots=True)
class CeilingMeasured:
    """How fast memory is read."""

    ceiling: Ceiling


@dataclass(frozen=True, slots=True)
class CeilingRefused:
    """It could not be measured, with one sentence."""

    reason: str


class CeilingRun:
    """Runs where the engine runs, so that neither disturbs the other; the loaded model stays."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        """End the run soon, from any thread."""
        self._cancelled.set()

    def run(self) -> Iterator[CeilingMeasured | CeilingRefused | RunFinished]:
        """Measure, which takes about 3 s; the last event is `RunFinished`."""
        try:
            ceiling = measure_memory_read(stop=self._cancelled)
        except TokometerError as error:
            yield CeilingRefused(str(error))
        else:
            if not self._cancelled.is_set():
                yield CeilingMeasured(ceiling)
        yield RunFinished(cancelled=self._cancelled.is_set())
