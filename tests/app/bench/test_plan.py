"""Lists become tests: llama-bench's order, each once, and one line for what cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.bench.lists import flash_attention, pairs
from app.bench.plan import BenchGrid, make_plan
from app.engine.bench import BenchTest
from app.errors import BadInputError

A, B = Path("a.gguf"), Path("b.gguf")


def test_the_default_is_llama_benchs() -> None:
    (group,) = make_plan(BenchGrid((A,)))
    assert group.tests == (BenchTest(512), BenchTest(0, 128))
    assert group.chats == ()


def test_each_model_is_loaded_once_per_number_of_layers() -> None:
    plan = make_plan(BenchGrid((A, B, A), n_gpu_layers=(0, 99), type_k=("f16", "q8_0"), n_depth=(0, 64)))
    assert [(group.model, group.n_gpu_layers) for group in plan] == [(A, 0), (A, 99), (B, 0), (B, 99)]
    assert all(len(group.tests) == 8 for group in plan)


def test_a_depth_stays_while_its_tests_run() -> None:
    """The filled KV cache is used again only while the depth stays the same."""
    (group,) = make_plan(BenchGrid((A,), n_depth=(0, 64, 128), n_pg=((8, 8),)))
    assert [test.n_depth for test in group.tests] == [0] * 3 + [64] * 3 + [128] * 3


def test_batches_and_answers_take_every_pair_of_prompt_and_answer() -> None:
    (group,) = make_plan(
        BenchGrid((A,), n_prompt=(0, 16), n_gen=(4, 8), n_parallel=(1, 2), n_depth=(0, 32), end_to_end=True)
    )
    batched = [(test.n_prompt, test.n_gen, test.n_parallel, test.n_depth) for test in group.tests if test.n_parallel]
    assert batched == [(p, n, b, 0) for p in (0, 16) for n in (4, 8) for b in (1, 2)]
    assert [(test.n_prompt, test.n_gen) for test in group.chats] == [(16, 4), (16, 8)]


def test_what_is_asked_twice_is_measured_once() -> None:
    (group,) = make_plan(BenchGrid((A,), n_prompt=(16, 16), n_gen=(0,)))
    assert group.tests == (BenchTest(16),)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"n_prompt": (0,), "n_gen": (0,)}, "nothing to measure"),
        ({"n_prompt": (-1,)}, "negative"),
        ({"n_pg": ((3, -4),)}, "negative"),
        ({"n_threads": (0,)}, "1 or more"),
        ({"repetitions": 0}, "1 or more"),
        ({"n_parallel": (0,)}, "1 or more"),
        ({"n_parallel": (300,)}, "at most 256"),
        ({"type_v": ("q9",)}, "q9 is not a KV cache type"),
        ({"n_parallel": (2,), "n_gen": (0,)}, "-npl"),
        ({"end_to_end": True, "n_gen": (0,)}, "--e2e"),
    ],
)
def test_what_cannot_be_is_said(changes: dict[str, object], said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        make_plan(BenchGrid((A,), **changes))


def test_no_model_is_said() -> None:
    with pytest.raises(BadInputError, match="Name a model"):
        make_plan(BenchGrid(()))


def test_lists_of_pairs_and_of_switches() -> None:
    assert pairs("512,128") == [(512, 128)]
    assert pairs(" 512,128; 16,4  8,2;") == [(512, 128), (16, 4), (8, 2)]
    assert flash_attention("auto,1, off") == ["auto", "on", "off"]


@pytest.mark.parametrize("text", ["", "5", "5,", ",5", "a,b", "1,2,3", "1, 2", "-1,2", "²,3"])
def test_what_is_no_pair_is_said(text: str) -> None:
    with pytest.raises(BadInputError, match="not a pair of numbers"):
        pairs(text)
