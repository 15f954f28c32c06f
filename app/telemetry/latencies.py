"""Inter-token latencies of one answer as arrays, and their reduction to what a screen can show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.units import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from app.telemetry.recorder import TurnRecorder
    from app.telemetry.timings import TurnStats


@dataclass(slots=True)
class TokenLatencies:
    """ITL of one turn against the context length at that token. Shapes (n-1,), units tokens and seconds.

    Attributes:
        usual_max_s: see `usual_max_s`, computed once for a finished turn; None for a running one and for fewer than
            two tokens.
    """

    message_id: str
    context_tokens: NDArray[np.int64]
    itl_s: NDArray[np.float64]
    usual_max_s: float | None = None

    def percentile_s(self, percent: float) -> float | None:
        """Linear percentile; None for an answer of fewer than two tokens."""
        return float(np.percentile(self.itl_s, percent)) if len(self.itl_s) else None

    @property
    def max_s(self) -> float | None:
        """The longest wait between two tokens."""
        return float(self.itl_s.max()) if len(self.itl_s) else None

    def between(self, first_context: float, last_context: float) -> TokenLatencies:
        """Return the tokens within a range of context, and one more on each side, so that a line leaves the view."""
        start, end = np.searchsorted(self.context_tokens, [first_context, last_context], side="left")
        kept = slice(max(int(start) - 1, 0), int(end) + 1)
        return TokenLatencies(self.message_id, self.context_tokens[kept], self.itl_s[kept])


def token_latencies(message_id: str, stats: TurnStats) -> TokenLatencies:
    """Return the ITL of a finished turn; token k stands at prompt_tokens + k - 1 cells of context."""
    instants_ns = np.asarray(stats.token_ns, dtype=np.int64)
    itl = (instants_ns[1:] - instants_ns[:-1]) / NS_PER_S
    first = (stats.prompt_tokens or 0) + 1
    contexts = np.arange(first, first + len(itl), dtype=np.int64)
    return TokenLatencies(message_id, contexts, itl, usual_max_s(itl) if len(itl) else None)


def usual_max_s(itl_s: NDArray[np.float64]) -> float:
    """Return how much a chart of these latencies must show: 1.5 x p99, but no more than 4 x p50.

    The second bound is for short answers, where a single outlier is the 99th percentile.
    """
    p50, p99 = (float(value) for value in np.percentile(itl_s, (50, 99)))
    return min(1.5 * p99, 4 * p50)


class LiveLatencies:
    """Grows with the answer being written; doubling arrays, so that one token costs O(1)."""

    def __init__(self, message_id: str) -> None:
        self.message_id = message_id
        self._itl = np.empty(256, dtype=np.float64)
        self._count = 0
        self._taken = 0
        self._last_ns: int | None = None
        self._first_context = 0

    def take(self, recorder: TurnRecorder) -> None:
        """Take over the tokens that came since the last call."""
        new = recorder.token_ns_since(self._taken)
        self._taken += len(new)
        for instant in new:
            if self._last_ns is not None:
                if self._count == len(self._itl):
                    self._itl = np.concatenate([self._itl, np.empty_like(self._itl)])
                self._itl[self._count] = (instant - self._last_ns) / NS_PER_S
                self._count += 1
            self._last_ns = instant
        self._first_context = (recorder.prompt_tokens or 0) + 1

    def view(self) -> TokenLatencies:
        """Return what has been taken so far."""
        contexts = np.arange(self._first_context, self._first_context + self._count, dtype=np.int64)
        return TokenLatencies(self.message_id, contexts, self._itl[: self._count])


def nearest_token(answers: Sequence[TokenLatencies], context_tokens: float) -> tuple[TokenLatencies, int] | None:
    """Return the answer and the index of the token nearest to a context length; the newest of equals; None if empty."""

    def distance(answer: TokenLatencies) -> float:
        first, last = float(answer.context_tokens[0]), float(answer.context_tokens[-1])
        return max(first - context_tokens, context_tokens - last, 0.0)

    if not answers:
        return None
    nearest = min(reversed(answers), key=distance)
    index = round(context_tokens) - int(nearest.context_tokens[0])
    return nearest, min(max(index, 0), len(nearest.itl_s) - 1)


def peaks(latencies: TokenLatencies, buckets: int) -> TokenLatencies:
    """Return at most two points per bucket, the shortest and the longest, in their order; all when there are few."""
    n = len(latencies.itl_s)
    size = -(-n // max(buckets, 1))
    if size <= 2:
        return latencies
    whole = n - n % size
    grouped = latencies.itl_s[:whole].reshape(-1, size)
    offsets = np.arange(0, whole, size)
    extremes = np.sort(np.stack([grouped.argmin(axis=1), grouped.argmax(axis=1)], axis=1), axis=1)
    kept = (extremes + offsets[:, None]).ravel()
    if whole < n:
        tail = latencies.itl_s[whole:]
        kept = np.concatenate([kept, whole + np.sort([tail.argmin(), tail.argmax()])])
    return TokenLatencies(latencies.message_id, latencies.context_tokens[kept], latencies.itl_s[kept])
