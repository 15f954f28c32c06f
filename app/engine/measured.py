"""What a dry run found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.engine.events import MemoryBreakdown


@dataclass(frozen=True, slots=True)
class Measured:
    """What llama.cpp makes of one context.

    Attributes:
        n_ctx: tokens it holds, padding included; 0 when it is refused.
        flash_attention: what "auto" became.
        memory: compute, output and recurrent buffers by device; the KV caches without their devices.
        refused: why llama.cpp will not make it, one sentence; empty when it will.
        host_bytes: what the process grew by beside all buffers, for the vocabulary and the graphs; None: not measured.
    """

    n_ctx: int
    flash_attention: bool
    memory: MemoryBreakdown
    refused: str = ""
    host_bytes: int | None = None
