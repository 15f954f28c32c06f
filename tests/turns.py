"""Turns with chosen instants: a scripted engine's events folded by the recorder, for exact numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.engine.events import MemorySampled
from app.engine.request import GenerationRequest
from app.telemetry.recorder import TurnRecorder
from tests.fakes import MIB, Answer, ScriptedEngine

if TYPE_CHECKING:
    from app.engine.events import GenerationEvent
    from app.telemetry.series import ConversationSeries
    from app.telemetry.timings import TurnStats

T0 = 1_000_000_000_000
"""Send is pressed at this instant unless a test says otherwise."""


def events_of(answer: Answer, submitted_ns: int = T0) -> list[GenerationEvent]:
    """Return what the engine emits for one scripted answer."""
    return list(ScriptedEngine(answer).generate(GenerationRequest((), submitted_ns)))


def recorded(answer: Answer, submitted_ns: int = T0, n_ctx: int | None = 4096) -> TurnRecorder:
    """Return the recorder after one scripted answer."""
    recorder = TurnRecorder(submitted_ns, n_ctx)
    for event in events_of(answer, submitted_ns):
        recorder.observe(event)
    return recorder


def stats_of(answer: Answer, submitted_ns: int = T0) -> TurnStats:
    """Return the stats of one scripted answer."""
    return recorded(answer, submitted_ns).stats


def begin_turn(series: ConversationSeries, message_id: str) -> TurnRecorder:
    """Begin an answer at T0 and return its recorder."""
    recorder = TurnRecorder(T0, series.n_ctx)
    series.begin_turn(message_id, recorder)
    return recorder


def run_turn(
    series: ConversationSeries,
    message_id: str,
    answer: Answer,
    process_bytes: int | None = 120 * MIB,
    saved_bytes: int = 0,
) -> TurnStats:
    """Play one answer from beginning to end."""
    recorder = begin_turn(series, message_id)
    if process_bytes is not None:
        recorder.observe(MemorySampled(process_bytes, T0, saved_bytes))
    for event in events_of(answer):
        recorder.observe(event)
        series.observe()
    series.end_turn()
    series.add_turn(message_id, recorder.stats)
    return recorder.stats


def run_conversation(series: ConversationSeries, turns: int) -> None:
    """Play turns m1, m2, ...: turn k waits 8 + 100 k ms, its five tokens come every 10 + k ms, it adds 44 cells."""
    context = 0
    for number in range(1, turns + 1):
        answer = Answer(
            pieces=("word ",) * 5,
            prompt_tokens=context + 40,
            cached_tokens=context,
            prefill_ms=100 * number,
            itl_ms=10 + number,
        )
        stats = run_turn(series, f"m{number}", answer, process_bytes=(120 + number) * MIB)
        context = stats.context_tokens or 0
