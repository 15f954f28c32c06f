"""Where the wait for one answer went, from Send to the drawn end: parts that sum to the wall time.

    queue        t1 - t0             the engine was busy, or its process had to wake
    template     rendered - t1       the chat template
    tokenise     t2 - rendered       text -> tokens
    cached       t3 - t2             taking over the part of the prompt that is in the KV cache already, a growing
                                     context included
    prefill      t4 - t3             reading the rest of the prompt
    first_sample t5 - t4             choosing token 1
    decode       tn - t5             writing
    window       drawn - tn          from the last token to its picture: engine's end, pipe, event loop, drawing

Each part is the difference of its own two instants, none is a remainder, so a wall time taken by another clock checks
them. A phase that was cut short lasts until the engine's end; one that never began is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from app.units import NS_PER_S

if TYPE_CHECKING:
    from app.telemetry.timings import TurnStats

PartName = Literal["queue", "template", "tokenise", "cached", "prefill", "first_sample", "decode", "window"]
PARTS: tuple[PartName, ...] = (
    *("queue", "template", "tokenise", "cached", "prefill", "first_sample", "decode", "window"),
)

MOST_DIFFERENCE_NS = 2_000_000
"""Parts and wall time may differ by 2 ms."""

_TOKENS_THAT_TELL_A_RATE = 32


@dataclass(frozen=True, slots=True)
class WaitPart:
    """One part; `tokens` is how many it was about, None where tokens are not its measure."""

    name: PartName
    ns: int
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    """The bar of one answer.

    Attributes:
        parts: all eight, in the order of time; those that did not happen are 0.
        wall_ns: from Send to the end, or to now.
        saved_s: estimate of what reading the cached tokens would have taken; None when no rate is known.
        first_token_delay_ns: from sampling token 1 to the window having it, while decode goes on; None when unknown.
        growth_ns: waits for a larger context; they are in the parts cached and decode.
        window_ns: the window part split up: engine's end, the way to the window, drawing; None where unknown.
    """

    parts: tuple[WaitPart, ...]
    wall_ns: int
    saved_s: float | None
    first_token_delay_ns: int | None
    growth_ns: int
    window_ns: tuple[int | None, int | None, int | None]

    @property
    def difference_ns(self) -> int:
        """Wall time that the parts do not account for; negative when they claim more."""
        return self.wall_ns - sum(part.ns for part in self.parts)

    def part(self, name: PartName) -> WaitPart:
        """Return one part."""
        return self.parts[PARTS.index(name)]


def wait_of(
    stats: TurnStats,
    now_ns: int | None = None,
    *,
    wall_ns: int | None = None,
    read_s_per_token: float | None = None,
) -> Wait | None:
    """Split one answer's wait; of a running one until `now_ns`, and None when that is not given.

    Args:
        wall_ns: the wall time as the caller measured it; None: the difference of the first and the last instant.
        read_s_per_token: what reading a token takes, for the estimate when this turn read too few to tell.
    """
    is_over = stats.finished_ns is not None
    last_token_ns = stats.token_ns[-1] if stats.token_ns else None
    engine_end_ns = stats.finished_ns if is_over else now_ns
    if engine_end_ns is None:
        return None
    instants = (
        *(stats.submitted_ns, stats.started_ns, stats.rendered_ns, stats.tokenised_ns, stats.prefill_started_ns),
        *(stats.prefill_done_ns, stats.token_ns[0] if stats.token_ns else None, last_token_ns if is_over else None),
    )
    spans, begun_ns = _spans(instants, engine_end_ns)
    end_ns = next(
        (at for at in (stats.shown_ns, stats.received_ns, stats.finished_ns) if at is not None), engine_end_ns
    )
    spans.append(max(end_ns - begun_ns, 0) if is_over else 0)
    uncached = _uncached(stats)
    steps = max(stats.completion_tokens - 1, 0)
    tokens = {"tokenise": stats.prompt_tokens, "cached": stats.cached_tokens, "prefill": uncached, "decode": steps}
    first_ns = stats.token_ns[0] if stats.token_ns else None
    return Wait(
        parts=tuple(WaitPart(name, ns, tokens.get(name)) for name, ns in zip(PARTS, spans, strict=True)),
        wall_ns=end_ns - stats.submitted_ns if wall_ns is None else wall_ns,
        saved_s=_saved_s(stats, uncached, read_s_per_token),
        first_token_delay_ns=_between(first_ns, stats.first_received_ns),
        growth_ns=stats.growth_ns,
        window_ns=(
            _between(last_token_ns, stats.finished_ns),
            _between(stats.finished_ns, stats.received_ns),
            _between(stats.received_ns, stats.shown_ns),
        ),
    )


def _spans(instants: tuple[int | None, ...], engine_end_ns: int) -> tuple[list[int], int]:
    """Return the lengths of the seven phases between eight instants, and when the last one that began was over."""
    spans = [0] * (len(instants) - 1)
    begun = instants[0]
    assert begun is not None
    for number, end in enumerate(instants[1:]):
        if end is not None:
            spans[number] = max(end - begun, 0)
            begun = end
        elif all(later is None for later in instants[number + 1 :]):
            spans[number] = max(engine_end_ns - begun, 0)
            return spans, engine_end_ns
        # else: an instant that older versions did not take: its time is in the next phase
    return spans, begun


def _uncached(stats: TurnStats) -> int | None:
    if stats.prompt_tokens is None or stats.cached_tokens is None:
        return None
    return stats.prompt_tokens - stats.cached_tokens


def _saved_s(stats: TurnStats, uncached: int | None, read_s_per_token: float | None) -> float | None:
    if stats.cached_tokens is None or uncached is None:
        return None
    if stats.prefill_s and uncached >= _TOKENS_THAT_TELL_A_RATE:
        read_s_per_token = stats.prefill_s / uncached
    if not stats.cached_tokens:
        return 0.0
    return None if read_s_per_token is None else stats.cached_tokens * read_s_per_token


def _between(start_ns: int | None, end_ns: int | None) -> int | None:
    return None if start_ns is None or end_ns is None else end_ns - start_ns


@dataclass(slots=True)
class WaitCheck:
    """Counts how far parts and wall time are apart, over all answers of a window.

    Attributes:
        answers: how many were checked; broken: in how many the difference was 2 ms or more.
    """

    answers: int = 0
    broken: int = 0
    worst_ns: int = 0

    def observe(self, wait: Wait) -> bool:
        """Take one finished answer; returns whether it is sound."""
        difference_ns = abs(wait.difference_ns)
        self.answers += 1
        self.broken += difference_ns >= MOST_DIFFERENCE_NS
        self.worst_ns = max(self.worst_ns, difference_ns)
        return difference_ns < MOST_DIFFERENCE_NS

    @property
    def worst_s(self) -> float:
        """The largest difference."""
        return self.worst_ns / NS_PER_S
