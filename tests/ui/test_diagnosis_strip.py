"""Why it was slow: said with numbers above the charts, mended by one button, measured after it."""

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from app.engine.cores import usable_cores
from tests.fakes import Answer, ScriptedEngine, fake_model

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
