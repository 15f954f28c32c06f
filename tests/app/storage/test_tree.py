"""Branches, deletions and continued answers on disk; files that were kept as a list become trees."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from app.chat.conversation import Conversation, Summary
from app.chat.message import Message
from app.errors import StorageRefusedError
from app.storage.export import export
from app.storage.migrations import parents_of
from app.storage.store import Store
from tests.app.storage.samples import NOON, full_turn

ROOT = Path(__file__).parents[3]
FIRST = Path(__file__).with_name("schema_1.sql")


def say(role: str, message_id: str) -> Message:
    return Message(role, f"Text of {message_id}", id=message_id, created_at=NOON)


@pytest.fixture
def branched(store: Store) -> Store:
    """q1 a1 q2 a2, and q2b a2b in the place of the latter two."""
    store.create(Conversation("c", messages=tuple(map(say, ("user", "assistant") * 2, ("q1", "a1", "q2", "a2")))))
    store.branch("c", "a1", [say("user", "q2b"), say("assistant", "a2b")], full_turn("a2b"), NOON)
    return store


def path_of(store: Store) -> list[str]:
    shown = [message.id for message in store.conversation("c").messages]
    assert store.tree("c").path() == shown
    assert store.conversations()[0].message_count == len(shown)
    return shown


def test_a_branch_takes_the_place_of_what_followed(branched: Store) -> None:
    assert path_of(branched) == ["q1", "a1", "q2b", "a2b"]
    assert [message.id for message, _ in branched.superseded("c")] == ["q2", "a2"]
    assert branched.turns("c") == [full_turn("a2b")]


def test_any_end_can_be_shown_again(branched: Store) -> None:
    branched.show_path("c", "a2")
    assert path_of(branched) == ["q1", "a1", "q2", "a2"]
    assert branched.superseded("c")[-1] == (say("assistant", "a2b"), full_turn("a2b"))
    branched.show_path("c", "q1")
    assert path_of(branched) == ["q1"]
    branched.show_path("c", "")
    assert path_of(branched) == []
    with pytest.raises(StorageRefusedError):
        branched.show_path("c", "nowhere")


def test_a_message_is_deleted_and_comes_back(branched: Store) -> None:
    branched.set_deleted("c", ["a1", "q2b"], True)
    assert path_of(branched) == ["q1", "a2b"]
    assert [message.id for message, _ in branched.superseded("c")] == ["a1", "q2", "a2", "q2b"]
    branched.add_message("c", say("user", "q3"))
    branched.set_deleted("c", ["a1", "q2b"], False)
    assert path_of(branched) == ["q1", "a1", "q2b", "a2b", "q3"]
    with pytest.raises(StorageRefusedError):
        branched.set_deleted("c", ["a1", "nowhere"], True)
    assert path_of(branched)[1] == "a1"


def test_a_deleted_message_is_erased_for_good(branched: Store) -> None:
    branched.set_deleted("c", ["a2b"], True)
    branched.purge_deleted()
    branched.set_deleted("c", ["a2b"], False)
    assert branched.conversation("c").messages[-1].content == ""
    assert branched.turns("c") == [full_turn("a2b")]
    assert branched.conversation("c").messages[0].content == "Text of q1"


def test_a_continued_answer_has_a_turn_for_each_part(branched: Store) -> None:
    answer, second = say("assistant", "a2b"), replace(full_turn("a2b", tokens=3), part=1)
    branched.finish_answer(answer, full_turn("a2b"))
    branched.continue_answer("c", "a2b", second)
    assert branched.conversation("c").messages[-1] == replace(answer, state="streaming")
    branched.journal("a2b", " and more", "", [1, 2])
    branched.note_shown("a2b", 77)
    assert branched.recover() == ["a2b"]
    recovered = branched.conversation("c").messages[-1]
    assert (recovered.content, recovered.state) == ("Text of a2b and more", "interrupted")
    first, last = branched.turns("c")
    assert first == full_turn("a2b")
    assert (last.part, last.stats.token_ns, last.stats.shown_ns) == (1, (1, 2), 77)
    assert [turn.part for _, _, turn in branched.all_turns()] == [0, 1]
    assert len(branched.history()) == 2


def test_the_whole_tree_is_exported(branched: Store) -> None:
    branched.continue_answer("c", "a2b", replace(full_turn("a2b"), part=1))
    branched.set_deleted("c", ["a1"], True)
    document = json.loads(export(branched, "c", "json"))
    every = {m["id"]: m for m in (*document["messages"], *document["superseded"])}
    assert {key: m["parent_id"] for key, m in every.items()} == {
        "q1": "",
        "a1": "q1",
        "q2": "a1",
        "a2": "q2",
        "q2b": "a1",
        "a2b": "q2b",
    }
    assert [key for key, m in every.items() if m["deleted"]] == ["a1"]
    assert len(every["a2b"]["earlier_turns"]) == 1
    assert export(branched, "c", "csv").count("a2b,") == 2


def test_versions_of_an_old_file_get_their_places(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(FIRST.read_text(encoding="utf-8"))
    store = Store(path)
    tree = store.tree("c")
    store.close()
    assert {node.id: node.parent_id for node in tree} == {"q": "", "a1": "q", "a2": "q", "a3": "a2"}
    assert tree.path() == ["q", "a2", "a3"]
    assert tree.versions("a2") == ["a1", "a2"]


@pytest.mark.parametrize("seed", range(40))
def test_old_lists_are_rebuilt_as_they_were_written(seed: int) -> None:
    """Whatever was sent, regenerated and asked anew with the former program, each message finds what it followed."""
    chance = random.Random(seed)
    places: dict[str, tuple[str, int | None]] = {}
    true_parents: dict[str, str] = {}
    line: list[str] = []
    clock = NOON
    for number in range(60):
        clock += timedelta(microseconds=chance.randrange(1, 5))
        asks = not line or places[line[-1]][0] == "assistant"
        if line and chance.random() < 0.4:
            cut = chance.randrange(len(line))
            asks = places[line[cut]][0] == "user"
            for gone in line[cut:]:
                places[gone] = (places[gone][0], clock.microsecond)
            del line[cut:]
        name = f"m{number}"
        true_parents[name] = line[-1] if line else ""
        places[name] = ("user" if asks else "assistant", None)
        line.append(name)
    assert parents_of([(name, role, left) for name, (role, left) in places.items()]) == true_parents


def test_an_answer_never_follows_an_answer_that_was_taken_out() -> None:
    """The clock was set back between two regenerations."""
    places = [("q", "user", None), ("a1", "assistant", 9), ("a2", "assistant", 5), ("a3", "assistant", None)]
    assert parents_of(places) == {"q": "", "a1": "q", "a2": "q", "a3": "q"}


def test_a_process_killed_at_any_moment_leaves_the_old_path_or_the_new_one(path: Path) -> None:
    """Again and again on one file: what was reported is there, and what was begun is there wholly or not at all."""
    chance = random.Random(5)
    for seed in range(12):
        command = [sys.executable, "-m", "tests.app.storage.branch_writer", str(path), str(seed)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
            lines = [process.stdout.readline() for _ in range(chance.randrange(1, 60))]
            process.kill()
            lines += process.stdout.read().splitlines(keepends=True)
        reports = [json.loads(line) for line in lines if line.endswith("\n")]
        allowed = [next(report["path"] for report in reversed(reports) if "path" in report)]
        allowed += [report["next"] for report in reports[-1:] if "next" in report]
        store = Store(path)
        store.recover()
        conversation = store.conversation("c")
        shown = [each.id for each in (*conversation.messages, *conversation.summaries)]
        shown.append(conversation.dropped_until)
        tree = store.tree("c")
        store.close()
        assert shown == [*tree.path(), *tree.summaries(), tree.dropped_until]
        assert shown in allowed
        for node in tree:  # every parent is there, and came before
            assert tree.line(node.id)[-1] == node.id


def test_a_summary_counts_in_the_branches_it_was_laid_in_or_carried_to(branched: Store) -> None:
    branched.add_summary("c", Summary("Short.", "a1", id="s"))
    branched.add_message("c", say("user", "q3"))
    assert path_of(branched) == ["q1", "a1", "q2b", "a2b", "q3"]

    def ends_with_summary(leaf_id: str) -> bool:
        branched.show_path("c", leaf_id)
        path_of(branched)
        return bool(branched.conversation("c").summaries)

    assert [ends_with_summary(leaf) for leaf in ("q3", "a2b", "a2", "s")] == [True, False, False, True]
    branched.branch("c", "q2b", [say("assistant", "a2c")], carried=[("s2", "s")])
    assert path_of(branched) == ["q1", "a1", "q2b", "a2c"]
    assert [summary.text for summary in branched.conversation("c").summaries] == ["Short."]
    assert branched.tree("c").versions("a2c") == ["a2b", "a2c"]
    document = json.loads(export(branched, "c", "json"))
    assert {place["id"]: (place["parent_id"], place["summary_id"]) for place in document["summary_places"]} == {
        "s": ("a2b", "s"),
        "s2": ("q2b", "s"),
    }
    assert [summary["id"] for summary in document["summaries"]] == ["s"]


def test_every_branch_has_a_view_of_its_own(branched: Store) -> None:
    branched.set_dropped_until("c", "q1")
    branched.show_path("c", "a2")
    assert branched.conversation("c").dropped_until == ""
    branched.add_message("c", say("user", "q3"))
    branched.set_dropped_until("c", "a1", "a2")
    assert branched.conversation("c").dropped_until == "a1"
    branched.show_path("c", "a2b")
    assert branched.conversation("c").dropped_until == "q1"
    branched.add_message("c", say("user", "q3b"))
    branched.add_summary("c", Summary("Short.", "q1", id="s"))
    assert branched.conversation("c").dropped_until == "q1"
    branched.branch("c", "a1", [say("user", "q2c")])
    assert branched.conversation("c").dropped_until == ""
    branched.branch("c", "a1", [say("user", "q2d")], dropped_until="a1")
    assert branched.conversation("c").dropped_until == "a1"
    branched.set_dropped_until("c", "", "q3")
    branched.show_path("c", "q3")
    assert branched.conversation("c").dropped_until == ""
    with pytest.raises(StorageRefusedError):
        branched.set_dropped_until("c", "q1", "gone")
    document = json.loads(export(branched, "c", "json"))
    dropped = {m["id"]: m["dropped_until"] for m in (*document["messages"], *document["superseded"])}
    assert (dropped["q3"], dropped["q3b"], dropped["q2d"]) == ("", "q1", "a1")
    assert [place["dropped_until"] for place in document["summary_places"]] == ["q1"]


def test_where_the_end_of_what_was_dropped_is_deleted_the_view_begins_after_what_stands_before(branched: Store) -> None:
    branched.set_dropped_until("c", "a1")
    branched.set_deleted("c", ["a1"], True)
    assert branched.conversation("c").dropped_until == "q1"
    branched.set_deleted("c", ["q1"], True)
    assert branched.conversation("c").dropped_until == ""
    branched.set_deleted("c", ["a1", "q1"], False)
    assert branched.conversation("c").dropped_until == "a1"


def test_a_branch_begins_with_a_summary_of_its_own(branched: Store) -> None:
    branched.branch("c", "a1", [say("user", "q2c")], summary=Summary("Short.", "a1", id="s"))
    assert path_of(branched) == ["q1", "a1", "q2c"]
    assert branched.conversation("c").active_summary is not None
    branched.show_path("c", "a2b")
    assert branched.conversation("c").active_summary is None


def test_a_summary_from_before_there_were_places_counts_wherever_it_ends(branched: Store) -> None:
    messages = tuple(map(say, ("user", "assistant"), ("q", "a")))
    branched.create(Conversation("old", messages=messages, summaries=(Summary("Short.", "q"),)))
    branched.branch("old", "q", [say("assistant", "b")])
    assert branched.conversation("old").active_summary is not None
