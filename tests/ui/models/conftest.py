"""The models window on a hub of its own."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QMessageBox

from tests.ui.models.hands import Models


@pytest.fixture
def models(hub, desk):
    return Models(desk)


@pytest.fixture
def browser(monkeypatch):
    """What was asked before a page was opened, and the pages."""
    shown, opened = [], []

    def answer(box) -> int:
        shown.append((box.text(), box.informativeText()))
        return QMessageBox.StandardButton.Open

    monkeypatch.setattr(QMessageBox, "exec", answer)
    monkeypatch.setattr("ui.window_dialogs.QDesktopServices.openUrl", opened.append)
    return shown, opened
