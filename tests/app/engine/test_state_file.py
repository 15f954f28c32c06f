"""Saved states as files: whole or not at all, checked before they count, and dropped oldest first."""

from __future__ import annotations

import json
import os
import struct
import sys
from typing import TYPE_CHECKING

import pytest

from app.engine.kv_state import Checkpoint, KvState, Origin, StateKey
from app.engine.state_file import (
    StateWorkStoppedError,
    read_description,
    read_state,
    remove_leftovers,
    write_state,
)
from app.engine.states import StateFolder, conversation_key
from app.errors import StorageDamagedError

if TYPE_CHECKING:
    from pathlib import Path

KEY = StateKey("model", "Näme", "template", "library", "f16", "f16", True, False)
ORIGIN = Origin((("system", "00"), ("user", "11")), 7, 9, "22", True)
POINTS = (Checkpoint(64, bytearray(b"one")), Checkpoint(128, bytearray(b"two")))
STATE = KvState(tuple(range(300)), 17, ORIGIN, bytearray(os.urandom(5000)), POINTS)


def never() -> bool:
    return False


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = StateFolder(tmp_path / "kv").file("a", KEY.digest)
    path.parent.mkdir()
    write_state(path, STATE, KEY, "a", never)
    return path


def test_what_is_written_is_read(file: Path) -> None:
    description, state = read_state(file, never)
    assert state == STATE
    assert (description.key, description.conversation_id) == (KEY, "a")
    assert read_description(file)[1] == STATE.tokens
    if sys.platform != "win32":
        assert file.stat().st_mode & 0o077 == 0
    assert STATE.size_bytes == pytest.approx(file.stat().st_size, abs=2000)


def test_every_changed_byte_is_noticed(file: Path) -> None:
    data = file.read_bytes()
    for position in (*range(0, 700, 13), *range(700, len(data), 211), len(data) - 1):
        file.write_bytes(data[:position] + bytes([data[position] ^ 0x40]) + data[position + 1 :])
        with pytest.raises(StorageDamagedError):
            read_state(file, never)


@pytest.mark.parametrize(
    "changes",
    [
        {"tokens": -1},
        {"tokens": 2**40},
        {"tokens": "300"},
        {"tokens": None},
        {"state_bytes": -5000},
        {"state_bytes": 2**62},
        {"checkpoints": [[64, -3], [128, 9]]},
        {"checkpoints": 5},
        {"undecoded": "x"},
        {"key": {}},
        {"key": None},
        {"origin": []},
        {"conversation_id": None, "tokens": 10**400},
    ],
    ids=str,
)
def test_a_description_that_lies_costs_no_memory(file: Path, changes: dict) -> None:
    data = file.read_bytes()
    name, total, size = struct.unpack_from("<16sQI", data)
    text = json.dumps({**json.loads(data[28 : 28 + size]), **changes}).encode()
    total += len(text) - size
    file.write_bytes(struct.pack("<16sQI", name, total, len(text)) + text + data[28 + size :])
    for read in (lambda: read_description(file), lambda: read_state(file, never)):
        with pytest.raises(StorageDamagedError):
            read()


def test_a_stopped_write_leaves_what_was_there(file: Path) -> None:
    before = file.read_bytes()
    with pytest.raises(StateWorkStoppedError):
        write_state(file, STATE, KEY, "a", lambda: True)
    assert file.read_bytes() == before
    assert sorted(path.name for path in file.parent.iterdir()) == sorted([file.name, "secret"])


def test_a_stopped_read_is_none(file: Path) -> None:
    with pytest.raises(StateWorkStoppedError):
        read_state(file, lambda: True)


def test_a_new_secret_makes_all_files_foreign(file: Path) -> None:
    (file.parent / "secret").unlink()
    with pytest.raises(StorageDamagedError):
        read_state(file, never)


def test_only_leftovers_of_the_dead_are_removed(file: Path) -> None:
    dead, alive = file.with_name(f"{file.name}.4194305.part"), file.with_name(f"{file.name}.{os.getppid()}.part")
    for path in (dead, alive):
        path.write_bytes(b"half")
    remove_leftovers(file.parent)
    assert not dead.exists()
    assert alive.exists()
    assert file.exists()
    assert StateFolder(file.parent).states()[0].path == file  # neither counts


def test_the_one_used_longest_ago_is_dropped_first(tmp_path: Path) -> None:
    folder = StateFolder(tmp_path)
    for number, name in enumerate("abc"):
        path = folder.file(name, KEY.digest)
        path.write_bytes(bytes(100))
        os.utime(path, ns=(number, number))
    (tmp_path / "notes.kv").write_bytes(bytes(1000))
    os.utime(folder.file("a", KEY.digest))  # a was used again
    assert folder.total_bytes() == 300
    assert folder.shrink(250) == ["b"]
    assert folder.shrink(100, but=folder.file("a", KEY.digest)) == []
    assert folder.shrink(0) == ["c", "a"]
    assert [path.name for path in tmp_path.iterdir()] == ["notes.kv"]
    assert StateFolder(tmp_path / "missing").states() == []


def test_ids_that_are_no_file_names_are_made_some(tmp_path: Path) -> None:
    folder = StateFolder(tmp_path)
    path = folder.file("../../etc/passwd", KEY.digest)
    assert path.parent == tmp_path
    path.write_bytes(b"x")
    assert folder.total_bytes("../../etc/passwd") == 1
    folder.remove("../../etc/passwd")
    assert list(tmp_path.iterdir()) == []
    assert conversation_key("0123abc") == "0123abc"
