"""Where it is chosen what is done when the context is full."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QComboBox

from tests.ui.full_context import (
    conversation_of,
    edges,
    full_context,
    held,
    question,
    send,
)
from ui.dialogs.preferences import PreferencesDialog
from ui.on_full import OnFullMenu
from ui.sidebar.conversation_model import ON_FULL_ROLE


@pytest.fixture
def full_desk(open_desk):
    """A window on a conversation whose next turn does not fit; see `full_context`."""
    return partial(full_context, open_desk)


def test_the_policy_can_be_changed_midway_for_one_conversation(full_desk):
    desk = full_desk("ask")
    held(desk, question(5))
    desk.click("room_bar_close")
    with desk.qtbot.waitSignal(desk.window.gauge.menu_requested):
        desk.qtbot.mouseClick(desk.window.gauge, Qt.MouseButton.LeftButton)
    menu = desk.window.findChild(OnFullMenu)
    checked = [action.objectName() for action in menu.actions() if action.isChecked()]
    assert checked == ["on_full_default"]
    next(action for action in menu.actions() if action.objectName() == "on_full_drop").trigger()
    menu.close()
    assert conversation_of(desk).on_full == "drop"
    send(desk, question(5))
    assert len(edges(desk)) == 1
    assert desk.parts.settings.value.on_full == "ask"
    desk.click("new_conversation_button")
    assert desk.parts.chat.on_full(desk.parts.chat.session) == "ask"


def test_the_policy_of_a_conversation_in_the_list(full_desk):
    desk = full_desk("ask", turns=1)
    conversation_id = desk.parts.chat.session.id
    desk.click("new_conversation_button")
    desk.window.conversation_list.on_full_chosen.emit(conversation_id, "stop")
    (row,) = desk.stored(lambda store: store.conversations())
    assert row.on_full == "stop"
    desk.parts.library.open(conversation_id)
    desk.qtbot.waitUntil(lambda: desk.parts.chat.session.id == conversation_id)
    assert desk.parts.chat.on_full(desk.parts.chat.session) == "stop"
    desk.window.conversation_list.on_full_chosen.emit(conversation_id, None)
    assert conversation_of(desk).on_full is None


def test_the_lists_menu_offers_the_ways(full_desk):
    desk = full_desk("ask", turns=1)
    desk.parts.view.set_on_full(desk.parts.chat.session.id, "summarise")
    desk.qtbot.waitUntil(lambda: desk.stored(lambda store: store.conversations())[0].on_full == "summarise")
    desk.parts.library.refresh()
    view = desk.find("conversation_list")
    desk.qtbot.waitUntil(lambda: view.model().index(1, 0).data(ON_FULL_ROLE) == "summarise")
    checked: list[str] = []

    def choose() -> None:
        menu = QApplication.activePopupWidget()
        (ways,) = menu.findChildren(OnFullMenu)
        checked.extend(action.objectName() for action in ways.actions() if action.isChecked())
        next(action for action in ways.actions() if action.objectName() == "on_full_stop").trigger()
        menu.close()

    QTimer.singleShot(0, choose)
    view.customContextMenuRequested.emit(view.visualRect(view.model().index(1, 0)).center())
    assert checked == ["on_full_summarise"]
    assert conversation_of(desk).on_full == "stop"


def test_a_choice_made_before_the_first_message_is_kept(open_desk):
    desk = open_desk()
    desk.parts.view.set_on_full(desk.parts.chat.session.id, "stop")
    send(desk, "Hello")
    assert conversation_of(desk).on_full == "stop"


def test_the_preferences_default(full_desk):
    desk = full_desk("ask", turns=1)
    desk.parts.dialogs.edit_preferences()
    dialog = desk.window.findChild(PreferencesDialog)
    box = dialog.findChild(QComboBox, "on_full")
    assert box.currentData() == "ask"
    box.setCurrentIndex(box.findData("drop"))
    assert desk.parts.settings.value.on_full == "drop"
    dialog.close()


def test_the_menu_opens_from_the_keyboard(full_desk):
    desk = full_desk("ask", turns=1)
    with desk.qtbot.waitSignal(desk.window.gauge.menu_requested):
        desk.qtbot.keyClick(desk.window.gauge, Qt.Key.Key_Space)
    desk.window.findChild(OnFullMenu).close()
