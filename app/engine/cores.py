"""The cores that compute: one thread each is the most that helps."""

from __future__ import annotations

import os

import psutil


def usable_cores() -> int:
    """Return the physical cores this process may use."""
    physical = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else physical
    return max(1, min(physical, allowed))
