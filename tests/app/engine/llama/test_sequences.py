"""Several sequences of one context, per kind of memory: they grow together, and their states change places."""

from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest

from app.engine.kv_state import Origin, described
from app.engine.llama import state_writer
from app.engine.llama.batch import Batch
from app.engine.llama.growth import Step
from app.engine.llama.library import lib
from app.engine.llama.room import HOST, context_bytes
from app.engine.llama.sequence import Sequence
from app.engine.llama.state_keeper import StateKeeper
from app.engine.llama.state_shelf import StateShelf
from app.engine.state_file import write_state
from app.engine.states import StateBudget, StateFolder
from tests.app.engine.llama.test_state_keeper import KEY, MIB, TURNS, asked, ids
from tests.tiny_models import CASES, HELD, LARGE, ORDER_MATTERS, REST, ROUNDING, START, WINDOWS, Loaded, closeness

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

OTHER = ids(3)


def two(load: Callable[..., Loaded], arch: str, n_ctx: int, **changes: object) -> tuple[Loaded, Sequence, Sequence]:
    """Load a tiny model with two sequences of `n_ctx` tokens."""
    model = load(arch, n_ctx, n_parallel=2, **changes)
    first, second = (Sequence(model.context, number) for number in range(2))
    model.elastic.caches = (first, second)
    return model, first, second


def logits(model: Loaded, *sequences: Sequence) -> NDArray[np.float32]:
    """What follows each of the same tokens in all sequences; they share each step."""
    batch, rows = Batch(len(sequences), 2), []
    for token in REST:
        batch.clear()
        for sequence in sequences:
            batch.add([int(token)], len(sequence.tokens), sequence.number, wants_logits=True)
        assert batch.decode(model.context.handle) == 0
        for number, sequence in enumerate(sequences):
            sequence.tokens.append(int(token))
            row = lib.llama_get_logits_ith(model.context.handle, number)
            rows.append(np.ctypeslib.as_array(ctypes.cast(row, ctypes.POINTER(ctypes.c_float)), (128,)).copy())
    return np.array(rows)


def read(keeper: StateKeeper, budget: StateBudget, conversation: str, prompt: list[int]) -> tuple[str, int]:
    """Read a prompt as the engine does; return where its state came from, and cached tokens."""
    keeper.before_prompt(asked(conversation, budget))
    keeper.take_over(prompt)
    restored = keeper.restore(prompt)
    cached, _ = keeper.reuse(prompt, TURNS, "")
    keeper.after_prompt(Origin(described(TURNS), len(prompt) - 4, len(prompt)))
    if not cached:
        keeper.cache.read(prompt)
    return restored.place, cached


def allowed(arch: str, changes: dict[str, object]) -> float:
    return ORDER_MATTERS if arch in WINDOWS and not changes else ROUNDING


@pytest.mark.parametrize("beside", [True, False], ids=["beside", "instead"])
@pytest.mark.parametrize(("arch", "changes"), CASES, ids=lambda value: str(value))
def test_all_go_on_in_the_larger_context(
    load: Callable[..., Loaded], arch: str, changes: dict[str, object], beside: bool
) -> None:
    (small, *few), (large, *many) = two(load, arch, START, **changes), two(load, arch, LARGE, **changes)
    for sequences in (few, many):
        for sequence, tokens in zip(sequences, (HELD, OTHER), strict=True):
            sequence.read(tokens)
    few[1].undecoded = 9
    grown = small.elastic.grow(Step(2 * START, beside))
    assert grown is not None
    assert (grown.n_ctx, grown.previous_n_ctx, grown.note) == (2 * START, START, "")
    assert grown.carried_tokens == len(HELD) + len(OTHER)
    assert [sequence.tokens for sequence in few] == [HELD, OTHER]
    assert (few[0].n_ctx, few[1].n_ctx, few[1].undecoded) == (2 * START, 2 * START, 9)
    after, always = logits(small, *few), logits(large, *many)
    assert closeness(after, always) < allowed(arch, changes)
    assert (after.argmax(1) == always.argmax(1)).all()


