"""What a machine was seen to do at best: the roof that speeds are measured against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

CeilingKind = Literal["memory_read", "device_read", "prefill"]


@dataclass(frozen=True, slots=True)
class Ceiling:
    """One figure of one machine, measured and never taken from a data sheet.

    Attributes:
        kind: `memory_read` bytes/s that all threads together read from main memory; `device_read` bytes/s of weights
            that decoding read on a GPU, a lower bound of what it can do; `prefill` FLOP/s of the best prefill seen.
        machine: see `app.bench.fingerprint.machine_key`.
        device: such as CPU or CUDA.
        value: bytes/s or FLOP/s.
        source: how it was measured, in one line.
    """

    kind: CeilingKind
    machine: str
    device: str
    value: float
    measured_at: datetime
    source: str


@dataclass(frozen=True, slots=True)
class Ceilings:
    """The limits of the device that does the work; None where nothing was measured.

    Attributes:
        read_bytes_per_s: the best rate at which memory was read.
        flops_per_s: the best rate of the matrix kernels: operations / time of the fastest prefill seen.
        measured_at: the oldest of them, with time zone.
        cache_bytes: size of the last-level cache; a working set that fits into it is not bound by memory.
    """

    read_bytes_per_s: float | None
    flops_per_s: float | None
    measured_at: datetime | None
    cache_bytes: int | None


UNKNOWN_CEILINGS = Ceilings(None, None, None, None)
"""Nothing was measured yet."""


def ceilings_of(found: Iterable[Ceiling], device: str, cache_bytes: int | None) -> Ceilings:
    """Return the limits of one machine's device, such as CPU or CUDA.

    Args:
        found: what was measured on this machine.
        cache_bytes: of the processor; it says nothing of another device.
    """
    read = flops = None
    dates = []
    for ceiling in found:
        is_memory = ceiling.kind == ("memory_read" if device == "CPU" else "device_read")
        if ceiling.device != device or not (is_memory or ceiling.kind == "prefill"):
            continue
        if is_memory:
            read = ceiling.value
        else:
            flops = ceiling.value
        dates.append(ceiling.measured_at)
    return Ceilings(read, flops, min(dates, default=None), cache_bytes if device == "CPU" else None)
