"""Speed as a function of length, fitted to the user's own turns with one model and one set of settings.

    TTFT = fixed + per_token x uncached + per_pair x uncached x (cached + uncached/2)      (without time in the queue)
    TPOT = base + per_token x context

The last term of TTFT is attention, which looks back over everything before each token; it is used once enough turns
support it. TPOT is that of a whole answer, at the context in its middle. Newer turns weigh more: half per
`HALF_LIFE` turns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.errors import Sentence
from app.units import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from app.telemetry.robust import Estimate, Fit
    from app.telemetry.timings import TurnStats

LEAST_TURNS = 4
"""Two coefficients take two turns; two more say how far turns scatter."""

LEAST_LENGTHS_RATIO = 2.0
"""The longest prompt part read must be this many times the shortest: else the fixed part cannot be told apart."""

LEAST_CONTEXT_SPAN = 256
"""Attention reads its cache in steps of 256 cells, so contexts closer together look alike."""

HALF_LIFE = 15
_MOST_TURNS = 400
_TURNS_FOR_ATTENTION = 8
_LEAST_STEPS = 8
_STEPS_OF_HALF_WEIGHT = 16
_SIGNIFICANT = 2.0
_BAND_POINTS = 65


@dataclass(frozen=True, slots=True)
class SpeedSample:
    """What one turn says of speed; None where it says nothing.

    Waits for a larger context and for a saved KV cache are left out: their time is none of reading or writing.

    Attributes:
        ttft_s: without the time in the queue.
        context_tokens: in the middle of the answer.
        steps: tokens after the first.
    """

    uncached_tokens: int | None
    cached_tokens: int | None
    ttft_s: float | None
    context_tokens: float | None
    tpot_s: float | None
    steps: int


@dataclass(frozen=True, slots=True)
class NotYet:
    """There is too little data; `reason` says in one sentence what is missing."""

    have: int
    need: int
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """A fitted curve as a chart draws it: arrays of shape (k,), in tokens and seconds."""

    tokens: NDArray[np.float64]
    value_s: NDArray[np.float64]
    low_s: NDArray[np.float64]
    high_s: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TtftCurve:
    """Time to first token over uncached tokens."""

    fit: Fit
    turns: int

    @property
    def fixed_s(self) -> float:
        """What every answer waits, however short."""
        return float(self.fit.coefficients[0])

    @property
    def per_token_s(self) -> float:
        """What one more uncached token takes."""
        return float(self.fit.coefficients[1])

    @property
    def per_pair_s(self) -> float:
        """What one more token to look back at takes; 0 while too few turns support it."""
        return float(self.fit.coefficients[2])

    def at(self, uncached_tokens: float, cached_tokens: float = 0) -> Estimate:
        """Predict the TTFT, in seconds."""
        return self.fit.at(_ttft_terms(uncached_tokens, cached_tokens))

    def band(self, longest: float, cached_tokens: float = 0) -> Band:
        """Return the curve from one uncached token to `longest`."""
        return _band(lambda tokens: self.at(tokens, cached_tokens), 1, longest)


@dataclass(frozen=True, slots=True)
class TpotLine:
    """Time per output token over the context."""

    fit: Fit
    turns: int
    longest_context: float

    @property
    def base_s(self) -> float:
        """a: at an empty context."""
        return float(self.fit.coefficients[0])

    @property
    def per_token_s(self) -> float:
        """b: what one more token of context adds."""
        return float(self.fit.coefficients[1])

    def at(self, context_tokens: float) -> Estimate:
        """Predict the TPOT, in seconds."""
        return self.fit.at((1.0, context_tokens))

    def band(self, longest: float) -> Band:
        """Return the line from an empty context to `longest`."""
        return _band(self.at, 0, longest)

    def slowdown(self, context_tokens: float) -> float:
        """Return how many times as long as at an empty context a token takes; infinite when all is context."""
        return self.at(context_tokens).value / self.base_s if self.base_s else float("inf")


SHARED = SpeedSample(None, None, None, None, None, 0)
"""What an answer that shared its steps with others says of the speed of one alone: nothing."""


def sample_of(stats: TurnStats) -> SpeedSample:
    """Return what a turn, finished or cancelled, says of speed; nothing when it shared its steps with others."""
    if stats.sequences > 1:
        return SHARED
    known = stats.prompt_tokens is not None and stats.cached_tokens is not None
    steps = max(stats.completion_tokens - 1, 0)
    before_s = sum(growth.took_ns for growth in stats.context_growths if not growth.sampled_tokens) / NS_PER_S
    during_s = stats.growth_ns / NS_PER_S - before_s
    waited_s = (stats.queue_s or 0.0) + before_s + stats.restore_ns / NS_PER_S
    ttft = None if stats.ttft_s is None else stats.ttft_s - waited_s
    return SpeedSample(
        uncached_tokens=(stats.prompt_tokens or 0) - (stats.cached_tokens or 0) if known else None,
        cached_tokens=stats.cached_tokens if known else None,
        ttft_s=ttft,
        context_tokens=None if stats.prompt_tokens is None else stats.prompt_tokens + (steps + 1) / 2,
        tpot_s=None if stats.tpot_s is None else stats.tpot_s - during_s / steps,
        steps=steps,
    )


def fit_ttft(samples: Iterable[SpeedSample]) -> TtftCurve | NotYet:
    """Fit the TTFT curve to these turns, oldest first."""
    import numpy as np  # not above: it would come before the window's first frame

    from app.telemetry.robust import fit

    points = [
        (each.uncached_tokens, each.cached_tokens, each.ttft_s)
        for each in samples
        if each.uncached_tokens and each.cached_tokens is not None and each.ttft_s is not None and each.ttft_s > 0
    ][-_MOST_TURNS:]
    lengths = [uncached for uncached, _, _ in points]
    if missing := _missing(len(points), max(lengths, default=0) >= LEAST_LENGTHS_RATIO * min(lengths, default=1)):
        return missing
    terms = np.array([_ttft_terms(uncached, cached) for uncached, cached, _ in points])
    values = np.array([ttft for _, _, ttft in points])
    weights = _recency(len(points))
    found = fit(terms * (1, 1, 0), values, weights)
    if len(points) >= _TURNS_FOR_ATTENTION:
        curved = fit(terms, values, weights)
        error = float(np.sqrt(curved.covariance[2, 2]))
        if curved.coefficients[2] > _SIGNIFICANT * error and curved.spread < found.spread:
            found = curved
    return TtftCurve(found, len(points))


def fit_tpot(samples: Iterable[SpeedSample]) -> TpotLine | NotYet:
    """Fit the TPOT line to the answers of at least nine tokens, oldest first."""
    import numpy as np

    from app.telemetry.robust import fit

    points = [
        (each.context_tokens, each.tpot_s, each.steps)
        for each in samples
        if each.context_tokens is not None and each.tpot_s is not None and each.steps >= _LEAST_STEPS
    ][-_MOST_TURNS:]
    contexts = [context for context, _, _ in points]
    span = max(contexts, default=0) - min(contexts, default=0)
    if len(points) < LEAST_TURNS:
        return _too_few(len(points))
    if span < LEAST_CONTEXT_SPAN:
        return NotYet(
            len(points),
            len(points) + 1,
            Sentence(
                "The answers so far lie within {span:,.0f} tokens of context; what the context costs shows once "
                "they are {least:,} tokens apart.",
                span=span,
                least=LEAST_CONTEXT_SPAN,
            ),
        )
    terms = np.array([(1.0, context) for context in contexts])
    steps = np.array([count for _, _, count in points])
    weights = _recency(len(points)) * steps / (steps + _STEPS_OF_HALF_WEIGHT)
    return TpotLine(fit(terms, np.array([tpot for _, tpot, _ in points]), weights), len(points), max(contexts))


def _ttft_terms(uncached: float, cached: float) -> Sequence[float]:
    return 1.0, float(uncached), uncached * (cached + uncached / 2)


def _band(at: Callable[[float], Estimate], first: float, last: float) -> Band:
    import numpy as np

    tokens = np.linspace(first, last, _BAND_POINTS)
    estimates = np.array([(found.value, found.low, found.high) for found in map(at, tokens.tolist())])
    return Band(tokens, estimates[:, 0], estimates[:, 1], estimates[:, 2])


def _recency(count: int) -> NDArray[np.float64]:
    import numpy as np

    ages = np.arange(count - 1, -1, -1)
    weights: NDArray[np.float64] = 0.5 ** (ages / HALF_LIFE)
    return weights


def _too_few(have: int) -> NotYet:
    return NotYet(
        have,
        LEAST_TURNS,
        Sentence(
            "{have} of {need} turns with this model and these settings: two make a line, two more say how far to "
            "trust it.",
            have=have,
            need=LEAST_TURNS,
        ),
    )


def _missing(have: int, has_spread: bool) -> NotYet | None:
    if have < LEAST_TURNS:
        return _too_few(have)
    if not has_spread:
        return NotYet(
            have,
            have + 1,
            Sentence(
                "All {have} turns read about the same number of new tokens; one of at least twice or half as many "
                "tells the fixed part of the wait from the part per token.",
                have=have,
            ),
        )
    return None
