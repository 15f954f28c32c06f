"""The list of messages by keyboard and for assistive technology."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtWidgets import QApplication

from tests.ui.chat.lists import bar, conversation, in_sight, settle, view_of, views
from ui.chat.transcript import Item, Kind

# Keyboard


@pytest.fixture
def focused(qtbot, transcript):
    transcript.set_items(conversation(4))
    settle(qtbot, transcript)
    transcript.activateWindow()
    with qtbot.waitActive(transcript):
        pass
    transcript.clearFocus()
    transcript.setFocus(Qt.FocusReason.TabFocusReason)
    return transcript


def current(transcript) -> str:
    return transcript._current.entry.item.id


def test_arrows_go_from_message_to_message(qtbot, focused):
    assert current(focused) == "a3"
    for _ in range(100):
        qtbot.keyClick(focused, Qt.Key.Key_Up)
        if current(focused) == "u1":
            break
    assert current(focused) == "u1"
    assert in_sight(view_of(focused, "u1"))
    assert not focused.follow
    qtbot.keyClick(focused, Qt.Key.Key_Home)
    assert current(focused) == "u0"
    assert bar(focused).value() == 0
    qtbot.keyClick(focused, Qt.Key.Key_Down)
    assert current(focused) == "a0"
    qtbot.keyClick(focused, Qt.Key.Key_End)
    assert current(focused) == "a3"
    assert focused.follow


def test_arrows_scroll_through_a_tall_message(qtbot, transcript):
    transcript.set_items(
        [Item("u", Kind.USER, "You", "?"), Item("a", Kind.ASSISTANT, "M", "word\n\n" * 200), *conversation(1)]
    )
    transcript.scroll_to("a")
    first = bar(transcript).value()
    qtbot.keyClick(transcript, Qt.Key.Key_Down)
    assert current(transcript) == "a"
    assert bar(transcript).value() > first


def test_going_to_a_message_marks_it_only_where_the_keyboard_is_in_the_list(qtbot, focused):
    focused.scroll_to("u1")
    assert view_of(focused, "u1").is_marked()
    focused.clearFocus()
    focused.scroll_to("u2")
    settle(qtbot, focused)
    assert not any(view.is_marked() for view in views(focused))
    focused.setFocus(Qt.FocusReason.TabFocusReason)
    assert current(focused) == "u2"
    assert view_of(focused, "u2").is_marked()


def test_enter_goes_in_tab_walks_and_escape_comes_out(qtbot, focused):
    qtbot.keyClick(focused, Qt.Key.Key_Home)
    qtbot.keyClick(focused, Qt.Key.Key_Down)
    qtbot.keyClick(focused, Qt.Key.Key_Return)
    view = view_of(focused, "a0")
    first = QApplication.focusWidget()
    assert view.isAncestorOf(first)
    stops = view.stops()
    assert first is stops[0]
    for _ in range(40):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        if QApplication.focusWidget() is stops[-1]:
            break
    assert QApplication.focusWidget() is stops[-1]
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert focused.hasFocus()
    assert current(focused) == "a0"


def test_the_list_is_one_tab_stop(focused):
    widget, stops = focused.nextInFocusChain(), []
    while widget is not focused:
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible():
            stops.append(widget)
        widget = widget.nextInFocusChain()
    assert stops == []


def test_a_focused_message_is_not_dropped_when_it_scrolls_away(qtbot, focused):
    focused.set_items(conversation(40))
    qtbot.keyClick(focused, Qt.Key.Key_End)
    qtbot.keyClick(focused, Qt.Key.Key_Return)
    inside = QApplication.focusWidget()
    assert inside is not focused
    focused.scroll_to("u0")
    settle(qtbot, focused)
    assert QApplication.focusWidget() is inside


def test_copy_on_the_list_takes_the_current_message(qtbot, focused):
    qtbot.keyClick(focused, Qt.Key.Key_Home)
    qtbot.keyClick(focused, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "Question 0?"


def test_keys_that_delete_do_nothing(qtbot, focused):
    before = focused.items()
    for key in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete, Qt.Key.Key_Space):
        qtbot.keyClick(focused, key)
    assert focused.items() == before


def test_keys_on_an_empty_list_do_nothing(qtbot, transcript):
    keys = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Return, Qt.Key.Key_PageUp)
    for key in keys:
        qtbot.keyClick(transcript, key)
    assert transcript.items() == ()


def test_assistive_technology_sees_roles_and_names(qtbot, transcript):
    transcript.set_items(conversation(1)[:1])
    names = [
        QAccessible.queryAccessibleInterface(w).text(QAccessible.Text.Name) for w in view_of(transcript, "u0").stops()
    ]
    assert all(names)
    assert QAccessible.queryAccessibleInterface(transcript).text(QAccessible.Text.Name) == "Conversation"


def test_messages_have_names(qtbot, transcript):
    items = [*conversation(1), Item("s", Kind.SUMMARY, text="x"), Item("n", Kind.NOTICE, text="y")]
    transcript.resize(700, 2000)
    transcript.set_items(items)
    settle(qtbot, transcript)
    names = [view_of(transcript, item.id).accessibleName() for item in items]
    assert names == ["User message 1", "Assistant message 2", "Summary 3", "Notice 4"]
    for view in views(transcript):
        for stop in view.stops():
            assert stop.accessibleName() or stop.text()
