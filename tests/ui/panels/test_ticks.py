"""Round limits and ticks."""

from __future__ import annotations

import pytest

from tests.fakes import MIB
from ui.formatting import duration_unit, memory_unit
from ui.panels.ticks import context_ticks, nice_step, round_context, value_axis, whole_ticks


@pytest.mark.parametrize(
    ("span", "most", "step"), [(10, 5, 2), (10, 4, 5), (100, 3, 50), (7, 7, 1), (0.03, 3, 0.01), (3500, 4, 1000)]
)
def test_steps_are_one_two_or_five(span: float, most: int, step: float) -> None:
    assert nice_step(span, most) == pytest.approx(step)


@pytest.mark.parametrize("largest", [1e-6, 0.0004, 0.0119, 0.108, 0.9, 0.99, 1.0, 3.3, 61.0, 900.0])
@pytest.mark.parametrize("pixels", [40, 90, 250, 1000])
def test_what_is_shown_fits_and_fills_the_axis(largest: float, pixels: float) -> None:
    end, ticks = value_axis(largest, pixels, duration_unit)
    assert largest <= end * (1 + 1e-9)
    assert end <= largest * 2.1
    values = [value for value, _ in ticks]
    assert values[0] == 0
    assert values[-1] <= end * (1 + 1e-9)
    assert 2 <= len(ticks) <= max(5, pixels / 17)
    assert ticks[-1][1].endswith(" s" if end >= 1 else " ms")
    assert all(" " not in label for _, label in ticks[:-1])


def test_the_unit_is_that_of_the_axis_end() -> None:
    end, ticks = value_axis(0.93, 80, duration_unit)
    assert end == 1.0
    assert [label for _, label in ticks] == ["0", "0.5", "1.0 s"]


def test_memory_in_mib() -> None:
    end, ticks = value_axis(211 * MIB, 85, memory_unit)
    assert end == 250 * MIB
    assert ticks == [(0, "0"), (100 * MIB, "100"), (200 * MIB, "200 MiB")]


def test_nothing_to_show_still_makes_an_axis() -> None:
    end, ticks = value_axis(0.0, 100, duration_unit)
    assert end > 0
    assert len(ticks) >= 2


@pytest.mark.parametrize(
    ("first", "last", "most", "ticks"),
    [(1, 10.5, 10, list(range(1, 11))), (1, 10.5, 5, [2, 4, 6, 8, 10]), (24, 43.5, 4, [25, 30, 35, 40])],
)
def test_turn_numbers_are_whole(first: float, last: float, most: int, ticks: list[int]) -> None:
    assert whole_ticks(first, last, most) == ticks


def test_a_context_is_divided_in_halves() -> None:
    assert context_ticks(4096, 4) == [0, 1024, 2048, 3072, 4096]
    assert context_ticks(4096, 3) == [0, 2048, 4096]
    assert context_ticks(4096, 0) == [0, 4096]
    assert context_ticks(1000, 9)[-1] == 1000


@pytest.mark.parametrize(
    ("tokens", "n_ctx", "end"),
    [(1, 4096, 256), (256, 4096, 256), (257, 4096, 512), (3000, 4096, 4096), (3000, 3500, 3500), (5000, None, 8192)],
)
def test_the_context_axis_ends_at_powers_of_two(tokens: int, n_ctx: int | None, end: int) -> None:
    assert round_context(tokens, n_ctx) == end


def test_more_tokens_than_the_context_are_still_shown() -> None:
    assert round_context(5000, 4096) >= 5000
