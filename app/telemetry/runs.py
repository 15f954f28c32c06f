"""Turns sorted into runs, of one model with one set of settings each, and what is drawn of two of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.telemetry.history import overlay, points, slowdowns
from app.telemetry.speed import NotYet, fit_tpot, fit_ttft

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from app.telemetry.history import HistoryTurn, Points
    from app.telemetry.speed import Band


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Turns of one model with one set of settings, oldest first.

    Attributes:
        difference: the settings that tell it from the model's other runs; empty when there are none.
    """

    model_file: str
    settings: str
    turns: tuple[HistoryTurn, ...]
    difference: str

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from other runs."""
        return self.model_file, self.settings


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """What is drawn: two runs, the second maybe empty, and the curves of the first."""

    first: Points
    second: Points
    ttft: Band | None
    tpot: Band | None
    slowdowns: tuple[str, ...]
    comparison: tuple[float | None, float | None] | None


def runs_of(turns: Iterable[HistoryTurn]) -> tuple[Run, ...]:
    """Return the runs, that of the newest turn first."""
    grouped: dict[tuple[str, str], list[HistoryTurn]] = {}
    for turn in turns:
        grouped.setdefault((turn.model_file, turn.settings), []).append(turn)
    newest = sorted(grouped.items(), key=lambda each: each[1][-1].created_at, reverse=True)
    return tuple(
        Run(
            model,
            settings,
            tuple(found),
            _difference(settings, [other for file, other in grouped if file == model]),
        )
        for (model, settings), found in newest
    )


def overlaid(first: Run | None, second: Run | None) -> Picture:
    """Return what is drawn of these; None is a run without turns."""
    mine, others = first.turns if first is not None else (), second.turns if second is not None else ()
    samples = [turn.sample for turn in mine]
    curve, line = fit_ttft(samples), fit_tpot(samples)
    shown, laid_over = points(mine), points(others)
    longest_new = _longest(shown.uncached_tokens, laid_over.uncached_tokens)
    longest = _longest(shown.context_tokens, laid_over.context_tokens)
    both = overlay(mine, others) if others else None
    return Picture(
        shown,
        laid_over,
        None if isinstance(curve, NotYet) else curve.band(longest_new),
        None if isinstance(line, NotYet) else line.band(longest),
        tuple(each.sentence for each in slowdowns(mine)),
        (both.ttft_times, both.tpot_times) if both is not None else None,
    )


def _longest(*lengths: NDArray[np.float64]) -> float:
    return max((float(each.max()) for each in lengths if len(each)), default=0.0)


def _difference(settings: str, all_of_model: Sequence[str]) -> str:
    """Return the fields of these settings that are not the same in all of the model's, as `name value, ...`."""
    tables = [json.loads(text) if text else {} for text in all_of_model]
    mine = json.loads(settings) if settings else {}
    names = [name for name in mine if any(table.get(name) != mine[name] for table in tables)]
    return ", ".join(f"{name} {mine[name]}" for name in names)
