"""Turns in view and out of view."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.chat.conversation import Conversation, Summary
from app.chat.message import Message
from app.chat.view import View, leaving_turns, turns_of, view_of


def talk(roles: str, pinned: str = "") -> Conversation:
    messages = (
        Message("user" if role == "u" else "assistant", role, id=f"m{i}", pinned=f"{i}" in pinned)
        for i, role in enumerate(roles)
    )
    return Conversation(messages=tuple(messages))


@pytest.mark.parametrize(
    ("roles", "lengths"), [("", []), ("ua", [2]), ("uauaa", [2, 3]), ("aua", [1, 2]), ("uua", [1, 2]), ("uau", [2, 1])]
)
def test_a_turn_is_a_question_with_what_follows(roles: str, lengths: list[int]) -> None:
    assert [len(turn) for turn in turns_of(talk(roles).messages)] == lengths


def test_pinned_messages_do_not_leave() -> None:
    assert leaving_turns(talk("uauaua", pinned="01").messages) == 2
    assert leaving_turns(talk("uauaua", pinned="0").messages) == 3


def test_all_is_in_view_at_first() -> None:
    assert view_of(talk("uauau")) == View(3, 0, 0)


def test_dropped_and_summarised_turns_are_told_apart() -> None:
    dropped = replace(talk("uauauaua"), dropped_until="m3")
    assert view_of(dropped) == View(2, 2, 0, 2)
    assert view_of(dropped.with_summary(Summary("s", "m5"))) == View(1, 3, 1)
    summarised = talk("uauauaua").with_summary(Summary("s", "m3"))
    assert view_of(summarised) == View(2, 2, 2)
    assert view_of(replace(summarised, dropped_until="m5")) == View(1, 3, 2, 1)
    undone = summarised.with_summary_undone(summarised.summaries[0].id)
    assert view_of(undone) == View(4, 0, 0)


def test_a_turn_that_is_pinned_whole_is_in_view() -> None:
    assert view_of(replace(talk("uauaua", pinned="01"), dropped_until="m3")) == View(2, 1, 0, 1)
