"""Every kind of memory goes on in a larger context as if it had always been that large; and what happens when not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from app.engine.llama.context import LlamaContext
from app.engine.llama.growth import ElasticContext, Step
from app.engine.llama.room import HOST, context_bytes
from app.errors import ContextFullError, EngineError
from tests.tiny_models import (
    CASES,
    HELD,
    LARGE,
    ORDER_MATTERS,
    REST,
    ROUNDING,
    START,
    WINDOWS,
    Loaded,
    closeness,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("beside", [True, False], ids=["beside", "instead"])
@pytest.mark.parametrize(("arch", "changes"), CASES, ids=lambda value: str(value))
def test_what_was_read_goes_on_in_the_larger_context(
    load: Callable[..., Loaded], arch: str, changes: dict[str, object], beside: bool
) -> None:
    small, large = load(arch, **changes), load(arch, LARGE, **changes)
    small.read(HELD)
    large.read(HELD)
    grown = small.elastic.grow(Step(2 * START, beside))
    assert grown is not None
    assert (grown.n_ctx, grown.previous_n_ctx, grown.carried_tokens, grown.note) == (1024, START, START, "")
    assert small.context.tokens == HELD
    after, always = small.logits(REST), large.logits(REST)
    assert np.isfinite(always).all()
    has_new_order = arch in WINDOWS and not changes
    assert closeness(after, always) < (ORDER_MATTERS if has_new_order else ROUNDING)
    assert (after.argmax(1) == always.argmax(1)).all()

    large.context.clear()
    assert closeness(large.logits(REST), always) > 10 * ORDER_MATTERS  # what was read before does count


@pytest.mark.parametrize(("arch", "changes"), CASES, ids=lambda value: str(value))
def test_the_estimate_is_never_less_than_what_is_taken(
    load: Callable[..., Loaded], arch: str, changes: dict[str, object]
) -> None:
    small = load(arch, **changes)
    estimate = context_bytes(small.elastic.model, 4 * START, {HOST: 0})[HOST]
    grown = small.elastic.grow(Step(4 * START, beside=True))
    assert grown is not None
    rounded = 0.01 * 1024**2
    assert grown.memory.total_bytes("kv", "recurrent", "compute", "output") <= estimate + rounded


def test_only_the_window_itself_is_carried_so_a_step_back_is_noticed(load: Callable[..., Loaded]) -> None:
    small = load("gemma3-dense")
    small.read(HELD)
    assert small.elastic.grow(Step(2 * START, beside=True)) is not None
    assert small.context.reuse_prefix([*HELD, 7]) == (START, "")
    kept, reason = small.context.reuse_prefix([*HELD[:-4], 7])
    assert kept == 0
    assert "sliding window" in reason


class OtherTypes(LlamaContext):
    """llama.cpp refuses the state of an f16 cache for a q8_0 one."""

    def make(self, n_ctx: int) -> int:
        if n_ctx > START:
            self._config = replace(self._config, type_k="q8_0", type_v="q8_0")
        return super().make(n_ctx)


@pytest.mark.parametrize("read_again", [False, True])
def test_a_state_that_is_refused_is_said_and_never_taken_for_granted(
    load: Callable[..., Loaded], read_again: bool
) -> None:
    small = load("llama-dense", kind=OtherTypes)
    small.read(HELD)
    grown = small.elastic.grow(Step(2 * START, beside=True), read_again=read_again)
    assert grown is not None
    assert grown.carried_tokens == 0
    assert "could not carry over the 512 tokens" in grown.note
    assert small.context.tokens == (HELD if read_again else [])
    small.read([] if read_again else HELD)
    large = load("llama-dense", LARGE, type_k="q8_0", type_v="q8_0")
    large.read(HELD)
    assert closeness(small.logits(REST), large.logits(REST)) < ROUNDING


class NoRoom(LlamaContext):
    """llama.cpp cannot allocate more than the context has."""

    def make(self, n_ctx: int) -> int:
        if n_ctx > START:
            raise EngineError("llama.cpp could not make a context.")
        return super().make(n_ctx)


@pytest.mark.parametrize("beside", [True, False], ids=["beside", "instead"])
@pytest.mark.parametrize("arch", ["llama-dense", "gemma3-dense", "jamba-dense"])
def test_a_context_that_cannot_be_made_leaves_the_old_one(load: Callable[..., Loaded], arch: str, beside: bool) -> None:
    small, large = load(arch, kind=NoRoom), load(arch, LARGE)
    held = HELD[: START - len(REST)]
    small.read(held)
    large.read(held)
    with pytest.raises(ContextFullError, match="could not make a context of 1,024 tokens"):
        small.elastic.grow(Step(2 * START, beside))
    assert (small.context.n_ctx, small.context.tokens) == (START, held)
    assert small.elastic.model.n_ctx == START
    assert closeness(small.logits(REST), large.logits(REST)) < ROUNDING


def test_cancelled_it_stays_as_it_is(load: Callable[..., Loaded]) -> None:
    small = load("llama-dense")
    small.read(HELD)
    small.context.cancel()
    assert small.elastic.grow(Step(2 * START, beside=False)) is None
    assert (small.context.n_ctx, small.context.tokens) == (START, HELD)


def test_a_new_context_can_be_cancelled_too(load: Callable[..., Loaded]) -> None:
    small = load("llama-dense")
    small.read(HELD)
    assert small.elastic.grow(Step(2 * START, beside=True)) is not None
    small.context.cancel()
    assert not small.context.decode(REST)
    assert small.context.tokens == HELD
    small.context.clear_cancel()
    assert small.context.decode(REST)


def test_the_old_context_is_freed_first_where_both_do_not_fit(load: Callable[..., Loaded]) -> None:
    small = load("llama-dense")
    small.read(HELD)
    free = {HOST: 2**34}
    elastic = ElasticContext(small.context, small.elastic.model, small.log, lambda: free)
    assert elastic.plan(START + 1) == Step(2 * START, beside=True)
    takes = elastic.model.memory.total_bytes("kv", "compute", "output")
    free[HOST] = 2 * takes
    assert elastic.plan(START + 1) == Step(2 * START, beside=False)
    free[HOST] = takes // 3
    with pytest.raises(ContextFullError, match="cannot grow"):
        elastic.plan(START + 1)
    assert elastic.plan(START, START + 1) is None  # what is only wanted is done without


def test_what_is_spare_counts_as_room_and_is_asked_for_when_it_is_needed(load: Callable[..., Loaded]) -> None:
    small = load("llama-dense")
    small.read(HELD)
    takes = small.elastic.model.memory.total_bytes("kv", "compute", "output")
    elastic = ElasticContext(small.context, small.elastic.model, small.log, lambda: {HOST: takes // 3})
    elastic.spare_bytes = lambda: 2**34
    step = elastic.plan(START + 1)
    assert step == Step(2 * START, beside=True)
    assert not elastic.has_room(step)
