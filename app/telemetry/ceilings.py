"""What this machine can do at best, as it was measured here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Ceilings:
    """The limits of the device that does the work; None where nothing was measured.

    Attributes:
        read_bytes_per_s: the best rate at which memory was read.
        flops_per_s: the best rate of the matrix kernels: operations / time of the fastest prefill seen.
        measured_at: when, with time zone.
        cache_bytes: size of the last-level cache; a working set that fits into it is not bound by memory.
    """

    read_bytes_per_s: float | None
    flops_per_s: float | None
    measured_at: datetime | None
    cache_bytes: int | None


UNKNOWN_CEILINGS = Ceilings(None, None, None, None)
"""Nothing was measured yet."""
