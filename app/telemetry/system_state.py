"""What else the machine did during a turn: other programs' load, paging, battery, a slowed clock."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psutil

if TYPE_CHECKING:
    from collections.abc import Iterable

_LEAST_INTERVAL_S = 0.05
"""CPU times advance in steps of 10 ms: over less than this a share means nothing."""


@dataclass(frozen=True, slots=True)
class SystemState:
    """Over one turn; None where the system does not say.

    Attributes:
        others_cpu: share of the machine's CPU time that other programs took, 0 to 1.
        swapped_bytes: written to and read from swap space by all programs.
        on_battery: whether the machine ran on its battery at the end.
        frequency_share: clock of the CPU at the end against its maximum, 0 to 1.
    """

    others_cpu: float | None = None
    swapped_bytes: int | None = None
    on_battery: bool | None = None
    frequency_share: float | None = None


class SystemSampler:
    """Reads the system's counters when a turn begins and when it ends; both take about a millisecond.

    Args:
        pid: the root of the processes that are Tokometer's own; None: this process.
    """

    def __init__(self, pid: int | None = None) -> None:
        self._root = psutil.Process(pid or os.getpid())
        self._begun: tuple[float, float, float, int] | None = None

    def begin(self) -> None:
        """The turn begins."""
        self._begun = self._counters()

    def end(self) -> SystemState:
        """The turn ended; what is counted since `begin`, or nothing when it was not called."""
        if self._begun is None:
            return SystemState(on_battery=_on_battery(), frequency_share=_frequency_share())
        at, busy, own, swapped = self._counters()
        elapsed, others = at - self._begun[0], (busy - self._begun[1]) - (own - self._begun[2])
        share = None
        if elapsed >= _LEAST_INTERVAL_S:
            share = min(max(others / (elapsed * (psutil.cpu_count() or 1)), 0.0), 1.0)
        return SystemState(share, max(swapped - self._begun[3], 0), _on_battery(), _frequency_share())

    def _counters(self) -> tuple[float, float, float, int]:
        """Return now, CPU seconds of all programs, of our own, and bytes swapped."""
        times, swap = psutil.cpu_times(), psutil.swap_memory()
        busy = sum(getattr(times, name, 0.0) for name in ("user", "nice", "system", "irq", "softirq"))
        return time.perf_counter(), busy, _cpu_seconds(self._family()), swap.sin + swap.sout

    def _family(self) -> Iterable[psutil.Process]:
        yield self._root
        try:
            yield from self._root.children(recursive=True)
        except psutil.Error:
            return


def _cpu_seconds(processes: Iterable[psutil.Process]) -> float:
    total = 0.0
    for process in processes:
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue  # it ended meanwhile
        total += times.user + times.system
    return total


def battery() -> Any:
    """Return psutil's account of the battery; None without one, and where the system does not say."""
    try:
        return psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
    except (OSError, NotImplementedError):  # a container without /sys
        return None


def _on_battery() -> bool | None:
    found = battery()
    return None if found is None or found.power_plugged is None else not found.power_plugged


def _frequency_share() -> float | None:
    try:
        frequency = psutil.cpu_freq() if hasattr(psutil, "cpu_freq") else None
    except (OSError, NotImplementedError):  # some virtual machines and ARM boards
        return None
    if frequency is None or not frequency.max:
        return None
    return min(float(frequency.current / frequency.max), 1.0)
