"""Stepping back on caches that cannot: with checkpoints they go on as if the rest had never been read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from app.engine.llama import checkpoints
from app.engine.llama.growth import Step
from tests.tiny_models import CASES, HELD, LARGE, ORDER_MATTERS, REST, ROUNDING, START, WINDOWS, closeness

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.tiny_models import Loaded

CANNOT_STEP_BACK = [
    (arch, changes) for arch, changes in CASES if arch.split("-")[0] not in ("llama", "deepseek2") and not changes
]
PLACE = 300
OTHER = list(np.random.default_rng(5).integers(1, 120, 40))


def read(model: Loaded, tokens: list[int], place: int) -> None:
    """As `read_prompt` does: a chunk ends where a checkpoint is taken."""
    model.read(tokens[:place])
    model.context.take_checkpoint()
    model.read(tokens[place:])


@pytest.mark.parametrize(("arch", "changes"), CANNOT_STEP_BACK, ids=lambda value: str(value))
def test_a_checkpoint_makes_the_prefix_usable(load: Callable[..., Loaded], arch: str, changes: dict) -> None:
    model, fresh = load(arch, LARGE, **changes), load(arch, LARGE, **changes)
    read(model, HELD, PLACE)
    prompt = [*HELD[:PLACE], *OTHER]
    kept, reason = model.context.reuse_prefix(prompt)
    assert (kept, reason) == (PLACE, "The conversation's earlier text changed.")
    assert model.context.tokens == HELD[:PLACE]
    model.read(prompt[kept:])
    fresh.read(HELD[:PLACE])
    fresh.read(OTHER)
    after, always = model.logits(REST), fresh.logits(REST)
    assert closeness(after, always) < (ORDER_MATTERS if arch in WINDOWS else ROUNDING)
    assert (after.argmax(1) == always.argmax(1)).all()


@pytest.mark.parametrize("arch", ["gemma3-dense", "mamba-dense", "jamba-dense"])
def test_a_change_before_it_goes_back_to_an_earlier_one_or_to_nothing(load: Callable[..., Loaded], arch: str) -> None:
    model = load(arch, LARGE)
    model.read(HELD[:100])
    model.context.take_checkpoint()
    model.read(HELD[100:300])
    model.context.take_checkpoint()
    model.read(HELD[300:])
    kept, reason = model.context.reuse_prefix([*HELD[:200], *OTHER])
    assert kept == 100
    assert "checkpoints" in reason
    assert [point.tokens for point in model.context.checkpoints.points] == [100]
    model.read([*HELD[100:200], *OTHER])
    assert model.context.reuse_prefix([*HELD[:50], *OTHER])[0] == 0


def test_a_step_back_can_be_taken_again_and_after_growth(load: Callable[..., Loaded]) -> None:
    model, fresh = load("jamba-dense"), load("jamba-dense", LARGE)
    read(model, HELD[:400], PLACE)
    for _ in range(2):
        assert model.context.reuse_prefix([*HELD[:PLACE], *OTHER])[0] == PLACE
        model.read(OTHER)
    assert model.elastic.grow(Step(2 * START, beside=True)) is not None
    assert model.context.reuse_prefix([*HELD[:PLACE], *REST])[0] == PLACE
    fresh.read(HELD[:PLACE])
    assert closeness(model.logits(REST), fresh.logits(REST)) < ROUNDING


def test_a_plain_cache_needs_none(load: Callable[..., Loaded]) -> None:
    model = load("llama-dense", LARGE)
    read(model, HELD, PLACE)
    assert model.context.checkpoints.points == ()
    assert model.context.reuse_prefix([*HELD[:PLACE], *OTHER])[0] == PLACE


def test_they_are_bounded_in_number_and_bytes(load: Callable[..., Loaded], monkeypatch: pytest.MonkeyPatch) -> None:
    model = load("mamba-dense", LARGE)
    for first in range(0, 480, 40):
        model.read(HELD[first : first + 40])
        model.context.take_checkpoint()
    points = model.context.checkpoints.points
    assert [point.tokens for point in points] == list(range(200, 481, 40))  # the last eight
    monkeypatch.setattr(checkpoints, "MOST_BYTES", 2 * points[0].size_bytes)
    model.read(HELD[480:])
    model.context.take_checkpoint()
    assert [point.tokens for point in model.context.checkpoints.points] == [480, 512]
    monkeypatch.setattr(checkpoints, "MOST_BYTES", points[0].size_bytes - 1)
    model.read(OTHER)
    model.context.take_checkpoint()
    assert [point.tokens for point in model.context.checkpoints.points] == [480, 512]


def test_a_state_of_a_full_window_does_not_pretend_to_hold_all_of_it(load: Callable[..., Loaded]) -> None:
    """llama.cpp saves of sliding-window layers only what the window still sees, whatever the cache has room for."""
    model = load("gemma3-dense", swa_full=True)
    model.read(HELD)
    assert model.elastic.grow(Step(2 * START, beside=True)) is not None
    assert model.context.reuse_prefix([*HELD[:PLACE], *OTHER])[0] == 0
