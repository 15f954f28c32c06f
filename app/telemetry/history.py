"""Speed over all conversations: points for charts, two runs laid over each other, and a notice when it became worse."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Literal

from app.errors import Sentence
from app.telemetry.environment import Change, changes
from app.telemetry.speed import SHARED, NotYet, SpeedSample, fit_tpot, fit_ttft

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray


RECENT_TURNS = 5
_LEAST_PAST_TURNS = 8
_MOST_RECENT_TURNS = 20
_LEAST_SLOWER = 1.1
_SPREAD_PERCENT = 95
_STEPS_THAT_COUNT = 8


@dataclass(frozen=True, slots=True)
class HistoryTurn:
    """The figures of one stored turn.

    Attributes:
        model_file: name of the GGUF; settings: see `environment.settings_key`, empty when unknown.
        environment_json: see `environment.environment_json`, empty when unknown.
        growth_before_s, growth_during_s: waits for a larger context before the first token and after it.
        restore_s: what bringing a saved KV cache back took, before the first token.
        sequences: the most answers that shared a step with it.
    """

    message_id: str
    conversation_id: str
    created_at: datetime
    model_name: str
    model_file: str
    settings: str
    environment_json: str
    prompt_tokens: int | None
    cached_tokens: int | None
    completion_tokens: int
    ttft_s: float | None
    queue_s: float | None
    prefill_s: float | None
    tpot_s: float | None
    finish_reason: str | None
    growth_before_s: float = 0.0
    growth_during_s: float = 0.0
    restore_s: float = 0.0
    sequences: int = 1

    @property
    def sample(self) -> SpeedSample:
        """What it says of speed; nothing when it shared its steps with others."""
        if self.sequences > 1:
            return SHARED
        known = self.prompt_tokens is not None and self.cached_tokens is not None
        steps = max(self.completion_tokens - 1, 0)
        waited_s = (self.queue_s or 0.0) + self.growth_before_s + self.restore_s
        return SpeedSample(
            uncached_tokens=(self.prompt_tokens or 0) - (self.cached_tokens or 0) if known else None,
            cached_tokens=self.cached_tokens if known else None,
            ttft_s=None if self.ttft_s is None else self.ttft_s - waited_s,
            context_tokens=None if self.prompt_tokens is None else self.prompt_tokens + (steps + 1) / 2,
            tpot_s=None if self.tpot_s is None else self.tpot_s - self.growth_during_s / steps,
            steps=steps,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Turns as a chart draws them. Arrays have shape (k,) each pair, seconds and tokens.

    Attributes:
        uncached_tokens, ttft_s, ttft_ids: turns with a first token, and the answers they belong to.
        context_tokens, tpot_s, tpot_ids: turns with at least two tokens.
    """

    uncached_tokens: NDArray[np.float64]
    ttft_s: NDArray[np.float64]
    ttft_ids: tuple[str, ...]
    context_tokens: NDArray[np.float64]
    tpot_s: NDArray[np.float64]
    tpot_ids: tuple[str, ...]


