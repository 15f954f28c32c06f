"""`tokometer chat --on-full`: a secret told in the first of forty turns is never lost silently."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from app.cli import main
from app.engine.factory import SELF_TEST_FILE
from app.paths import paths

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.model

SECRET = "#4711"
FIRST = f"Please remember that the number of my locker is {SECRET}."
PADDING = "It was a quiet day at the harbour, and the ferry to the islands left on time with a few walkers on board. "
TURNS = 40


@pytest.fixture(autouse=True)
def known_self_test(self_tests: Any, tokometer_home: Path) -> None:
    """Take over what this run knows of the machine, so that an unsafe build does not crash in every test."""
    if self_tests._path.exists():
        paths().data.mkdir(parents=True)
        (paths().data / SELF_TEST_FILE).write_bytes(self_tests._path.read_bytes())


@pytest.fixture
def forty_turns(starter: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return what a talk of forty short turns with 2,048 tokens of context gives: status, turns, standard error."""

    def talk(on_full: str, *more: str) -> tuple[int, list[dict[str, Any]], str]:
        prompts = [FIRST, *(f"Note {number}: {PADDING}{PADDING}" for number in range(2, TURNS + 1))]
        arguments = [argument for prompt in prompts for argument in ("-p", prompt)]
        command = ["chat", "-m", str(starter), "-c", "2048", "-t", "1", "--temp", "0", "-n", "4", "--json"]
        status = main([*command, "--on-full", on_full, *more, *arguments])
        out, err = capsys.readouterr()
        return status, [json.loads(line) for line in out.splitlines()], err

    return talk


def contexts(turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [turn["context"] for turn in turns]


def assert_whole(turns: list[dict[str, Any]], policy: str) -> None:
    """Every turn was answered, and says of every turn so far where it is."""
    assert len(turns) == TURNS
    for number, turn in enumerate(turns, 1):
        context = turn["context"]
        assert context["policy"] == policy
        assert turn["finish_reason"] in ("stop", "length")
        assert context["turns_in_view"] + context["turns_out_of_view"] == number
        assert context["turns_in_view"] >= 1
        assert turn["n_ctx"] == 2048
        assert turn["prompt_tokens"] + turn["completion_tokens"] <= 2048


@pytest.mark.parametrize("policy", ["grow", "summarise"])
def test_a_summary_keeps_the_secret(policy: str, forty_turns: Any) -> None:
    """What -c says is a limit: to grow means to summarise then."""
    status, turns, err = forty_turns(policy)
    assert status == 0
    assert_whole(turns, policy)
    first = next(i for i, context in enumerate(contexts(turns)) if context["turns_out_of_view"])
    for context in contexts(turns)[first:]:
        assert context["summarised_turns"] == context["turns_out_of_view"]
        assert any(SECRET in fact for fact in context["facts_kept"])
    assert "are summarised from here on" in err


def test_drop_says_which_turns_are_out_of_view(forty_turns: Any) -> None:
    status, turns, err = forty_turns("drop")
    assert status == 0
    assert_whole(turns, "drop")
    out = [context["turns_out_of_view"] for context in contexts(turns)]
    assert out == sorted(out)
    assert out[-1] > 0
    assert all(context["summarised_turns"] == 0 and context["facts_kept"] == [] for context in contexts(turns))
    notes = [line for line in err.splitlines() if "out of the model's view" in line]
    assert len(notes) == len(set(out)) - 1
    assert f"{out[-1]} " in notes[-1]


def test_stop_refuses_the_first_turn_that_does_not_fit(forty_turns: Any) -> None:
    status, turns, err = forty_turns("stop")
    assert status == 2
    assert 20 < len(turns) < TURNS
    assert all(context["turns_out_of_view"] == 0 for context in contexts(turns))
    assert "the context holds 2,048" in err.splitlines()[-1]


def test_without_a_number_the_context_grows_first(starter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [
        "chat",
        "-m",
        str(starter),
        "-t",
        "1",
        "--temp",
        "0",
        "-n",
        "4",
        "--json",
        "-p",
        FIRST,
        "-p",
        PADDING * 170,
    ]
    assert main(command) == 0
    turns = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [turn["n_ctx"] for turn in turns] == [4096, 8192]
    assert turns[-1]["context"] == {
        "policy": "grow",
        "turns_in_view": 2,
        "turns_out_of_view": 0,
        "summarised_turns": 0,
        "facts_kept": [],
    }


@pytest.mark.parametrize("policy", ["drop", "stop"])
def test_only_grow_lets_it_grow(policy: str, starter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["chat", "-m", str(starter), "--temp", "0", "-n", "4", "--on-full", policy, "-p", PADDING * 200]
    assert main(command) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "the context holds 4,096" in err
