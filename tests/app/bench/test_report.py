"""Fields and tables against what llama-bench printed for the same samples (llama_bench.jsonl, llama_bench.md)."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.bench.markdown import Table, batched_tables, footer
from app.bench.plan import BenchGrid, make_plan
from app.bench.report import csv_text, fields, json_line, json_text
from app.bench.row import BenchRow, Subject
from app.engine.bench import BenchEnvironment, BenchTest
from tests.app.bench.rows import row

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = Path(__file__).parent
THEIRS: list[dict[str, Any]] = [
    json.loads(line) for line in (FOLDER / "llama_bench.jsonl").read_text(encoding="utf-8").splitlines()
]
GRID = BenchGrid(
    models=(Path("SmolLM2-135M-Instruct.Q4_1.gguf"),),
    n_prompt=(16,),
    n_gen=(4,),
    n_pg=((8, 2),),
    n_depth=(0, 32),
    repetitions=3,
    n_threads=(1,),
    n_ubatch=(256,),
    type_k=("f16", "q8_0"),
    flash_attention=("on",),
)


def row_of(values: Mapping[str, Any]) -> BenchRow:
    """The result that llama-bench printed, as a row."""
    environment = BenchEnvironment(
        build_commit=values["build_commit"],
        library="llama.cpp",
        cpu_info=values["cpu_info"],
        gpu_info=values["gpu_info"],
        backends=values["backends"],
        model_type=values["model_type"],
        model_size=values["model_size"],
        model_n_params=values["model_n_params"],
        n_gpu_layers=values["n_gpu_layers"],
        repack=values["repack"],
    )
    test = BenchTest(
        values["n_prompt"],
        values["n_gen"],
        values["n_depth"],
        n_batch=values["n_batch"],
        n_ubatch=values["n_ubatch"],
        type_k=values["type_k"],
        type_v=values["type_v"],
        flash_attention="on",
    )
    return row(
        test,
        *values["samples_ns"],
        subject=Subject(environment, values["model_filename"], "", "", ""),
        n_threads=values["n_threads"],
        test_time=values["test_time"],
    )


@pytest.mark.parametrize("theirs", THEIRS, ids=lambda values: f"{values['n_prompt']}-{values['n_gen']}")
def test_json_has_llama_benchs_fields_in_its_order_with_its_values(theirs: dict[str, Any]) -> None:
    ours = fields(row_of(theirs))
    assert list(ours)[: len(theirs)] == list(theirs)
    inexact = {"avg_ns", "stddev_ns", "avg_ts", "stddev_ts", "samples_ts", "build_number"}
    assert {name: ours[name] for name in theirs if name not in inexact} == {
        name: value for name, value in theirs.items() if name not in inexact
    }
    # llama-bench takes its deviation of nanoseconds in whole numbers, and prints samples_ts with six digits.
    assert ours["avg_ns"] == theirs["avg_ns"]
    assert ours["stddev_ns"] == pytest.approx(theirs["stddev_ns"], rel=1e-3)
    assert ours["avg_ts"] == pytest.approx(theirs["avg_ts"], abs=1e-6)
    assert ours["stddev_ts"] == pytest.approx(theirs["stddev_ts"], abs=1e-6)
    assert ours["samples_ts"] == pytest.approx(theirs["samples_ts"], rel=1e-5)


def test_the_table_is_llama_benchs_character_for_character() -> None:
    table = Table(GRID, "CPU")
    ours = table.header() + "".join(table.line(row_of(values)) for values in THEIRS) + footer(row_of(THEIRS[0]))
    *theirs, build = (FOLDER / "llama_bench.md").read_text(encoding="utf-8").splitlines()
    assert ours.splitlines()[:-2] == theirs
    assert ours.splitlines()[-1].split(" (")[0] == build.split(" (")[0]


def test_tests_come_in_llama_benchs_order() -> None:
    (group,) = make_plan(GRID)
    ours = [(test.type_k, test.n_depth, test.n_prompt, test.n_gen) for test in group.tests]
    assert ours == [(each["type_k"], each["n_depth"], each["n_prompt"], each["n_gen"]) for each in THEIRS]


def test_csv_is_quoted_with_flags_as_numbers() -> None:
    text = csv_text([fields(row_of(values)) for values in THEIRS])
    assert text.splitlines()[0].startswith("build_commit,build_number,cpu_info,gpu_info,backends,model_filename,")
    first = next(csv.DictReader(io.StringIO(text)))
    assert (first["n_prompt"], first["repack"], first["cpu_strict"]) == ("16", "1", "0")
    assert json.loads(first["samples_ns"]) == THEIRS[0]["samples_ns"]


def test_jsonl_and_json_say_the_same() -> None:
    values = [fields(row_of(each)) for each in THEIRS]
    assert [json.loads(json_line(each)) for each in values] == json.loads(json_text(values))


def test_a_batch_has_llama_batched_benchs_columns_and_fields() -> None:
    measured = row(
        BenchTest(128, 32, n_parallel=4),
        3_000_000_000,
        method="llama-batched-bench",
        prompt_ns=(1_000_000_000,),
        gen_ns=(2_000_000_000,),
    )
    *_, heading, rule, line = batched_tables([measured]).splitlines()
    assert heading.startswith(
        "|    PP |     TG |    B |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |      T s |    S t/s |"
    )
    assert rule.startswith("|-------|--------|------|--------|----------|")
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells == ["128", "32", "4", "640", "1.000", "512.00", "2.000", "64.00", "3.000", "213.33", "16.00"]
    assert len(line) == len(rule) == len(heading)
    values = fields(measured)
    wanted = {"pp": 128, "tg": 32, "pl": 4, "n_kv": 640, "speed_pp": 512, "speed_tg": 64, "speed_tg_per_request": 16}
    assert {name: values[name] for name in wanted} == wanted
    assert values["speed"] == values["avg_ts"]


def test_whole_answers_have_ttft_and_tpot_and_unknown_stays_unknown() -> None:
    measured = row(BenchTest(50, 10), 1_000_000_000, method="end-to-end", ttft_s=(0.5, 0.7), tpot_s=(0.02, None))
    values = fields(measured)
    assert values["ttft_s"] == pytest.approx(0.6)
    assert values["tpot_s"] == pytest.approx(0.02)
    assert values["samples_tpot_s"] == [0.02, None]
    table = Table(replace(GRID, end_to_end=True), "CPU", chats=True)
    assert "0.600 ± 0.141 |       20.00 ± 0.00 |      50.00 |" in table.line(measured)
    assert " n/a |        n/a |" in table.line(replace(measured, tpot_s=(None,)))
