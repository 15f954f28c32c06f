"""A store to test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.storage.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "conversations.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    store = Store(path)
    yield store
    store.close()
