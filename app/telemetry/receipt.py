"""What a summary saves: tokens, KV cache, and the time to read the whole prompt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.engine.events import LoadedModel
    from app.telemetry.timings import TurnStats


@dataclass(frozen=True, slots=True)
class PromptCost:
    """What a prompt of a size costs; None where it is not known.

    Attributes:
        kv_bytes: KV cells in use for it x bytes per cell.
        read_s: tokens / measured prefill tokens per second: the TTFT to expect when nothing of it is cached.
    """

    tokens: int | None
    kv_bytes: int | None
    read_s: float | None


def prompt_cost(tokens: int | None, model: LoadedModel | None, turns: Iterable[TurnStats]) -> PromptCost:
    """Return the cost of a prompt with this model, at the speed of these turns."""
    if tokens is None:
        return PromptCost(None, None, None)
    rate = prefill_rate_per_s(turns)
    kv_bytes = model.memory.kv_used_bytes(tokens) if model is not None else None
    return PromptCost(tokens, kv_bytes, tokens / rate if rate else None)


def prefill_rate_per_s(turns: Iterable[TurnStats]) -> float | None:
    """Return all uncached prompt tokens of the turns / all their prefill time, None without any."""
    tokens, seconds = 0, 0.0
    for stats in turns:
        if stats.prompt_tokens is not None and stats.cached_tokens is not None and stats.prefill_s:
            tokens += stats.prompt_tokens - stats.cached_tokens
            seconds += stats.prefill_s
    return tokens / seconds if seconds else None
