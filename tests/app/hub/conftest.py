"""A hub of its own for every test here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.hub.download import DownloadQueue
from tests.hub_server import HubServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def hub(monkeypatch) -> Iterator[HubServer]:
    server = HubServer()
    monkeypatch.setenv("HF_ENDPOINT", server.endpoint)
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    yield server
    server.close()


@pytest.fixture
def waits() -> list[float]:
    """How long the downloads wanted to wait before another attempt; none does."""
    return []


@pytest.fixture
def queue(tmp_path: Path, waits: list[float]) -> Iterator[DownloadQueue]:
    downloads = DownloadQueue(tmp_path / "models", wait=lambda _, seconds: bool(waits.append(seconds)))
    yield downloads
    downloads.close()
