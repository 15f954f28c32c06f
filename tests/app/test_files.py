"""A file is there whole or not at all, and none is written over."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from app.files import set_aside, write_atomically

if TYPE_CHECKING:
    from pathlib import Path


def test_it_makes_the_folder_and_replaces_the_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "文件.toml"
    write_atomically(path, b"first")
    write_atomically(path, b"second")
    assert path.read_bytes() == b"second"
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("app.files.os.fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, b"new")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {"file": b"old"}


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
def test_a_link_keeps_pointing_to_its_target(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


def test_setting_aside_never_hits_another_file(tmp_path: Path) -> None:
    names = set()
    for content in (b"1", b"2", b"3"):
        path = tmp_path / "settings.toml"
        path.write_bytes(content)
        aside = set_aside(path)
        assert aside.read_bytes() == content
        assert not path.exists()
        names.add(aside.name)
    assert len(names) == 3
    assert all(name.startswith("settings.damaged-2") and name.endswith(".toml") for name in names)
