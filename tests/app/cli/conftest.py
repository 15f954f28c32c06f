"""What the commands that run the engine start with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.engine.factory import SELF_TEST_FILE
from app.paths import paths

if TYPE_CHECKING:
    from pathlib import Path

    from app.engine.self_test import SelfTests


@pytest.fixture
def known_self_test(self_tests: SelfTests, tokometer_home: Path) -> None:
    """Take over what this run knows of the machine, so that an unsafe build does not crash in every test."""
    if self_tests._path.exists():
        paths().data.mkdir(parents=True)
        (paths().data / SELF_TEST_FILE).write_bytes(self_tests._path.read_bytes())
