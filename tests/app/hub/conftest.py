"""A queue of downloads that does not wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.hub.download import DownloadQueue

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def waits() -> list[float]:
    """How long the downloads wanted to wait before another attempt; none does."""
    return []


@pytest.fixture
def queue(tmp_path: Path, waits: list[float]) -> Iterator[DownloadQueue]:
    downloads = DownloadQueue(tmp_path / "models", wait=lambda _, seconds: bool(waits.append(seconds)))
    yield downloads
    downloads.close()
