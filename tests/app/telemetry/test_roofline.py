"""MBU, MFU and the roofline, on a machine and a model of round numbers."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.engine.events import PrefillProgressed, PromptTokenised
from app.telemetry.ceilings import UNKNOWN_CEILINGS, Ceiling, Ceilings, ceilings_of
from app.telemetry.recorder import TurnRecorder
from app.telemetry.roofline import (
    batch_line,
    crossover_batch,
    decode_point,
    measured_crossover_batch,
    prefill_point,
    roofline,
)
from app.telemetry.timings import TurnStats
from app.telemetry.work import Attention, CacheRead, ModelWork
from tests.fakes import MS, Answer
from tests.turns import T0, stats_of

NOW = datetime(2026, 3, 1, tzinfo=UTC)
CEILINGS = Ceilings(read_bytes_per_s=1e9, flops_per_s=4e9, measured_at=NOW, cache_bytes=1_000_000)
# 10 MB of weights, 1 operation per weight byte and token, a cache of 1,000 bytes per cell.
WORK = ModelWork(
    dense_bytes=10_000_000,
    head_bytes=0,
    experts_bytes=0,
    embedding_row_bytes=0,
    dense_weights=5_000_000,
    head_weights=0,
    experts_weights=0,
    experts=0,
    experts_used=0,
    caches=(CacheRead(4096, 1000, 0),),
    attention=(Attention(0, None),),
    recurrent_bytes=0,
)
STATS = stats_of(Answer(pieces=("a",) * 11, prompt_tokens=200, cached_tokens=0, prefill_ms=1000, itl_ms=20))


def test_decode_reaches_a_share_of_the_bandwidth() -> None:
    point = decode_point(WORK, CEILINGS, STATS)
    assert point is not None
    # Ten steps of 10 MB and 256 cells of 1,000 bytes, 20 ms each, against 1 GB/s.
    assert point.n_bytes == 10 * 10_256_000
    assert point.share == pytest.approx(10_256_000 / 0.02 / 1e9)
    assert point.bytes_per_s == pytest.approx(10_256_000 / 0.02)
    assert point.intensity == pytest.approx(10_000_000 / 10_256_000)
    assert point.note == ""


def test_prefill_reaches_a_share_of_the_best_rate() -> None:
    point = prefill_point(WORK, CEILINGS, STATS, n_ubatch=512)
    assert point is not None
    assert point.operations == 200 * 10_000_000
    assert point.share == pytest.approx(2e9 / 1.0 / 4e9)
    assert point.intensity > 100


def test_the_fastest_prefill_is_all_of_it() -> None:
    point = prefill_point(WORK, replace(CEILINGS, flops_per_s=1e9), STATS, n_ubatch=512)
    assert point is not None
    assert point.share == 1.0
    assert "fastest" in point.note


def test_a_model_that_lives_in_the_cache_has_no_share_but_a_sentence() -> None:
    point = decode_point(WORK, replace(CEILINGS, cache_bytes=32 * 1024 * 1024), STATS)
    assert point is not None
    assert point.share is None
    assert "fit into the processor's cache of 32 MiB" in point.note


def test_more_than_memory_delivers_is_not_140_percent() -> None:
    point = decode_point(WORK, Ceilings(3e8, None, NOW, None), STATS)
    assert point is not None
    assert point.share is None
    assert "more than memory delivers" in point.note


def test_without_ceilings_there_is_no_share_and_no_line() -> None:
    unknown = Ceilings(None, None, None, None)
    picture = roofline(WORK, unknown, STATS, 512)
    assert [(point.phase, point.share) for point in picture.phases] == [("prefill", None), ("decode", None)]
    assert picture.line == ()
    assert picture.ridge is picture.crossover_batch is picture.measured_crossover_batch is None


def test_unknown_phases_are_left_out() -> None:
    assert roofline(WORK, CEILINGS, TurnStats(T0), 512).phases == ()
    one_token = stats_of(Answer(pieces=("",), prompt_tokens=20))
    assert [point.phase for point in roofline(WORK, CEILINGS, one_token, 512).phases] == ["prefill"]


def test_a_running_prefill_is_measured_as_far_as_it_came() -> None:
    recorder = TurnRecorder(T0)
    recorder.observe(PromptTokenised(T0, T0, 1000, 200))
    recorder.observe(PrefillProgressed(0, 800, T0))
    assert roofline(WORK, CEILINGS, recorder.stats, 512, recorder=recorder).phases == ()
    recorder.observe(PrefillProgressed(512, 800, T0 + 2000 * MS))
    (point,) = roofline(WORK, CEILINGS, recorder.stats, 512, recorder=recorder).phases
    assert (point.tokens, point.seconds) == (512, 2.0)
    assert point.flops_per_s == 512 * 10_000_000 / 2


def test_the_line_bends_where_bytes_and_operations_take_as_long() -> None:
    # Without a cache: 10 ms for the bytes, 2.5 ms of arithmetic per sequence: four sequences.
    work = replace(WORK, caches=())
    assert crossover_batch(work, CEILINGS, 100) == pytest.approx(4)
    line = batch_line(work, CEILINGS, 100, (1, 2, 4, 8))
    assert [point.bound for point in line] == ["memory", "memory", "arithmetic", "arithmetic"]
    assert [point.tokens_per_s for point in line] == pytest.approx([100, 200, 400, 400])
    assert line[-1].flops_per_s == pytest.approx(4e9)


def test_the_cache_is_not_shared_so_a_long_context_moves_the_crossover_away() -> None:
    # 1.024 ms of cache per sequence at 1,000 tokens: 10 + 1.024 B = 2.5 B.
    assert crossover_batch(WORK, CEILINGS, 1000) == pytest.approx(10 / (2.5 - 1.024), rel=1e-5)
    assert crossover_batch(WORK, CEILINGS, 4000) is None  # 4.096 ms against 2.5: memory always


def test_a_slow_processor_is_bound_by_arithmetic_at_once() -> None:
    assert crossover_batch(WORK, replace(CEILINGS, flops_per_s=1e8), 100) == 1.0


@pytest.mark.parametrize(
    ("sweep", "crossover"),
    [
        ({1: 10.0, 2: 19.0, 4: 30.0, 8: 30.0}, 3.0),
        ({1: 10.0, 2: 20.0, 4: 40.0}, None),
        ({1: 10.0}, None),
        ({2: 10.0, 4: 12.0, 8: 11.0}, 2.4),
    ],
    ids=["a plateau", "still rising", "one size", "begins at two"],
)
def test_measured_crossover(sweep: dict[int, float], crossover: float | None) -> None:
    assert measured_crossover_batch(sweep) == crossover


def test_the_ceilings_of_a_device_come_from_what_was_measured_on_it() -> None:
    later = NOW.replace(year=2027)
    found = [
        Ceiling("memory_read", "m", "CPU", 2e10, later, ""),
        Ceiling("prefill", "m", "CPU", 5e11, NOW, ""),
        Ceiling("device_read", "m", "CUDA", 9e11, later, ""),
        Ceiling("prefill", "m", "CUDA", 3e13, later, ""),
    ]
    assert ceilings_of(found, "CPU", 2**25) == Ceilings(2e10, 5e11, NOW, 2**25)
    assert ceilings_of(found, "CUDA", 2**25) == Ceilings(9e11, 3e13, later, None)
    assert ceilings_of([], "CPU", None) == UNKNOWN_CEILINGS
