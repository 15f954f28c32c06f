"""What the model is given of a conversation, with summaries laid over it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.chat.conversation import (
    TITLE_CHARACTERS,
    Conversation,
    Summary,
    last_user_index,
    prompt_messages,
    title_from,
)
from app.chat.message import Message


def conversation(turns: int = 4, system_prompt: str = "Be brief.") -> Conversation:
    messages = [
        message
        for number in range(turns)
        for message in (
            Message("user", f"question {number}", id=f"u{number}"),
            Message("assistant", f"answer {number}", thinking="hm", id=f"a{number}"),
        )
    ]
    return Conversation(system_prompt=system_prompt, messages=tuple(messages))


def said(given: list[Message]) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in given]


class TestTitle:
    @pytest.mark.parametrize(
        ("text", "title"),
        [
            ("Ferry", "Ferry"),
            ("  two\n\nlines\tand tabs ", "two lines and tabs"),
            ("", ""),
            ("**Goal:** a *quick* `ferry`", "Goal: a quick ferry"),
            ("## Plan\n\n- **one**\n- two\n> three", "Plan one two three"),
            ("```python\nprint(1)\n```", "print(1)"),
            ("See [the docs](https://example.org/a).", "See the docs."),
            ("Why is 2*3*4 not 2 ** 3, __init__?", "Why is 2*3*4 not 2 ** 3, __init__?"),
            ("**Goal:** cut in the midd", "Goal: cut in the midd"),
            ("x" * TITLE_CHARACTERS, "x" * TITLE_CHARACTERS),
            ("word " * 20, "word word word word word word word word word…"),
        ],
    )
    def test_title_from(self, text: str, title: str) -> None:
        assert title_from(text) == title
        assert len(title) <= TITLE_CHARACTERS

    @pytest.mark.parametrize("start", ["", "a "])
    def test_long_unbroken_text_is_cut(self, start: str) -> None:
        assert title_from(start + "长" * 100) == (start + "长" * 100)[: TITLE_CHARACTERS - 1] + "…"


class TestInView:
    def test_everything_without_a_summary(self) -> None:
        whole = conversation()
        assert whole.in_view() == whole.messages

    def test_only_what_follows_the_summary(self) -> None:
        summarised = conversation().with_summary(Summary("short", covers_until="a1"))
        assert [message.id for message in summarised.in_view()] == ["u2", "a2", "u3", "a3"]
        assert len(summarised.messages) == 8

    def test_the_newest_summary_counts(self) -> None:
        first, second = Summary("one", covers_until="a0"), Summary("two", covers_until="a2")
        twice = conversation().with_summary(first).with_summary(second)
        assert twice.active_summary == second
        assert [message.id for message in twice.in_view()] == ["u3", "a3"]

    def test_an_undone_summary_gives_way_to_the_one_before(self) -> None:
        first, second = Summary("one", covers_until="a0"), Summary("two", covers_until="a2")
        twice = conversation().with_summary(first).with_summary(second)
        undone = twice.with_summary_undone(second.id)
        assert undone.active_summary == first
        assert undone.in_view()[0].id == "u1"
        assert len(undone.summaries) == 2
        assert undone.with_summary_undone(second.id, undone=False).active_summary == second
        assert undone.with_summary_undone(first.id).active_summary is None
        assert undone.with_summary_undone(first.id).in_view() == twice.messages

    def test_a_summary_of_messages_that_were_removed_does_not_count(self) -> None:
        summarised = conversation().with_summary(Summary("short", covers_until="a2"))
        regenerated = replace(summarised, messages=summarised.messages[:4])
        assert regenerated.active_summary is None
        assert regenerated.in_view() == regenerated.messages

    def test_dropped_turns_are_out_of_view(self) -> None:
        dropped = replace(conversation(), dropped_until="a0")
        assert dropped.view_start == 2
        assert [message.id for message in dropped.in_view()] == ["u1", "a1", "u2", "a2", "u3", "a3"]

    def test_the_later_of_summary_and_cut_counts(self) -> None:
        summarised = conversation().with_summary(Summary("short", covers_until="a1"))
        assert replace(summarised, dropped_until="a0").view_start == 4
        assert replace(summarised, dropped_until="a2").view_start == 6

    def test_pinned_messages_stay_in_view(self) -> None:
        whole = conversation().with_summary(Summary("short", covers_until="a2"))
        pinned = replace(
            whole, messages=tuple(replace(each, pinned=each.id in ("u0", "a1", "u3")) for each in whole.messages)
        )
        assert [message.id for message in pinned.in_view()] == ["u0", "a1", "u3", "a3"]

    def test_up_to(self) -> None:
        assert [message.id for message in conversation().up_to("u1").messages] == ["u0", "a0", "u1"]


class TestPromptMessages:
    def test_system_prompt_stands_first(self) -> None:
        assert said(prompt_messages(conversation(1))) == [
            ("system", "Be brief."),
            ("user", "question 0"),
            ("assistant", "answer 0"),
        ]

    @pytest.mark.parametrize("system_prompt", ["", "  \n"])
    def test_without_system_prompt(self, system_prompt: str) -> None:
        assert prompt_messages(conversation(1, system_prompt))[0].role == "user"

    def test_summary_is_merged_into_the_system_message(self) -> None:
        summarised = conversation().with_summary(Summary("They talked.", covers_until="a2"))
        assert said(prompt_messages(summarised)) == [
            ("system", "Be brief.\n\nSummary of the earlier conversation:\nThey talked."),
            ("user", "question 3"),
            ("assistant", "answer 3"),
        ]

    def test_summary_without_system_prompt(self) -> None:
        summarised = conversation(system_prompt="").with_summary(Summary("They talked.", covers_until="a2"))
        assert prompt_messages(summarised)[0].content == "Summary of the earlier conversation:\nThey talked."

    def test_summary_that_does_not_count_is_not_given(self) -> None:
        summarised = conversation().with_summary(Summary("They talked.", covers_until="gone"))
        assert all("They talked." not in message.content for message in prompt_messages(summarised))

    def test_answers_without_text_are_left_out(self) -> None:
        messages = (Message("user", "Hi"), Message("assistant", " \n", state="failed"), Message("user", "Hello?"))
        assert said(prompt_messages(Conversation(messages=messages))) == [("user", "Hi"), ("user", "Hello?")]

    def test_empty_conversation(self) -> None:
        assert prompt_messages(Conversation()) == []


class TestLastUserIndex:
    def test_last_user_index(self) -> None:
        assert last_user_index(conversation(2).messages) == 2
        assert last_user_index([]) is None
        assert last_user_index([Message("assistant", "Hi")]) is None
