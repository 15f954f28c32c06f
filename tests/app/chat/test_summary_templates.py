"""Summaries on the templates of real models, and of conversations with pinned messages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.chat.conversation import Conversation, prompt_messages
from app.chat.message import Message
from app.chat.summary import Summarised
from app.chat.summary_text import split_summary
from app.chat.template import ChatTemplate
from tests.app.chat.summaries import GOOD, conversation, run, summarised

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


TEMPLATES = sorted((Path(__file__).parent / "templates").glob("*.jinja"), key=lambda path: path.name.lower())


def tokens_by(template: ChatTemplate) -> Callable[[Sequence[Message]], int]:
    return lambda messages: len(template.render(messages).split())


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
class TestTemplates:
    """Those that demand alternation, refuse a system prompt, read parts or open a thinking block: all take it."""

    @pytest.fixture
    def template(self, path: Path) -> ChatTemplate:
        return ChatTemplate(path.read_text(encoding="utf-8"), "<s>", "</s>")

    @pytest.mark.parametrize("system_prompt", ["Be brief.", ""])
    def test_they_take_the_questions_and_what_comes_after(self, template: ChatTemplate, system_prompt: str) -> None:
        talk = conversation(system_prompt=system_prompt)
        result, questions = run(talk, "", GOOD, counter=tokens_by(template))
        assert isinstance(result, Summarised)
        assert result.method == "model"
        for question in questions:
            rendered = template.render(question.messages, **question.template_kwargs)
            assert rendered.rfind("Do not answer the conversation") > rendered.rfind("Answer 5: stop 5")
            assert "hm" not in rendered.split()
        after = [*talk.messages, Message("user", "And now, at the end?")]
        rendered = template.render(prompt_messages(replace(talk, messages=tuple(after)).with_summary(result.summary)))
        assert "The ferry leaves Bergen." in rendered
        assert rendered.rfind("And now, at the end?") > rendered.find("The ferry leaves Bergen.")
        assert "Question 0: what about stop 0" not in rendered

    def test_they_take_the_parts(self, template: ChatTemplate) -> None:
        result, questions = run(conversation(12, 100), GOOD, n_ctx=1024, counter=tokens_by(template))
        assert isinstance(result, Summarised)
        assert result.method == "parts"
        for question in questions:
            assert "Do not answer the conversation" in template.render(question.messages, **question.template_kwargs)

    @pytest.mark.parametrize("pinned", ["u1", "a1"])
    def test_pinned_messages_stay_word_for_word(self, template: ChatTemplate, pinned: str) -> None:
        talk = conversation()
        talk = replace(talk, messages=tuple(replace(m, pinned=m.id == pinned) for m in talk.messages))
        result, _ = run(talk, GOOD, counter=tokens_by(template))
        assert isinstance(result, Summarised)
        after = replace(talk, messages=(*talk.messages, Message("user", "And now?"))).with_summary(result.summary)
        rendered = template.render(prompt_messages(after))
        kept = next(message.content for message in talk.messages if message.id == pinned)
        assert rendered.count(kept.strip()) == 1
        assert "Question 0: what about stop 0" not in rendered


class TestPinned:
    def talk(self) -> Conversation:
        talk = conversation()
        pinned = replace(talk.messages[2], content=talk.messages[2].content + " It costs $3,400.", pinned=True)
        return replace(talk, messages=(*talk.messages[:2], pinned, *talk.messages[3:]))

    def test_what_they_say_is_not_said_again(self) -> None:
        result, _ = summarised(self.talk(), GOOD)
        assert split_summary(result.summary.text)[1] == []

    def test_they_are_not_counted_as_covered(self) -> None:
        talk = self.talk()
        result, _ = summarised(talk, GOOD)
        after = talk.with_summary(result.summary)
        assert talk.messages[2] in after.in_view()
        assert result.covered == [message.id for message in talk.messages].index(result.summary.covers_until)

    def test_they_are_not_read_in_parts(self) -> None:
        talk = conversation(turns=12, words=100)
        talk = replace(talk, messages=(replace(talk.messages[0], pinned=True), *talk.messages[1:]))
        _, questions = summarised(talk, GOOD, n_ctx=1024)
        assert all(talk.messages[0].content not in question.messages[0].content for question in questions)

    def test_a_second_summary_never_uncovers_what_the_first_covers(self) -> None:
        talk = self.talk()
        first, _ = summarised(talk, GOOD)
        talk = talk.with_summary(first.summary)
        talk = replace(talk, messages=(*talk.messages, *(replace(m, id=f"b{m.id}") for m in conversation(6).messages)))
        second, _ = summarised(talk, GOOD)
        after = talk.with_summary(second.summary)
        assert after.view_start > talk.view_start
        assert after.in_view()[0].pinned
