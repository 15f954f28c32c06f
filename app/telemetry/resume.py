"""What a turn would have waited for its first token, had its conversation's KV cache not been brought back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.telemetry.receipt import prefill_rate_per_s
from app.telemetry.waiting import wait_of
from app.units import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.engine.events import RestoredFrom
    from app.telemetry.timings import TurnStats


@dataclass(frozen=True, slots=True)
class Resume:
    """A turn that went on with a saved KV cache.

    Attributes:
        tokens: tokens of the prompt that were not read again; took_s: what bringing the cache back took.
        cold_ttft_s: TTFT - took_s + tokens x the time to read one; None where neither this turn nor `turns` tell it.
    """

    place: RestoredFrom
    tokens: int
    took_s: float
    cold_ttft_s: float | None


def resume_of(stats: TurnStats, turns: Iterable[TurnStats]) -> Resume | None:
    """Return how a turn was resumed, None when it was not.

    Args:
        turns: those of the conversation, whose prefill speed tells what this one did not have to read.
    """
    if not stats.restored_from or stats.cached_tokens is None:
        return None
    took_s = stats.restore_ns / NS_PER_S
    rate = prefill_rate_per_s(turns)
    wait = wait_of(stats, read_s_per_token=1 / rate if rate else None)
    saved_s = wait.saved_s if wait is not None else None
    cold_ttft_s = None if stats.ttft_s is None or saved_s is None else stats.ttft_s - took_s + saved_s
    return Resume(stats.restored_from, stats.cached_tokens, took_s, cold_ttft_s)
