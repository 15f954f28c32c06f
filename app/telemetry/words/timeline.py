"""The two phases on a real turn: reading the prompt at once, then writing token by token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from app.units import NS_PER_S

if TYPE_CHECKING:
    from app.telemetry.timings import TurnStats
    from app.telemetry.waiting import PartName, Wait

Phase = Literal["before", "prefill", "decode", "after"]

_PHASES: dict[PartName, Phase] = {
    "queue": "before",
    "template": "before",
    "tokenise": "before",
    "cached": "before",
    "prefill": "prefill",
    "first_sample": "prefill",
    "decode": "decode",
    "window": "after",
}


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the turn, in seconds from Send; `tokens` is how many it was about, None where they do not count."""

    part: PartName
    phase: Phase
    start_s: float
    end_s: float
    tokens: int | None


@dataclass(frozen=True, slots=True)
class Timeline:
    """One turn.

    Attributes:
        spans: in order, without gaps; those of no length are left out.
        token_s: when each token was sampled, in seconds from Send.
    """

    spans: tuple[Span, ...]
    token_s: tuple[float, ...]

    @property
    def end_s(self) -> float:
        """When the last span ends."""
        return self.spans[-1].end_s if self.spans else 0.0


def timeline(stats: TurnStats, wait: Wait) -> Timeline:
    """Return a turn, running or finished, as spans; `wait` is of the same turn."""
    spans, at_ns = [], 0
    for part in wait.parts:
        if part.ns:
            start, end = at_ns / NS_PER_S, (at_ns + part.ns) / NS_PER_S
            spans.append(Span(part.name, _PHASES[part.name], start, end, part.tokens))
        at_ns += part.ns
    return Timeline(tuple(spans), tuple((at - stats.submitted_ns) / NS_PER_S for at in stats.token_ns))
