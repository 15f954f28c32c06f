"""Why it was slow: said with numbers above the charts, mended by one button, measured after it."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from app.engine.cores import usable_cores
from app.hub.library import LibraryModel
from app.hub.sources import Root
from app.paths import paths
from app.telemetry.system_state import SystemState
from tests.fakes import MIB, Answer, ScriptedEngine, fake_model
from tests.model_stores import write

CORES = usable_cores()
FAST = Answer(("word ",) * 12, prefill_ms=20)
SLOW = Answer(("word ",) * 12, prefill_ms=20, itl_ms=200)


def strip_of(desk):
    return desk.window.panels.diagnosis


def ask(desk, text="Hello"):
    known = []
    desk.parts.diagnosis.changed.connect(lambda: known.append(True))
    desk.ask(text)
    desk.qtbot.waitUntil(lambda: bool(known) and desk.parts.diagnosis.is_known)


def test_before_an_answer_it_says_what_will_stand_there(desk):
    assert strip_of(desk).sentence == "After an answer: what made it slow, and what helps."
    assert not strip_of(desk).is_open


def test_nothing_is_said_of_a_healthy_turn(qtbot, open_desk):
    desk = open_desk(ScriptedEngine(FAST, model=replace(fake_model(), n_threads=CORES)))
    ask(desk)
    assert desk.parts.diagnosis.findings == ()
    assert strip_of(desk).sentence == "Nothing is slower or fuller than it need be."
    assert not strip_of(desk).is_open
    assert not desk.find("diagnosis_toggle").isEnabled()


def test_a_setting_is_mended_by_one_button_and_its_promise_held_against_what_came(qtbot, open_desk):
    engine = ScriptedEngine(SLOW, FAST, model=replace(fake_model(), n_threads=CORES + 6))
    desk = open_desk(engine)
    engine._next_model = replace(fake_model(), n_threads=CORES)
    ask(desk)
    strip = strip_of(desk)
    assert desk.parts.diagnosis.findings[0].key == "too_many_threads"
    assert strip.sentence.startswith(f"{CORES + 6} threads share {CORES} physical cores")
    assert strip.is_open
    button = strip.findChild(QPushButton, "remedy_threads")
    assert button.accessibleName() == f"Use {CORES} threads, one per core."
    assert "Per token: 200 ms" in button.accessibleDescription()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: desk.parts.models.model is not None)
    assert engine.load_configs[-1].n_threads == CORES
    assert strip.sentence == "Not measured yet: the next answer will tell."
    ask(desk, "Again")
    assert desk.parts.diagnosis.outcome.measured == 0.01
    assert "Measured 10 ms, before 200 ms." in strip.sentence


def test_a_setting_that_the_command_line_fixes_is_not_offered(qtbot, open_desk):
    desk = open_desk(ScriptedEngine(SLOW, model=replace(fake_model(), n_threads=CORES + 6)))
    desk.parts.models._overrides["n_threads"] = CORES + 6
    ask(desk)
    assert not strip_of(desk).findChild(QPushButton, "remedy_threads").isEnabled()


def quants(desk, *files: tuple[str, str]) -> None:
    """Put sparse models of the loaded one's architecture and weights into the application's folder."""
    for name, quantisation in files:
        path = write(paths().models / name, b"")
        model = LibraryModel(
            path=path,
            name=path.stem,
            root=Root(paths().models, "folder"),
            parts=(path,),
            kind="chat",
            architecture="llama",
            n_params=134_515_008,
            quantisation=quantisation,
            file_bytes=60 * MIB,
        )
        desk.listed.append(model)


@pytest.fixture
def starved(open_desk, monkeypatch):
    """A model whose every answer makes the machine swap, and a list of what the library finds."""
    loaded = replace(fake_model(Path("/models/Fake-135M-Q8_0.gguf")), n_threads=CORES)
    engine = ScriptedEngine(SLOW, SLOW, model=loaded)
    swapping = SystemState(swapped_bytes=64 * MIB)
    monkeypatch.setattr("app.telemetry.system_state.SystemSampler.end", lambda _self: swapping)
    desk = open_desk(engine)
    desk.listed = []
    asked = []

    def ask(done):
        asked.append(True)
        done(tuple(desk.listed))

    monkeypatch.setattr(desk.parts.disk, "ask", ask)
    desk.asked = asked
    return desk


def test_a_smaller_quantisation_on_this_disk_is_offered_and_loaded_by_one_button(qtbot, starved):
    quants(starved, ("Fake-135M-Q4_0.gguf", "Q4_0"), ("Another-135M-Q4_0.gguf", "Q4_0"))
    ask(starved)
    strip = strip_of(starved)
    qtbot.waitUntil(lambda: strip.findChild(QPushButton, "remedy_smaller_quant") is not None)
    (button,) = strip.findChildren(QPushButton, "remedy_smaller_quant")
    assert button.accessibleName() == "Use Q4_0: 64% of the bytes."
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(starved.engine.load_configs) == 2)
    assert starved.engine.load_configs[-1].path == paths().models / "Fake-135M-Q4_0.gguf"


def test_without_a_smaller_quantisation_none_is_offered(qtbot, starved):
    quants(starved, ("Another-135M-Q4_0.gguf", "Q4_0"))
    ask(starved)
    assert [finding.key for finding in starved.parts.diagnosis.findings] == ["paging"]
    qtbot.waitUntil(lambda: bool(starved.asked))
    actions = [each.action for finding in starved.parts.diagnosis.findings for each in finding.remedies]
    assert "smaller_quant" not in actions
    assert strip_of(starved).findChild(QPushButton, "remedy_smaller_quant") is None


def test_the_disk_is_not_searched_after_a_healthy_turn(qtbot, open_desk):
    desk = open_desk(ScriptedEngine(FAST, model=replace(fake_model(), n_threads=CORES)))
    ask(desk)
    assert not desk.parts.disk.is_listed
    assert not desk.parts.disk.is_scanning


def test_it_stays_closed_once_the_user_has_closed_it(qtbot, open_desk):
    desk = open_desk(ScriptedEngine(SLOW, model=replace(fake_model(), n_threads=CORES + 6)))
    ask(desk)
    assert strip_of(desk).is_open
    desk.click("diagnosis_toggle")
    assert not strip_of(desk).is_open
    ask(desk, "Again")
    assert not strip_of(desk).is_open
    desk.click("diagnosis_toggle")
    assert strip_of(desk).is_open


def test_a_new_conversation_begins_without_findings(qtbot, open_desk):
    desk = open_desk(ScriptedEngine(SLOW, model=replace(fake_model(), n_threads=CORES + 6)))
    ask(desk)
    desk.click("new_conversation_button")
    assert desk.parts.diagnosis.findings == ()
    assert not strip_of(desk).is_open


def gap_below(desk) -> int:
    """Pixels between the last line of the details and the end of their area, which does not scroll here."""
    area = desk.find("diagnosis_details")
    page = area.widget()
    desk.qtbot.waitUntil(lambda: page.width() == area.viewport().width() and area.verticalScrollBar().maximum() == 0)
    lowest = max(child.geometry().bottom() for child in page.children() if isinstance(child, QWidget))
    return area.viewport().height() - 1 - lowest


def test_the_details_end_with_their_last_line(qtbot, open_desk):
    desk = open_desk(ScriptedEngine(SLOW, model=replace(fake_model(), n_threads=CORES + 6)))
    desk.window.resize(1600, 1000)
    ask(desk)
    assert strip_of(desk).is_open
    assert gap_below(desk) <= 4
    desk.window.panels.parentWidget().setSizes([220, 500, 880])
    qtbot.waitUntil(lambda: strip_of(desk).width() > 600)
    assert gap_below(desk) <= 4
