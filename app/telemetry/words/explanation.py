"""The shape of an explanation, and the figures it is filled with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.engine.events import LoadedModel
    from app.errors import Sentence
    from app.telemetry.roofline import Roofline
    from app.telemetry.timings import TurnStats
    from app.telemetry.waiting import Wait

Unit = Literal["s", "tokens", "tokens/s", "bytes", "bytes/s", "FLOP", "FLOP/s", "share", "sequences"]


class Term(NamedTuple):
    """One figure of a formula; `symbol` is its name in the definition. None where it is unknown."""

    symbol: str
    value: float | None
    unit: Unit


@dataclass(frozen=True, slots=True)
class Explanation:
    """One number.

    Attributes:
        definition: the one definition, as in the README.
        value: None where it is unknown.
        formula: `str.format` text whose fields are the numbers of `terms`: "({0} - {1}) / {2}".
        terms: today's figures; empty when there are none yet.
        moved_by: what makes it larger or smaller.
    """

    key: str
    name: Sentence
    definition: str
    value: float | None
    unit: Unit
    formula: str
    terms: tuple[Term, ...]
    moved_by: Sentence

    def filled(self, show: Callable[[float | None, Unit], str]) -> str:
        """Return the formula with its figures, each as `show` writes it."""
        return self.formula.format(*(show(term.value, term.unit) for term in self.terms))


@dataclass(frozen=True, slots=True)
class Figures:
    """Today's figures; what is missing is unknown."""

    stats: TurnStats | None = None
    model: LoadedModel | None = None
    context_tokens: int | None = None
    wait: Wait | None = None
    roofline: Roofline | None = None
