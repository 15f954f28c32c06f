"""The page of the first start in the smallest window with larger text: what happens is in view."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QWidget

from tests.hub_server import Fault
from tests.planners import MIB
from tests.ui.models.hands import put
from tests.ui.test_start import curated

MODELS = tuple(curated(name, mib) for name, mib in (("Tiny", 2), ("Small", 5), ("Middle", 12)))


def test_a_download_that_runs_or_failed_is_brought_into_view(open_desk, hub, monkeypatch, user_home):
    for place in ("ui.parts", "ui.welcome", "ui.start_commands"):
        monkeypatch.setattr(f"{place}.starter_model", lambda: None)
    monkeypatch.setattr("app.hub.curated.curated_models", lambda: MODELS)
    for model in MODELS:
        put(hub, model.file, model.size_bytes // MIB, model.repo).sha256 = "0" * 64  # it will fail
    desk = open_desk(model=None, load=False)
    page, start, settings = desk.window.welcome, desk.parts.start, desk.parts.settings
    settings.set(replace(settings.value, zoom=1.5))
    desk.window.resize(900, 600)
    desk.qtbot.waitUntil(lambda: start.free_bytes is not None and not start.is_looking, timeout=60_000)
    assert [card.offer.model.name for card in page.cards] == ["Middle", "Small", "Tiny"]

    def is_in_view(name: str) -> bool:
        part = page.cards[2].findChild(QWidget, name)
        if part is None or not part.isVisible():
            return False
        return page.viewport().rect().contains(QRect(part.mapTo(page.viewport(), QPoint(0, 0)), part.size()))

    hub.reached.clear()
    hub.released.clear()
    hub.faults.append(Fault(hold_at=MIB))
    assert not is_in_view("offer_download")
    page.cards[2].button.click()
    desk.qtbot.waitUntil(lambda: is_in_view("download_state") and is_in_view("download_cancel"), timeout=10_000)
    desk.qtbot.waitUntil(hub.reached.is_set, timeout=10_000)
    page.verticalScrollBar().setValue(0)
    assert not is_in_view("download_state")
    hub.released.set()
    desk.qtbot.waitUntil(lambda: is_in_view("download_sentence") and is_in_view("download_resume"), timeout=10_000)
