"""The definitions of the numbers, on instants chosen so that every one is exact."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from app.telemetry.timings import TtftParts, TurnStats
from tests.fakes import MS, Answer
from tests.turns import T0, stats_of

ANSWER = Answer(
    pieces=("a", "b", "c", "d", ""),
    queue_ms=1,
    tokenise_ms=2,
    prefill_ms=100,
    first_ms=5,
    itl_ms=10,
    prompt_tokens=220,
    cached_tokens=20,
)


def test_ttft_and_its_parts_are_exact() -> None:
    stats = stats_of(ANSWER)
    assert stats.queue_s == 0.001
    assert stats.tokenise_s == 0.002
    assert stats.prefill_s == 0.1
    assert stats.ttft_s == 0.108
    assert stats.ttft_parts() == TtftParts(1 * MS, 2 * MS, 100 * MS, 5 * MS)


def test_decode_numbers_are_exact() -> None:
    stats = stats_of(ANSWER)
    assert stats.completion_tokens == 5
    assert stats.itl_s == (0.01,) * 4
    assert stats.tpot_s == 0.01
    assert stats.e2e_s == 0.148
    assert stats.decode_tokens_per_s == 100.0
    assert stats.prefill_tokens_per_s == 2000.0


@pytest.mark.parametrize("n", [2, 3, 7, 1000])
def test_e2e_is_ttft_plus_the_other_tokens_times_tpot(n: int) -> None:
    # Uneven instants: the identity is one of the definitions, not of a steady rhythm.
    token_ns = tuple(T0 + 77_777_777 + k * k * 13 + k * 1_000_003 for k in range(n))
    stats = TurnStats(T0, token_ns=token_ns)
    assert stats.ttft_s is not None
    assert stats.tpot_s is not None
    assert stats.e2e_s == pytest.approx(stats.ttft_s + (n - 1) * stats.tpot_s, rel=1e-12)
    whole_ns = (token_ns[0] - T0) + (token_ns[-1] - token_ns[0])
    assert stats.e2e_s == whole_ns / 1e9
    assert sum(stats.itl_s) == pytest.approx((n - 1) * stats.tpot_s, rel=1e-9)


def test_one_token_has_ttft_and_e2e_but_no_tpot() -> None:
    stats = stats_of(Answer(pieces=("",)))
    assert stats.ttft_s == stats.e2e_s == 0.108
    assert stats.tpot_s is None
    assert stats.decode_tokens_per_s is None
    assert stats.itl_s == ()
    assert stats.itl_percentile_s(50) is None


def test_unknown_is_none_and_never_zero() -> None:
    stats = TurnStats(T0)
    names = ("queue_s", "tokenise_s", "prefill_s", "ttft_s", "tpot_s", "e2e_s")
    assert [getattr(stats, name) for name in names] == [None] * len(names)
    assert stats.prefill_tokens_per_s is None
    assert stats.decode_tokens_per_s is None
    assert stats.ttft_parts() is None


def test_a_prefill_that_took_no_time_has_no_rate() -> None:
    assert stats_of(Answer(prefill_ms=0)).prefill_tokens_per_s is None


@pytest.mark.parametrize(
    ("percent", "expected_ms"),
    [(0, 1.0), (25, 2.0), (50, 3.0), (75, 4.0), (95, 4.8), (99, 4.96), (100, 5.0)],
)
def test_percentiles_are_linear(percent: float, expected_ms: float) -> None:
    instants = [0, 5, 6, 10, 13, 15]  # gaps 5, 1, 4, 3, 2 ms
    stats = TurnStats(T0, token_ns=tuple(T0 + ms * MS for ms in instants))
    result = stats.itl_percentile_s(percent)
    assert result == pytest.approx(expected_ms / 1000, rel=1e-12)


def test_percentile_of_a_single_gap_is_that_gap() -> None:
    stats = TurnStats(T0, token_ns=(T0, T0 + 7 * MS))
    assert stats.itl_percentile_s(50) == stats.itl_percentile_s(99) == 0.007


@pytest.mark.parametrize(
    ("stats", "expected_ms"),
    [
        (TurnStats(T0), (50, 0, 0, 0)),
        (TurnStats(T0, T0 + 3 * MS), (3, 47, 0, 0)),
        (TurnStats(T0, T0 + 3 * MS, T0 + 5 * MS), (3, 2, 0, 45)),
        (TurnStats(T0, T0 + 3 * MS, T0 + 5 * MS, T0 + 6 * MS), (3, 2, 44, 1)),
        (TurnStats(T0, T0 + 3 * MS, T0 + 5 * MS, T0 + 6 * MS, T0 + 26 * MS), (3, 2, 20, 25)),
    ],
    ids=["queued", "tokenising", "before prefill", "prefilling", "before the first token"],
)
def test_a_running_wait_grows_in_the_part_it_is_in(stats: TurnStats, expected_ms: tuple[int, ...]) -> None:
    parts = stats.ttft_parts(T0 + 50 * MS)
    assert parts is not None
    assert astuple(parts) == tuple(ms * MS for ms in expected_ms)
    assert parts.total_ns == 50 * MS


def test_parts_stay_as_they_are_once_the_first_token_came() -> None:
    stats = stats_of(ANSWER)
    assert stats.ttft_parts(T0 + 10_000 * MS) == stats.ttft_parts()
    parts = stats.ttft_parts()
    assert parts is not None
    assert stats.ttft_s is not None
    assert parts.total_ns == round(stats.ttft_s * 1e9)
