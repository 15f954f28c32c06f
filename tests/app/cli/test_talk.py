"""A conversation in the terminal on a scripted engine: a token is a word, a message costs four more."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import pytest

from app.chat.conversation import Conversation
from app.chat.message import Message
from app.cli import chat
from app.cli.talk import Interrupted, Talk
from app.errors import BadInputError, EngineError
from tests.fakes import Answer, ScriptedEngine, fake_model

if TYPE_CHECKING:
    from app.chat.conversation import OnFull

N_CTX = 512
"""The answer's room is 128: the fifth turn of 88 tokens does not find it."""
SUMMARY = Answer(pieces=("Goal: ", "ferries"))


def question(number: int, words: int = 40) -> Message:
    return Message("user", f"Question {number} " + "about-the-ferries-to-the-islands " * (words - 2))


def full_talk(
    on_full: OnFull, *answers: Answer, n_ctx_max: int = N_CTX, words: int = 40
) -> tuple[Talk, ScriptedEngine, list[str]]:
    """Return a talk of four turns and a fifth question, its engine, and what it says."""
    engine = ScriptedEngine(*answers, model=fake_model(n_ctx=N_CTX, n_ctx_max=n_ctx_max))
    said: list[str] = []
    talk = Talk(engine, Conversation(system_prompt="Be brief."), on_full, None, said.append)
    for number in range(1, 5):
        talk.add(question(number))
        talk.add(Message("assistant", "word " * 40))
    talk.add(question(5, words))
    return talk, engine, said


def test_drop_leaves_the_oldest_turns_out() -> None:
    talk, _, said = full_talk("drop")
    talk.make_room()
    assert said == ["turn 1 is out of the model's view from here on: the context is full."]
    assert "Question 1 " not in " ".join(message.content for message in talk.prompt)
    assert talk.prompt[0].role == "system"
    assert talk.report() == {
        "policy": "drop",
        "turns_in_view": 4,
        "turns_out_of_view": 1,
        "summarised_turns": 0,
        "facts_kept": [],
    }
    assert len(talk.conversation.messages) == 9


@pytest.mark.parametrize("on_full", ["grow", "summarise"])
def test_what_cannot_grow_is_summarised(on_full: OnFull) -> None:
    talk, engine, said = full_talk(on_full, SUMMARY)
    talk.make_room()
    (line,) = said
    assert line.startswith("turns 1 to ")
    assert "are summarised from here on" in line
    assert "Goal: ferries" in talk.prompt[0].content
    assert talk.conversation.messages[-1].content.startswith("Question 5")
    report = talk.report()
    assert report["turns_out_of_view"] == report["summarised_turns"] > 0
    assert all(request.purpose == "summary" for request in engine.requests)
    assert all(request.may_grow is (on_full == "grow") for request in engine.requests)


def test_a_context_that_can_grow_needs_no_room() -> None:
    talk, engine, said = full_talk("grow", n_ctx_max=4096)
    talk.make_room()
    assert (talk.may_grow, said, engine.requests) == (True, [], [])
    talk.make_room(may_grow=False)
    assert said


def test_what_a_summary_cannot_help_is_dropped() -> None:
    """The last message leaves no room for a summary beside it."""
    talk, engine, said = full_talk("summarise", words=400)
    talk.make_room()
    assert said == ["turns 1 to 4 are out of the model's view from here on: the context is full."]
    assert engine.requests == []


def test_stop_refuses() -> None:
    talk, _, said = full_talk("stop", words=200)
    with pytest.raises(BadInputError, match=r"the context holds 512"):
        talk.make_room()
    assert said == []


@pytest.mark.parametrize("on_full", ["grow", "summarise", "drop", "stop"])
def test_a_message_longer_than_the_context_is_refused(on_full: OnFull) -> None:
    talk, _, _ = full_talk(on_full, words=2000)
    with pytest.raises(BadInputError, match=r"cut at least 1,499 tokens of it, about [\d,]+ characters"):
        talk.make_room()


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Answer(pieces=(), finish_reason="cancelled"), Interrupted),
        (Answer(pieces=(), finish_reason="crashed", error="The engine's process ended."), EngineError),
    ],
)
def test_a_summary_that_ends_early_ends_the_turn(answer: Answer, error: type[Exception]) -> None:
    talk, _, _ = full_talk("summarise", answer)
    with pytest.raises(error):
        talk.make_room()
    assert talk.conversation.summaries == ()


def options(**changes: Any) -> argparse.Namespace:
    plain = {"prompt": [], "system": "", "on_full": "grow", "max_tokens": None, "json": False, "stop": [], "seed": 1}
    sampling = {"temp": 0.0, "top_k": 1, "top_p": 1.0, "min_p": 0.0, "repeat_penalty": 1.0}
    penalties = {"presence_penalty": 0.0, "frequency_penalty": 0.0}
    return argparse.Namespace(**{**plain, **sampling, **penalties, **changes})


def test_who_types_goes_on_after_a_refusal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    engine = ScriptedEngine(Answer(pieces=("Hello",)), model=fake_model(n_ctx=N_CTX))
    typed = iter(["word " * 2000, "Short"])

    def read(_prompt: str) -> str:
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", read)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    model = engine.model
    assert model is not None
    assert chat._converse(engine, model, options(on_full="stop")) == 0
    out, err = capsys.readouterr()
    assert out == "Hello\n"
    assert "cut at least" in err
    assert [message.content for message in engine.requests[-1].messages] == ["Short"]


def test_where_the_engine_finds_no_memory_to_grow_the_turn_is_answered_all_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    refused = Answer(pieces=(), finish_reason="context", error="The context cannot grow.")
    long = [question(number).content for number in range(1, 6)]
    turns = [Answer(pieces=("word ",) * 40)] * 4
    engine = ScriptedEngine(*turns, refused, SUMMARY, Answer(pieces=("After",)))
    engine._model = engine._next_model = fake_model(n_ctx=N_CTX, n_ctx_max=4096)
    assert engine.model is not None
    assert chat._converse(engine, engine.model, options(prompt=long)) == 0
    out, err = capsys.readouterr()
    assert out.endswith("After\n")
    assert "are summarised from here on" in err
    assert [request.may_grow for request in engine.requests[-3:]] == [True, True, False]
