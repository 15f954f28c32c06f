"""A path through a conversation's tree with the real model: only what differs is read, and an answer goes on."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from app.chat.message import Message
from app.engine.events import GenerationFinished, PromptTokenised, TokensGenerated
from app.engine.request import Foreseen, GenerationRequest
from app.engine.sampling import Sampling

if TYPE_CHECKING:
    from app.engine.process import EngineProcess

pytestmark = pytest.mark.model

LONG = Message(
    "user", "Here is a story. " + "The quick brown fox jumps over the lazy dog. " * 15 + "Say what it is about."
)
NEXT = Message("user", "What does the fox do?")


def answer(
    engine: EngineProcess, *messages: Message, continues: Message | None = None, most: int = 12
) -> tuple[str, PromptTokenised, GenerationFinished]:
    """Return what was written, how the prompt was read, and the end."""
    request = GenerationRequest(
        messages, time.perf_counter_ns(), Sampling(temperature=0), max_tokens=most, continues=continues
    )
    foreseen = engine.foresee(request)
    events = list(engine.generate(request))
    pieces = [piece.text for event in events if isinstance(event, TokensGenerated) for piece in event.pieces]
    read = next(event for event in events if isinstance(event, PromptTokenised))
    assert foreseen == Foreseen(read.prompt_tokens, read.cached_tokens)
    end = events[-1]
    assert isinstance(end, GenerationFinished)
    return "".join(pieces), read, end


def test_a_sibling_is_read_from_the_fork_on(engine: EngineProcess) -> None:
    text, _, _ = answer(engine, LONG)
    versions = [Message("assistant", text), Message("assistant", "It is about a fox and a dog.")]
    common = engine.count_tokens([LONG])
    for _ in range(2):
        for version in versions:
            _, read, _ = answer(engine, LONG, version, NEXT)
            assert read.cached_tokens >= common - 4  # the opening of the answer may be split otherwise before its text
            assert read.prompt_tokens - read.cached_tokens < 60


def test_an_edited_question_is_read_from_its_first_other_word(engine: EngineProcess) -> None:
    text, _, _ = answer(engine, LONG)
    before = (LONG, Message("assistant", text))
    answer(engine, *before, NEXT)
    _, read, _ = answer(engine, *before, Message("user", "What does the dog do?"))
    assert read.cached_tokens > engine.count_tokens(before) - 8
    assert read.prompt_tokens - read.cached_tokens < 20


def test_a_continued_answer_reads_one_token_and_is_the_one_that_was_not_cut(engine: EngineProcess) -> None:
    whole, _, end = answer(engine, LONG, most=40)
    engine.forget()
    half, _, cut = answer(engine, LONG, most=15)
    assert cut.finish_reason == "length"
    rest, read, _ = answer(engine, LONG, continues=Message("assistant", half), most=25)
    assert read.prompt_tokens - read.cached_tokens == 1
    assert half + rest == whole
    assert end.finish_reason in ("length", "stop")


def test_an_edited_answer_goes_on_from_what_the_user_wrote(engine: EngineProcess) -> None:
    answer(engine, LONG)
    rest, read, _ = answer(engine, LONG, continues=Message("assistant", "The story says that the quick brown"))
    assert rest.lstrip().startswith("fox")
    assert read.prompt_tokens - read.cached_tokens < 20
