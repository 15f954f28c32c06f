"""How much room the next answer has: tokens, and the KV cache they would take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.telemetry.ledger import Ledger
    from app.telemetry.series import ConversationSeries


@dataclass(frozen=True, slots=True)
class AnswerRoom:
    """What is left of the context.

    Attributes:
        tokens: between the prompt as it stands and the limit; the next message takes its part of them.
        kv_bytes: of the KV cache, when they are all used.
        limit: tokens of the context that the conversation may fill: what it holds, or can grow to where it may.
    """

    tokens: int
    kv_bytes: int
    limit: int


def answer_room(series: ConversationSeries, ledger: Ledger | None = None) -> AnswerRoom | None:
    """Return what is left for the next answer, or for the one being written; None without a model.

    Args:
        ledger: the counted prompt; without it the cells in use, or those expected to be, stand for it.
    """
    model, limit = series.model, series.n_ctx_max
    if model is None or limit is None:
        return None
    used = series.context_tokens if series.expected_tokens is None else series.expected_tokens
    if ledger is not None and series.live_recorder is None:
        used = ledger.total_tokens
    used = min(used, limit)
    kv_bytes = model.memory.kv_used_bytes(used)
    # A cache of the present size says how many bytes a token takes beyond it too, unless it is a window's.
    spanning = (cache for cache in model.memory.kv_caches if cache.cells * cache.tokens_per_cell >= model.n_ctx)
    beyond = sum(max(-(-limit // cache.tokens_per_cell) - cache.cells, 0) * cache.bytes_per_cell for cache in spanning)
    return AnswerRoom(limit - used, model.memory.kv_used_bytes(limit) + beyond - kv_bytes, limit)
