"""What a remedy promised against what was then measured."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from app.errors import Sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.engine.events import LoadedModel
    from app.telemetry.diagnosis.finding import Effect, Metric
    from app.telemetry.timings import TurnStats

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Outcome:
    """A promise and its measurement, in the promise's unit.

    Attributes:
        before, promised, measured: None where unknown.
        kept: share of the promised improvement that came, 1 is all of it, below 0 it became worse; None without a
            promise or a measurement.
    """

    expected: Effect
    before: float
    promised: float | None
    measured: float | None
    kept: float | None

    @property
    def sentence(self) -> str:
        """The same in words."""
        if self.measured is None:
            return Sentence("Not measured yet: the next answer will tell.")
        scale, unit = {"ttft_s": (1.0, "s"), "tpot_s": (1000.0, "ms"), "memory_bytes": (1 / _MIB, "MiB")}[
            self.expected.metric
        ]
        values = {"before": self.before * scale, "measured": self.measured * scale, "unit": unit}
        if self.promised is None or self.kept is None:
            return Sentence("Measured {measured:,.3g} {unit}, before {before:,.3g} {unit}.", **values)
        return Sentence(
            "Promised {promised:,.3g} {unit}, measured {measured:,.3g} {unit}, before {before:,.3g} {unit}: "
            "{kept:.0%} of the promise.",
            **values,
            promised=self.promised * scale,
            kept=self.kept,
        )


def compare(expected: Effect, after: float | None, before: float | None = None) -> Outcome:
    """Hold a promise against what was measured after applying the remedy.

    Args:
        after: as `measured` returns it; None while there is nothing.
        before: measured in the same way; None: what the promise started from.
    """
    start = expected.before if before is None else before
    promised = expected.after
    kept = None
    if promised is not None and after is not None and start != promised:
        kept = (start - after) / (start - promised)
    return Outcome(expected, start, promised, after, kept)


def measured(metric: Metric, turns: Sequence[TurnStats], model: LoadedModel | None = None) -> float | None:
    """Return the median over these turns, or all memory of the model; None without any."""
    if metric == "memory_bytes":
        return None if model is None else model.memory.total_bytes()
    values = [value for turn in turns if (value := getattr(turn, metric)) is not None]
    return median(values) if values else None
