"""Results that were kept are the same results again, and tell how long a plan takes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.bench.plan import BenchGrid, make_plan
from app.bench.report import fields
from app.bench.stored import batch_sweep, expected_seconds, grid_of, row_from
from app.engine.bench import BenchTest
from tests.app.bench.rows import SUBJECT, row

if TYPE_CHECKING:
    from app.bench.row import BenchRow

OTHER = replace(SUBJECT, model_filename="other.gguf")
PLAIN = row(BenchTest(n_prompt=100, n_depth=64, n_threads=2, type_k="q8_0"), 10**8, 2 * 10**8, others_cpu=0.25)
BATCHED = row(
    BenchTest(n_prompt=100, n_gen=10, n_parallel=2, n_threads=2, flash_attention="on"),
    3 * 10**8,
    method="llama-batched-bench",
    prompt_ns=(10**8,),
    gen_ns=(2 * 10**8,),
)
CHAT = row(
    BenchTest(n_prompt=100, n_gen=10, n_threads=2),
    10**9,
    method="end-to-end",
    sample_tokens=(107,),
    ttft_s=(0.1,),
    tpot_s=(None,),
)


def kept(result: BenchRow) -> BenchRow:
    return row_from(json.loads(json.dumps(fields(result))))


def test_a_result_comes_back_as_it_was() -> None:
    for result in (PLAIN, BATCHED, CHAT):
        assert kept(result) == result


def test_a_table_has_the_columns_the_results_differ_in() -> None:
    grid = grid_of([PLAIN, BATCHED])
    assert grid.type_k == ("q8_0", "f16")
    assert grid.flash_attention == ("auto", "on")
    assert grid.n_ubatch == (512,)


def test_earlier_results_of_a_model_tell_how_long_a_plan_takes() -> None:
    plan = make_plan(BenchGrid((Path("model.gguf"),), n_prompt=(200,), n_gen=(20,), n_depth=(0, 50)))
    known = [row(BenchTest(n_prompt=100), 10**9), row(BenchTest(n_gen=10), 10**9)]
    # 10 ms a token read, 100 ms a token written, six runs of each test, the depth filled once
    assert expected_seconds(plan, 5, True, known) == 2 * 6 * (2.0 + 2.0) + 0.5
    assert expected_seconds(plan, 5, True, [replace(each, subject=OTHER) for each in known]) is None


def batched(sequences: int, gen_ns: int, **changes: object) -> BenchRow:
    test = BenchTest(n_prompt=100, n_gen=10, n_parallel=sequences, n_threads=2)
    given = {"method": "llama-batched-bench", "prompt_ns": (10**8,), "gen_ns": (gen_ns,), **changes}
    return row(test, 10**8 + gen_ns, **given)


def test_the_last_run_with_several_sizes_is_the_sweep() -> None:
    model = Path(SUBJECT.model_filename)
    older = [("old", batched(1, 10**8)), ("old", batched(2, 10**8))]
    newer = [("new", batched(1, 10**8)), ("new", batched(4, 2 * 10**8))]
    single = [("single", batched(8, 10**8)), ("plain", PLAIN), ("other", replace(batched(2, 1), subject=OTHER))]
    assert batch_sweep([*older, *newer, *single], model) == {1: 100.0, 4: 200.0}
    assert batch_sweep(older[:1] + single, model) == {}


def test_a_disturbed_result_is_no_part_of_a_sweep() -> None:
    results = [("run", batched(1, 10**8)), ("run", batched(2, 10**8, others_cpu=0.9))]
    assert results[1][1].disturbance
    assert batch_sweep(results, Path(SUBJECT.model_filename)) == {}
