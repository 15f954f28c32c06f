"""What a machine was seen to do at best: the roof that speeds are measured against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
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
