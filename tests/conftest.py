"""Fixtures for every test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Without Qt there is no pytest-qt either; its settings in pyproject.toml must not be errors then."""
    if not pluginmanager.has_plugin("pytest-qt"):
        for name in ("qt_api", "qt_log_level_fail"):
            parser.addini(name, "of pytest-qt, which is not installed here")


@pytest.fixture(autouse=True)
def tokometer_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the user's own settings, conversations, models and logs out of the tests, and the tests out of them."""
    home = tmp_path / "tokometer-home"
    monkeypatch.setenv("TOKOMETER_HOME", str(home))
    return home
