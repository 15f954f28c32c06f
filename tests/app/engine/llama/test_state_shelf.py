"""What saved states take of the memory."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from app.engine.states import StateBudget
from tests.app.engine.llama.test_state_keeper import MIB, TURNS, answer, asked, ids, keeper_of
from tests.tiny_models import LARGE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from tests.tiny_models import Loaded


def test_all_copies_are_counted_once(
    load: Callable[..., Loaded], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = threading.Event()
    monkeypatch.setattr("app.engine.llama.state_writer.write_state", lambda *_arguments: goes_on.wait())
    model, budget = load("mamba-dense", LARGE), StateBudget(tmp_path, 64 * MIB, 64 * MIB)
    keeper = keeper_of(model)
    shelf = keeper.shelf
    answer(model, keeper, asked("a", budget, TURNS[:1]), ids(0))
    assert shelf.held_bytes == 0
    answer(model, keeper, asked("b", budget, TURNS[:1]), ids(20))
    one = shelf.memory_bytes
    assert shelf.held_bytes == one > 0  # it is being written, too
    keeper.before_prompt(asked("b", StateBudget(tmp_path, 0, 64 * MIB)))
    assert (shelf.memory_bytes, shelf.held_bytes) == (0, one)
    goes_on.set()
    shelf.close(60)
