"""What is packed comes out the same."""

from __future__ import annotations

import random
from dataclasses import fields
from datetime import UTC, datetime, timedelta

import pytest

from app.errors import StorageError
from app.storage.packing import (
    GROWTH_COLUMNS,
    MEMORY_COLUMNS,
    fold,
    pack_integers,
    pack_memory,
    pack_text,
    pack_time,
    unpack_integers,
    unpack_memory,
    unpack_text,
    unpack_time,
)
from app.telemetry.series import MemoryPoint
from app.telemetry.timings import ContextGrowth
from tests.app.storage.samples import AWKWARD_TEXTS, random_texts


@pytest.mark.parametrize("text", AWKWARD_TEXTS, ids=range(len(AWKWARD_TEXTS)))
def test_text_round_trip(text: str) -> None:
    assert unpack_text(pack_text(text)) == text


def test_random_text_round_trip_and_folding_is_total_and_stable() -> None:
    for text in random_texts(2000):
        assert unpack_text(pack_text(text)) == text
        folded = fold(text)
        folded.encode()
        assert fold(folded) == folded


def test_sound_text_stays_text() -> None:
    assert pack_text("模型 😀\0") == "模型 😀\0"
    assert isinstance(pack_text("\ud800"), bytes)


def test_bytes_a_disk_changed_are_replaced_and_do_not_raise() -> None:
    assert unpack_text(b"good \xff bad") == "good \ufffd bad"


@pytest.mark.parametrize(
    "values",
    [[], [0], [-1], [2**63 - 1], [-(2**63), 2**63 - 1], [5, 4, 3, -7, 10**18], list(range(0, 10**9, 999_983))],
)
def test_integers_round_trip(values: list[int]) -> None:
    unpacked = unpack_integers(pack_integers(values))
    assert unpacked == values
    assert all(type(value) is int for value in unpacked)


def test_random_integers_round_trip() -> None:
    chance = random.Random(5)
    for _ in range(200):
        values = [chance.getrandbits(chance.randrange(63)) for _ in range(chance.randrange(50))]
        assert unpack_integers(pack_integers(values)) == values


def test_the_instants_of_an_answer_take_about_three_bytes_a_token() -> None:
    chance = random.Random(5)
    instants = [10**15]
    for _ in range(1999):
        instants.append(instants[-1] + int(chance.gauss(12e6, 2e6)))
    assert len(pack_integers(instants)) < 2000 * 3.3


@pytest.mark.parametrize("packed", [b"", b"no zlib", pack_integers([1, 2])[:-3]])
def test_damaged_integers_are_one_sentence(packed: bytes) -> None:
    with pytest.raises(StorageError, match=r"^[A-Z].*\.$"):
        unpack_integers(packed)


def test_memory_round_trip() -> None:
    points = (MemoryPoint(0, 1, 2, 3, 4, 5, None), MemoryPoint(2**40, 0, 0, 2**40, 0, 1, 0, 2**39))
    assert unpack_memory(pack_memory(points)) == points
    assert unpack_memory(pack_memory(())) == ()


def test_the_packed_columns_are_the_fields_of_a_memory_point() -> None:
    assert tuple(field.name for field in fields(MemoryPoint)) == MEMORY_COLUMNS


def test_the_packed_rows_are_the_fields_of_a_growth() -> None:
    assert tuple(field.name for field in fields(ContextGrowth)) == GROWTH_COLUMNS


def test_times_round_trip_exactly() -> None:
    chance = random.Random(5)
    for _ in range(1000):
        time = datetime(1969, 1, 1, tzinfo=UTC) + timedelta(microseconds=chance.randrange(4 * 10**15))
        assert unpack_time(pack_time(time)) == time
