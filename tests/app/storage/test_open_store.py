"""Whatever state the file is in, a usable store is opened and nothing is thrown away."""

from __future__ import annotations

import random
import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import psutil
import pytest

from app.chat.conversation import Conversation
from app.chat.message import Message
from app.errors import StorageDamagedError, StorageError
from app.storage.store import Store, open_store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ASIDE = re.compile(r"conversations\.damaged-\d{8}-\d{6}(-\d)?\.db")


def filled(path: Path) -> bytes:
    """A database of some hundred pages."""
    with closing(Store(path)) as store:
        for number in range(20):
            conversation = Conversation(id=str(number), title=f"Title {number}")
            store.create(conversation)
            for _ in range(10):
                store.add_message(conversation.id, Message("user", "text " * 300))
    return path.read_bytes()


def asides(path: Path) -> list[Path]:
    return [file for file in path.parent.iterdir() if ASIDE.fullmatch(file.name)]


def scrambled(content: bytes) -> bytes:
    """A file whose middle was overwritten."""
    middle = len(content) // 2 // 4096 * 4096
    return content[:middle] + random.Random(3).randbytes(40 * 4096) + content[middle + 40 * 4096 :]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "garbage": lambda content: b"this is no database, it is a note" * 500,
    "short garbage": lambda content: b"x",
    "cut in the header": lambda content: content[:90],
    "cut": lambda content: content[: len(content) // 2],
    "cut in a page": lambda content: content[: len(content) // 2 + 100],
    "header": lambda content: b"\0" * 100 + content[100:],
    "middle": scrambled,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_file_is_kept_aside_and_a_fresh_one_begun(path: Path, damage: Callable[[bytes], bytes]) -> None:
    damaged = damage(filled(path))
    path.write_bytes(damaged)
    with pytest.raises(StorageDamagedError, match=r"is damaged\.$") as raised:
        Store(path)
    # Windows does not rename an open file; the error, still referred to here, must not keep it open.
    assert [file.path for file in psutil.Process().open_files() if file.path.startswith(str(path))] == []
    del raised

    store, sentence = open_store(path)
    assert store.path == path
    assert store.conversations() == []
    store.create(Conversation(title="New"))
    store.close()

    [aside] = asides(path)
    assert aside.read_bytes() == damaged
    assert sentence == (
        f"The conversations in conversations.db were damaged; the file was kept as {aside.name} and a new one begun."
    )
    store, sentence = open_store(path)
    assert ([row.title for row in store.conversations()], sentence) == (["New"], "")
    store.close()


def test_two_damaged_files_within_a_second_are_both_kept(path: Path) -> None:
    path.parent.mkdir()
    for content in (b"first" * 1000, b"second" * 1000):
        path.write_bytes(content)
        open_store(path)[0].close()
    assert sorted(aside.read_bytes()[:5] for aside in asides(path)) == [b"first", b"secon"]


@pytest.mark.parametrize("damage", [scrambled, lambda content: content[:90]], ids=["middle", "cut"])
def test_the_write_ahead_log_of_a_damaged_file_is_kept(path: Path, damage: Callable[[bytes], bytes]) -> None:
    filled(path)
    with closing(Store(path)) as store:
        store.create(Conversation(title="In the log"))
        log = path.with_name("conversations.db-wal").read_bytes()
        content = path.read_bytes()
    # As a killed process leaves it, with a main file that went bad.
    path.write_bytes(damage(content))
    path.with_name("conversations.db-wal").write_bytes(log)
    store, sentence = open_store(path)
    assert store.conversations() == []
    store.close()
    [aside] = asides(path)
    assert "damaged" in sentence
    names = {file.name for file in path.parent.iterdir()}
    assert names <= {path.name, f"{path.name}.lock", aside.name, f"{aside.name}-wal", f"{aside.name}-shm"}
    # The log is beside it, or SQLite has already written it into the file.
    beside = path.with_name(f"{aside.name}-wal")
    assert b"In the log" in (beside.read_bytes() if beside.exists() else aside.read_bytes())


def test_a_damaged_file_that_another_instance_has_open_stays_where_it_is(path: Path) -> None:
    content = filled(path)
    with closing(Store(path)):
        path.write_bytes(b"garbage" * 1000)
        store, sentence = open_store(path)
        store.close()
        assert store.path is None
        path.write_bytes(content)
    assert "another Tokometer has it open" in sentence
    assert asides(path) == []


def test_an_empty_file_is_a_new_database(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"")
    store, sentence = open_store(path)
    store.create(Conversation(title="x"))
    store.close()
    assert (sentence, asides(path)) == ("", [])


def test_a_missing_one_is_made_without_a_word(path: Path) -> None:
    store, sentence = open_store(path)
    store.close()
    assert (store.path, sentence) == (path, "")


def test_what_a_newer_program_wrote_is_left_alone(path: Path) -> None:
    filled(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 999")
    before = path.read_bytes()
    store, sentence = open_store(path)
    store.close()
    assert (store.path, asides(path), path.read_bytes() == before) == (None, [], True)
    assert "newer Tokometer" in sentence
    assert sentence.endswith("Conversations are not kept when the window is closed.")


def test_a_directory_in_its_place_is_one_sentence(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StorageError, match="cannot be opened"):
        Store(path)
    store, sentence = open_store(path)
    store.close()
    assert store.path is None
    assert "cannot be opened" in sentence


def test_a_file_in_the_place_of_its_folder_is_one_sentence(path: Path) -> None:
    path.parent.write_bytes(b"")
    store, sentence = open_store(path)
    store.close()
    assert store.path is None
    assert "its folder cannot be made or read (a file of that name is there already)" in sentence
