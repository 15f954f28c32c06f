"""Numbers as text: digits, units, locales, unknowns."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import datetime

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QLocale

from app.telemetry import timings
from app.telemetry.recorder import TurnRecorder
from tests.fakes import MIB, Answer
from tests.turns import T0, stats_of
from ui import formatting
from ui.formatting import Unit, axis_labels, definition, duration, finish_reason, memory, number, turn_footer

GIB = 1024 * MIB


@pytest.fixture(autouse=True)
def english():
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))
    yield
    QLocale.setDefault(before)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "n/a"),
        (0, "0"),
        (0.0123456, "0.0123"),
        (0.5, "0.500"),
        (1, "1.00"),
        (9.994, "9.99"),
        (9.996, "10.0"),
        (84.14, "84.1"),
        (99.96, "100"),
        (123.4, "123"),
        (999.6, "1,000"),
        (1234.5, "1,230"),
        (98765, "98,800"),
        (-84.14, "-84.1"),
    ],
)
def test_three_significant_digits(value: float | None, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "n/a"),
        (0, "0 ms"),
        (0.0000123, "0.0123 ms"),
        (0.0119, "11.9 ms"),
        (0.24, "240 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1.00 s"),
        (1, "1.00 s"),
        (61.24, "61.2 s"),
        (3600, "3,600 s"),
    ],
)
def test_ms_below_a_second_and_s_above(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("size_bytes", "text"),
    [
        (None, "n/a"),
        (0, "0 MiB"),
        (23_040, "22.5 KiB"),
        (4, "4 B"),
        (1023, "1,023 B"),
        (1024, "1.00 KiB"),
        (MIB - 1, "1.00 MiB"),
        (MIB, "1.00 MiB"),
        (26.5 * MIB, "26.5 MiB"),
        (1023 * MIB, "1,020 MiB"),
        (GIB, "1.00 GiB"),
        (7.83 * GIB, "7.83 GiB"),
        (1500 * GIB, "1,500 GiB"),
    ],
)
def test_bytes_kib_mib_gib(size_bytes: float | None, text: str) -> None:
    assert memory(size_bytes) == text


def test_counts_are_exact_and_grouped() -> None:
    assert formatting.count(1_204) == "1,204"
    assert formatting.count(1_234_567) == "1,234,567"
    assert formatting.count(None) == "n/a"
    assert formatting.tokens(1) == "1 token"
    assert formatting.tokens(0) == "0 tokens"
    assert formatting.tokens(4096) == "4,096 tokens"
    assert formatting.turn_count(1) == "1 turn"
    assert formatting.turn_count(12) == "12 turns"


def test_rates_and_percentages() -> None:
    assert formatting.rate(84.14) == "84.1 tok/s"
    assert formatting.rate(None) == "n/a"
    assert formatting.percent(0.294) == "29.4%"
    assert formatting.percent(1) == "100%"
    assert formatting.percent(None) == "n/a"


@pytest.mark.parametrize(
    ("language", "rate", "count"),
    [("German", "84,1 tok/s", "1.204"), ("Chinese", "84.1 tok/s", "1,204"), ("C", "84.1 tok/s", "1,204")],
)
def test_the_locale_decides_points_and_groups(language: str, rate: str, count: str) -> None:
    QLocale.setDefault(QLocale(getattr(QLocale.Language, language)))
    assert formatting.rate(84.14) == rate
    assert formatting.count(1204) == count


def test_the_footer_of_an_answer() -> None:
    stats = stats_of(Answer(pieces=("a",) * 96, prompt_tokens=312, cached_tokens=288, finish_reason="cancelled"))
    assert turn_footer(stats) == (
        "TTFT 108 ms · 100 tok/s · TPOT 10.0 ms · 312 + 96 tokens, 288 cached · stopped by you"
    )


def test_the_footer_without_a_cache() -> None:
    assert turn_footer(stats_of(Answer())) == "TTFT 108 ms · 100 tok/s · TPOT 10.0 ms · 20 + 3 tokens · complete"


def test_the_footer_of_an_answer_that_never_began() -> None:
    stats = replace(TurnRecorder(T0).stats, finish_reason="crashed")
    assert turn_footer(stats) == "TTFT n/a · TPOT n/a · n/a + 0 tokens · the engine crashed"


def test_every_reason_has_its_words() -> None:
    reasons = ("stop", "stop_string", "length", "context", "cancelled", "failed", "crashed", "interrupted")
    words = [finish_reason(reason) for reason in reasons]
    assert len(set(words)) == len(reasons)
    assert "n/a" not in words
    assert finish_reason(None) == "n/a"


TIMES = ("ttft", "queue", "tokenise", "prefill", "rest", "itl", "tpot", "e2e", "prefill_rate", "decode_rate")
SIZES = ("kv_used", "kv_reserved", "kv_saved", "memory", "context")


@pytest.mark.parametrize("key", TIMES + SIZES)
def test_every_number_has_a_definition(key: str) -> None:
    assert len(definition(key)) > 40


def test_an_unknown_number_has_none() -> None:
    with pytest.raises(KeyError):
        definition("joules")


def test_definitions_say_what_the_code_computes() -> None:
    assert timings.__doc__ is not None
    for name in ("TTFT", "ITL", "TPOT", "E2E"):
        assert name in timings.__doc__
        assert name in definition(name.lower())
    assert "1 / TPOT" in definition("decode_rate")
    assert "TTFT + (n - 1) × TPOT" in definition("e2e")
    assert "takes more in steps" in definition("kv_reserved")


@pytest.mark.parametrize(
    ("values", "unit", "labels"),
    [
        ([0, 50, 100], Unit(1e-3, "ms"), ["0", "50", "100 ms"]),
        ([0, 0.5, 1.0, 1.5], Unit(1, "s"), ["0", "0.5", "1.0", "1.5 s"]),
        ([0, 0.05, 0.1], Unit(1, "s"), ["0", "0.05", "0.10 s"]),
        ([0, 500, 1000], Unit(MIB, "MiB"), ["0", "500", "1,000 MiB"]),
    ],
)
def test_an_axis_names_its_unit_once(values: list[float], unit: Unit, labels: list[str]) -> None:
    assert axis_labels(values, unit) == labels


@pytest.mark.parametrize("name", ["en_US", "en_GB", "de_DE", "zh_CN"])
def test_a_day_is_read_the_same_everywhere(name):
    QLocale.setDefault(QLocale(name))
    assert formatting.day(datetime(2026, 1, 2, 23, 59).astimezone()) == "2026-01-02"