def points(turns: Iterable[HistoryTurn]) -> Points:
    """Return TTFT against uncached tokens and TPOT against context."""
    import numpy as np  # not above: it would come before the window's first frame

    samples = [(turn.message_id, turn.sample) for turn in turns]
    ttft = [
        (each.uncached_tokens, each.ttft_s, key)
        for key, each in samples
        if each.uncached_tokens is not None and each.ttft_s is not None
    ]
    tpot = [
        (each.context_tokens, each.tpot_s, key)
        for key, each in samples
        if each.context_tokens is not None and each.tpot_s is not None
    ]
    return Points(
        np.array([x for x, _, _ in ttft], dtype=np.float64),
        np.array([y for _, y, _ in ttft], dtype=np.float64),
        tuple(key for _, _, key in ttft),
        np.array([x for x, _, _ in tpot], dtype=np.float64),
        np.array([y for _, y, _ in tpot], dtype=np.float64),
        tuple(key for _, _, key in tpot),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Overlay:
    """Two runs in one chart.

    Attributes:
        ttft_times, tpot_times: how many times as long the second takes at the same lengths, by the curve fitted to the
            first; None while that has too few turns.
        changes: what differs between their environments.
    """

    first: Points
    second: Points
    ttft_times: float | None
    tpot_times: float | None
    changes: tuple[Change, ...]


def overlay(first: Sequence[HistoryTurn], second: Sequence[HistoryTurn]) -> Overlay:
    """Lay two runs over each other: two models, two settings, or the same before and after."""
    return Overlay(
        points(first),
        points(second),
        _median(_times(second, first, "ttft_s")),
        _median(_times(second, first, "tpot_s")),
        changes(_environment(first), _environment(second)),
    )


@dataclass(frozen=True, slots=True)
class Slowdown:
    """The same model and settings became slower than their own past.

    Attributes:
        times: how many times as long it takes now, at the same lengths.
        usual_times: the 95th percentile of the past turns, against their own fit.
        recent, past: how many turns were compared.
        changes: what was different, most likely cause first; empty when nothing recorded was.
    """

    metric: Literal["ttft_s", "tpot_s"]
    times: float
    usual_times: float
    recent: int
    past: int
    changes: tuple[Change, ...]

    @property
    def sentence(self) -> str:
        """The same in words."""
        what = Sentence("The first token") if self.metric == "ttft_s" else Sentence("Each token")
        values = {"what": what, "times": self.times, "recent": self.recent}
        if not self.changes:
            return Sentence(
                "{what} takes {times:.2f} times as long as it used to, in the last {recent} turns; nothing that is "
                "recorded changed.",
                **values,
            )
        first = self.changes[0]
        return Sentence(
            "{what} takes {times:.2f} times as long as it used to, in the last {recent} turns. What changed: {name}, "
            "from {before} to {after}.",
            **values,
            name=first.name,
            before=first.before or "-",
            after=first.after or "-",
        )


def slowdowns(turns: Sequence[HistoryTurn]) -> tuple[Slowdown, ...]:
    """Compare the newest turns with those before them.

    Args:
        turns: of one model and one set of settings, oldest first.
    """
    recent = _recent(turns)
    past = turns[: len(turns) - len(recent)]
    found = []
    for metric in ("ttft_s", "tpot_s"):
        usual, now = _times(past, past, metric), _times(recent, past, metric)
        if len(usual) < _LEAST_PAST_TURNS or len(now) < RECENT_TURNS:
            continue
        import numpy as np

        limit = float(np.percentile(usual, _SPREAD_PERCENT))
        times = median(now)
        if times > max(limit, _LEAST_SLOWER):
            changed = changes(_environment(past), _environment(recent))
            found.append(Slowdown(metric, times, limit, len(now), len(usual), changed))
    return tuple(found)


def _recent(turns: Sequence[HistoryTurn]) -> Sequence[HistoryTurn]:
    """The turns since the environment changed, when those are some and not many; else the last few."""
    newest = turns[-1].environment_json if turns else ""
    count = 0
    for turn in reversed(turns):
        if turn.environment_json != newest:
            break
        count += 1
    since_change = RECENT_TURNS <= count <= _MOST_RECENT_TURNS and count < len(turns)
    return turns[-(count if since_change else RECENT_TURNS) :]


def _times(
    turns: Sequence[HistoryTurn], past: Sequence[HistoryTurn], metric: Literal["ttft_s", "tpot_s"]
) -> list[float]:
    """Return measured / fitted to the past, one value per turn; none while the past has too few."""
    if metric == "ttft_s":
        curve = fit_ttft(turn.sample for turn in past)
        if isinstance(curve, NotYet):
            return []
        return [
            each.ttft_s / fitted.value
            for each in (turn.sample for turn in turns)
            if each.ttft_s and each.uncached_tokens
            if (fitted := curve.at(each.uncached_tokens, each.cached_tokens or 0)).value
        ]
    line = fit_tpot(turn.sample for turn in past)
    if isinstance(line, NotYet):
        return []
    return [
        each.tpot_s / fitted.value
        for each in (turn.sample for turn in turns)
        if each.tpot_s and each.context_tokens and each.steps >= _STEPS_THAT_COUNT
        if (fitted := line.at(each.context_tokens)).value
    ]


def _environment(turns: Sequence[HistoryTurn]) -> str:
    known = Counter(turn.environment_json for turn in turns if turn.environment_json)
    return known.most_common(1)[0][0] if known else ""


def _median(values: list[float]) -> float | None:
    return median(values) if values else None
