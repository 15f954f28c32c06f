"""Latencies as arrays, and their reduction for the screen."""

from __future__ import annotations

import numpy as np
import pytest

from app.telemetry.latencies import LiveLatencies, TokenLatencies, nearest_token, peaks, token_latencies, usual_max_s
from app.telemetry.recorder import TurnRecorder
from tests.fakes import MS, Answer
from tests.turns import T0, events_of, recorded, stats_of


def latencies(first: int, *itl_s: float, message_id: str = "a") -> TokenLatencies:
    return TokenLatencies(message_id, np.arange(first, first + len(itl_s)), np.array(itl_s))


def test_a_finished_turn() -> None:
    stats = stats_of(Answer(pieces=("a", "b", "c", ""), prompt_tokens=50))
    result = token_latencies("m", stats)
    assert result.message_id == "m"
    assert result.context_tokens.tolist() == [51, 52, 53]
    assert result.itl_s.tolist() == list(stats.itl_s) == [0.01] * 3
    assert result.usual_max_s == pytest.approx(0.015)
    assert result.max_s == 0.01


def test_fewer_than_two_tokens_have_no_latency() -> None:
    result = token_latencies("m", stats_of(Answer(pieces=("",))))
    assert len(result.itl_s) == len(result.context_tokens) == 0
    assert (result.usual_max_s, result.max_s, result.percentile_s(50)) == (None, None, None)


def test_the_running_answer_equals_the_finished_one_at_every_step() -> None:
    # More tokens than the array first holds, taken in uneven bites.
    answer = Answer(pieces=("x",) * 700, prompt_tokens=9)
    recorder, live = TurnRecorder(T0), LiveLatencies("m")
    for number, event in enumerate(events_of(answer)):
        recorder.observe(event)
        if number % 37 == 0:
            live.take(recorder)
            whole = token_latencies("m", recorder.stats)
            assert live.view().itl_s.tolist() == whole.itl_s.tolist()
            assert live.view().context_tokens.tolist() == whole.context_tokens.tolist()
    live.take(recorder)
    assert len(live.view().itl_s) == 699


def test_a_view_taken_early_does_not_change_later() -> None:
    recorder, live = recorded(Answer(pieces=("a", "b"))), LiveLatencies("m")
    live.take(recorder)
    early = live.view()
    recorder.observe(events_of(Answer(pieces=("c",)), T0 + 500 * MS)[3])
    live.take(recorder)
    assert early.itl_s.tolist() == [0.01]
    assert len(live.view().itl_s) == 2


def test_what_a_chart_must_show_is_not_decided_by_an_outlier() -> None:
    steady = np.full(1000, 0.01)
    assert usual_max_s(steady) == pytest.approx(0.015)
    steady[500] = 60.0
    assert usual_max_s(steady) == pytest.approx(0.015)
    short = np.array([0.01] * 9 + [60.0])
    assert usual_max_s(short) == pytest.approx(0.04)


def test_few_points_are_left_alone() -> None:
    answer = latencies(10, 1.0, 3.0, 2.0)
    assert peaks(answer, 100) is answer


def test_peaks_keep_the_shortest_and_longest_of_each_bucket_in_order() -> None:
    answer = latencies(0, 5.0, 1.0, 9.0, 3.0, 2.0, 8.0, 4.0, 7.0, 6.0)
    reduced = peaks(answer, 2)  # buckets of five: 5 1 9 3 2 and 8 4 7 6
    assert reduced.context_tokens.tolist() == sorted(reduced.context_tokens.tolist())
    assert reduced.itl_s.tolist() == [1.0, 9.0, 8.0, 4.0]


@pytest.mark.parametrize("n", [3, 100, 101, 999, 8192])
@pytest.mark.parametrize("buckets", [1, 7, 200])
def test_peaks_lose_neither_extreme_and_stay_few(n: int, buckets: int) -> None:
    itl = np.random.default_rng(n).gamma(3.0, 0.003, n)
    answer = TokenLatencies("m", np.arange(n), itl)
    reduced = peaks(answer, buckets)
    assert reduced.itl_s.max() == itl.max()
    assert reduced.itl_s.min() == itl.min()
    assert len(reduced.itl_s) <= max(2 * buckets + 2, n if n <= 2 * buckets else 0)
    assert (np.diff(reduced.context_tokens) >= 0).all()
    assert (itl[reduced.context_tokens] == reduced.itl_s).all()


def test_between_keeps_one_point_beyond_each_side() -> None:
    answer = latencies(10, *range(10))
    assert answer.between(12.5, 15).context_tokens.tolist() == [12, 13, 14, 15]
    assert answer.between(0, 100).context_tokens.tolist() == list(range(10, 20))
    assert answer.between(18, 18).context_tokens.tolist() == [17, 18]


def test_the_nearest_token() -> None:
    first, second = latencies(10, 0.1, 0.2, 0.3), latencies(40, 0.4, 0.5, message_id="b")
    assert nearest_token([], 5) is None
    for x, answer, index in [(0, first, 0), (11.4, first, 1), (20, first, 2), (39, second, 0), (99, second, 1)]:
        found = nearest_token([first, second], x)
        assert found is not None
        assert found[0] is answer
        assert found[1] == index


def test_of_two_answers_at_one_place_the_newer_is_nearest() -> None:
    old, new = latencies(10, 0.1, 0.2), latencies(10, 0.3, 0.4, message_id="new")
    found = nearest_token([old, new], 11)
    assert found is not None
    assert found[0] is new
