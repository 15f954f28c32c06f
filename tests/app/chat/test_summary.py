"""Summaries: what the model is asked, what is accepted, and what the conversation looks like afterwards.

A token is a word here, and a message costs three more, as the template's marks would.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.chat.conversation import Conversation, prompt_messages
from app.chat.message import Message
from app.chat.summary import (
    THINKING_TOKENS,
    NotSummarised,
    summarise,
)
from app.chat.summary_outline import summary_budget
from app.chat.summary_text import FACTS_HEADING, split_summary
from app.errors import TemplateError
from tests.app.chat.summaries import GOOD, N_CTX, contents, conversation, count, run, summarised

if TYPE_CHECKING:
    from collections.abc import Sequence


class TestBudget:
    @pytest.mark.parametrize(("n_ctx", "tokens"), [(256, 128), (2048, 204), (4096, 409), (8192, 768), (131_072, 768)])
    def test_a_tenth_within_limits(self, n_ctx: int, tokens: int) -> None:
        assert summary_budget(n_ctx) == tokens


class TestFastPath:
    def test_the_conversation_is_asked_about_as_it_stands(self) -> None:
        talk = conversation()
        result, (question,) = summarised(talk, GOOD)
        covered = [message.id for message in talk.messages].index(result.summary.covers_until) + 1
        assert contents(question.messages[:-1]) == contents(prompt_messages(talk))
        assert question.messages[-1].role == "user"
        assert "Do not answer the conversation" in question.messages[-1].content
        assert result.covered == covered

    def test_where_it_does_not_fit_the_older_turns_are_which_the_cache_holds_as_well(self) -> None:
        talk = conversation()
        n_ctx = count(prompt_messages(talk)) + 150
        result, (question,) = summarised(talk, GOOD, n_ctx=n_ctx)
        assert contents(question.messages[:-1]) == contents(prompt_messages(talk))[: 1 + result.covered]
        assert result.method == "model"

    def test_sampling_is_calm_and_within_the_budget(self) -> None:
        _, (question,) = summarised(conversation(), GOOD)
        assert question.temperature <= 0.3
        assert question.template_kwargs["enable_thinking"] is False
        assert question.max_tokens <= summary_budget(N_CTX)
        assert count(question.messages) + question.max_tokens <= N_CTX

    def test_thinking_is_neither_given_nor_kept(self) -> None:
        result, (question,) = summarised(conversation(), f"<think>\nSecret plan.\n</think>\n\n{GOOD}")
        assert all("hm" not in message.content.split() for message in question.messages)
        assert result.summary.text == GOOD

    def test_receipt(self) -> None:
        talk = conversation()
        result, _ = summarised(talk, GOOD)
        assert result.summary.tokens_before == count(prompt_messages(talk))
        assert result.summary.tokens_after == count(prompt_messages(talk.with_summary(result.summary)))
        assert result.summary.tokens_after < result.summary.tokens_before
        assert result.method == "model"

    def test_afterwards_the_model_sees_system_prompt_summary_and_the_last_turns_word_for_word(self) -> None:
        talk = conversation()
        result, _ = summarised(talk, GOOD)
        given = prompt_messages(talk.with_summary(result.summary))
        assert given[0].role == "system"
        assert given[0].content == f"Be brief.\n\nSummary of the earlier conversation:\n{GOOD}"
        assert given[1:] == list(talk.messages[result.covered :])
        assert [message.role for message in given[1:]] == ["user", "assistant"] * (len(given[1:]) // 2)
        assert {"u5", "a5"} <= {message.id for message in given}

    def test_originals_stay(self) -> None:
        talk = conversation()
        result, _ = summarised(talk, GOOD)
        after = talk.with_summary(result.summary)
        assert after.messages == talk.messages
        assert after.with_summary_undone(result.summary.id).in_view() == talk.messages

    def test_a_question_that_waits_for_its_answer_stays(self) -> None:
        talk = conversation()
        talk = replace(talk, messages=(*talk.messages, Message("user", "And now?", id="now")))
        result, _ = summarised(talk, GOOD)
        given = prompt_messages(talk.with_summary(result.summary))
        assert [message.id for message in given[-3:]] == ["u5", "a5", "now"]


class TestFacts:
    def talk(self) -> Conversation:
        talk = conversation()
        first = replace(talk.messages[0], content=talk.messages[0].content + " Remember that Rex eats no nuts.")
        second = replace(talk.messages[1], content=talk.messages[1].content + " It leaves at 7:40 and costs $3,400.")
        return replace(talk, messages=(first, second, *talk.messages[2:]))

    def test_details_are_added_word_for_word(self) -> None:
        result, _ = summarised(self.talk(), GOOD)
        body, facts = split_summary(result.summary.text)
        assert body == GOOD
        assert facts == ["Remember that Rex eats no nuts", "7:40", "$3,400"]

    def test_they_are_rolled_on_and_never_given_to_the_model_to_rephrase(self) -> None:
        talk = self.talk()
        first, _ = summarised(talk, GOOD)
        talk = talk.with_summary(first.summary)
        more = [replace(m, id=f"b{m.id}") for m in conversation(6).messages]
        more[0] = replace(more[0], content=more[0].content + " It weighs 12 kg.")
        talk = replace(talk, messages=(*talk.messages, *more))
        second, _ = summarised(talk, f"{GOOD}\n\n{FACTS_HEADING}\n- Rex eats all nuts")
        body, facts = split_summary(second.summary.text)
        assert body == GOOD
        assert facts == ["Remember that Rex eats no nuts", "7:40", "$3,400", "12 kg"]

    def test_they_take_a_quarter_of_the_budget_at_most(self) -> None:
        talk = conversation()
        many = " ".join(f"It costs ${number},000." for number in range(100, 400))
        talk = replace(talk, messages=(replace(talk.messages[0], content=many), *talk.messages[1:]))
        result, _ = summarised(talk, GOOD)
        _, facts = split_summary(result.summary.text)
        assert facts[0] == "$100,000"
        assert 5 < len(facts) < 150
        assert count([Message("user", "\n".join(f"- {fact}" for fact in facts))]) <= summary_budget(N_CTX) // 2


class TestRollingOn:
    def test_an_earlier_summary_is_part_of_what_is_summarised(self) -> None:
        talk = conversation()
        first, _ = summarised(talk, GOOD)
        talk = talk.with_summary(first.summary)
        talk = replace(talk, messages=(*talk.messages, *(replace(m, id=f"b{m.id}") for m in conversation(6).messages)))
        second, (question,) = summarised(talk, GOOD + "\n- June has long days.")
        assert GOOD in question.messages[0].content
        assert question.messages[1].id == talk.messages[first.covered].id
        given = prompt_messages(talk.with_summary(second.summary))
        assert given[0].content.count("Summary of the earlier conversation") == 1
        assert "June has long days." in given[0].content

    def test_what_was_to_be_remembered_first_is_there_after_ten_summaries(self) -> None:
        talk = Conversation(system_prompt="Be brief.")
        wishes = []
        for number in range(10):
            wishes.append(f"Remember that code {number} opens door {number * 7}")
            more = [replace(m, id=f"{number}{m.id}") for m in conversation(6).messages]
            content = f"{more[0].content} {wishes[-1]}. It weighs {number}12 kg and costs ${number},400."
            talk = replace(talk, messages=(*talk.messages, replace(more[0], content=content), *more[1:]))
            result, _ = summarised(talk, f"- Norway, ferry trip of round {number}.")
            talk = talk.with_summary(result.summary)
        body, facts = split_summary(talk.summaries[-1].text)
        assert body == "- Norway, ferry trip of round 9."
        assert [fact for fact in facts if fact.startswith("Remember")] == wishes
        assert count([Message("user", "\n".join(facts))]) <= summary_budget(N_CTX)
        given = prompt_messages(talk)
        assert given[0].content.count(FACTS_HEADING) == 1

    def test_when_wishes_have_no_room_the_first_ones_stay(self) -> None:
        talk = Conversation()
        for number in range(10):
            more = [replace(m, id=f"{number}{m.id}") for m in conversation(6).messages]
            wish = f"Remember that number {number} stands for " + "the north wind and the sun " * 5
            talk = replace(talk, messages=(*talk.messages, replace(more[0], content=wish), *more[1:]))
            result, _ = summarised(talk, f"- Norway, ferry trip of round {number}.", n_ctx=2048)
            talk = talk.with_summary(result.summary)
        _, facts = split_summary(talk.summaries[-1].text)
        assert facts[0].startswith("Remember that number 0")
        assert count([Message("user", "\n".join(facts))]) <= summary_budget(2048) * 0.6

    def test_undoing_the_second_brings_the_first_back(self) -> None:
        talk = conversation()
        first, _ = summarised(talk, GOOD)
        once = talk.with_summary(first.summary)
        once = replace(once, messages=(*once.messages, *(replace(m, id=f"b{m.id}") for m in conversation(6).messages)))
        second, _ = summarised(once, GOOD)
        twice = once.with_summary(second.summary)
        assert twice.with_summary_undone(second.summary.id).active_summary == first.summary


class TestSecondTry:
    @pytest.mark.parametrize(
        "bad",
        [
            pytest.param("", id="empty"),
            pytest.param(" \n", id="blank"),
            pytest.param("<think>I should", id="thinking only"),
            pytest.param("Norway in June. " * 400, id="longer than what it replaces"),
            pytest.param("I'm glad to help you!\n" * 20, id="round in circles"),
            pytest.param("Once upon a time there lived an old wizard beneath mountains of silver.", id="another story"),
        ],
    )
    def test_what_is_unusable_is_asked_for_again_in_stricter_words(self, bad: str) -> None:
        result, questions = summarised(conversation(), bad, GOOD)
        first, second = questions
        assert result.method == "model"
        assert result.summary.text == GOOD
        assert second.messages[:-1] == first.messages[:-1]
        assert second.messages[-1].content != first.messages[-1].content
        assert "Write only a summary" in second.messages[-1].content

    def test_a_model_that_only_thought_gets_room_for_it(self) -> None:
        _, (first, second) = summarised(conversation(), "", GOOD)
        assert second.max_tokens == first.max_tokens + THINKING_TOKENS

    def test_but_no_more_than_the_context_has(self) -> None:
        talk = conversation(turns=6, words=150)
        _, (first, second) = summarised(talk, "", GOOD, n_ctx=2048)
        assert first.max_tokens <= second.max_tokens
        assert count(second.messages) + second.max_tokens == 2048

    def test_a_model_that_talked_gets_no_more(self) -> None:
        _, (first, second) = summarised(conversation(), "Norway in June. " * 400, GOOD)
        assert second.max_tokens == first.max_tokens

    @pytest.mark.parametrize("bad", ["", "Norway in June. " * 400, "I'm glad to help you!\n" * 20])
    def test_then_the_first_sentences_stand_in(self, bad: str) -> None:
        talk = conversation()
        result, questions = summarised(talk, bad)
        assert len(questions) == 2
        assert result.method == "extracted"
        assert result.summary.text.splitlines()[:2] == [
            "User: Question 0: what about stop 0?",
            "Assistant: Answer 0: stop 0 is worth it.",
        ]
        assert result.summary.tokens_after is not None
        assert result.summary.tokens_before is not None
        assert result.summary.tokens_after < result.summary.tokens_before


class TestNothingChanged:
    @pytest.mark.parametrize("turns", [0, 1])
    def test_without_older_turns(self, turns: int) -> None:
        result, questions = run(conversation(turns), GOOD)
        assert result == NotSummarised("There is nothing to summarise yet: no turn is older than the last one.")
        assert questions == []

    def test_when_a_summary_would_be_no_shorter(self) -> None:
        result, _ = run(conversation(turns=3, words=3), "Question and answer about several stops were exchanged here.")
        assert result == NotSummarised(
            "Nothing was changed: a summary would hardly be shorter than the turns it stands for."
        )

    def test_when_the_template_cannot_render(self) -> None:
        def fail(messages: Sequence[Message]) -> int:
            raise TemplateError("The model's chat template cannot be read.")

        result, questions = run(conversation(), GOOD, counter=fail)
        assert result == NotSummarised("The model's chat template cannot be read.")
        assert questions == []

    def test_closing_cancels(self) -> None:
        steps = summarise(conversation(), count, N_CTX)
        next(steps)
        steps.close()
        with pytest.raises(StopIteration):
            steps.send(GOOD)

    def test_messages_without_text_do_not_count(self) -> None:
        talk = conversation(2)
        empty = (Message("user", " "), Message("assistant", "", state="failed"))
        result, _ = run(replace(talk, messages=(*empty, *talk.messages[2:])), GOOD)
        assert isinstance(result, NotSummarised)


class TestInParts:
    """The older turns and the instruction do not fit into one prompt."""

    def test_every_turn_is_read_once_and_the_parts_put_together(self) -> None:
        talk = conversation(turns=12, words=100)
        parts = [f"- Norway, part {number} of the ferry trip." for number in range(20)]
        result, questions = summarised(talk, *parts, n_ctx=1024)
        assert len(questions) > 2
        assert all([message.role for message in question.messages] == ["user", "user"] for question in questions)
        texts = [question.messages[0].content for question in questions]
        assert "Be brief." not in "".join(texts)
        for message in talk.messages[: result.covered]:
            assert sum(message.content in text for text in texts) == 1
        assert result.summary.text == "\n".join(parts[: len(questions)])
        assert result.method == "parts"

    def test_summaries_that_are_too_long_together_are_condensed_once_more(self) -> None:
        talk = conversation(turns=20, words=100)
        long = [f"- Norway part {number}: " + "ferry trip along the coast " * 14 for number in range(8)]
        result, questions = summarised(talk, *long[:5], GOOD, n_ctx=1200)
        *parts, last = questions
        assert len(parts) == 5
        assert last.messages[0].content.startswith("These are summaries of the parts")
        assert all(text.strip() in last.messages[0].content for text in long[:5])
        assert result.summary.text == GOOD
        assert count(last.messages) + last.max_tokens <= 1200

    def test_many_parts_are_condensed_in_groups(self) -> None:
        talk = conversation(turns=60, words=100)
        long = "- Norway: " + "ferry trip along the coast " * 20
        result, questions = summarised(talk, long, n_ctx=700)
        merging = [question for question in questions if "summaries of the parts" in question.messages[0].content]
        assert len(merging) > 2
        assert len(questions) < 100
        assert count([Message("user", result.summary.text)]) <= summary_budget(700) + 10

    def test_prompts_leave_room_for_the_answer(self) -> None:
        _, questions = summarised(conversation(turns=12, words=100), GOOD, n_ctx=1024)
        for question in questions:
            assert count(question.messages) + question.max_tokens <= 1024
            assert question.messages[-1].role == "user"

    def test_a_message_longer_than_the_context_is_read_in_pieces(self) -> None:
        talk = conversation(turns=3, words=40)
        paste = " ".join(f"word{number}" for number in range(5000))
        talk = replace(talk, messages=(replace(talk.messages[0], content=paste), *talk.messages[1:]))
        result, questions = summarised(talk, GOOD, n_ctx=1024)
        assert result.method == "extracted" or len(questions) > 5
        text = "".join(question.messages[0].content for question in questions)
        assert all(f"word{number} " in text for number in range(0, 4990, 500))

    def test_an_earlier_summary_is_where_it_begins(self) -> None:
        talk = conversation(turns=12, words=100)
        first, _ = summarised(talk, GOOD, n_ctx=1024)
        talk = talk.with_summary(first.summary)
        more = (replace(m, id=f"b{m.id}") for m in conversation(12, 100).messages)
        talk = replace(talk, messages=(*talk.messages, *more))
        _, questions = summarised(talk, GOOD, n_ctx=1024)
        assert GOOD in questions[0].messages[0].content

    def test_for_a_part_with_two_bad_answers_first_sentences_stand_in(self) -> None:
        talk = conversation(turns=12, words=100)
        result, _ = summarised(talk, "- Norway in June.", "", "", "- The ferry trip.", n_ctx=1024)
        lines = result.summary.text.splitlines()
        assert lines[0] == "- Norway in June."
        assert lines[1].startswith("Assistant: Answer ")
        assert lines[-1] == "- The ferry trip."
        assert result.method == "parts"

    def test_when_no_part_was_answered_all_is_first_sentences(self) -> None:
        result, questions = summarised(conversation(turns=12, words=100), "", n_ctx=1024)
        assert len(questions) > 4
        assert result.method == "extracted"

    def test_a_context_too_small_to_ask_in(self) -> None:
        result, questions = summarised(conversation(turns=12, words=100), GOOD, n_ctx=150)
        assert questions == []
        assert result.method == "extracted"
