"""When a conversation will reach the limit of its context, from the growth of its last turns."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

RECENT_TURNS = 5


@dataclass(frozen=True, slots=True)
class Forecast:
    """The context at the recent growth.

    Attributes:
        tokens_per_turn: mean growth of the last turns.
        growths: how many turns that mean is of.
        turns_left: whole turns that still fit; 0 when the next one will not.
        limit_turn: the number, counted from 1, of the first turn that will not fit.
    """

    tokens_per_turn: float
    growths: int
    turns_left: int
    limit_turn: int


def forecast(context_tokens: Sequence[int | None], n_ctx: int | None) -> Forecast | None:
    """Extend the growth between the ends of the last `RECENT_TURNS` turns.

    The first turn is no growth: it also brings the system prompt. A turn that ended with no more context than the one
    before it (a summary lies between them) is left out, and so is one that left nothing (the engine died).

    Args:
        context_tokens: cells in use at the end of each turn, oldest first; None where unknown.
        n_ctx: the most cells there can be.

    Returns:
        None with fewer than two turns, without growth or without a limit.
    """
    known = [tokens for tokens in context_tokens if tokens]
    growths = [after - before for before, after in pairwise(known) if after > before]
    recent = growths[-RECENT_TURNS:]
    if not recent or n_ctx is None:
        return None
    tokens_per_turn = sum(recent) / len(recent)
    turns_left = max(0, int((n_ctx - known[-1]) // tokens_per_turn))
    return Forecast(tokens_per_turn, len(recent), turns_left, len(context_tokens) + turns_left + 1)
