"""Each cause of a lost prefix has its sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.chat.message import Message
from app.engine.kv_state import Origin, described, text_digest
from app.engine.llama.reuse import takes_the_place, why_parted

SYSTEM, FIRST, ANSWER, SECOND = (
    Message("system", "Be kind."),
    Message("user", "Why?"),
    Message("assistant", "Because."),
    Message("user", "And then?"),
)
ORIGIN = Origin(described((SYSTEM, FIRST)), 20, 24, text_digest("Because."))
PLAIN = "{{ messages }}"


@pytest.mark.parametrize(
    ("messages", "common", "template", "said"),
    [
        (
            (replace(SYSTEM, content="Be brief."), FIRST, ANSWER, SECOND),
            3,
            PLAIN,
            "system prompt, or the summary in it, differs",
        ),
        ((FIRST, ANSWER, SECOND), 1, PLAIN, "system prompt, or the summary in it, differs"),
        ((SYSTEM, replace(FIRST, content="How?"), ANSWER, SECOND), 12, PLAIN, "A message differs"),
        ((SYSTEM, FIRST, replace(ANSWER, content="Since."), SECOND), 25, PLAIN, "An answer differs"),
        ((SYSTEM, FIRST, ANSWER, SECOND), 5, "{{ strftime_now('%d') }}", "writes the date"),
        ((SYSTEM, FIRST, ANSWER, SECOND), 5, PLAIN, "earlier conversation in another way"),
        ((SYSTEM, FIRST, ANSWER, SECOND), 22, PLAIN, "earlier answer in another way"),
        ((SYSTEM, FIRST), 23, PLAIN, ""),
    ],
)
def test_why(messages: tuple[Message, ...], common: int, template: str, said: str) -> None:
    why = why_parted(ORIGIN, messages, common, template)
    assert said in why
    assert bool(why) == bool(said)


def test_thinking_that_is_left_out() -> None:
    origin = replace(ORIGIN, thought=True)
    assert "leaves earlier thinking out" in why_parted(origin, (SYSTEM, FIRST, ANSWER, SECOND), 22, PLAIN)


def test_what_was_asked_for_a_summary_is_none_of_the_conversation() -> None:
    origin = replace(ORIGIN, messages=described((SYSTEM, FIRST, ANSWER, Message("user", "Summarise"))), is_aside=True)
    assert why_parted(origin, (SYSTEM, FIRST, ANSWER, SECOND), 25, PLAIN) == ""
    assert "A message differs" in why_parted(origin, (SYSTEM, SECOND, ANSWER, SECOND), 12, PLAIN)


def test_a_branch_is_what_loses_much_of_another() -> None:
    old = list(range(1000))
    assert takes_the_place([*old, 1, 2], old)
    assert takes_the_place(old[:800], old)
    assert not takes_the_place(old[:700], old)
    assert takes_the_place([], old[:60])


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ((SYSTEM, FIRST, ANSWER, SECOND), ""),
        ((SYSTEM, FIRST, ANSWER, SECOND, ANSWER, FIRST), "a part"),
        ((SYSTEM, FIRST, replace(ANSWER, content="Since."), SECOND), "An answer differs"),
    ],
)
def test_what_a_summary_asked_is_no_message_that_was_changed(messages: tuple[Message, ...], said: str) -> None:
    asked = Message("user", "Summarise.")
    origin = Origin(described((SYSTEM, FIRST, ANSWER, asked)), 30, 34, text_digest("Short."), is_aside=True)
    why = why_parted(origin, messages, 26, PLAIN)
    assert said in why
    assert bool(why) == bool(said)
