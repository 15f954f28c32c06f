"""States that are put aside and brought back, per kind of memory: nothing is read again, and nothing is different."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.chat.message import Message
from app.engine.events import TextPiece
from app.engine.kv_state import Origin, StateKey, described
from app.engine.llama import state_keeper
from app.engine.llama.state_keeper import StateKeeper
from app.engine.llama.state_shelf import StateShelf
from app.engine.request import Foreseen, GenerationRequest
from app.engine.states import StateBudget, StateFolder
from tests.tiny_models import CASES, HELD, LARGE, ORDER_MATTERS, REST, ROUNDING, WINDOWS, closeness

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.tiny_models import Loaded

MIB = 1024**2
KEY = StateKey("model", "Tiny", "template", "library", "f16", "f16", True, False)
TURNS = (Message("user", "a"), Message("assistant", "b"), Message("user", "c"))


def keeper_of(model: Loaded, key: StateKey = KEY, free_bytes: int = 2**34) -> StateKeeper:
    return StateKeeper(model.context, StateShelf(lambda: key, 128), lambda: free_bytes)


def close(keeper: StateKeeper) -> None:
    """Write what is not written, and end."""
    keeper.write()
    keeper.shelf.close(60)


def asked(conversation: str, budget: StateBudget, messages: tuple[Message, ...] = TURNS) -> GenerationRequest:
    return GenerationRequest(messages, 0, conversation_id=conversation, states=budget)


def answer(model: Loaded, keeper: StateKeeper, request: GenerationRequest, prompt: list[int]) -> tuple[str, int, str]:
    """Read a prompt as the engine does; return where the state came from, cached tokens and why not more.

    Unless something is wrong with the state, that many were foreseen.
    """
    foreseen = keeper.foresee(request, lambda _beginnings: prompt)
    keeper.before_prompt(request)
    keeper.looks_further(prompt)
    keeper.take_over(prompt)
    restored = keeper.restore(prompt)
    cached, why = keeper.reuse(prompt, request.messages, "")
    assert foreseen == Foreseen(len(prompt), cached) or "damaged" in why or "refused" in why or "fit" in why
    keeper.after_prompt(Origin(described(request.messages), len(prompt) - 4, len(prompt)))
    model.read(prompt[cached:])
    keeper.after_answer([TextPiece("answer", "b")])
    return restored.place, cached, why


def ids(start: int) -> list[int]:
    return [1 + (start + 7 * i) % 100 for i in range(200)]


@pytest.mark.parametrize("place", ["memory", "disk"])
@pytest.mark.parametrize(("arch", "changes"), CASES, ids=lambda value: str(value))
def test_a_conversation_goes_on_as_if_no_other_had_been_in_between(
    load: Callable[..., Loaded], tmp_path: Path, arch: str, changes: dict, place: str
) -> None:
    model, always = load(arch, LARGE, **changes), load(arch, LARGE, **changes)
    budget = StateBudget(tmp_path, 64 * MIB if place == "memory" else 0, 64 * MIB)
    keeper = keeper_of(model)
    answer(model, keeper, asked("a", budget, TURNS[:1]), HELD)
    if place == "disk":
        close(keeper)
        model.context.clear()
        keeper = keeper_of(model)
    else:
        answer(model, keeper, asked("b", budget, TURNS[:1]), ids(50))
    assert answer(model, keeper, asked("a", budget), [*HELD, 5, 6, 7]) == (place, len(HELD), "")
    always.read(HELD)
    always.read([5, 6, 7])
    after, expected = model.logits(REST), always.logits(REST)
    assert closeness(after, expected) < (ORDER_MATTERS if arch in WINDOWS and not changes else ROUNDING)
    assert (after.argmax(1) == expected.argmax(1)).all()
    close(keeper)


def test_checkpoints_travel_along(load: Callable[..., Loaded], tmp_path: Path) -> None:
    model, budget = load("mamba-dense", LARGE), StateBudget(tmp_path, 0, 64 * MIB)
    keeper = keeper_of(model)
    keeper.before_prompt(asked("a", budget))
    keeper.take_over(HELD)
    model.read(HELD[:300])
    model.context.take_checkpoint()
    model.read(HELD[300:])
    keeper.after_prompt(Origin(described(TURNS), 300, len(HELD)))
    close(keeper)
    model.context.clear()
    keeper = keeper_of(model)
    place, cached, _ = answer(model, keeper, asked("a", budget), [*HELD[:300], 1, 2, 3])
    assert (place, cached) == ("disk", 300)
    close(keeper)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"type_k": "q8_0"}, "other types (K f16, V f16; now q8_0, f16)"),
        ({"model": "another", "model_name": "Other"}, "another model (Tiny)"),
        ({"template": "another"}, "another chat template"),
        ({"library": "another"}, "another build of llama.cpp"),
        ({"swa_full": True}, "other settings"),
    ],
)
def test_a_state_that_does_not_fit_is_ignored_and_said(
    load: Callable[..., Loaded], tmp_path: Path, changes: dict, said: str
) -> None:
    model, budget = load("llama-dense", LARGE), StateBudget(tmp_path, 0, 64 * MIB)
    keeper = keeper_of(model)
    answer(model, keeper, asked("a", budget, TURNS[:1]), HELD)
    close(keeper)
    model.context.clear()
    keeper = keeper_of(model, replace(KEY, **changes))
    place, cached, why = answer(model, keeper, asked("a", budget), [*HELD, 5])
    assert (place, cached) == ("", 0)
    assert said in why
    close(keeper)
    model.context.clear()
    keeper = keeper_of(model)  # the file is still there for whoever it fits
    assert answer(model, keeper, asked("a", budget), [*HELD, 5])[0] == "disk"
    close(keeper)


def test_what_llama_cpp_itself_refuses_is_said_too(load: Callable[..., Loaded], tmp_path: Path) -> None:
    budget = StateBudget(tmp_path, 0, 64 * MIB)
    f16, q8_0 = load("llama-dense", LARGE), load("llama-dense", LARGE, type_k="q8_0", type_v="q8_0")
    keeper = keeper_of(f16)
    answer(f16, keeper, asked("a", budget, TURNS[:1]), HELD)
    close(keeper)
    keeper = keeper_of(q8_0)
    place, cached, why = answer(q8_0, keeper, asked("a", budget), [*HELD, 5])
    assert (place, cached) == ("", 0)
    assert "llama.cpp refused" in why
    assert q8_0.context.tokens == [*HELD, 5]
    close(keeper)


def flipped(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data[:10],
        lambda data: b"",
        lambda data: data + b"\0",
        flipped,
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: b"ggsq" + data[4:],
        lambda data: b"GGUF" + bytes(2000),
    ],
    ids=["one byte short", "half", "head only", "empty", "one byte more", "flipped", "check", "llama.cpp's", "GGUF"],
)
def test_a_damaged_file_is_ignored_deleted_and_said(
    load: Callable[..., Loaded], tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    model, budget = load("llama-dense", LARGE), StateBudget(tmp_path, 0, 64 * MIB)
    keeper = keeper_of(model)
    answer(model, keeper, asked("a", budget, TURNS[:1]), HELD)
    close(keeper)
    (saved,) = StateFolder(tmp_path).states("a")
    saved.path.write_bytes(damage(saved.path.read_bytes()))
    model.context.clear()
    keeper = keeper_of(model)
    place, cached, why = answer(model, keeper, asked("a", budget), [*HELD, 5])
    assert (place, cached) == ("", 0)
    assert "damaged" in why
    assert not saved.path.exists()
    close(keeper)


def test_a_file_from_another_folder_is_refused(load: Callable[..., Loaded], tmp_path: Path) -> None:
    model, here, there = load("llama-dense", LARGE), tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        keeper = keeper_of(model)
        answer(model, keeper, asked("a", StateBudget(folder, 0, 64 * MIB), TURNS[:1]), HELD)
        close(keeper)
        model.context.clear()
    (mine,), (other,) = StateFolder(here).states(), StateFolder(there).states()
    mine.path.write_bytes(other.path.read_bytes())
    keeper = keeper_of(model)
    place, _, why = answer(model, keeper, asked("a", StateBudget(here, 0, 64 * MIB)), [*HELD, 5])
    assert place == ""
    assert "damaged" in why
    close(keeper)


def test_memory_drops_the_oldest_first_and_says_so(load: Callable[..., Loaded]) -> None:
    model = load("llama-dense", LARGE)
    keeper = keeper_of(model)
    answer(model, keeper, asked("a", StateBudget(None, 64 * MIB), TURNS[:1]), ids(0))
    answer(model, keeper, asked("b", StateBudget(None, 64 * MIB), TURNS[:1]), ids(20))
    one = keeper.shelf.memory_bytes
    budget = StateBudget(None, 2 * one + one // 2)
    for number, name in enumerate("cd"):
        answer(model, keeper, asked(name, budget, TURNS[:1]), ids(40 + 20 * number))
    assert keeper.shelf.memory_bytes == 2 * one  # b and c; d has the cache, a was dropped
    place, _, why = answer(model, keeper, asked("a", budget), [*ids(0), 5])
    assert place == ""
    assert "dropped" in why
    assert answer(model, keeper, asked("d", budget), [*ids(60), 5])[0] == "memory"
    assert answer(model, keeper, asked("c", budget), [*ids(40), 5])[0] == ""  # a and d took its place


def test_disk_drops_the_oldest_first_and_says_so(load: Callable[..., Loaded], tmp_path: Path) -> None:
    model, folder = load("llama-dense", LARGE), StateFolder(tmp_path)
    for number, name in enumerate(("a", "b", "c")):
        keeper = keeper_of(model)
        one = folder.states()[0].size_bytes if number else 64 * MIB
        answer(model, keeper, asked(name, StateBudget(tmp_path, 0, 2 * one + one // 2), TURNS[:1]), ids(20 * number))
        close(keeper)
        model.context.clear()
    assert [state.conversation for state in folder.states()] == ["b", "c"]
    keeper = keeper_of(model)
    answer(model, keeper, asked("d", StateBudget(tmp_path, 0, folder.total_bytes()), TURNS[:1]), ids(60))
    assert answer(model, keeper, asked("b", StateBudget(tmp_path, 0, 2**30)), [*ids(20), 5])[0] == "disk"
    close(keeper)
    assert len(folder.states("b")) == 1


def test_a_budget_of_nothing_keeps_nothing_and_says_who_was_in_between(
    load: Callable[..., Loaded], tmp_path: Path
) -> None:
    model, nothing = load("llama-dense", LARGE), StateBudget(tmp_path)
    keeper = keeper_of(model)
    answer(model, keeper, asked("a", nothing, TURNS[:1]), ids(0))
    answer(model, keeper, asked("b", nothing, TURNS[:1]), ids(20))
    place, _, why = answer(model, keeper, asked("a", nothing), [*ids(0), 5])
    assert place == ""
    assert "Another conversation" in why
    close(keeper)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_a_note_only(
    load: Callable[..., Loaded], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object) -> int:
        raise OSError(28, "the words of the system")

    monkeypatch.setattr("app.engine.llama.state_writer.write_state", full)
    model, budget = load("llama-dense", LARGE), StateBudget(tmp_path, 0, 64 * MIB)
    keeper = keeper_of(model)
    answer(model, keeper, asked("a", budget, TURNS[:1]), ids(0))
    keeper.forget()
    keeper.shelf._writer.finish(60)
    (note,) = keeper.take_notes()
    assert "could not be saved on disk (the disk is full)" in note
    assert keeper.take_notes() == ()


def test_memory_that_is_short_is_a_note_only(load: Callable[..., Loaded]) -> None:
    model, budget = load("llama-dense", LARGE), StateBudget(None, 64 * MIB)
    keeper = keeper_of(model, free_bytes=1000)
    answer(model, keeper, asked("a", budget, TURNS[:1]), ids(0))
    answer(model, keeper, asked("b", budget, TURNS[:1]), ids(20))
    assert keeper.shelf.memory_bytes == 0
    assert "memory is short" in keeper.take_notes()[0]


def test_a_deleted_conversation_leaves_nothing(load: Callable[..., Loaded], tmp_path: Path) -> None:
    model, budget = load("llama-dense", LARGE), StateBudget(tmp_path, 64 * MIB, 64 * MIB)
    keeper = keeper_of(model)
    for name in ("a", "b"):
        answer(model, keeper, asked(name, budget, TURNS[:1]), ids(ord(name)))
    keeper.forget()
    keeper.discard("a")
    keeper.discard("b")
    assert keeper.shelf.memory_bytes == 0
    close(keeper)
    assert StateFolder(tmp_path).states() == []


def test_stop_while_it_is_read_keeps_the_file(load: Callable[..., Loaded], tmp_path: Path) -> None:
    model, budget = load("llama-dense", LARGE), StateBudget(tmp_path, 0, 64 * MIB)
    keeper = keeper_of(model)
    answer(model, keeper, asked("a", budget, TURNS[:1]), HELD)
    close(keeper)
    model.context.clear()
    keeper = keeper_of(model)
    prompt = [*HELD, 5]
    keeper.before_prompt(asked("a", budget))
    keeper.take_over(prompt)
    model.context.cancel()
    assert keeper.restore(prompt) == state_keeper.Restored()
    assert keeper.reuse(prompt, TURNS, "")[0] == 0
    keeper.after_prompt(Origin())
    model.context.clear_cancel()
    model.read(prompt[:100])  # a little of it was read, then it was stopped
    keeper.forget()
    model.context.clear()
    assert answer(model, keeper, asked("a", budget), prompt)[:2] == ("disk", len(HELD))
    close(keeper)


def test_a_state_larger_than_the_context_is_said(load: Callable[..., Loaded], tmp_path: Path) -> None:
    budget = StateBudget(tmp_path, 0, 64 * MIB)
    large, small = load("llama-dense", LARGE), load("llama-dense", 256)
    keeper = keeper_of(large)
    answer(large, keeper, asked("a", budget, TURNS[:1]), HELD)
    close(keeper)
    keeper = keeper_of(small)
    place, cached, why = answer(small, keeper, asked("a", budget), [*HELD[:100], 5])
    assert (place, cached) == ("", 0)
    assert "does not fit into the context of 256" in why
    close(keeper)


def test_a_request_that_is_nobodys_takes_nothing_from_others(load: Callable[..., Loaded]) -> None:
    model, budget = load("llama-dense", LARGE), StateBudget(None, 64 * MIB)
    keeper = keeper_of(model)
    answer(model, keeper, asked("a", budget, TURNS[:1]), ids(0))
    answer(model, keeper, asked("b", budget, TURNS[:1]), ids(20))
    answer(model, keeper, GenerationRequest(TURNS[:1], 0), [*ids(20), 9])  # a summary goes on with what is there
    assert answer(model, keeper, asked("b", budget), [*ids(20), 5])[:2] == ("", 200)  # it is all there still
    assert answer(model, keeper, asked("a", budget), [*ids(0), 5])[0] == "memory"


def test_older_states_make_room_for_a_new_one_when_memory_is_short(load: Callable[..., Loaded]) -> None:
    model, budget = load("llama-dense", LARGE), StateBudget(None, 64 * MIB)
    free = [2**34]
    keeper = StateKeeper(
        model.context, StateShelf(lambda: KEY, 128), lambda: free[0] if keeper.shelf.memory_bytes else 2**34
    )
    answer(model, keeper, asked("a", budget, TURNS[:1]), ids(0))
    answer(model, keeper, asked("b", budget, TURNS[:1]), ids(20))
    free[0] = 1000
    answer(model, keeper, asked("c", budget, TURNS[:1]), ids(40))
    assert keeper.take_notes() == ()
    assert answer(model, keeper, asked("b", budget), [*ids(20), 5])[0] == "memory"
    keeper.shelf.drop_all()
    assert keeper.shelf.memory_bytes == 0


def test_while_idle_it_is_written_but_not_for_every_turn(load: Callable[..., Loaded], tmp_path: Path) -> None:
    model, budget, folder = load("llama-dense", LARGE), StateBudget(tmp_path, 64 * MIB, 64 * MIB), StateFolder(tmp_path)
    keeper = keeper_of(model)
    keeper.while_idle()
    answer(model, keeper, asked("a", budget, TURNS[:1]), HELD)
    keeper.while_idle()
    wait_until_written(keeper)
    first = folder.total_bytes("a")
    assert first > 0
    answer(model, keeper, asked("a", budget), [*HELD, *ids(0)[:10]])
    keeper.while_idle()
    wait_until_written(keeper)
    assert folder.total_bytes("a") == first
    answer(model, keeper, asked("a", budget), [*HELD, *ids(0)])
    keeper.while_idle()
    wait_until_written(keeper)
    assert folder.total_bytes("a") > first
    answer(model, keeper, asked("b", budget, TURNS[:1]), ids(20))
    assert answer(model, keeper, asked("a", budget), [*HELD, *ids(0), 5])[0] == "memory"
    close(keeper)


def wait_until_written(keeper: StateKeeper) -> None:
    writer = keeper.shelf._writer
    with writer._changed:
        writer._changed.wait_for(lambda: not (writer._waiting or writer._writing), 60)


def test_an_answer_that_was_written_on_is_known_as_a_whole(load: Callable[..., Loaded], tmp_path: Path) -> None:
    model = load("llama-dense", LARGE)
    keeper, budget = keeper_of(model), StateBudget(tmp_path, 64 * MIB, 0)
    answer(model, keeper, asked("a", budget, TURNS[:1]), HELD)
    keeper.after_answer([TextPiece("answer", " and more")], Message("assistant", "b", thinking="Hm."))
    later = (TURNS[0], Message("assistant", "b and more"), TURNS[2])
    _, cached, why = answer(model, keeper, asked("a", budget, later), [*HELD[:-4], 99, 98, 97, 96, 95])
    assert cached == len(HELD) - 4
    assert "leaves earlier thinking out" in why
