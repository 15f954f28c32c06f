"""What tells one model file and one machine from another."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import psutil

from app.engine.model_file import split_parts
from app.engine.self_test import cpu_fingerprint

if TYPE_CHECKING:
    from pathlib import Path

_SAMPLE_BYTES = 1024 * 1024
_SAMPLES = 8


def model_fingerprint(path: Path) -> str:
    """Return 16 hex digits over the size and eight spread samples of 1 MiB of each part: milliseconds, not minutes.

    Another model, quantisation or download has another one; a file changed in a few bytes may not.

    Raises:
        OSError: it cannot be read.
    """
    digest = hashlib.sha256()
    for part in split_parts(path):
        size = part.stat().st_size
        digest.update(size.to_bytes(8, "little"))
        last = max(size - _SAMPLE_BYTES, 0)
        with part.open("rb") as file:
            for number in range(_SAMPLES):
                file.seek(last * number // (_SAMPLES - 1))
                digest.update(file.read(_SAMPLE_BYTES))
    return digest.hexdigest()[:16]


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
