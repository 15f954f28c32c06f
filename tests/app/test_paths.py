"""Where files go."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from app.paths import Paths, paths

NAMES = [field.name for field in fields(Paths)]


def test_tokometer_home_moves_everything_below_it(tokometer_home: Path) -> None:
    assert paths() == Paths(*(tokometer_home / name for name in NAMES))


def test_nothing_is_made_by_asking(tokometer_home: Path) -> None:
    paths()
    assert not tokometer_home.exists()


def test_a_relative_home_and_a_tilde_become_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOKOMETER_HOME", "some dir")
    assert paths().data == tmp_path / "some dir" / "data"
    monkeypatch.setenv("TOKOMETER_HOME", "~/x")
    assert paths().data == Path.home() / "x" / "data"


@pytest.mark.parametrize("home", [None, ""])
def test_without_it_the_system_decides(monkeypatch: pytest.MonkeyPatch, home: str | None) -> None:
    monkeypatch.delenv("TOKOMETER_HOME")
    if home is not None:
        monkeypatch.setenv("TOKOMETER_HOME", home)
    folders = [getattr(paths(), name) for name in NAMES]
    assert all(folder.is_absolute() and "tokometer" in folder.parts for folder in folders)


def test_the_files_of_settings_and_conversations(tokometer_home: Path) -> None:
    assert paths().settings_file == tokometer_home / "config" / "settings.toml"
    assert paths().database_file == tokometer_home / "data" / "conversations.db"
