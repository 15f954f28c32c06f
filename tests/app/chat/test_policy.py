"""What is done with a turn that does not fit: all conversations of a kind, with a token for each letter."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, get_args

import pytest

from app.chat.context_window import fits
from app.chat.conversation import Conversation, OnFull, Summary, prompt_messages
from app.chat.message import Message
from app.chat.policy import (
    Choices,
    Drop,
    Hold,
    Limits,
    NextTurn,
    Send,
    Summarise,
    choices_for,
    decide,
    dropped_before,
    measure,
    surely_fits,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

POLICIES: tuple[OnFull, ...] = get_args(OnFull)
FRAME = 3


def count(messages: Sequence[Message]) -> int:
    return sum(len(message.content) + FRAME for message in messages)


def talk(*sizes: int, pinned: Sequence[int] = (), system: int = 0) -> Conversation:
    """Questions and answers in turn, the last one a question, each of so many letters."""
    messages = tuple(
        Message("user" if i % 2 == 0 else "assistant", "x" * size, id=f"m{i}", pinned=i in pinned)
        for i, size in enumerate(sizes)
    )
    assert len(messages) % 2
    return Conversation(system_prompt="s" * system, messages=messages)


def limits(limit: int, n_ctx_max: int = 0, max_tokens: int | None = None) -> Limits:
    return Limits(limit, n_ctx_max or limit, max_tokens)


def decided(conversation: Conversation, on_full: OnFull, bounds: Limits) -> object:
    return decide(measure(conversation, count, bounds), on_full)


@pytest.mark.parametrize(("on_full", "limit"), [("grow", 8192), *((each, 2048) for each in POLICIES if each != "grow")])
def test_only_grow_lets_the_context_grow(on_full: OnFull, limit: int) -> None:
    assert Limits.of(2048, 8192, on_full).limit == limit


@pytest.mark.parametrize(("limit", "most", "room"), [(2048, None, 512), (2048, 100, 100), (8192, 4000, 1024)])
def test_the_answers_room(limit: int, most: int | None, room: int) -> None:
    assert limits(limit, max_tokens=most).reply_tokens == room


@pytest.mark.parametrize("on_full", POLICIES)
def test_what_fits_is_sent(on_full: OnFull) -> None:
    bounds = limits(100)
    exactly = talk(69, 0, 0)  # with three frames and the answer's 25
    assert count(exactly.messages) + bounds.reply_tokens == 103
    assert decided(talk(66, 0, 0), on_full, bounds) == Send()


@cache
def every_conversation() -> list[Conversation]:
    """Return all with up to four turns of small sizes, pinned here and there, with and without a system prompt."""
    sizes = itertools.product((1, 20), repeat=5)
    pins = ((), (0,), (1,), (0, 1), (2, 3), (1, 2))
    found = [talk(*size, pinned=pin, system=system) for size in sizes for pin in pins for system in (0, 6)]
    chance = random.Random(7)
    for _ in range(300):
        length = chance.choice((1, 3, 7, 9, 11))
        some = talk(
            *(chance.randrange(0, 40) for _ in range(length)),
            pinned=[i for i in range(length) if chance.random() < 0.15],
            system=chance.choice((0, 5, 30)),
        )
        if length > 5 and chance.random() < 0.3:
            some = some.with_summary(Summary("s" * chance.randrange(1, 20), "m1"))
        if length > 5 and chance.random() < 0.3:
            some = dropped_before(some, 4)
        found.append(some)
    return found


def fewer_cuts(conversation: Conversation, index: int) -> list[Conversation]:
    """Return the conversation with each smaller number of whole turns dropped."""
    starts = [
        i for i, m in enumerate(conversation.messages) if m.role == "user" and conversation.view_start < i < index
    ]
    return [conversation, *(dropped_before(conversation, i) for i in starts)]


@pytest.mark.parametrize("limit", [32, 64, 96])
def test_drop_makes_room_with_the_fewest_whole_turns(limit: int) -> None:
    bounds, dropped = limits(limit), 0
    for conversation in every_conversation():
        decision = decided(conversation, "drop", bounds)
        if not isinstance(decision, Drop):
            continue
        dropped += 1
        left = replace(conversation, dropped_until=decision.cut.until)
        prompt = count(prompt_messages(left))
        assert prompt == decision.cut.prompt_tokens
        assert fits(prompt, limit)
        # Whole turns only: the view goes on with a question, which is the last one at the latest.
        index = left.view_start
        assert conversation.messages[index].role == "user"
        assert conversation.messages[-1] in left.in_view()
        # What is pinned and the system prompt stay.
        assert {m.id for m in conversation.messages if m.pinned} <= {m.id for m in left.in_view()}
        assert [m.role for m in prompt_messages(left)][:1] == ["system"] or not conversation.system_prompt
        # The fewest: with fewer the answer would not find its room.
        assert all(not bounds.has_room(count(prompt_messages(less))) for less in fewer_cuts(conversation, index))
        if not bounds.has_room(prompt):  # then nothing is left to drop
            assert index == len(conversation.messages) - 1
    assert dropped > 150


@pytest.mark.parametrize("limit", [32, 64, 96])
def test_what_is_sent_or_held_is_so_for_a_reason(limit: int) -> None:
    bounds = limits(limit)
    turns = [measure(conversation, count, bounds) for conversation in every_conversation()]
    for turn, on_full in itertools.product(turns, POLICIES):
        match decide(turn, on_full):
            case Send():
                assert fits(turn.prompt_tokens, limit)
                assert bounds.has_room(turn.prompt_tokens) or on_full == "stop" or not _could_act(turn, on_full)
            case Summarise():
                assert on_full in ("grow", "summarise")
                assert turn.summarised_tokens is not None
                assert fits(turn.summarised_tokens, limit)
            case Drop():
                assert on_full == "drop"
            case Hold(sentence, choices):
                assert sentence
                assert (on_full == "ask" and choices) or not fits(turn.prompt_tokens, limit)


def _could_act(turn: NextTurn, on_full: OnFull) -> bool:
    choices = choices_for(turn)
    return {"drop": choices.cut is not None, "ask": bool(choices)}.get(on_full, choices.summarise)


def test_a_smaller_room_is_better_than_none() -> None:
    """A long message that leaves the answer one token is sent, with all older turns dropped for it."""
    conversation = talk(10, 10, 86)
    decision = decided(conversation, "drop", limits(100))
    assert isinstance(decision, Drop)
    assert decision.cut.prompt_tokens == 89
    assert decided(talk(96), "drop", limits(100)) == Send()
    assert isinstance(decided(talk(97), "drop", limits(100)), Hold)


@pytest.mark.parametrize("on_full", POLICIES)
def test_a_message_longer_than_any_context_is_refused_with_what_to_cut(on_full: OnFull) -> None:
    decision = decided(talk(20, 20, 2000, system=10), on_full, limits(512))
    assert isinstance(decision, Hold)
    assert decision.sentence == (
        "This message is too long: with what must stay it needs 2,016 tokens and the context holds 512; "
        "cut at least 1,505 tokens of it, about 1,505 characters."
    )
    assert not decision.choices
    cut = talk(20, 20, 2000 - 1505, system=10)
    assert not isinstance(decided(cut, "drop", limits(512)), Hold)
    assert isinstance(decided(talk(20, 20, 2001 - 1505, system=10), on_full, limits(512)), Hold)


def test_pinned_messages_that_fill_the_context_are_named() -> None:
    decision = decided(talk(300, 300, 5, pinned=(0, 1)), "drop", limits(512))
    assert isinstance(decision, Hold)
    assert "unpin" in decision.sentence
    assert decision.choices == Choices()


def test_all_ways_are_offered() -> None:
    conversation = talk(900, 900, 900, 900, 300, 300, 100)
    decision = decided(conversation, "ask", limits(2048, n_ctx_max=8192))
    assert isinstance(decision, Hold)
    choices = decision.choices
    assert choices.grow_to == 8192
    assert choices.summarise
    assert choices.cut is not None
    assert (choices.cut.turns, choices.cut.until) == (2, "m3")
    assert choices.shorten_tokens is None  # all of the message is not enough
    shorter = decided(talk(900, 100, 900), "ask", limits(2048))
    assert isinstance(shorter, Hold)
    assert (shorter.choices.shorten_tokens, shorter.choices.shorten_characters) == (373, 373)
    assert isinstance(decided(talk(900, 100, 900 - 373), "ask", limits(2048)), Send)
    assert isinstance(decided(talk(900, 100, 901 - 373), "ask", limits(2048)), Hold)


def test_what_a_summary_cannot_help_is_not_summarised() -> None:
    turn = measure(talk(100, 100, 100, 100, 1700), count, limits(2048))
    assert not choices_for(turn).summarise
    assert decide(turn, "summarise") == Hold(
        "This turn needs 2,115 tokens and its answer about 512, and the context holds 2,048.", choices_for(turn)
    )
    enough = measure(talk(900, 900, 100, 100, 100), count, limits(2048))
    assert decide(enough, "summarise") == decide(enough, "grow") == Summarise()
    assert isinstance(decide(enough, "summarise", may_summarise=False), Hold)


def test_an_answer_to_be_written_on_stays_with_its_question() -> None:
    conversation = talk(900, 500, 400, 100, 1)
    going_on = replace(conversation, messages=conversation.messages[:-1])
    turn = measure(going_on, count, limits(2048))
    assert turn.cut is not None
    assert turn.cut.until == "m1"
    assert choices_for(turn).shorten_tokens is None


def test_no_token_is_shorter_than_a_byte() -> None:
    assert surely_fits([Message("user", "x" * 1000)], limits(2048))
    long = Message("user", "世" * 500)
    assert not surely_fits([long], limits(2048))
    assert surely_fits([long], limits(2048), {long.id: 1000})
