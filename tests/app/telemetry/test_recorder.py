"""The fold of events into stats, also of answers that end early or badly."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.engine.events import (
    AnswerRestarted,
    GenerationFinished,
    MemorySampled,
    PrefillProgressed,
    PromptTokenised,
    TokensGenerated,
)
from app.telemetry.recorder import TurnRecorder
from app.telemetry.timings import TurnStats
from tests.fakes import MIB, MS, Answer, fake_model, grown
from tests.turns import T0, events_of, recorded


def test_it_keeps_every_instant_and_count() -> None:
    recorder = recorded(Answer(pieces=("a", "b", ""), prompt_tokens=30, cached_tokens=10, finish_reason="length"))
    stats = recorder.stats
    assert (stats.submitted_ns, stats.started_ns, stats.tokenised_ns) == (T0, T0 + 1 * MS, T0 + 3 * MS)
    assert (stats.prefill_started_ns, stats.prefill_done_ns) == (T0 + 3 * MS, T0 + 103 * MS)
    assert stats.token_ns == (T0 + 108 * MS, T0 + 118 * MS, T0 + 128 * MS)
    assert (stats.prompt_tokens, stats.cached_tokens, stats.completion_tokens) == (30, 10, 3)
    assert stats.finish_reason == "length"
    assert stats.n_ctx == 4096
    assert stats.context_tokens == recorder.context_tokens == 32
    assert recorder.is_finished


def test_thinking_tokens_count_like_any_other() -> None:
    stats = recorded(Answer(thinking=("hm", "so"), pieces=("a", ""))).stats
    assert stats.completion_tokens == 4
    assert stats.tpot_s == 0.01


def test_a_batch_of_tokens_brings_one_instant_each() -> None:
    recorder = TurnRecorder(T0)
    recorder.observe(TokensGenerated((T0 + 5, T0 + 7, T0 + 12), (), 9))
    assert recorder.completion_tokens == 3
    assert recorder.token_ns_since(1) == [T0 + 7, T0 + 12]
    assert recorder.token_ns_since(3) == []


def test_prefill_progress_and_time_left() -> None:
    recorder = TurnRecorder(T0)
    recorder.observe(PromptTokenised(T0, T0, prompt_tokens=1200, cached_tokens=200))
    assert (recorder.context_tokens, recorder.prefill_total_tokens) == (200, 1000)
    assert recorder.prefill_left_s(T0) is None
    recorder.observe(PrefillProgressed(0, 1000, T0))
    assert recorder.prefill_left_s(T0 + 10 * MS) is None
    recorder.observe(PrefillProgressed(250, 1000, T0 + 500 * MS))
    assert recorder.prefill_left_s(T0 + 500 * MS) == pytest.approx(1.5)
    assert recorder.prefill_left_s(T0 + 900 * MS) == pytest.approx(1.1)
    assert recorder.prefill_left_s(T0 + 9000 * MS) == 0
    assert recorder.context_tokens == 450
    assert recorder.stats.prefill_s is None
    recorder.observe(PrefillProgressed(1000, 1000, T0 + 2000 * MS))
    assert recorder.stats.prefill_s == 2.0
    assert recorder.prefill_left_s(T0 + 2000 * MS) == 0


def test_an_answer_that_failed_before_its_first_token_has_no_numbers() -> None:
    recorder = TurnRecorder(T0)
    recorder.observe(GenerationFinished("failed", T0 + 5 * MS, 0, "The template is broken."))
    stats = recorder.stats
    assert (stats.ttft_s, stats.tpot_s, stats.e2e_s, stats.prompt_tokens) == (None,) * 4
    assert (stats.finish_reason, stats.error) == ("failed", "The template is broken.")


def test_an_answer_stopped_in_prefill_keeps_what_is_known() -> None:
    events = events_of(Answer())[:2]
    recorder = TurnRecorder(T0)
    for event in [*events, GenerationFinished("cancelled", T0 + 20 * MS, 7)]:
        recorder.observe(event)
    stats = recorder.stats
    assert stats.queue_s == 0.001
    assert stats.prefill_s is None
    assert stats.ttft_s is None
    assert stats.context_tokens == 7


def test_memory_is_the_last_sample() -> None:
    recorder = TurnRecorder(T0)
    assert recorder.process_bytes is None
    recorder.observe(MemorySampled(100 * MIB, T0))
    recorder.observe(MemorySampled(120 * MIB, T0 + MS, saved_bytes=30 * MIB))
    assert (recorder.process_bytes, recorder.saved_bytes) == (120 * MIB, 30 * MIB)


def test_growths_of_the_context_before_the_prompt_and_in_the_answer() -> None:
    model = fake_model(n_ctx=1024, n_ctx_max=8192)
    recorder = TurnRecorder(T0, model.n_ctx)
    first = grown(model, 700, took_ms=50)
    recorder.observe(first)
    recorder.observe(PromptTokenised(T0, T0, 1500, 700))
    recorder.observe(PrefillProgressed(800, 800, T0 + 200 * MS))
    recorder.observe(TokensGenerated((T0 + 210 * MS, T0 + 220 * MS), (), 1501))
    recorder.observe(grown(model.with_context(first), 1501, took_ms=80))
    recorder.observe(TokensGenerated((T0 + 320 * MS,), (), 1502))
    stats = recorder.stats
    assert stats.n_ctx == 4096
    assert [(one.sampled_tokens, one.context_tokens) for one in stats.context_growths] == [(0, 700), (2, 1501)]
    assert [(one.previous_n_ctx, one.n_ctx) for one in stats.context_growths] == [(1024, 2048), (2048, 4096)]
    assert stats.growth_ns == 130 * MS
    before_first, before_third = stats.context_growths
    assert [stats.growth_before(token) for token in (1, 2, 3)] == [before_first, None, before_third]


def test_a_cache_that_was_not_carried_over_still_stands_where_it_was() -> None:
    recorder = TurnRecorder(T0, 1024)
    recorder.observe(TokensGenerated((T0,), (), 1024))
    recorder.observe(replace(grown(fake_model(n_ctx=1024), 1024), carried_tokens=0, note="Not carried over."))
    (growth,) = recorder.stats.context_growths
    assert (growth.context_tokens, growth.carried_tokens) == (1024, 0)


def test_a_cache_miss_keeps_its_reason() -> None:
    recorder = TurnRecorder(T0)
    recorder.observe(PromptTokenised(T0, T0, 10, 0, cache_miss="An earlier turn was edited."))
    assert recorder.stats.cache_miss == "An earlier turn was edited."


def test_tokens_of_all_answers_are_those_since_the_first_of_this_one() -> None:
    recorder = TurnRecorder(0)
    recorder.observe(TokensGenerated((1_000_000_000,), (), 5, 1, 0))
    recorder.observe(TokensGenerated((1_500_000_000, 2_000_000_000), (), 7, 2, 5))
    assert (recorder.sequences, recorder.recent_aggregate_per_s) == (2, 5.0)
    assert recorder.stats.aggregate_tokens_per_s == 5.0
    assert recorder.stats.decode_tokens_per_s == 2.0
    recorder.observe(TokensGenerated((9_000_000_000,), (), 8, 2, 40))  # what is more than 2 s ago is not recent
    assert recorder.recent_aggregate_per_s is None
    recorder.observe(TokensGenerated((9_500_000_000,), (), 9, 2, 50))
    assert recorder.recent_aggregate_per_s == 20.0


def test_alone_the_aggregate_rate_is_that_of_the_answer() -> None:
    recorder = TurnRecorder(0)
    recorder.observe(TokensGenerated((1_000_000_000, 1_250_000_000, 1_500_000_000), (), 5))
    assert recorder.stats.sequences == 1
    assert recorder.stats.aggregate_tokens_per_s == recorder.stats.decode_tokens_per_s == 4.0
    assert recorder.recent_aggregate_per_s is None


def test_what_came_before_a_restart_is_void() -> None:
    recorder = TurnRecorder(7, 4096)
    recorder.observe(PromptTokenised(8, 9, 20, 0))
    recorder.observe(TokensGenerated((10, 11), (), 21))
    recorder.observe(AnswerRestarted(12))
    assert recorder.stats == TurnStats(7, n_ctx=4096)
    assert not recorder.is_begun
