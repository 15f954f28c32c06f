"""--on-full on the real model: a secret told in the first of forty turns is never lost silently."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from app.chat.conversation import Conversation
from app.chat.message import Message
from app.cli import main
from app.cli.talk import Talk
from app.engine.config import ModelConfig
from app.engine.events import GenerationFinished, ModelLoaded, TokensGenerated
from app.engine.factory import SELF_TEST_FILE
from app.engine.process import EngineProcess
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling
from app.errors import BadInputError
from app.paths import paths

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.chat.conversation import OnFull

pytestmark = [pytest.mark.model, pytest.mark.timeout(900)]

SECRET = "#4711"
FIRST = f"Please remember that the number of my locker is {SECRET}."
PADDING = "It was a quiet day at the harbour, and the ferry to the islands left on time with a few walkers on board."
N_CTX = 2048
TURNS = 40
REAL_TURNS = 1
"""The last one is the first for which there is no room; forty answers would take minutes."""
MOST_TOKENS = 4


@pytest.fixture(autouse=True)
def known_self_test(self_tests: Any, tokometer_home: Path) -> None:
    """Take over what this run knows of the machine, so that an unsafe build does not crash in every test."""
    if self_tests._path.exists():
        paths().data.mkdir(parents=True)
        (paths().data / SELF_TEST_FILE).write_bytes(self_tests._path.read_bytes())


@pytest.fixture(scope="module")
def engine(starter: Path, self_tests: Any) -> Iterator[EngineProcess]:
    """The starter model with a small, fixed context; its cache is what the test before left."""
    engine = EngineProcess(self_tests)
    loaded = list(engine.load(ModelConfig(starter, n_ctx=N_CTX, n_threads=1)))
    assert isinstance(loaded[-1], ModelLoaded)
    yield engine
    engine.close()


def forty_turns(engine: EngineProcess, on_full: OnFull) -> tuple[Talk, list[dict[str, Any]], list[str]]:
    """Return the talk, its last turns as `--json` reports them, and what was said of the others."""
    said: list[str] = []
    talk = Talk(engine, Conversation(), on_full, MOST_TOKENS, said.append)
    reports: list[dict[str, Any]] = []
    questions = [FIRST, *(f"Note {number}. {PADDING}" for number in range(2, TURNS + 1))]
    for number, question in enumerate(questions, 1):
        talk.add(Message("user", question))
        if number <= TURNS - REAL_TURNS:
            talk.add(Message("assistant", "Noted, a quiet day at the harbour."))
            continue
        talk.make_room()
        texts: list[str] = []
        request = GenerationRequest(
            talk.prompt, time.perf_counter_ns(), Sampling(temperature=0), MOST_TOKENS, may_grow=talk.may_grow
        )
        for event in engine.generate(request):
            if isinstance(event, TokensGenerated):
                texts.extend(piece.text for piece in event.pieces)
            if isinstance(event, GenerationFinished):
                assert event.finish_reason in ("stop", "length"), event.error
                assert event.context_tokens <= N_CTX
        reports.append(talk.report())
        talk.add(Message("assistant", "".join(texts)))
    assert len(talk.conversation.messages) == 2 * TURNS
    assert talk.conversation.messages[0].content == FIRST
    for number, report in enumerate(reports, TURNS - REAL_TURNS + 1):
        assert report["policy"] == on_full
        assert report["turns_in_view"] + report["turns_out_of_view"] == number
        assert report["turns_in_view"] >= 1
    return talk, reports, said


@pytest.mark.parametrize("on_full", ["grow", "summarise"])
def test_a_summary_keeps_the_secret(on_full: OnFull, engine: EngineProcess) -> None:
    """A context that cannot grow is summarised."""
    talk, reports, said = forty_turns(engine, on_full)
    for report in reports:
        assert report["turns_out_of_view"] > 0
        assert report["summarised_turns"] == report["turns_out_of_view"]
        assert any(SECRET in fact for fact in report["facts_kept"])
    assert SECRET in talk.prompt[0].content
    assert said
    assert all("are summarised from here on" in line for line in said)


def test_drop_says_which_turns_are_out_of_view(engine: EngineProcess) -> None:
    talk, reports, said = forty_turns(engine, "drop")
    out = [report["turns_out_of_view"] for report in reports]
    assert out == sorted(out)
    assert all(report["summarised_turns"] == 0 and report["facts_kept"] == [] for report in reports)
    assert len(said) == len(set(out))
    assert out[0] == 1
    assert said[0] == "turn 1 is out of the model's view from here on: the context is full."
    assert FIRST not in [message.content for message in talk.prompt]


def test_stop_refuses_what_does_not_fit(engine: EngineProcess) -> None:
    with pytest.raises(BadInputError, match=r"the context holds 2,048"):
        forty_turns(engine, "stop")


def talk_in_terminal(starter: Path, *arguments: str) -> int:
    return main(["chat", "-m", str(starter), "-t", "1", "--temp", "0", "-n", "4", *arguments])


def test_json_says_what_was_in_view(starter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prompts = ("-p", FIRST, "-p", f"{PADDING} " * 10, "-p", f"{PADDING} " * 10)
    assert talk_in_terminal(starter, "-c", "512", "--on-full", "drop", "--json", *prompts) == 0
    out, err = capsys.readouterr()
    contexts = [json.loads(line)["context"] for line in out.splitlines()]
    assert [context["turns_in_view"] for context in contexts] == [1, 2, 1]
    assert contexts[-1] == {
        "policy": "drop",
        "turns_in_view": 1,
        "turns_out_of_view": 2,
        "summarised_turns": 0,
        "facts_kept": [],
    }
    assert "turns 1 to 2 are out of the model's view" in err


@pytest.mark.parametrize("policy", ["drop", "stop"])
def test_only_grow_lets_it_grow(policy: str, starter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert talk_in_terminal(starter, "--on-full", policy, "-p", PADDING * 200) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "the context holds 4,096" in err
