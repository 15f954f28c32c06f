"""One turn as numbers for the terminal."""

from __future__ import annotations

from dataclasses import replace

from app.telemetry.report import turn_report
from app.telemetry.timings import ContextGrowth
from tests.fakes import MIB, Answer, fake_model, grown
from tests.turns import stats_of


def test_the_context_is_that_at_the_end_of_the_turn() -> None:
    small = fake_model(n_ctx=1024, n_ctx_max=8192)
    growth = ContextGrowth(3, 1024, 1024, 1024, 2048, 20 * MIB, 22 * MIB, 90_000_000)
    stats = replace(stats_of(Answer()), context_growths=(growth,))
    report = turn_report(stats, small.with_context(grown(small, 1024)), None)
    assert (report["n_ctx"], report["n_ctx_max"]) == (2048, 8192)
    assert report["context_growths"] == [{"from": 1024, "to": 2048, "carried_tokens": 1024, "s": 0.09}]
    assert report["memory"]["kv_reserved_bytes"] == 2048 * 23_040
