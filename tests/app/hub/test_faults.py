"""What reading a model whole has found wrong outlives the process, not the files."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from app.engine.dry_run_cache import file_identity
from app.hub.faults import FAULTS_FILE, Fault, Faults
from app.hub.library import Library
from app.hub.sources import Root
from app.hub.verify import fault_of, verify
from tests.model_stores import add_to_hugging_face, gguf, write, write_split

if TYPE_CHECKING:
    from pathlib import Path

    from app.hub.library import LibraryModel


@pytest.fixture
def store(tmp_path: Path) -> Root:
    """One model, one byte of which is another."""
    data = gguf()
    snapshot = add_to_hugging_face(tmp_path / "hub", "org/name", {"m.gguf": data})
    (snapshot / "m.gguf").write_bytes(data[:-1] + b"\1")
    return Root(tmp_path / "hub/models--org--name/snapshots", "Hugging Face")


def scan(tmp_path: Path, root: Root) -> LibraryModel:
    (model,) = Library(tmp_path / "cache/library.json").scan([root]).models
    return model


def read_whole(tmp_path: Path, model: LibraryModel) -> None:
    """As the window and the terminal do it."""
    verified = verify(model, threading.Event(), lambda *_: None) or ()
    faults = Faults(tmp_path / "cache" / FAULTS_FILE)
    faults.remember(model.path, file_identity(model.path), fault_of(model, verified))


def test_it_is_said_of_the_model_at_every_later_scan(tmp_path: Path, store: Root) -> None:
    model = scan(tmp_path, store)
    assert (model.fault, model.is_damaged) == ("", False)
    read_whole(tmp_path, model)
    model = scan(tmp_path, store)
    expected = "m.gguf is damaged: its SHA-256 is not the one Hugging Face knows it by. Download it again."
    assert (model.fault, model.problem, model.is_damaged) == (expected, "", True)


def test_another_size_or_time_drops_it(tmp_path: Path, store: Root) -> None:
    model = scan(tmp_path, store)
    read_whole(tmp_path, model)
    status = model.path.stat()
    os.utime(model.path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    assert scan(tmp_path, store).fault == ""
    os.utime(model.path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert scan(tmp_path, store).fault != ""
    with model.path.open("ab") as file:
        file.write(b"more")
    os.utime(model.path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert scan(tmp_path, store).fault == ""


def test_reading_it_again_and_finding_it_right_takes_it_back(tmp_path: Path, store: Root) -> None:
    model = scan(tmp_path, store)
    read_whole(tmp_path, model)
    status = model.path.stat()
    model.path.write_bytes(gguf())
    os.utime(model.path, ns=(status.st_atime_ns, status.st_mtime_ns))  # its size and time are the same
    assert scan(tmp_path, store).fault != ""
    read_whole(tmp_path, model)
    assert scan(tmp_path, store).fault == ""


def test_any_part_of_a_split_model_counts(tmp_path: Path) -> None:
    first, second = write_split(tmp_path / "split")
    faults, fault = Faults(tmp_path / "faults.json"), Fault(second.name, "earlier", "folder")
    faults.remember(first, file_identity(first), fault)
    assert Faults(tmp_path / "faults.json").find(first) == fault
    write(second, b"another")
    assert Faults(tmp_path / "faults.json").find(first) is None


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{", '{"PATH": null}', '{"PATH": [[], ["a"]]}', '{"PATH": [IDENTITY, ["a", "nobody", "b"]]}',
     '{"PATH": [IDENTITY, ["a", 1, "b"]]}'],
)  # fmt: skip
def test_what_is_no_finding_counts_as_none(tmp_path: Path, content: str) -> None:
    path = write(tmp_path / "m.gguf", gguf())
    identity = str(list(file_identity(path))).replace("'", '"')
    content = content.replace("PATH", str(path)).replace("IDENTITY", identity)
    write(tmp_path / "faults.json", content.encode())
    assert Faults(tmp_path / "faults.json").find(path) is None
