"""The first start where nothing can be offered: what has no room on the disk, or is not on the hub."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel

from app.paths import paths
from tests.downloads import left_over
from tests.hub_server import Fault
from tests.planners import MIB
from tests.ui.models.hands import put
from tests.ui.test_start import curated

MODELS = tuple(curated(name, mib) for name, mib in (("Tiny", 2), ("Small", 5), ("Middle", 12)))
KEPT = 64 * MIB
LONG_MS = 60_000


@pytest.fixture
def begin(open_desk, hub, monkeypatch, user_home):
    """Open a window on a disk with that much room; return the page and what fills its disk."""
    for place in ("ui.parts", "ui.welcome", "ui.start_commands"):
        monkeypatch.setattr(f"{place}.starter_model", lambda: None)
    monkeypatch.setattr("app.hub.curated.curated_models", lambda: MODELS)
    for model in MODELS:
        put(hub, model.file, model.size_bytes // MIB, model.repo)
    free = []
    monkeypatch.setattr("app.hub.start.free_bytes", lambda _: free[-1])

    def open_(mib):
        free.append(mib * MIB + KEPT)
        desk = open_desk(model=None, load=False)
        start = desk.parts.start
        desk.qtbot.waitUntil(lambda: start.free_bytes is not None and not start.is_looking, timeout=LONG_MS)
        return desk, free

    return open_


def names(desk) -> list[str]:
    return [card.offer.model.name for card in desk.window.welcome.cards]


@pytest.mark.parametrize(("mib", "offered"), [(13, ["Middle", "Small", "Tiny"]), (11, ["Small", "Tiny"])])
def test_what_has_no_room_on_the_disk_is_not_offered(begin, mib, offered):
    desk, _ = begin(mib)
    assert names(desk) == offered


def test_a_full_disk_is_said_and_looked_at_again(begin):
    desk, free = begin(1)
    assert names(desk) == []
    intro = desk.window.welcome.findChild(QLabel, "welcome_intro").text()
    assert intro.startswith(f"None of the recommended models has room on the disk of {paths().models}.")
    free.append(13 * MIB + KEPT)
    desk.click("welcome_again_button")
    desk.qtbot.waitUntil(lambda: names(desk) == ["Middle", "Small", "Tiny"], timeout=LONG_MS)


def test_a_download_that_was_begun_stays_on_the_page(begin, hub):
    desk, free = begin(13)
    start = desk.parts.start
    hub.faults.append(Fault(hold_at=6 * MIB))
    desk.window.welcome.cards[0].button.click()
    desk.qtbot.waitUntil(lambda: hub.reached.is_set() and start.batch_of(start.offers[0]) is not None, timeout=LONG_MS)
    start.act("pause", start.batch_of(start.offers[0]))
    desk.qtbot.waitUntil(lambda: start.batch_of(start.offers[0]).state == "paused", timeout=LONG_MS)
    assert f"{MODELS[2].file}.part" in left_over(paths().models)
    free.append(7 * MIB + KEPT)
    start.look()
    desk.qtbot.waitUntil(lambda: not start.is_looking, timeout=LONG_MS)
    assert names(desk) == ["Middle", "Small", "Tiny"]


def test_a_hub_without_the_models_of_the_list_is_said(begin, hub):
    hub.files.clear()
    desk, _ = begin(13)
    assert names(desk) == []
    intro = desk.window.welcome.findChild(QLabel, "welcome_intro").text()
    assert intro == (
        f"The hub at {hub.endpoint} has none of the recommended models that would fit. Look for others under "
        "“More models…”, or open a model file."
    )
    put(hub, MODELS[0].file, 2, MODELS[0].repo)
    desk.click("welcome_again_button")
    desk.qtbot.waitUntil(lambda: names(desk) == ["Tiny"], timeout=LONG_MS)
