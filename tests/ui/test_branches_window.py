"""What changes a conversation in the window: keys, menus, the box in place of a message, the system prompt."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMenu

from app.chat.policy import Cut
from tests.fakes import Answer, ScriptedEngine
from tests.ui.branches import act, asked, check, counting_engine, ids, session_of
from ui.chat.edit_view import EditBox


@pytest.fixture
def desk(open_desk):
    return open_desk(counting_engine())


def box_of(desk):
    return next((box for box in desk.window.findChildren(EditBox) if box.isVisible()), None)


def test_f2_edits_the_last_question_in_its_place(desk):
    desk.activate()
    desk.ask("A")
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_F2)
    box = box_of(desk)
    assert box.toPlainText() == "A"
    desk.qtbot.waitUntil(lambda: QApplication.focusWidget() is box)
    desk.qtbot.keyClicks(box, " and B")
    desk.qtbot.keyClick(box, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    desk.wait_until_idle()
    assert desk.texts() == ["A and B", "Two"]
    assert box_of(desk) is None
    check(desk)


def test_escape_gives_an_edit_up(desk):
    desk.ask("A")
    desk.window.transcript.edit_item(ids(desk)[1])
    box = box_of(desk)
    desk.qtbot.keyClicks(box, "!")
    desk.qtbot.keyClick(box, Qt.Key.Key_Escape)
    assert box_of(desk) is None
    assert desk.texts() == ["A", "One"]
    assert desk.window.transcript.edited_item == ""


def test_what_is_being_edited_survives_a_new_look(desk):
    desk.ask("A")
    desk.window.transcript.edit_item(ids(desk)[0])
    desk.qtbot.keyClicks(box_of(desk), "bc")
    desk.parts.chat.show_again()
    assert box_of(desk).toPlainText() == "Abc"
    desk.click("save_edit")
    desk.wait_until_idle()
    assert desk.texts() == ["Abc", "Two"]


def test_an_empty_message_cannot_be_saved(desk):
    desk.ask("A")
    desk.window.transcript.edit_item(ids(desk)[0])
    box_of(desk).setPlainText("  ")
    assert not desk.find("save_edit").isEnabled()
    desk.qtbot.keyClick(box_of(desk), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert desk.texts() == ["A", "One"]


def test_the_keyboard_steps_between_versions(desk):
    desk.activate()
    desk.ask("A")
    act(desk, ids(desk)[1], "regenerate")
    transcript = desk.window.transcript
    transcript.setFocus()
    desk.qtbot.keyClick(transcript, Qt.Key.Key_End)
    desk.qtbot.keyClick(transcript, Qt.Key.Key_Left)
    assert desk.texts() == ["A", "One"]
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert desk.texts() == ["A", "Two"]
    desk.qtbot.keyClick(transcript, Qt.Key.Key_End)
    desk.qtbot.keyClick(transcript, Qt.Key.Key_Delete)
    assert desk.texts() == ["A"]


def test_the_foot_steps_and_opens_the_menus(desk):
    desk.ask("A")
    act(desk, ids(desk)[1], "regenerate")
    view = desk.window.transcript._entries[1].view
    buttons = {button.objectName(): button for button in view.foot_stops()}
    assert buttons["versions"].text() == "2 / 2"
    assert not buttons["next_version"].isEnabled()
    assert not buttons["edit"].isVisible()
    view.set_current(True)
    assert buttons["edit"].isVisible()
    buttons["menu"].click()
    menu = desk.window.findChild(QMenu, "message_menu")
    assert {"edit", "branch", "pin", "delete_message", "delete_turn"} <= {a.objectName() for a in menu.actions()}
    menu.close()
    buttons["previous_version"].click()
    assert desk.texts() == ["A", "One"]


def test_what_is_in_sight_keeps_its_place_when_a_message_above_is_deleted(open_desk):
    desk = open_desk(ScriptedEngine(Answer(pieces=("Line.\n\n",) * 30)))
    for text in ("A", "B", "C"):
        desk.ask(text)
    transcript = desk.window.transcript
    transcript.scroll_to(ids(desk)[4])
    entry = transcript._entries.get(ids(desk)[4])
    top = transcript._stage.top(entry)
    act(desk, ids(desk)[1], "delete_message")
    entry = transcript._entries.get(ids(desk)[3])
    assert transcript._stage.top(entry) == top


def test_what_the_cache_still_holds_is_counted_in_the_view_where_turns_have_left_it(open_desk):
    desk = open_desk(ScriptedEngine(*(Answer(pieces=("word ", "word"), prompt_tokens=n) for n in (100, 200, 300, 350))))
    for text in ("A", "B", "C"):
        desk.ask(text)
    session = session_of(desk)
    first, _, second, _, third, *_ = ids(desk)
    desk.parts.view.drop(session, Cut(second, 2, 1))
    desk.ask("D")
    held = session.series.context_tokens
    desk.qtbot.waitUntil(lambda: session.ledger is not None and session.ledger.entry(ids(desk)[-1]) is not None)
    desk.parts.branches.delete([first])  # the model does not see it
    assert session.series.context_tokens == held
    start_tokens = session.ledger.entry(third).start_tokens
    desk.parts.branches.delete([third])
    assert session.series.context_tokens == start_tokens < 50


def test_a_pin_outside_the_view_leaves_of_the_cache_what_stands_before_the_view(open_desk):
    desk = open_desk(ScriptedEngine(*(Answer(pieces=("word ", "word"), prompt_tokens=n) for n in (100, 200, 300))))
    for text in ("A", "B"):
        desk.ask(text)
    session = session_of(desk)
    first, _, second, *_ = ids(desk)
    desk.parts.branches.pin(second, pinned=True)  # the model sees it anyway
    desk.parts.view.drop(session, Cut(second, 1, 1))
    desk.ask("C")
    held = session.series.context_tokens
    desk.qtbot.waitUntil(lambda: session.ledger is not None and session.ledger.entry(ids(desk)[-1]) is not None)
    desk.parts.branches.pin(ids(desk)[-1], pinned=True)
    assert session.series.context_tokens == held
    desk.parts.branches.pin(first, pinned=True)
    seen = session.ledger.entry(second)
    assert session.series.context_tokens == (seen.start_tokens if seen is not None else 0) < 50


def test_the_system_prompt_is_changed_with_its_cost_in_sight(desk):
    desk.ask("A")
    desk.window.menu_actions["system_prompt"].trigger()
    text, cost, change = (
        desk.find(name) for name in ("conversation_system_prompt", "system_prompt_cost", "system_prompt_change")
    )
    text.setPlainText("Be very brief now")
    # the scripted engine counts words + 4: five for A, five for One, eight for the system prompt
    desk.qtbot.waitUntil(lambda: cost.text() == "Takes 8 tokens, 180 KiB of the KV cache, in every prompt.")
    assert "read the whole prompt anew: 18 tokens" in change.text()
    desk.find("system_prompt_dialog").accept()
    assert session_of(desk).cache_note
    desk.ask("B")
    assert asked(desk) == ["Be very brief now", "A", "One", "B"]
    assert desk.stored(lambda store: store.conversation(session_of(desk).id)).system_prompt == "Be very brief now"


def test_the_system_prompt_can_be_left_as_it_is(desk):
    desk.window.menu_actions["system_prompt"].trigger()
    desk.find("conversation_system_prompt").setPlainText("No")
    desk.find("system_prompt_dialog").reject()
    desk.ask("A")
    assert asked(desk) == ["A"]
