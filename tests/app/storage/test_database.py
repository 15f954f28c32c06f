"""Transactions are whole or not at all, and errors are sentences."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from app.chat.conversation import Conversation
from app.chat.message import Message
from app.errors import StorageError, StorageRefusedError
from app.storage import database
from app.storage.database import Database
from app.storage.store import Store, open_store
from tests.app.storage.samples import full_turn
from tests.permissions import posix_only, read_only

if TYPE_CHECKING:
    from pathlib import Path


def test_the_connection_is_set_up(path: Path) -> None:
    with closing(Database(path)) as opened:
        values = {
            name: opened.rows(f"PRAGMA {name}")[0][0]
            for name in (
                "journal_mode",
                "synchronous",
                "foreign_keys",
                "trusted_schema",
                "secure_delete",
                "busy_timeout",
            )
        }
    assert values == {
        "journal_mode": "wal",
        "synchronous": 1,
        "foreign_keys": 1,
        "trusted_schema": 0,
        "secure_delete": 1,
        "busy_timeout": 5000,
    }


def insert_and_raise(opened: Database, error: type[BaseException]) -> None:
    with opened.transaction():
        opened.execute("INSERT INTO t VALUES (1)")
        raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_any_exception_undoes_the_transaction(path: Path, error: type[BaseException]) -> None:
    with closing(Database(path)) as opened:
        opened.execute("CREATE TABLE t (x)")
        with pytest.raises(error):
            insert_and_raise(opened, error)
        assert opened.rows("SELECT * FROM t") == []
        with opened.transaction():
            opened.execute("INSERT INTO t VALUES (2)")
        assert [row[0] for row in opened.rows("SELECT * FROM t")] == [2]


def test_a_call_that_python_refuses_is_a_fault_of_the_program_and_not_a_sentence(path: Path) -> None:
    with closing(Database(path)) as opened, pytest.raises(sqlite3.ProgrammingError):
        opened.execute("SELECT ?", 1, 2)


def test_a_full_disk_is_one_sentence_and_nothing_is_lost(store: Store) -> None:
    conversation = Conversation()
    store.create(conversation)
    store.begin_answer(conversation.id, Message("assistant", "", id="a", state="streaming"))
    store.journal("a", "so far", "", [1])
    before = store.conversation(conversation.id)
    final = Message("assistant", "long " * 100_000, id="a", created_at=before.messages[0].created_at)
    pages = store._database.rows("PRAGMA page_count")[0][0]
    store._database.rows(f"PRAGMA max_page_count = {pages + 2}")

    with pytest.raises(StorageError, match="the disk is full; make room"):
        store.finish_answer(final, full_turn("a"))
    assert store.conversation(conversation.id) == before
    assert store.turns(conversation.id) == []

    store._database.rows("PRAGMA max_page_count = 1000000")
    store.finish_answer(final, full_turn("a"))
    assert store.conversation(conversation.id).messages == (final,)
    assert store.turns(conversation.id) == [full_turn("a")]


def test_a_locked_database_is_one_sentence(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.01)
    with closing(Store(path)) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="another program keeps it locked"):
            store.create(Conversation(id="c"))
        other.execute("ROLLBACK")
        store.create(Conversation(id="c"))


def test_a_transaction_that_only_read_so_far_is_alone_already(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.01)
    with closing(Store(path)) as store, closing(Database(path)) as other, other.transaction():
        other.rows("SELECT * FROM journal")
        with pytest.raises(StorageError, match="keeps it locked"):
            store.create(Conversation())


@posix_only
def test_a_folder_that_may_not_be_written_is_one_sentence(open_folder: Path) -> None:
    path = open_folder / "conversations.db"
    with read_only(open_folder):
        with pytest.raises(StorageError, match="check the permissions"):
            Store(path)
        store, sentence = open_store(path)
        store.create(Conversation(title="Still usable"))
        assert [row.title for row in store.conversations()] == ["Still usable"]
        store.close()
    assert "check the permissions" in sentence
    assert sentence.endswith("Conversations are not kept when the window is closed.")
    assert list(open_folder.iterdir()) == []


@posix_only
def test_a_database_that_may_not_be_written_keeps_what_it_holds(open_folder: Path) -> None:
    path = open_folder / "conversations.db"
    with closing(Store(path)) as store:
        store.create(Conversation(title="Kept"))
    with read_only(open_folder):
        store, sentence = open_store(path)
        store.close()
    assert "check the permissions" in sentence
    with closing(Store(path)) as store:
        assert [row.title for row in store.conversations()] == ["Kept"]


@posix_only
def test_the_folder_is_the_users_alone(path: Path) -> None:
    Store(path).close()
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_two_stores_write_to_one_file(path: Path) -> None:
    with closing(Store(path)) as first, closing(Store(path)) as second:
        assert (first.is_owner, second.is_owner) == (True, False)
        first.create(Conversation(id="c"))
        second.add_message("c", Message("user", "x"))
        with pytest.raises(StorageRefusedError):
            second.create(Conversation(id="c"))
        assert len(first.conversation("c").messages) == 1
