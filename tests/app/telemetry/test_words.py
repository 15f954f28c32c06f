"""Every number has its one definition, as the README has it, and its formula gives it from today's figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.telemetry.ceilings import UNKNOWN_CEILINGS, Ceilings
from app.telemetry.roofline import roofline
from app.telemetry.waiting import wait_of
from app.telemetry.words import KEYS, Explanation, Figures, explain
from app.telemetry.words.timeline import timeline
from app.telemetry.work import CacheRead, ModelWork
from tests.app.telemetry.test_waiting import STATS
from tests.fakes import fake_model

README = " ".join((Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8").split())
WORK = ModelWork(10**8, 0, 0, 0, 5 * 10**7, 0, 0, 0, 0, (CacheRead(4096, 1000, 1000),), (), 0)
CEILINGS = Ceilings(2e10, 5e11, None, None)
WAIT = wait_of(STATS)
FIGURES = Figures(STATS, fake_model(), 402, WAIT, roofline(WORK, CEILINGS, STATS, 512))


def result(explanation: Explanation) -> float:
    """Compute the filled formula."""
    text = explanation.filled(lambda value, unit: repr(value)).replace(" x ", " * ")
    return float(eval(text))


@pytest.mark.parametrize("key", KEYS)
def test_the_definition_is_the_readmes(key: str) -> None:
    assert " ".join(explain(key).definition.split()) in README


@pytest.mark.parametrize("key", [key for key in KEYS if key not in ("itl", "kv_reserved")])
def test_the_formula_gives_the_number(key: str) -> None:
    explanation = explain(key, FIGURES)
    assert explanation.value is not None
    assert explanation.terms
    assert result(explanation) == pytest.approx(explanation.value, rel=1e-5)


@pytest.mark.parametrize("key", KEYS)
def test_without_figures_there_is_the_definition_alone(key: str) -> None:
    explanation = explain(key)
    assert explanation.key == key
    assert explanation.value is None
    assert explanation.terms == ()
    assert explanation.formula == ""
    assert explanation.name
    assert explanation.moved_by.endswith(".")


def test_one_token_has_no_tpot_and_no_made_up_zero() -> None:
    one = Figures(replace(STATS, token_ns=STATS.token_ns[:1]))
    for key in ("tpot", "decode_tokens_per_s", "itl"):
        assert explain(key, one).value is None
        assert explain(key, one).terms == ()
    assert explain("ttft", one).value == 0.08


def test_without_ceilings_a_share_is_unknown_but_its_figures_are_not() -> None:
    explanation = explain("mbu", Figures(roofline=roofline(WORK, UNKNOWN_CEILINGS, STATS, 512)))
    assert explanation.value is None
    assert [term.value is None for term in explanation.terms] == [False, False, True]
    assert explanation.filled(lambda value, unit: "n/a" if value is None else unit) == "bytes / (s x n/a)"


def test_latencies_by_percentile() -> None:
    explanation = explain("itl", FIGURES)
    assert [(term.symbol, term.value) for term in explanation.terms] == [
        ("p50", 0.02), ("p95", 0.02), ("p99", 0.02), ("max", 0.02),
    ]  # fmt: skip


def test_the_timeline_has_no_gap_and_ends_with_the_wait() -> None:
    assert WAIT is not None
    drawn = timeline(STATS, WAIT)
    assert [span.part for span in drawn.spans] == [part.name for part in WAIT.parts]
    assert [span.phase for span in drawn.spans] == ["before"] * 4 + ["prefill"] * 2 + ["decode", "after"]
    assert drawn.spans[0].start_s == 0
    assert all(before.end_s == after.start_s for before, after in zip(drawn.spans, drawn.spans[1:], strict=False))
    assert drawn.end_s == 0.129
    assert drawn.token_s == (0.08, 0.1, 0.12)
    assert drawn.spans[4].tokens == 100


def test_parts_of_no_length_are_left_out() -> None:
    failed = replace(
        STATS,
        started_ns=None,
        rendered_ns=None,
        tokenised_ns=None,
        prefill_started_ns=None,
        prefill_done_ns=None,
        token_ns=(),
    )
    wait = wait_of(failed)
    assert wait is not None
    assert [span.part for span in timeline(failed, wait).spans] == ["queue", "window"]
