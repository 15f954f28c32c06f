"""Files of every earlier schema open with all they held; newer ones are left alone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.chat.conversation import Conversation, Summary
from app.chat.message import Message
from app.errors import StorageError
from app.storage.database import Database
from app.storage.migrations import MIGRATIONS, migrate
from app.storage.store import Store
from tests.app.storage.samples import NOON, turn_of_schema_1

FIRST = Path(__file__).with_name("schema_1.sql")


@pytest.fixture
def old(path: Path) -> Path:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(FIRST.read_text(encoding="utf-8"))
    return path


def schema(path: Path) -> tuple[int, list[tuple[str, str]]]:
    with closing(sqlite3.connect(path)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        return version, connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()


def test_a_file_of_schema_1_opens_with_all_it_held(old: Path) -> None:
    store = Store(old)
    store.recover()
    read, turns, superseded = store.conversation("c"), store.turns("c"), store.superseded("c")
    store.close()
    assert read == Conversation(
        id="c",
        title="Fähre",
        system_prompt="Be brief.",
        draft="And",
        messages=(
            Message("user", "Half a character: \ud83d", id="q", created_at=NOON),
            Message("assistant", "Second", "Hm.", "a2", NOON, "SmolLM2"),
            Message("assistant", "half", id="a3", created_at=NOON, state="interrupted"),
        ),
        summaries=(Summary("Short.", "q", 100, 20, "s", NOON, undone=True),),
        created_at=NOON,
        updated_at=NOON,
    )
    assert turns == [turn_of_schema_1("a2")]
    assert superseded == [(Message("assistant", "First", "Hm.", "a1", NOON, "SmolLM2"), turn_of_schema_1("a1"))]
    assert schema(old)[0] == len(MIGRATIONS)


def test_old_and_new_files_end_with_the_same_schema(old: Path, tmp_path: Path) -> None:
    Store(old).close()
    Store(tmp_path / "new.db").close()
    assert schema(old) == schema(tmp_path / "new.db")


def test_only_the_missing_steps_are_run_each_once(old: Path) -> None:
    def add_column(database: Database) -> None:
        database.execute("ALTER TABLE conversations ADD COLUMN pinned INTEGER NOT NULL DEFAULT 7")

    database = Database(old)
    steps = (*MIGRATIONS[:1], add_column)
    migrate(database, steps)
    migrate(database, steps)
    assert [tuple(row) for row in database.rows("SELECT id, pinned FROM conversations")] == [("c", 7)]
    database.close()
    assert schema(old)[0] == 2


def test_a_step_that_fails_leaves_the_file_as_it_was(old: Path) -> None:
    def fail_midway(database: Database) -> None:
        database.execute("DROP TABLE journal")
        database.execute("ALTER TABLE nowhere ADD COLUMN x")

    before = schema(old)
    database = Database(old)
    with pytest.raises(StorageError):
        migrate(database, (*MIGRATIONS[:1], fail_midway))
    database.close()
    assert schema(old) == before


def test_a_newer_file_is_refused_and_not_touched(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("PRAGMA user_version = 999")
    with pytest.raises(StorageError, match=r"written by a newer Tokometer \(schema 999.*\.$"):
        Store(old)
    assert schema(old)[0] == 999


def test_a_turn_whose_memory_is_damaged_hinders_no_step(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute("UPDATE turns SET memory = X'00' WHERE message_id = 'a1'")
    store = Store(old)
    assert store.turns("c") == [turn_of_schema_1("a2")]
    store.close()


def test_what_was_dropped_from_a_conversation_is_dropped_from_its_branches_that_have_it(path: Path) -> None:
    path.parent.mkdir()
    database = Database(path)
    migrate(database, MIGRATIONS[:11])
    database.execute(
        """INSERT INTO conversations (id, title, title_folded, system_prompt, draft, created_at_us, updated_at_us,
           dropped_until) VALUES ('c', '', '', '', '', 0, 0, 'a1')"""
    )
    places = [("q1", "", None), ("a1", "q1", None), ("q2", "a1", 5), ("a1b", "q1", 6), ("q3", "a1", None)]
    for message_id, parent_id, left_us in places:
        database.execute(
            """INSERT INTO messages (id, conversation_id, parent_id, role, content, thinking, created_at_us, model,
               state, superseded_at_us) VALUES (?, 'c', ?, 'user', 'Text', '', 0, '', 'complete', ?)""",
            message_id,
            parent_id,
            left_us,
        )
    database.close()
    store = Store(path)
    found = {}
    for leaf in ("q3", "q2", "a1b", "a1"):
        store.show_path("c", leaf)
        found[leaf] = store.conversation("c").dropped_until
    store.close()
    assert found == {"q3": "a1", "q2": "a1", "a1b": "", "a1": "a1"}
