"""Bench results and ceilings in the store."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.storage.store import Store
from app.telemetry.ceilings import Ceiling
from tests.app.storage.samples import AWKWARD_TEXTS, NOON

if TYPE_CHECKING:
    from pathlib import Path

RESULT = {
    "model_filename": "/models/模型.gguf",
    "model_fingerprint": "aa",
    "machine": "here",
    "method": "llama-bench",
    "test": "pp512",
    "avg_ts": 12.5,
    "samples_ns": [1, 2],
    "build_number": None,
}
CEILING = Ceiling("memory_read", "here", "CPU", 4.0e10, NOON, "2 threads")


def test_results_come_back_as_they_were_in_their_order(store: Store, path: Path) -> None:
    store.add_bench_results("run 1", [RESULT, {**RESULT, "test": "tg128"}])
    store.close()
    again = Store(path)
    found = again.bench_results()
    again.close()
    assert [each.values for each in found] == [RESULT, {**RESULT, "test": "tg128"}]
    assert {each.run_id for each in found} == {"run 1"}
    assert len({each.id for each in found}) == 2
    assert found[0].measured_at.tzinfo is not None


def test_results_are_found_by_run_model_and_machine(store: Store) -> None:
    store.add_bench_results("a", [RESULT])
    store.add_bench_results("b", [{**RESULT, "model_fingerprint": "bb"}])
    store.add_bench_results("c", [{**RESULT, "machine": "there"}])
    assert [each.run_id for each in store.bench_results()] == ["a", "b", "c"]
    assert [each.run_id for each in store.bench_results(run_ids=["c", "a"])] == ["a", "c"]
    assert [each.run_id for each in store.bench_results(model_fingerprint="aa", machine="here")] == ["a"]
    assert store.bench_results(run_ids=["none"]) == []


def test_single_results_and_whole_runs_can_be_deleted(store: Store) -> None:
    store.add_bench_results("a", [RESULT, RESULT])
    store.add_bench_results("b", [RESULT])
    first = store.bench_results()[0]
    store.delete_bench_results(ids=[first.id], run_ids=["b"])
    (left,) = store.bench_results()
    assert left.run_id == "a"
    store.delete_bench_results(ids=[first.id], run_ids=["b"])  # gone already
    assert len(store.bench_results()) == 1


@pytest.mark.parametrize("text", AWKWARD_TEXTS)
def test_any_text_survives(store: Store, text: str) -> None:
    values = {**RESULT, "model_filename": text, "note": text}
    store.add_bench_results("a", [values])
    store.set_ceilings([replace(CEILING, source=text)])
    assert store.bench_results()[0].values == values
    assert store.ceilings("here")[0].source == text


def test_a_ceiling_takes_the_place_of_the_older_one_of_its_kind(store: Store) -> None:
    other = replace(CEILING, device="CUDA", kind="prefill")
    store.set_ceilings([CEILING, other, replace(CEILING, machine="there")])
    newer = replace(CEILING, value=5.0e10)
    store.set_ceilings([newer])
    assert store.ceilings("here") == [newer, other]
    assert store.ceilings("nowhere") == []
