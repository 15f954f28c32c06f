"""What the charts are given: turns, memory and the running answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.engine.events import GenerationFinished, KvCache, PrefillProgressed, PromptTokenised, TokensGenerated
from app.telemetry.layers import memory_layers
from app.telemetry.recorder import TurnRecorder
from app.telemetry.series import MAX_MEMORY_SAMPLES, ConversationSeries, MemoryPoint
from app.telemetry.tables import itl_table, memory_table, ttft_table
from tests.fakes import MIB, MS, Answer, fake_model, grown
from tests.turns import T0, begin_turn, events_of, recorded, run_turn, stats_of

BYTES_PER_CELL = 23_040


@pytest.fixture
def series() -> ConversationSeries:
    result = ConversationSeries()
    result.set_model(fake_model())
    return result


def test_every_change_is_counted(series: ConversationSeries) -> None:
    changes = [
        lambda: series.set_model(fake_model()),
        lambda: series.begin_turn("m", recorded(Answer())),
        series.observe,
        series.end_turn,
        lambda: series.add_turn("m", stats_of(Answer())),
        lambda: series.set_context_tokens(5),
        lambda: series.add_memory([]),
        series.clear,
    ]
    for change in changes:
        before = series.revision
        change()
        assert series.revision > before


def test_a_turn_becomes_a_point_with_its_latencies(series: ConversationSeries) -> None:
    answer = Answer(pieces=("a", "b", ""), prompt_tokens=20)
    run_turn(series, "m1", answer)
    assert [turn.message_id for turn in series.turns] == ["m1"]
    assert series.turns[0].stats.ttft_s == 0.108
    assert series.past_latencies[0].context_tokens.tolist() == [21, 22]
    assert series.past_latencies[0].itl_s.tolist() == [0.01, 0.01]
    assert series.live_stats is None
    assert series.live_latencies is None
    assert series.context_tokens == 22


def test_the_running_turn_is_seen_while_it_runs(series: ConversationSeries) -> None:
    recorder = TurnRecorder(T0)
    series.begin_turn("m", recorder)
    for event in events_of(Answer(pieces=("a", "b", "c")))[:-2]:
        recorder.observe(event)
    series.observe()
    assert series.live_message_id == "m"
    assert series.live_latencies is not None
    assert series.live_latencies.itl_s.tolist() == [0.01]
    assert series.live_stats is not None
    assert series.live_stats.tpot_s == 0.01


def test_memory_grows_by_the_cells_in_use(series: ConversationSeries) -> None:
    run_turn(series, "m1", Answer(pieces=("a", "b", ""), prompt_tokens=20), process_bytes=120 * MIB)
    last = series.memory[-1]
    assert last.context_tokens == 22
    assert last.kv_used_bytes == 22 * BYTES_PER_CELL
    assert last.kv_reserved_bytes == 4096 * BYTES_PER_CELL
    assert last.weights_bytes == 92 * MIB
    assert last.compute_output_bytes == 17 * MIB + MIB // 5
    assert last.process_bytes == 120 * MIB
    contexts = [point.context_tokens for point in series.memory]
    assert contexts == sorted(set(contexts))


def test_until_the_prompt_is_tokenised_the_cache_holds_what_it_held(series: ConversationSeries) -> None:
    series.set_context_tokens(500)
    recorder = TurnRecorder(T0)
    series.begin_turn("m", recorder)
    series.observe()
    assert series.context_tokens == 500
    assert len(series.memory) == 1
    recorder.observe(PromptTokenised(T0, T0, 700, 300))
    series.observe()
    assert series.context_tokens == 300
    recorder.observe(PrefillProgressed(200, 400, T0 + MS))
    series.observe()
    assert [point.context_tokens for point in series.memory] == [300, 500]


def test_an_answer_refused_at_once_says_what_the_cache_holds_now(series: ConversationSeries) -> None:
    recorder = TurnRecorder(T0)
    series.begin_turn("m", recorder)
    recorder.observe(GenerationFinished("context", T0, 123, "The prompt does not fit."))
    series.observe()
    assert series.context_tokens == 123


def test_a_shorter_context_takes_the_points_beyond_it_away(series: ConversationSeries) -> None:
    for tokens in (100, 200, 300):
        series.set_context_tokens(tokens)
    series.set_context_tokens(200)
    assert [point.context_tokens for point in series.memory] == [100, 200]
    series.set_context_tokens(0)
    assert [point.context_tokens for point in series.memory] == [0]
    assert series.memory[0].kv_used_bytes == 0


def test_a_new_conversation_uses_no_cells(series: ConversationSeries) -> None:
    run_turn(series, "m1", Answer())
    series.clear()
    assert (series.turns, series.memory, series.past_latencies) == ([], [], [])
    assert series.context_tokens == 0
    point = series.memory_point()
    assert point is not None
    assert point.kv_used_bytes == 0
    assert series.model is not None


def test_a_lost_cache_is_not_in_use_but_expected(series: ConversationSeries) -> None:
    series.set_context_tokens(100)
    series.set_model(None)
    assert (series.context_tokens, series.expected_tokens) == (0, 100)
    assert [point.context_tokens for point in series.memory] == [100]
    series.set_context_tokens(20)
    assert (series.context_tokens, series.expected_tokens) == (20, None)


def test_memory_samples_stay_few_and_keep_both_ends(series: ConversationSeries) -> None:
    for tokens in range(1, 3000):
        series.set_context_tokens(tokens)
    assert len(series.memory) <= MAX_MEMORY_SAMPLES
    assert series.memory[0].context_tokens == 1
    assert series.memory[-1].context_tokens == 2999


def test_without_a_model_there_is_no_memory() -> None:
    series = ConversationSeries()
    series.set_context_tokens(50)
    assert series.memory == []
    assert series.memory_point() is None
    assert memory_layers(series) is None
    assert series.n_ctx is None


def test_stored_points_of_the_same_allocation_come_back(series: ConversationSeries) -> None:
    run_turn(series, "m1", Answer(), process_bytes=120 * MIB)
    stored, stats = list(series.memory), series.turns[0].stats
    reopened = ConversationSeries()
    reopened.set_model(fake_model())
    reopened.add_turn("m1", stats)
    reopened.add_memory(stored)
    assert reopened.memory == stored
    assert reopened.context_tokens == stats.context_tokens


def test_points_of_another_allocation_say_nothing_about_this_model(series: ConversationSeries) -> None:
    run_turn(series, "m1", Answer())
    stored = list(series.memory)
    series.set_model(fake_model(n_ctx=8192))
    assert series.memory == []
    series.add_memory(stored)
    assert series.memory == []
    series.set_model(None)
    series.add_memory(stored)
    assert series.memory == stored


def test_another_model_has_not_been_measured_yet(series: ConversationSeries) -> None:
    run_turn(series, "m1", Answer(), process_bytes=120 * MIB)
    series.set_model(series.model)
    assert series.process_bytes == 120 * MIB
    series.set_model(fake_model())
    assert series.process_bytes is None


def test_of_the_process_saved_caches_are_known_apart(series: ConversationSeries) -> None:
    run_turn(series, "m1", Answer(), process_bytes=120 * MIB, saved_bytes=20 * MIB)
    assert series.saved_bytes == 20 * MIB
    layers = memory_layers(series)
    assert layers is not None
    assert layers.saved_bytes == 20 * MIB
    small = replace(fake_model(n_ctx=1024), process_bytes=130 * MIB, saved_bytes=30 * MIB)
    series.set_model(series.model.with_context(small))
    assert (series.process_bytes, series.saved_bytes) == (130 * MIB, 30 * MIB)
    series.set_model(fake_model())
    assert series.saved_bytes == 0


def test_the_forecast_is_that_of_the_turns_and_the_model(series: ConversationSeries) -> None:
    assert series.forecast is None
    for number in range(3):
        series.add_turn(f"m{number}", replace(stats_of(Answer()), context_tokens=500 * (number + 1)))
    assert series.forecast is not None
    assert series.forecast.tokens_per_turn == 500.0
    assert series.forecast.turns_left == (4096 - 1500) // 500


def test_the_limit_without_a_model_is_that_of_the_last_turn() -> None:
    series = ConversationSeries()
    series.add_turn("m", stats_of(Answer()))
    assert series.n_ctx == 4096


class TestGrowth:
    """A context that grew, in the middle of the second answer, from 1,024 to 2,048 tokens."""

    @pytest.fixture
    def series(self) -> ConversationSeries:
        series = ConversationSeries()
        series.set_model(fake_model(n_ctx=1024, n_ctx_max=8192))
        run_turn(series, "m1", Answer(pieces=("a", "b"), prompt_tokens=500), process_bytes=120 * MIB)
        return series

    def grow(self, series: ConversationSeries, recorder: TurnRecorder) -> None:
        assert series.model is not None
        event = grown(series.model, 1024)
        recorder.observe(PromptTokenised(T0, T0, 1000, 501))
        recorder.observe(PrefillProgressed(499, 499, T0 + MS))
        recorder.observe(TokensGenerated(tuple(range(T0, T0 + 25)), (), 1024))
        series.observe()
        recorder.observe(event)
        series.set_model(series.model.with_context(event))
        recorder.observe(TokensGenerated((T0 + MS,), (), 1200))
        series.observe()

    def test_the_points_before_it_stay(self, series: ConversationSeries) -> None:
        self.grow(series, begin_turn(series, "m2"))
        reserved = {point.context_tokens: point.kv_reserved_bytes for point in series.memory}
        assert reserved[500] == reserved[1024] == 1024 * BYTES_PER_CELL
        assert reserved[1200] == 2048 * BYTES_PER_CELL
        assert series.process_bytes == 120 * MIB
        assert (series.n_ctx, series.n_ctx_max) == (2048, 8192)

    def test_it_is_a_step_of_the_stack(self, series: ConversationSeries) -> None:
        self.grow(series, begin_turn(series, "m2"))
        layers = memory_layers(series)
        assert layers is not None
        assert layers.context_tokens.tolist() == [0, 1024, 1024, 1200]
        small, large = 1024 * BYTES_PER_CELL, 2048 * BYTES_PER_CELL
        assert layers.past_kv_reserved_bytes.tolist() == [small, small, large, large]
        assert layers.kv_reserved_bytes == large
        scratch = 17 * MIB + MIB // 5
        assert layers.past_compute_output_bytes.tolist() == [scratch, scratch, scratch + 4 * MIB, scratch + 4 * MIB]
        assert layers.context_bytes_at(1000) == (small, scratch)
        assert layers.context_bytes_at(1024) == layers.context_bytes_at(5000) == (large, scratch + 4 * MIB)

    def test_a_finished_turn_keeps_it(self, series: ConversationSeries) -> None:
        recorder = begin_turn(series, "m2")
        self.grow(series, recorder)
        series.end_turn()
        series.add_turn("m2", recorder.stats)
        assert [step.context_tokens for step in series.context_growths] == [1024]
        stored = list(series.memory)
        reopened = ConversationSeries()
        reopened.set_model(series.model)
        for turn in series.turns:
            reopened.add_turn(turn.message_id, turn.stats)
        reopened.add_memory(stored)
        assert reopened.memory == stored

    def test_a_cache_that_was_cut_back_moves_it_to_the_present(self, series: ConversationSeries) -> None:
        self.grow(series, begin_turn(series, "m2"))
        series.set_context_tokens(300)
        assert [step.context_tokens for step in series.context_growths] == [300]
        layers = memory_layers(series)
        assert layers is not None
        assert layers.context_tokens.tolist() == [0, 300, 300]

    def test_a_context_that_is_small_again_has_not_grown(self, series: ConversationSeries) -> None:
        self.grow(series, begin_turn(series, "m2"))
        small = fake_model(n_ctx=1024, n_ctx_max=8192)
        series.set_model(series.model.with_context(replace(small, process_bytes=90 * MIB)))
        assert series.context_growths == []
        assert series.process_bytes == 90 * MIB
        assert [point.context_tokens for point in series.memory] == [0, 500, 501, 1024]

    def test_the_forecast_is_of_the_limit(self, series: ConversationSeries) -> None:
        series.add_turn("m2", replace(stats_of(Answer()), context_tokens=1001))
        assert series.forecast is not None
        assert series.forecast.turns_left == (8192 - 1001) // 500


class TestLayers:
    """The stack of the memory chart."""

    def test_before_the_first_turn_it_is_the_models_own(self, series: ConversationSeries) -> None:
        layers = memory_layers(series)
        assert layers is not None
        assert layers.context_tokens.tolist() == [0]
        assert layers.kv_used_bytes.tolist() == [0]
        assert layers.total_bytes == series.model.memory.total_bytes()  # type: ignore[union-attr]
        assert layers.expected_context_tokens.tolist() == [0, 4096]
        assert layers.expected_kv_used_bytes.tolist() == [0, 4096 * BYTES_PER_CELL]

    def test_used_and_expected_meet_at_the_present(self, series: ConversationSeries) -> None:
        series.set_context_tokens(1000)
        layers = memory_layers(series)
        assert layers is not None
        assert layers.context_tokens.tolist() == [0, 1000]
        assert layers.kv_used_bytes[-1] == layers.expected_kv_used_bytes[0] == 1000 * BYTES_PER_CELL
        assert layers.kv_used_at(500) == 500 * BYTES_PER_CELL
        assert layers.kv_used_at(2000) == 2000 * BYTES_PER_CELL

    def test_a_sliding_window_bends_the_line(self, series: ConversationSeries) -> None:
        model = fake_model()
        caches = (KvCache(4096, 5, 1000), KvCache(1024, 25, 5000))
        series.set_model(replace(model, memory=replace(model.memory, kv_caches=caches)))
        series.set_context_tokens(2048)
        layers = memory_layers(series)
        assert layers is not None
        assert layers.context_tokens.tolist() == [0, 1024, 2048]
        assert layers.kv_used_bytes.tolist() == [0, 1024 * 6000, 2048 * 1000 + 1024 * 5000]
        for tokens in (1, 700, 1024, 1500, 3000, 4096):
            assert layers.kv_used_at(tokens) == pytest.approx(series.model.memory.kv_used_bytes(tokens))  # type: ignore[union-attr]

    def test_without_a_model_it_is_what_was_measured(self) -> None:
        series = ConversationSeries()
        series.add_memory([MemoryPoint(100, 92, 1000, 9000, 3, 17, 500), MemoryPoint(200, 92, 2000, 9000, 3, 17, 600)])
        layers = memory_layers(series)
        assert layers is not None
        assert layers.context_tokens.tolist() == [0, 100, 200]
        assert layers.kv_used_bytes.tolist() == [0, 1000, 2000]
        assert layers.total_bytes == 92 + 9000 + 3 + 17
        assert layers.kv_used_at(150) == 1500


class TestTables:
    """What is copied and saved."""

    def test_ttft(self, series: ConversationSeries) -> None:
        run_turn(series, "m1", Answer(prompt_tokens=220, cached_tokens=20))
        series.add_turn("m2", TurnRecorder(T0).stats)
        header, first, second = ttft_table(series).text().splitlines()
        assert header.split(",")[:6] == ["turn", "ttft_s", "queue_s", "tokenise_s", "prefill_s", "rest_s"]
        assert first == "1,0.108,0.001,0.002,0.1,0.005,220,20,2000.0,,stop,1,100.0,m1"
        assert second == "2,,,,,,,,,,,1,,m2"

    def test_latencies_include_the_running_answer(self, series: ConversationSeries) -> None:
        run_turn(series, "m1", Answer(pieces=("a", "b"), prompt_tokens=20))
        recorder = recorded(Answer(pieces=("a", "b"), prompt_tokens=40))
        series.begin_turn("m2", recorder)
        series.observe()
        assert itl_table(series).text("\t").splitlines() == [
            "turn\tcontext_tokens\titl_s\tmessage_id",
            "1\t21\t0.01\tm1",
            "2\t41\t0.01\tm2",
        ]

    def test_memory_before_the_first_turn_is_the_models(self, series: ConversationSeries) -> None:
        header, row = memory_table(series).text().splitlines()
        assert header == (
            "context_tokens,weights_bytes,kv_used_bytes,kv_reserved_bytes,recurrent_bytes,"
            "compute_output_bytes,process_bytes,saved_bytes"
        )
        assert row == f"0,{92 * MIB},0,{4096 * BYTES_PER_CELL},0,{17 * MIB + MIB // 5},,"

    def test_memory_has_what_saved_caches_take_of_the_process(self, series: ConversationSeries) -> None:
        run_turn(series, "m1", Answer(), process_bytes=120 * MIB, saved_bytes=20 * MIB)
        assert memory_table(series).text().splitlines()[-1].endswith(f",{120 * MIB},{20 * MIB}")

    def test_a_reason_with_a_comma_stays_one_cell(self, series: ConversationSeries) -> None:
        stats = replace(stats_of(Answer()), cache_miss='a "quoted", long reason')
        series.add_turn("m", stats)
        assert '"a ""quoted"", long reason"' in ttft_table(series).text()


def test_the_turns_before_a_fork_stay_with_their_memory(series: ConversationSeries) -> None:
    for number in (1, 2, 3):
        series.add_turn(f"m{number}", replace(stats_of(Answer()), context_tokens=100 * number))
        series.set_context_tokens(100 * number)
    series.keep_turns(2)
    assert [turn.message_id for turn in series.turns] == ["m1", "m2"]
    assert len(series.past_latencies) == 2
    assert series.context_tokens == 200
    assert [point.context_tokens for point in series.memory] == [100, 200]
    series.keep_turns(0)
    assert (series.turns, series.memory, series.context_tokens) == ([], [], 0)


def test_only_the_beginning_of_the_cache_is_of_use_after_a_fork(series: ConversationSeries) -> None:
    series.set_context_tokens(300)
    series.cut_cache(100)
    assert (series.context_tokens, series.expected_tokens) == (100, 300)
    series.expect(240)
    assert (series.context_tokens, series.expected_tokens) == (100, 240)
