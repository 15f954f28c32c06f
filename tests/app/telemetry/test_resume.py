"""What a saved KV cache spares: TTFT - what bringing it back took + what reading it would have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.engine.events import PromptTokenised
from app.telemetry.recorder import TurnRecorder
from app.telemetry.resume import resume_of
from tests.fakes import MS, Answer
from tests.turns import T0, stats_of

COLD = stats_of(Answer(prompt_tokens=1000, cached_tokens=0, prefill_ms=2000))
WARM = replace(
    stats_of(Answer(prompt_tokens=1010, cached_tokens=1000, prefill_ms=30)),
    restored_from="disk",
    restored_tokens=1005,
    restore_ns=50 * MS,
)


def test_it_is_estimated_from_the_conversations_own_prefill() -> None:
    resume = resume_of(WARM, [COLD])
    assert resume is not None
    assert (resume.place, resume.tokens, resume.took_s) == ("disk", 1000, 0.05)
    assert resume.cold_ttft_s == pytest.approx(WARM.ttft_s - 0.05 + 1000 * 2.0 / 1000)


def test_without_a_rate_it_is_not_known() -> None:
    resume = resume_of(WARM, [])
    assert resume is not None
    assert resume.cold_ttft_s is None


def test_a_turn_that_was_not_resumed_has_none() -> None:
    assert resume_of(COLD, [COLD]) is None


def test_the_recorder_keeps_what_the_engine_says() -> None:
    recorder = TurnRecorder(T0)
    recorder.observe(PromptTokenised(T0, T0, 10, 8, restored_from="memory", restored_tokens=9, restore_ns=3 * MS))
    stats = recorder.stats
    assert (stats.restored_from, stats.restored_tokens, stats.restore_ns) == ("memory", 9, 3 * MS)
