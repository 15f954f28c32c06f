"""Fitted curves find what the turns were made from, say how sure they are, and stay silent without data."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from app.telemetry.robust import fit, student
from app.telemetry.speed import NotYet, SpeedSample, TpotLine, TtftCurve, fit_tpot, fit_ttft, sample_of
from app.telemetry.timings import ContextGrowth
from tests.fakes import Answer
from tests.turns import stats_of

if TYPE_CHECKING:
    from collections.abc import Callable


def sample(uncached: int, cached: int, context: float = 0.0, noise: float = 1.0, pair_s: float = 0.0) -> SpeedSample:
    """A machine with 50 ms fixed, 2 ms per uncached token, and 10 ms + 4 us x context per written token."""
    ttft = 0.05 + 0.002 * uncached + pair_s * uncached * (cached + uncached / 2)
    return SpeedSample(uncached, cached, ttft * noise, context or None, (0.010 + 4e-6 * context) * noise, 50)


def ttft_of(samples: list[SpeedSample]) -> TtftCurve:
    curve = fit_ttft(samples)
    assert isinstance(curve, TtftCurve), curve
    return curve


def tpot_of(samples: list[SpeedSample]) -> TpotLine:
    line = fit_tpot(samples)
    assert isinstance(line, TpotLine), line
    return line


def test_exact_turns_give_the_exact_curve() -> None:
    curve = ttft_of([sample(n, 0) for n in (20, 100, 400, 900)])
    assert curve.fixed_s == pytest.approx(0.05)
    assert curve.per_token_s == pytest.approx(0.002)
    assert curve.per_pair_s == 0
    assert curve.at(1840).value == pytest.approx(3.73)
    line = tpot_of([sample(1, 0, context) for context in (100, 300, 800, 1500)])
    assert line.base_s == pytest.approx(0.010)
    assert line.per_token_s == pytest.approx(4e-6)
    assert line.at(3000).value == pytest.approx(0.022)
    assert line.slowdown(2500) == pytest.approx(2.0)
    assert (line.turns, line.longest_context) == (4, 1500)


def test_attention_is_fitted_once_enough_turns_support_it() -> None:
    turns = [sample(n, cached, pair_s=1e-6) for n in (50, 300, 900) for cached in (0, 1000, 3000)]
    curve = ttft_of(turns)
    assert curve.per_pair_s == pytest.approx(1e-6, rel=1e-3)
    assert curve.at(500, 2000).value == pytest.approx(0.05 + 1.0 + 1e-6 * 500 * 2250, rel=1e-3)
    assert ttft_of(turns[:7]).per_pair_s == 0


def test_a_straight_machine_gets_no_attention_out_of_noise() -> None:
    chance = random.Random(3)
    turns = [sample(n, c, noise=chance.uniform(0.97, 1.03)) for n in (50, 300, 900) for c in (0, 1000, 3000, 0, 0)]
    assert ttft_of(turns).per_pair_s < 1e-7


def test_outliers_do_not_bend_the_curve() -> None:
    turns = [sample(n, 0, context=n * 2) for n in (20, 60, 100, 150, 250, 400, 500, 650, 800, 900)]
    turns[3] = replace(turns[3], ttft_s=9.0, tpot_s=0.2)
    turns[8] = replace(turns[8], ttft_s=0.01, tpot_s=0.0001)
    assert ttft_of(turns).at(500).value == pytest.approx(1.05, rel=0.02)
    assert tpot_of(turns).at(1000).value == pytest.approx(0.014, rel=0.02)


def test_no_coefficient_is_negative() -> None:
    falling = [SpeedSample(n, 0, 1.0 - n / 2000, float(n), 0.02 - n * 1e-5, 50) for n in (100, 400, 700, 1000)]
    assert ttft_of(falling).per_token_s == 0
    assert tpot_of(falling).per_token_s == 0
    through_zero = [SpeedSample(n, 0, n * 0.001 - 0.005, None, None, 0) for n in (10, 100, 500, 900)]
    assert ttft_of(through_zero).fixed_s == 0


def test_nine_of_ten_unseen_turns_lie_in_the_interval_and_the_median_error_is_small() -> None:
    chance = random.Random(11)
    inside = {"ttft": 0, "tpot": 0}
    errors: dict[str, list[float]] = {"ttft": [], "tpot": []}
    for _ in range(60):
        turns = [
            sample(n, 0, context=10 * n, noise=chance.gauss(1, 0.08))
            for n in (chance.randrange(20, 400) for _ in range(13))
        ]
        unseen = turns.pop()
        assert unseen.uncached_tokens is not None
        assert unseen.context_tokens is not None
        for name, estimate, measured in (
            ("ttft", ttft_of(turns).at(unseen.uncached_tokens), unseen.ttft_s),
            ("tpot", tpot_of(turns).at(unseen.context_tokens), unseen.tpot_s),
        ):
            assert measured is not None
            inside[name] += estimate.low <= measured <= estimate.high
            errors[name].append(abs(estimate.value / measured - 1))
    for name in inside:
        assert 0.8 <= inside[name] / 60 <= 1.0
        assert np.median(errors[name]) < 0.15


def long_tails(chance: random.Random) -> float:
    """Student's with three degrees of freedom."""
    return max(1 + 0.05 * chance.gauss(0, 1) / math.sqrt(chance.gammavariate(1.5, 2) / 3), 0.2)


