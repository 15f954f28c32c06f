"""Headers that are remembered: the same as those read, and read again when the file is another."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from app.engine import model_file
from app.errors import ModelFileError
from app.hub import header_cache
from app.hub.header_cache import HeaderCache
from tests.model_stores import LLAMA, gguf, write

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Every file that was really read."""
    paths: list[Path] = []

    def read(path: Path) -> object:
        paths.append(path)
        return model_file.read_file_header(path)

    monkeypatch.setattr(header_cache, "read_file_header", read)
    return paths


def test_what_is_remembered_is_what_was_read(
    reads: list[Path], tmp_path: Path, starter: Path, architectures: Path
) -> None:
    files = [starter, *sorted(architectures.glob("*.gguf"))]
    expected = [model_file.read_file_header(path) for path in files]
    assert [HeaderCache(tmp_path / "headers").read(path) for path in files] == expected
    assert reads == files
    again = [HeaderCache(tmp_path / "headers").read(path) for path in files]
    assert reads == files
    assert again == expected
    for before, after in zip(expected, again, strict=True):
        assert {key: type(value) for key, value in before.metadata.items()} == {
            key: type(value) for key, value in after.metadata.items()
        }


def test_numbers_and_texts_of_every_kind_come_back(reads: list[Path], tmp_path: Path) -> None:
    odd = {"inf": float("inf"), "text": "\u202e{}\x00", "no": False, "list": [1, 2], "flags": [True, False]}
    path = write(tmp_path / "a.gguf", gguf({**LLAMA, **odd}))
    cache = HeaderCache(tmp_path / "headers")
    assert cache.read(path) == cache.read(path) == model_file.read_file_header(path)
    assert reads == [path]


def test_another_file_of_the_same_name_is_read(reads: list[Path], tmp_path: Path) -> None:
    path = write(tmp_path / "a.gguf", gguf())
    cache = HeaderCache(tmp_path / "headers")
    cache.read(path)
    write(path, gguf({**LLAMA, "general.license": "mit"}))
    assert cache.read(path).metadata["general.license"] == "mit"
    assert len(reads) == 2


@pytest.mark.parametrize("content", [b"", b"[", b"null", b"[[],[]]", b"[1,2,3]", b"\xff", b"[" * 100_000])
def test_a_damaged_memory_is_written_anew(content: bytes, reads: list[Path], tmp_path: Path) -> None:
    path = write(tmp_path / "a.gguf", gguf())
    cache = HeaderCache(tmp_path / "headers")
    header = cache.read(path)
    (kept,) = (tmp_path / "headers").iterdir()
    kept.write_bytes(content)
    assert cache.read(path) == header
    identity, _ = json.loads(kept.read_bytes())
    kept.write_text(json.dumps([identity, [3, {"a": {"array": [1]}}, [], 0, 0]]))
    assert cache.read(path) == header
    assert cache.read(path) == header
    assert len(reads) == 3


def test_what_cannot_be_read_is_an_error_each_time(tmp_path: Path) -> None:
    cache = HeaderCache(tmp_path / "headers")
    with pytest.raises(ModelFileError, match="does not exist"):
        cache.read(tmp_path / "none.gguf")
    path = write(tmp_path / "a.gguf", b"GGUF")
    for _ in range(2):
        with pytest.raises(ModelFileError, match="cut off"):
            cache.read(path)
    assert not (tmp_path / "headers").exists()


def test_a_disk_that_refuses_loses_the_memory_only(reads: list[Path], tmp_path: Path) -> None:
    path = write(tmp_path / "a.gguf", gguf())
    write(tmp_path / "headers", b"a file where the folder should be")
    cache = HeaderCache(tmp_path / "headers")
    assert cache.read(path) == cache.read(path)
    assert len(reads) == 2


def test_what_is_too_much_is_forgotten(reads: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(header_cache, "MOST_HEADERS", 2)
    cache = HeaderCache(tmp_path / "headers")
    for name in "abcd":
        cache.read(write(tmp_path / f"{name}.gguf", gguf()))
    cache.prune()
    assert len(list((tmp_path / "headers").iterdir())) == 2
