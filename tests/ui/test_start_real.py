"""The first start on a real engine: from an empty home to an answer of a model that was downloaded."""

import hashlib

import pytest
from PySide6.QtCore import Qt

from app.hub.curated import CuratedModel
from app.paths import paths
from app.settings import Settings
from app.starter import starter_model
from tests.hub_server import Fault
from ui.arguments import Arguments

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(starter_model() is None, reason="the starter model is not installed"),
]

SLOW_MACHINE_MS = 120_000
MIB = 1024 * 1024
FILE = "SmolLM2-135M-Instruct-Q4_1.gguf"


def test_a_click_and_a_message_bring_an_answer_of_a_good_model(qtbot, hub, open_real_window, monkeypatch):
    data = starter_model().read_bytes()
    hub.add("maker/SmolLM2-GGUF", FILE, data)
    model = CuratedModel(
        name="SmolLM2 135M",
        repo="maker/SmolLM2-GGUF",
        file=FILE,
        quantisation="Q4_1",
        licence="apache-2.0",
        purpose="smallest",
        parameters=0.135,
        n_ctx_train=8192,
        size_bytes=len(data),
    )
    monkeypatch.setattr("app.hub.curated.curated_models", lambda: (model,))
    for place in ("ui.parts", "ui.welcome"):
        monkeypatch.setattr(f"{place}.starter_model", lambda: None)
    parts = open_real_window(Arguments(load={"n_threads": 1}))
    page, keeper = parts.window.welcome, parts.start
    qtbot.waitUntil(lambda: bool(page.cards) and not keeper.is_looking, timeout=SLOW_MACHINE_MS)
    (card,) = page.cards
    assert (card.offer.placing.place, card.offer.placing.n_ctx, card.offer.is_rough) == ("cpu", 8192, False)
    hub.faults.append(Fault(hold_at=32 * MIB))
    qtbot.mouseClick(card.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(hub.reached.is_set, timeout=SLOW_MACHINE_MS)
    qtbot.waitUntil(lambda: keeper.batch_of(card.offer).done_bytes == 32 * MIB, timeout=SLOW_MACHINE_MS)
    assert parts.models.model is None
    hub.released.set()
    qtbot.waitUntil(lambda: parts.models.model is not None, timeout=SLOW_MACHINE_MS)
    path = paths().models / "maker" / "SmolLM2-GGUF" / FILE
    assert parts.models.model.info.path == path
    assert hashlib.sha256(path.read_bytes()).digest() == hashlib.sha256(data).digest()
    parts.settings.set(Settings(max_tokens=8))
    parts.chat.send("Name a river.")
    qtbot.waitUntil(lambda: parts.chat.running is None, timeout=SLOW_MACHINE_MS)
    assert parts.window.transcript.items()[-1].text.strip()
