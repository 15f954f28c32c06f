"""Where items lie."""

from __future__ import annotations

import pytest

from ui.chat.geometry import PADDING, Column, column_width, estimate_height
from ui.chat.item import Item, Kind


def test_tops_and_height():
    column = Column([10, 20, 30])
    assert column.tops == [PADDING, PADDING + 10, PADDING + 30, PADDING + 60]
    assert column.height == 60 + 2 * PADDING


@pytest.mark.parametrize(
    ("top", "height", "expected"),
    [(0, 5, []), (0, 1000, [0, 1, 2]), (PADDING + 10, 5, [1]), (PADDING + 5, 10, [0, 1]), (10_000, 10, [])],
)
def test_what_is_in_sight(top, height, expected):
    assert list(Column([10, 20, 30]).visible(top, height)) == expected


def test_nothing_is_in_sight_of_nothing():
    assert list(Column([]).visible(0, 1000)) == []
    assert Column([]).height == 2 * PADDING


def test_the_column_is_readable_and_fits():
    assert column_width(3000, 14) == (14 * 46) + 32
    assert column_width(400, 14) == 400
    assert column_width(10, 14) == 200


def test_longer_texts_are_estimated_higher():
    def height(text: str, kind: Kind = Kind.ASSISTANT) -> int:
        return estimate_height(Item("x", kind, text=text), 600, 7, 20)

    assert height("word " * 1000) > 3 * height("word " * 100)
    assert height("line\n" * 100) > height("line")
    assert height("word " * 1_000_000, Kind.USER) < 2000
