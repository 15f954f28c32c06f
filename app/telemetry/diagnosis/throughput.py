"""When several answers are wanted at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.errors import Sentence
from app.telemetry.diagnosis.finding import Evidence, Finding
from app.telemetry.roofline import batch_line, crossover_batch, measured_crossover_batch

if TYPE_CHECKING:
    from app.telemetry.diagnosis.case import Case

_WAITED_S = 1.0
_WORTH_IT = 1.5


def shared(case: Case) -> Finding | None:
    """The answer took turns with others: slower for itself, faster in all."""
    stats = case.stats
    own, together = stats.decode_tokens_per_s, stats.aggregate_tokens_per_s
    if stats.sequences < 2 or own is None or together is None:
        return None
    return Finding(
        "shared",
        "notice",
        Sentence(
            "{count} answers shared their steps: {together:,.1f} tokens/s together, {own:,.1f} of them for this one.",
            count=stats.sequences,
            together=together,
            own=own,
        ),
        (
            Evidence(Sentence("answers at once"), stats.sequences, "count"),
            Evidence(Sentence("speed together"), together, "tokens/s"),
            Evidence(Sentence("speed of this answer"), own, "tokens/s"),
        ),
    )


def batch(case: Case) -> Finding | None:
    """Answers queue up although several in one batch would read the weights once for all of them."""
    queue_s = case.stats.queue_s or 0.0
    if case.work is None or (not case.requests_waiting and queue_s < _WAITED_S):
        return None
    context_tokens, together = round(case.context_tokens), case.requests_waiting + 1
    crossover = measured_crossover_batch(case.sweep) if case.sweep else None
    if crossover is None:
        crossover = crossover_batch(case.work, case.ceilings, context_tokens)
    line = batch_line(case.work, case.ceilings, context_tokens, (1, max(together, 2)))
    if 1 in case.sweep and max(together, 2) in case.sweep:
        gain = case.sweep[max(together, 2)] / case.sweep[1]
    elif line:
        gain = line[1].tokens_per_s / line[0].tokens_per_s
    else:
        return None
    if gain < _WORTH_IT:
        return None
    evidence = [
        Evidence(Sentence("answers waiting"), case.requests_waiting, "count"),
        Evidence(Sentence("time in the queue"), queue_s, "s"),
        Evidence(Sentence("speed together against one by one"), gain, "times"),
    ]
    if crossover is not None:
        evidence.append(Evidence(Sentence("batch from which arithmetic is the limit"), crossover, "count"))
    return Finding(
        "batch",
        "notice",
        Sentence(
            "Answers waited for each other; {count} in one batch would come {gain:.1f} times as fast together, because "
            "the weights are then read once for all.",
            count=max(together, 2),
            gain=gain,
        ),
        tuple(evidence),
    )
