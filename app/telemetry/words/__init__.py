"""What each number is: its one definition, its formula with today's figures in it, and what moves it.

Definitions are those of the README, word for word; a test holds the two together. They are formulas and stay as they
are in every language; names and what moves them are sentences.

    explanation   the shape of an answer      times, sizes, limits   the answers      timeline   a turn as spans of time
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.telemetry.words import limits, sizes, times
from app.telemetry.words.explanation import Explanation, Figures, Term

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["KEYS", "Explanation", "Figures", "Term", "explain"]

_EXPLAIN: dict[str, Callable[[Figures], Explanation]] = {
    "ttft": times.ttft,
    "queue": times.queue,
    "template": times.template,
    "tokenise": times.tokenise,
    "prefill": times.prefill,
    "itl": times.itl,
    "tpot": times.tpot,
    "e2e": times.e2e,
    "window": times.window,
    "prefill_tokens_per_s": times.prefill_rate,
    "decode_tokens_per_s": times.decode_rate,
    "kv_used": sizes.kv_used,
    "kv_reserved": sizes.kv_reserved,
    "memory": sizes.memory,
    "mbu": limits.mbu,
    "mfu": limits.mfu,
    "crossover": limits.crossover,
}
KEYS = tuple(_EXPLAIN)


def explain(key: str, figures: Figures | None = None) -> Explanation:
    """Return what a number of `KEYS` is, with the figures there are. Raises KeyError for another key."""
    return _EXPLAIN[key](figures or Figures())