NOISES: dict[str, Callable[[random.Random], float]] = {
    "normal": lambda chance: chance.gauss(1, 0.08),
    "long tails": long_tails,
    "only later": lambda chance: 1 + chance.expovariate(1 / 0.08),
    "outliers": lambda chance: chance.gauss(1, 0.04) * (1.6 if chance.random() < 0.1 else 1),
}


@pytest.mark.parametrize("kind", NOISES)
def test_a_new_turn_lies_in_the_interval_as_often_as_is_said_whatever_the_noise(kind: str) -> None:
    chance, inside, halves = random.Random(7), [], []
    for count in (4, 6, 10, 20, 60):
        for _ in range(80):
            turns = [
                sample(round(math.exp(chance.uniform(3, 6))), 0, noise=NOISES[kind](chance)) for _ in range(count + 1)
            ]
            curve, unseen = fit_ttft(turns[:-1]), turns[-1]
            if isinstance(curve, TtftCurve):
                found = curve.at(unseen.uncached_tokens or 0)
                inside.append(found.low <= (unseen.ttft_s or 0) <= found.high)
                halves.append((found.high - found.low) / 2 / found.value)
    assert len(inside) > 350
    assert 0.87 <= sum(inside) / len(inside) <= 0.97
    if kind == "normal":  # with many turns it is little wider than if the noise were known
        assert np.median(halves[-80:]) < 1.3 * 1.645 * 0.08


def test_the_interval_is_wider_where_no_turn_was() -> None:
    chance = random.Random(2)
    curve = ttft_of([sample(n, 0, noise=chance.gauss(1, 0.05)) for n in (20, 30, 40, 50, 60, 45, 25)])
    near, far = curve.at(40), curve.at(4000)
    assert (far.high - far.low) / far.value > (near.high - near.low) / near.value
    assert near.low < near.value < near.high


def test_newer_turns_weigh_more() -> None:
    old = [sample(n, 0, context=n) for n in range(100, 1300, 10)]
    slower = [replace(each, ttft_s=2 * (each.ttft_s or 0), tpot_s=2 * (each.tpot_s or 0)) for each in old[::-1]]
    assert ttft_of(old + slower).at(500).value == pytest.approx(2 * 1.05, rel=0.1)
    assert tpot_of(old + slower).at(500).value == pytest.approx(2 * 0.012, rel=0.1)


def test_without_data_it_says_what_is_missing() -> None:
    none = fit_ttft([])
    assert none == NotYet(0, 4, none.reason)
    assert none.reason.startswith("0 of 4 turns")
    same = fit_ttft([sample(100, 0) for _ in range(6)])
    assert isinstance(same, NotYet)
    assert (same.have, same.need) == (6, 7)
    assert "twice or half as many" in same.reason
    near = fit_tpot([sample(1, 0, context) for context in (100, 150, 200, 250, 300)])
    assert isinstance(near, NotYet)
    assert "within 200 tokens of context" in near.reason
    assert isinstance(fit_tpot([sample(1, 0, 100), sample(1, 0, 900)]), NotYet)


def test_what_a_turn_says() -> None:
    stats = stats_of(Answer(pieces=("a",) * 11, prompt_tokens=220, cached_tokens=20, queue_ms=1000))
    assert sample_of(stats) == SpeedSample(200, 20, pytest.approx(0.107), 225.5, pytest.approx(0.010), 10)
    grown = replace(
        stats,
        context_growths=(
            ContextGrowth(0, 20, 20, 256, 512, 1, 1, 57_000_000),
            ContextGrowth(5, 512, 512, 512, 1024, 1, 1, 50_000_000),
        ),
    )
    assert sample_of(grown).ttft_s == pytest.approx(0.050)
    assert sample_of(grown).tpot_s == pytest.approx(0.005)
    resumed = replace(stats, restored_from="disk", restored_tokens=20, restore_ns=60_000_000)
    assert sample_of(resumed).ttft_s == pytest.approx(0.047)
    failed = sample_of(replace(stats, prompt_tokens=None, cached_tokens=None, token_ns=()))
    assert failed == SpeedSample(None, None, None, None, None, 0)
    assert isinstance(fit_ttft([failed] * 9), NotYet)
    assert isinstance(fit_tpot([failed] * 9), NotYet)


@pytest.mark.parametrize(("free", "quantile"), [(1, 6.314), (2, 2.920), (3, 2.353), (5, 2.015), (30, 1.697)])
def test_students_quantiles(free: int, quantile: float) -> None:
    assert student(free) == pytest.approx(quantile, rel=0.003)


def test_a_column_of_zeros_takes_no_part() -> None:
    terms = np.array([[1.0, 0.0, n] for n in (1, 2, 3, 4, 5)])
    found = fit(terms, terms[:, 2] * 3 + 1, np.ones(5))
    assert found.coefficients == pytest.approx([1, 0, 3])


def test_a_band_to_draw() -> None:
    chance = random.Random(2)
    turns = [sample(n, 0, context=4 * n, noise=chance.gauss(1, 0.05)) for n in (20, 90, 150, 300, 420, 600)]
    for band, first, estimate in (
        (ttft_of(turns).band(2000), 1, ttft_of(turns).at(2000)),
        (tpot_of(turns).band(2000), 0, tpot_of(turns).at(2000)),
    ):
        assert (band.tokens[0], band.tokens[-1]) == (first, 2000)
        assert (band.value_s[-1], band.low_s[-1], band.high_s[-1]) == (estimate.value, estimate.low, estimate.high)
        assert (band.low_s <= band.value_s).all()
        assert (band.value_s <= band.high_s).all()