@pytest.mark.parametrize(("arch", "changes"), CASES, ids=lambda value: str(value))
def test_the_estimate_is_never_less_than_what_they_take(
    load: Callable[..., Loaded], arch: str, changes: dict[str, object]
) -> None:
    small, *_ = two(load, arch, START, **changes)
    estimate = context_bytes(small.elastic.model, 4 * START, {HOST: 0})[HOST]
    grown = small.elastic.grow(Step(4 * START, beside=True))
    assert grown is not None
    rounded = 0.01 * 1024**2
    assert grown.memory.total_bytes("kv", "recurrent", "compute", "output") <= estimate + rounded


@pytest.mark.parametrize(("arch", "changes"), CASES, ids=lambda value: str(value))
def test_a_state_goes_on_in_another_sequence(
    load: Callable[..., Loaded], tmp_path: Path, arch: str, changes: dict[str, object]
) -> None:
    (model, first, second), (always, whole, _) = two(load, arch, LARGE, **changes), two(load, arch, LARGE, **changes)
    shelf, budget = StateShelf(lambda: KEY, 128, 2), StateBudget(tmp_path, 64 * MIB, 0)
    keepers = [StateKeeper(each, shelf, lambda: 2**34) for each in (first, second)]

    assert read(keepers[0], budget, "a", HELD) == ("", 0)
    assert read(keepers[1], budget, "b", OTHER) == ("", 0)
    assert read(keepers[0], budget, "c", ids(50)) == ("", 0)  # a is put aside
    assert read(keepers[1], budget, "a", [*HELD, 5]) == ("memory", len(HELD))  # and comes back elsewhere
    assert second.tokens == HELD
    assert first.tokens == ids(50)
    whole.read(HELD)
    after, expected = logits(model, second), logits(always, whole)
    assert closeness(after, expected) < allowed(arch, changes)
    assert (after.argmax(1) == expected.argmax(1)).all()
    assert read(keepers[0], budget, "b", [*OTHER, 5]) == ("memory", len(OTHER))
    shelf.close(60)


def test_the_states_of_all_wait_to_be_written(
    load: Callable[..., Loaded], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, first, second = two(load, "llama-dense", LARGE)
    shelf, budget = StateShelf(lambda: KEY, 128, 2), StateBudget(tmp_path, 0, 64 * MIB)
    keepers = [StateKeeper(each, shelf, lambda: 2**34) for each in (first, second)]
    released = threading.Event()

    def wait_and_write(*arguments: object) -> int:
        released.wait(60)
        return write_state(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(state_writer, "write_state", wait_and_write)
    for keeper, conversation, prompt in ((keepers[0], "a", HELD), (keepers[1], "b", OTHER), (keepers[0], "c", ids(50))):
        read(keeper, budget, conversation, prompt)
        keeper.write()
    released.set()
    shelf.close(60)
    assert all(StateFolder(tmp_path).states(conversation) for conversation in "abc")


def test_what_llama_cpp_does_not_take_is_read_again(
    load: Callable[..., Loaded], monkeypatch: pytest.MonkeyPatch
) -> None:
    (small, *few), (large, *many) = two(load, "llama-dense", START), two(load, "llama-dense", LARGE)
    for sequences in (few, many):
        for sequence, tokens in zip(sequences, (HELD, OTHER), strict=True):
            sequence.read(tokens)
    monkeypatch.setattr("app.engine.llama.growth.put_state", lambda *_: False)
    grown = small.elastic.grow(Step(2 * START, beside=True), read_again=True)
    assert grown is not None
    assert grown.carried_tokens == 0
    assert grown.note
    assert [sequence.tokens for sequence in few] == [HELD, OTHER]
    assert closeness(logits(small, *few), logits(large, *many)) < ROUNDING
