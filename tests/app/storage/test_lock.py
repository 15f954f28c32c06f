"""One process owns the data; when it dies, the next one can."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.errors import Sentence, StorageError
from app.storage.lock import InstanceLock

if TYPE_CHECKING:
    from collections.abc import Callable

HOLDER = """
import sys
from pathlib import Path
from app.storage.lock import InstanceLock
lock = InstanceLock(Path(sys.argv[1]))
print(lock.acquire(), flush=True)
sys.stdin.read()
"""


def test_only_one_holds_it_and_it_can_be_taken_after_release(tmp_path: Path) -> None:
    first, second = InstanceLock(tmp_path / "new" / "lock"), InstanceLock(tmp_path / "new" / "lock")
    assert first.acquire()
    assert first.acquire()
    assert not second.acquire()
    assert (first.is_held, second.is_held) == (True, False)
    first.release()
    first.release()
    assert second.acquire()
    second.release()


def test_it_is_released_after_the_block(tmp_path: Path) -> None:
    with InstanceLock(tmp_path / "lock") as lock:
        assert lock.is_held
        assert [file.name for file in tmp_path.iterdir()] == ["lock"]
    with InstanceLock(tmp_path / "lock") as lock:
        assert lock.is_held
    assert not lock.is_held


def test_a_dead_process_holds_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "lock")]
    lock = InstanceLock(tmp_path / "lock")
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=Path(__file__).parents[3]) as process:
        assert process.stdout.readline().strip() == "True"
        assert not lock.acquire()
        process.kill()
    assert lock.acquire()
    lock.release()


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    lock = InstanceLock(tmp_path / "file" / "lock")
    with pytest.raises(StorageError, match=r"cannot be locked: its folder cannot be .*check the permissions\.$"):
        lock.acquire()
    assert not lock.is_held


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: path.mkdir(), "it cannot be opened; check the permissions of the file and its folder"),
        (lambda path: path.write_bytes(b"no database" * 100), "it is damaged"),
    ],
    ids=["folder", "other file"],
)
def test_a_file_that_is_no_lock_is_one_sentence(tmp_path: Path, make: Callable[[Path], object], reason: str) -> None:
    make(tmp_path / "lock")
    with pytest.raises(StorageError, match=f"cannot be locked: {reason}\\.$") as caught:
        InstanceLock(tmp_path / "lock").acquire()
    assert isinstance(caught.value.args[0].values["reason"], Sentence)
