"""When the context will be full, from the growth of the last turns."""

from __future__ import annotations

import pytest

from app.telemetry.forecast import Forecast, forecast


def test_steady_growth() -> None:
    # 300 of 1000 cells after turn 3, 100 more each turn: seven still fit, the eleventh does not.
    assert forecast([100, 200, 300], 1000) == Forecast(100.0, 2, 7, 11)


def test_only_the_last_five_growths_count() -> None:
    ends = [1000, 1900, 1910, 1920, 1930, 1940, 1950]
    result = forecast(ends, 2000)
    assert result == Forecast(10.0, 5, 5, 13)


def test_the_mean_of_uneven_growth() -> None:
    result = forecast([50, 150, 350], 500)
    assert result is not None
    assert result.tokens_per_turn == 150.0
    assert (result.turns_left, result.limit_turn) == (1, 5)


@pytest.mark.parametrize(
    ("ends", "n_ctx"),
    [([], 4096), ([200], 4096), ([None, 200], 4096), ([200, 400], None), ([400, 200], 4096), ([200, 200], 4096)],
    ids=["no turn", "one turn", "one known", "no limit", "only shrunk", "no growth"],
)
def test_unknown_is_none(ends: list[int | None], n_ctx: int | None) -> None:
    assert forecast(ends, n_ctx) is None


def test_a_summary_between_two_turns_is_no_growth() -> None:
    assert forecast([3000, 3200, 800, 1000], 4000) == Forecast(200.0, 2, 15, 20)


def test_a_turn_that_crashed_left_nothing_and_is_no_growth() -> None:
    result = forecast([100, 200, 0, 300], 1000)
    assert result is not None
    assert result.tokens_per_turn == 100.0
    assert result.limit_turn == 12


@pytest.mark.parametrize(("last", "left"), [(900, 1), (901, 0), (1000, 0), (1100, 0)])
def test_the_last_turn_that_fits(last: int, left: int) -> None:
    result = forecast([last - 100, last], 1000)
    assert result is not None
    assert (result.turns_left, result.limit_turn) == (left, 3 + left)
