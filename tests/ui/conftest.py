"""What every window test needs: no display, no leaked thread."""

from __future__ import annotations

import os

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QThread


@pytest.fixture(autouse=True)
def no_leaked_thread(monkeypatch):
    """Fail when a QThread started by the test still runs after it."""
    started: list[QThread] = []
    start = QThread.start

    def record(thread, *arguments):
        started.append(thread)
        start(thread, *arguments)

    monkeypatch.setattr(QThread, "start", record)
    yield
    leaked = [thread.objectName() for thread in started if thread.isRunning()]
    for thread in started:
        thread.wait(5000)
    assert not leaked, f"threads left running: {leaked}"
