"""What tests of downloads share: a file, and how to fetch it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.hub.partial import RemoteFile

if TYPE_CHECKING:
    from pathlib import Path

    from app.hub.download import Download, DownloadQueue
    from tests.hub_server import HubServer

REPO = "maker/model-GGUF"
NAME = "model-Q4_K_M.gguf"
DATA = b"GGUF" + bytes(range(256)) * 8192  # 2 MiB
HALF = len(DATA) // 2


def remote(hub: HubServer, data: bytes = DATA, name: str = NAME, **changes) -> RemoteFile:
    """Put a file on the hub and return what a repository's listing would say of it."""
    stored = hub.add(REPO, name, data)
    return RemoteFile(REPO, name, **{"size": stored.size, "sha256": stored.sha256, **changes})


def fetch(queue: DownloadQueue, file: RemoteFile) -> Download:
    """Download a file and return how that ended."""
    number = queue.add(file)
    assert queue.wait(60)
    return next(download for download in queue.downloads() if download.number == number)


def until_half(queue: DownloadQueue) -> Download:
    """Wait until the first download has half of its file."""
    while (download := queue.downloads()[0]).done_bytes < HALF:
        assert not queue.wait(0.01)
    return download


def left_over(folder: Path) -> list[str]:
    """Names of all files below a folder, which may vanish meanwhile."""
    return sorted(name for _, _, names in os.walk(folder) for name in names)
