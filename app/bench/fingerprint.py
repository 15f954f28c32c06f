"""What tells one machine from another."""

from __future__ import annotations

import hashlib
import os

import psutil

from app.engine.self_test import cpu_fingerprint


def usable_cpus() -> tuple[int, ...]:
    """Return the CPUs this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


def machine_key() -> str:
    """Return a text that changes with the kind of CPU, its number of cores and those this process may use."""
    cpus = usable_cpus()
    cores = psutil.cpu_count(logical=False) or len(cpus)
    affinity = hashlib.sha256(repr(cpus).encode()).hexdigest()[:6]
    return f"{cpu_fingerprint()}-{cores}-{len(cpus)}-{affinity}"
