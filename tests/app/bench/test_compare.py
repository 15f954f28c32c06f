"""Results side by side."""

from __future__ import annotations

from dataclasses import replace

from app.bench.compare import compare
from app.bench.report import fields
from app.engine.bench import BenchTest
from tests.app.bench.rows import row

MS = 1_000_000
F16 = [row(BenchTest(100), 100 * MS, 104 * MS), row(BenchTest(0, 10), 200 * MS, 202 * MS)]
Q8 = [replace(each, test=replace(each.test, type_k="q8_0")) for each in F16]


def test_columns_are_named_by_what_differs() -> None:
    table = compare([fields(each) for each in (*F16, *Q8)])
    assert table.tests == (("llama-bench", "pp100"), ("llama-bench", "tg10"))
    assert table.columns == ({"type_k": "f16"}, {"type_k": "q8_0"})


def test_ratios_are_to_the_first_column_and_say_whether_they_mean_anything() -> None:
    faster = replace(Q8[0], samples_ns=(50 * MS, 52 * MS))
    table = compare([fields(each) for each in (*F16, faster, Q8[1])])
    assert [[cell.ratio for cell in cells] for cells in table.cells] == [[None, 2.0], [None, 1.0]]
    assert [cells[1].beyond_spread for cells in table.cells] == [True, False]


def test_a_test_that_a_column_lacks_is_none() -> None:
    table = compare([fields(F16[0]), fields(Q8[1])])
    (first, missing), (none, second) = table.cells
    assert missing is None
    assert none is None
    assert first.ratio is None
    assert second.ratio is None


def test_two_runs_of_the_same_are_two_columns() -> None:
    table = compare([{**fields(F16[0]), "run_id": run} for run in ("a", "b")])
    assert table.columns == ({"run_id": "a"}, {"run_id": "b"})


def test_nothing_compares_to_nothing() -> None:
    assert compare([]).cells == ()
