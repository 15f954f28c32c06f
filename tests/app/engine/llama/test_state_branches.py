"""Branches of one conversation: the one that is left is saved where much would be read again, and brought back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.engine.states import MOST_BRANCHES, StateBudget, StateFolder
from tests.app.engine.llama.test_state_keeper import (
    MIB,
    TURNS,
    answer,
    asked,
    close,
    ids,
    keeper_of,
    wait_until_written,
)
from tests.tiny_models import CASES, HELD, LARGE, ORDER_MATTERS, REST, ROUNDING, WINDOWS, closeness

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.tiny_models import Loaded

FORK = 200
OTHER = [*HELD[:FORK], *ids(3)]
"""A branch that shares its first 200 tokens with `HELD`, which has 512."""


@pytest.mark.parametrize(("arch", "changes"), CASES, ids=lambda value: str(value))
def test_one_steps_to_another_branch_and_back_and_nothing_is_read_again(
    load: Callable[..., Loaded], arch: str, changes: dict
) -> None:
    model, always = load(arch, LARGE, **changes), load(arch, LARGE, **changes)
    budget, keeper = StateBudget(None, 64 * MIB), keeper_of(model)
    answer(model, keeper, asked("a", budget, TURNS[:1]), HELD)
    place, cached, _ = answer(model, keeper, asked("a", budget, TURNS[:1]), OTHER)
    assert place == ""
    assert cached in (FORK, 0)  # what cannot step back has no checkpoint here
    assert answer(model, keeper, asked("a", budget), [*HELD, 5, 6, 7]) == ("memory", len(HELD), "")
    always.read(HELD)
    always.read([5, 6, 7])
    after, expected = model.logits(REST), always.logits(REST)
    assert closeness(after, expected) < (ORDER_MATTERS if arch in WINDOWS and not changes else ROUNDING)
    assert answer(model, keeper, asked("a", budget), [*OTHER, 5])[:2] == ("memory", len(OTHER))
    close(keeper)


def test_each_branch_is_there_after_a_restart(load: Callable[..., Loaded], tmp_path: Path) -> None:
    model, budget, folder = load("llama-dense", LARGE), StateBudget(tmp_path, 0, 64 * MIB), StateFolder(tmp_path)
    for shown in ("other", "held"):
        keeper = keeper_of(model)
        answer(model, keeper, asked("a", budget, TURNS[:1]), HELD)
        answer(model, keeper, asked("a", budget, TURNS[:1]), OTHER)
        wait_until_written(keeper)
        close(keeper)
        model.context.clear()
        assert len(folder.states("a")) == 2
        keeper = keeper_of(model)
        prompt = [*(HELD if shown == "held" else OTHER), 5]
        assert answer(model, keeper, asked("a", budget), prompt) == ("disk", len(prompt) - 1, "")
        close(keeper)
        model.context.clear()
        assert len(folder.states("a")) == 2  # the branch that went on took the place of its own
    assert all(folder.states("a"))
    keeper = keeper_of(model)
    keeper.before_prompt(asked("a", budget))
    keeper.discard("a")
    assert folder.states("a") == []
    close(keeper)


def test_the_longest_common_prefix_of_all_branches_is_used_and_the_reason_is_true(
    load: Callable[..., Loaded], tmp_path: Path
) -> None:
    model, budget = load("llama-dense", LARGE), StateBudget(tmp_path, 0, 64 * MIB)
    keeper = keeper_of(model)
    answer(model, keeper, asked("a", budget, TURNS[:1]), HELD)
    keeper.while_idle()
    wait_until_written(keeper)
    answer(model, keeper, asked("a", budget, TURNS[:1]), OTHER)
    close(keeper)
    model.context.clear()
    keeper = keeper_of(model)
    third = [*HELD[:400], *ids(9)]
    request = asked("a", budget, (TURNS[2], *TURNS[1:]))
    place, cached, why = answer(model, keeper, request, third)
    assert (place, cached) == ("disk", 400)
    assert why == "A message differs from what the KV cache held, so everything from there on was read again."
    close(keeper)


def test_a_version_that_differs_little_is_not_copied(load: Callable[..., Loaded], tmp_path: Path) -> None:
    model, budget = load("llama-dense", LARGE), StateBudget(tmp_path, 64 * MIB, 64 * MIB)
    keeper = keeper_of(model)
    answer(model, keeper, asked("a", budget, TURNS[:1]), HELD)
    answer(model, keeper, asked("a", budget, TURNS[:1]), [*HELD[:450], *ids(3)[:60]])
    assert keeper.shelf.memory_bytes == 0
    close(keeper)
    assert len(StateFolder(tmp_path).states("a")) == 1


def test_one_conversation_keeps_a_few_branches_only(load: Callable[..., Loaded], tmp_path: Path) -> None:
    model, budget, folder = load("llama-dense", LARGE), StateBudget(tmp_path, 64 * MIB, 64 * MIB), StateFolder(tmp_path)
    keeper = keeper_of(model)
    for number in range(MOST_BRANCHES + 3):
        answer(model, keeper, asked("a", budget, TURNS[:1]), ids(number))
        wait_until_written(keeper)
    assert len(folder.states("a")) == MOST_BRANCHES
    answer(model, keeper, asked("b", budget, TURNS[:1]), ids(50))
    assert answer(model, keeper, asked("a", budget), [*ids(0), 5])[0] == ""
    assert answer(model, keeper, asked("a", budget), [*ids(MOST_BRANCHES + 1), 5])[0] == "memory"
    close(keeper)


def test_a_damaged_branch_does_not_hide_the_others(load: Callable[..., Loaded], tmp_path: Path) -> None:
    model, budget, folder = load("llama-dense", LARGE), StateBudget(tmp_path, 0, 64 * MIB), StateFolder(tmp_path)
    keeper = keeper_of(model)
    answer(model, keeper, asked("a", budget, TURNS[:1]), HELD)
    keeper.while_idle()
    wait_until_written(keeper)
    (held,) = folder.states("a")
    answer(model, keeper, asked("a", budget, TURNS[:1]), OTHER)
    close(keeper)
    model.context.clear()
    held.path.write_bytes(held.path.read_bytes()[:100])
    keeper = keeper_of(model)
    assert answer(model, keeper, asked("a", budget), [*OTHER, 5]) == ("disk", len(OTHER), "")
    close(keeper)
