"""A killed window loses at most what came since the last call of `journal`."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from app.chat.conversation import Conversation
from app.chat.message import Message
from app.storage.store import Store, Turn
from tests.app.storage.samples import full_turn
from tests.app.storage.writer import PIECES, STATS, piece

ROOT = Path(__file__).parents[3]


def writer(path: Path, where: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.app.storage.writer", str(path), where]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def recovered(path: Path) -> tuple[list[str], Conversation, list[Turn]]:
    """Reopen, recover and return (recovered ids, conversation, turns)."""
    store = Store(path)
    try:
        ids = store.recover()
        assert store.recover() == []
        return ids, store.conversation("c"), store.turns("c")
    finally:
        store.close()


def expected(pieces: int) -> tuple[Message, Turn]:
    """The answer and its turn after so many pieces."""
    texts, thoughts, instants = zip(*map(piece, range(pieces)), strict=True) if pieces else ((), (), ())
    answer = Message("assistant", "".join(texts), "".join(thoughts), id="a", model="SmolLM2", state="interrupted")
    stats = replace(STATS, token_ns=tuple(k for some in instants for k in some), finish_reason="interrupted")
    return answer, Turn("a", stats)


def check(path: Path, pieces: int) -> None:
    ids, conversation, turns = recovered(path)
    question, answer = conversation.messages
    message, turn = expected(pieces)
    assert ids == ["a"]
    assert question.content == "Why?"
    assert answer == replace(message, created_at=answer.created_at)
    assert turns == [turn]


@pytest.mark.parametrize(
    ("where", "pieces"),
    [("after_begin", 0), ("after_journal", PIECES), ("in_journal", PIECES), ("in_finish", PIECES)],
)
def test_a_killed_process_leaves_all_that_was_journaled(path: Path, where: str, pieces: int) -> None:
    with writer(path, where) as process:
        process.communicate()
    assert process.returncode != 0
    check(path, pieces)


def test_a_process_killed_before_the_answer_began_leaves_the_question(path: Path) -> None:
    with writer(path, "before_begin") as process:
        process.communicate()
    ids, conversation, turns = recovered(path)
    assert (ids, turns) == ([], [])
    assert [message.content for message in conversation.messages] == ["Why?"]


@pytest.mark.parametrize("lines", [1, 2, 20, 90])
def test_a_process_killed_from_outside_while_writing_leaves_all_it_reported(path: Path, lines: int) -> None:
    with writer(path, "never") as process:
        for _ in range(lines):
            process.stdout.readline()
        process.kill()
        reported = lines + len(process.stdout.read().split())
    _, conversation, turns = recovered(path)
    pieces = len(turns[0].stats.token_ns) // 2
    # One more may have been written than could be reported.
    assert pieces - (reported - 1) in (0, 1)
    assert conversation.messages[1].content == expected(pieces)[0].content
    assert turns == [expected(pieces)[1]]


def test_answers_of_a_living_process_are_left_alone(path: Path) -> None:
    with writer(path, "wait") as process:
        for _ in range(PIECES + 1):
            process.stdout.readline()
        second = Store(path)
        assert not second.is_owner
        assert second.recover() == []
        assert second.conversation("c").messages[1].state == "streaming"
        second.add_message("c", Message("user", "Still writable"))
        second.show_path("c", second.conversation("c").messages[1].id)
        second.close()
        process.kill()
    check(path, PIECES)


def test_finishing_drops_the_journal(store: Store) -> None:
    store.create(Conversation(id="c"))
    store.begin_answer("c", Message("assistant", "", id="a", state="streaming"))
    store.journal("a", "half", "", [1])
    store.finish_answer(Message("assistant", "whole", id="a"), full_turn("a"))
    assert store.recover() == []
    assert store.conversation("c").messages[0].content == "whole"


def test_the_journal_is_empty_when_an_answer_is_finished_or_recovered(store: Store) -> None:
    store.create(Conversation(id="c"))
    for name in ("a", "b"):
        store.begin_answer("c", Message("assistant", "", id=name, state="streaming"))
        store.journal(name, "half", "", [1])
    store.finish_answer(Message("assistant", "whole", id="a"), full_turn("a"))
    assert [row["message_id"] for row in store._database.rows("SELECT message_id FROM journal")] == ["b"]
    store.recover()
    assert store._database.rows("SELECT * FROM journal") == []


def test_without_a_turn_the_text_is_recovered_and_no_number_is_made_up(store: Store) -> None:
    store.create(Conversation(id="c"))
    store.begin_answer("c", Message("assistant", "", id="a", state="streaming"))
    store.journal("a", "half", "why", [1, 2])
    assert store.recover() == ["a"]
    message = store.conversation("c").messages[0]
    assert (message.content, message.thinking, message.state) == ("half", "why", "interrupted")
    assert store.turns("c") == []


def test_a_continued_answer_keeps_its_beginning(store: Store) -> None:
    store.create(Conversation(id="c"))
    store.begin_answer("c", Message("assistant", "Once ", "hm ", id="a", state="streaming"))
    store.journal("a", "upon", "so", [])
    store.recover()
    message = store.conversation("c").messages[0]
    assert (message.content, message.thinking) == ("Once upon", "hm so")


def test_several_answers_are_recovered_each_with_its_own_text(store: Store) -> None:
    store.create(Conversation(id="c"))
    for name in ("a", "b"):
        store.begin_answer("c", Message("assistant", "", id=name, state="streaming"))
    for name in ("a", "b", "a"):
        store.journal(name, name, "", [])
    assert store.recover() == ["a", "b"]
    assert [message.content for message in store.conversation("c").messages] == ["aa", "b"]
