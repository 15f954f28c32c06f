"""Fixtures for every test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def tokometer_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the user's own settings, conversations, models and logs out of the tests, and the tests out of them."""
    home = tmp_path / "tokometer-home"
    monkeypatch.setenv("TOKOMETER_HOME", str(home))
    return home
