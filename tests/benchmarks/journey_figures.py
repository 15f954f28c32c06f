"""What `bench_journey` keeps of its turns, and the table it makes of that."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.units import NS_PER_S
from tests.benchmarks.yardstick import percentile, spread, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.engine.events import LoadedModel
    from app.telemetry.robust import Estimate
    from app.telemetry.speed import SpeedSample
    from app.telemetry.timings import TurnStats
    from tests.benchmarks.loop import Gaps

MIB = 1024**2


@dataclass(frozen=True, slots=True)
class Sent:
    """What the line beside Send said."""

    new_tokens: int
    prompt_tokens: int
    ttft: Estimate | None


@dataclass(frozen=True, slots=True)
class Turned:
    """A turn, what was foretold of it, and what the processes took after it.

    Attributes:
        ttft, tpot: by the curves before it, for the tokens that it took.
        process_bytes: of the engine, of it saved_bytes copies of KV caches.
        sent: by the line beside Send; None for what was not sent, or not as it was foretold.
    """

    stats: TurnStats
    sample: SpeedSample
    ttft: Estimate | None
    tpot: Estimate | None
    process_bytes: int | None
    saved_bytes: int
    window_bytes: int
    sent: Sent | None


@dataclass(slots=True)
class Figures:
    """Of one journey.

    Attributes:
        checked: turns whose prompt was compared with the store; `differences`: that were another;
            `unseen`: with turns out of the model's view.
        resampled: tokens of each prompt beyond those of that view encoded anew: the cache keeps answers as they were
            sampled, which may take a few tokens more.
        unforeseen: bytes of all buffers that were planned otherwise, by the length of the context.
        foretold: bytes of the engine's process without saved KV caches, by the length of the context.
        ticks: how often the event loop's clock had come after each step.
    """

    done: Counter[str] = field(default_factory=Counter)
    turns: list[Turned] = field(default_factory=list)
    checked: int = 0
    differences: int = 0
    unseen: int = 0
    growths: int = 0
    resampled: list[int] = field(default_factory=list)
    models: dict[int, LoadedModel] = field(default_factory=dict)
    unforeseen: dict[int, int] = field(default_factory=dict)
    foretold: dict[int, int] = field(default_factory=dict)
    ticks: list[int] = field(default_factory=list)
    sent: Sent | None = None

    def print(self, methods: Counter[str], gaps: Gaps) -> None:
        """Print the table."""
        turns = self.turns
        sent = [(turn, turn.sent) for turn in turns if turn.sent is not None]
        new = [(turn.sample.uncached_tokens or 0) - foretold.new_tokens for turn, foretold in sent]
        prompts = [(turn.stats.prompt_tokens or 0) - foretold.prompt_tokens for turn, foretold in sent]
        hits = [
            foretold.ttft.low <= (turn.sample.ttft_s or 0) + turn.stats.restore_ns / NS_PER_S <= foretold.ttft.high
            for turn, foretold in sent
            if foretold.ttft is not None
        ]
        ttft = [turn.ttft.value / turn.sample.ttft_s - 1 for turn in turns if turn.ttft and turn.sample.ttft_s]
        tpot = [turn.tpot.value / turn.sample.tpot_s - 1 for turn in turns if turn.tpot and turn.sample.tpot_s]
        quarter = max(1, len(turns) // 4)
        table(
            f"A journey of {len(self.ticks)} steps with {len(turns)} answers",
            [
                ("what was done", ", ".join(f"{name} {count}" for name, count in self.done.most_common())),
                ("summaries, by method", ", ".join(f"{name} {count}" for name, count in methods.items()) or "none"),
                ("growths of the context; turns with others out of view", f"{self.growths}; {self.unseen}"),
                ("prompts that were not the view in the store (goal: 0)", f"{self.differences} of {self.checked}"),
                ("tokens beyond that view encoded anew, as sampled", _wrong(self.resampled)),
                ("prompt tokens, wrong beside Send (goal: as sampled)", _wrong(prompts)),
                ("new tokens, wrong beside Send (goal: as sampled)", _wrong(new)),
                ("TTFT within what was said beside Send (goal: 9 of 10)", f"{sum(hits)} of {len(hits)}"),
                ("error of the TTFT foretold for its tokens", _errors(ttft)),
                ("  last quarter", _errors(ttft[-quarter:])),
                ("error of the TPOT foretold for its context", _errors(tpot)),
                ("  last quarter", _errors(tpot[-quarter:])),
                ("bytes unlike the plan, by n_ctx (goal: below 0.01 MiB a buffer)", str(self.unforeseen)),
                ("engine's process / foretold, by n_ctx: second quarter", self._process(quarter, 2 * quarter)),
                ("engine's process / foretold, by n_ctx: last quarter", self._process(-quarter, None)),
                ("  of it saved KV caches (MiB)", self._saved()),
                ("window's process, last / second quarter (MiB)", self._window(quarter)),
                ("event loop, CPU ms per tick, p99 and most: first quarter", self._busy(gaps, 0)),
                ("event loop, CPU ms per tick, p99 and most: last quarter", self._busy(gaps, 3)),
            ],
        )

    def _process(self, first: int, end: int | None) -> str:
        """Compare what was measured with what was foretold; before the second quarter buffers are not used up yet."""
        found: dict[int, list[float]] = defaultdict(list)
        for turn in self.turns[first:end]:
            if turn.process_bytes is not None and turn.stats.n_ctx in self.foretold:
                found[turn.stats.n_ctx].append(
                    turn.process_bytes / (self.foretold[turn.stats.n_ctx] + turn.saved_bytes)
                )
        return ", ".join(
            f"{n_ctx:,}: {statistics.median(each):.3f} ({min(each):.3f} to {max(each):.3f}, n {len(each)})"
            for n_ctx, each in sorted(found.items())
        )

    def _saved(self) -> str:
        return spread([turn.saved_bytes / MIB for turn in self.turns])

    def _window(self, quarter: int) -> str:
        second = statistics.median(turn.window_bytes for turn in self.turns[quarter : 2 * quarter])
        last = statistics.median(turn.window_bytes for turn in self.turns[-quarter:])
        return f"{last / second:.3f} ({second / MIB:.0f} -> {last / MIB:.0f})"

    def _busy(self, gaps: Gaps, number: int) -> str:
        bounds = [0, *(self.ticks[len(self.ticks) * part // 4 - 1] for part in (1, 2, 3, 4))]
        busy = gaps.busy_ms[bounds[number] : bounds[number + 1]]
        return f"{percentile(busy, 99):.1f}, {max(busy):.0f}"


def _wrong(differences: Sequence[int]) -> str:
    wrong = [each for each in differences if each]
    return f"{len(wrong)} of {len(differences)}" + (f" ({min(wrong)} to {max(wrong)})" if wrong else "")


def _errors(found: Sequence[float]) -> str:
    """Errors in percent, once there was something to foretell from."""
    if not found:
        return "n/a"
    too_high = sum(error > 0 for error in found) / len(found)
    return f"{spread([100 * abs(error) for error in found], ' %')}, too high {too_high:.0%}"
