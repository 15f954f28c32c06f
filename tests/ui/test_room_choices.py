"""A message that does not fit: the user is told why, and chooses."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QApplication, QFrame

from tests.fakes import Answer
from tests.ui.full_context import (
    SUMMARY,
    asked,
    full_context,
    held,
    question,
    send,
)


@pytest.fixture
def full_desk(open_desk):
    """A window on a conversation whose next turn does not fit; see `full_context`."""
    return partial(full_context, open_desk)


def test_where_no_summary_can_be_made_the_other_ways_are_offered(full_desk):
    desk = full_desk("summarise", Answer(pieces=(), finish_reason="failed", error="The template refuses this."))
    held(desk, question(5, 200))
    assert desk.window.room_bar.ways == ["drop", "shorten"]
    assert desk.find("composer").toPlainText() == question(5, 200)
    assert desk.window.notice_bar.sentence == "The template refuses this."


def test_ask_offers_the_ways_and_sends_nothing_before(full_desk):
    desk = full_desk("ask", n_ctx_max=4096)
    texts = desk.texts()
    held(desk, question(5, 150))
    bar = desk.window.room_bar
    assert bar.isVisible()
    assert bar.ways == ["grow", "summarise", "drop", "shorten"]
    assert "and the context holds 512" in bar.sentence
    assert desk.find("room_drop").text() == "Take the oldest out of view: 2 turns"
    assert desk.find("room_shorten").text().startswith("Shorten by 1")
    assert all(desk.find(f"room_{way}").accessibleName() for way in bar.ways)
    assert desk.texts() == texts
    assert desk.find("composer").toPlainText() == question(5, 150)


@pytest.mark.parametrize("way", ["grow", "drop", "summarise"])
def test_a_choice_is_carried_out_for_this_message_alone(full_desk, way):
    after = Answer(pieces=("After",))
    desk = full_desk("ask", *((SUMMARY, after) if way == "summarise" else (after,)), n_ctx_max=4096)
    held(desk, question(5))
    desk.click(f"room_{way}")
    desk.qtbot.waitUntil(lambda: desk.texts()[-1] == "After")
    desk.wait_until_idle()
    assert not desk.window.room_bar.isVisible()
    assert desk.engine.requests[-1].may_grow is (way == "grow")
    assert ("Question 1 " in asked(desk)) is (way == "grow")
    assert desk.find("composer").toPlainText() == ""
    assert desk.parts.settings.value.on_full == "ask"


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_every_choice_is_whole_in_the_smallest_window_with_larger_text(full_desk, zoom):
    desk = full_desk("ask", n_ctx_max=4096)
    settings = desk.parts.settings
    settings.set(replace(settings.value, zoom=zoom))
    desk.window.resize(900, 600)
    held(desk, question(5, 150))
    bar = desk.window.room_bar
    buttons = [desk.find(f"room_{way}") for way in bar.ways]
    assert len(buttons) == 4

    def are_whole() -> bool:
        return all(button.parentWidget().rect().contains(button.geometry()) for button in buttons)

    desk.qtbot.waitUntil(are_whole)
    area = QRect(QPoint(0, 0), desk.window.composer.mapTo(desk.window, QPoint(0, 0)))
    assert all(button.mapTo(desk.window, button.rect().bottomLeft()).y() < area.bottom() for button in buttons)
    editor = desk.find("composer")
    assert editor.height() >= 2 * editor.fontMetrics().lineSpacing()


@pytest.mark.parametrize("width", [900, 1600])
def test_the_choices_are_as_wide_as_the_box_below_them(full_desk, width):
    desk = full_desk("ask")
    desk.window.resize(width, 900)
    held(desk, question(5))
    frame = desk.window.room_bar.findChild(QFrame)
    composer = desk.window.composer
    composer_margins = composer.layout().contentsMargins()
    left, right = frame.geometry().left(), composer.width() - 1 - frame.geometry().right()
    assert (left + 12, right + 8) == (composer_margins.left(), composer_margins.right())


def test_the_keyboard_reaches_the_choices_and_leaves_them(full_desk):
    desk = full_desk("ask")
    desk.activate()
    held(desk, question(5))
    desk.find("composer").setFocus()
    reached = []
    for _ in desk.window.room_bar.ways:
        desk.qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        reached.append(QApplication.focusWidget().objectName().removeprefix("room_"))
    assert reached == desk.window.room_bar.ways
    desk.qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert not desk.window.room_bar.isVisible()
    assert desk.find("composer").toPlainText() == question(5)


def test_shorten_leads_back_to_the_message(full_desk):
    desk = full_desk("ask")
    held(desk, question(5, 150))
    desk.click("room_shorten")
    assert not desk.window.room_bar.isVisible()
    assert desk.find("composer").toPlainText() == question(5, 150)
    send(desk, "Shorter")
    assert desk.texts()[-1] == "After"


@pytest.mark.parametrize("change", ["typing", "closing it", "another conversation"])
def test_the_choices_go_when_they_hold_no_longer(full_desk, change):
    desk = full_desk("ask")
    held(desk, question(5))
    if change == "typing":
        desk.find("composer").setPlainText("Something else")
    elif change == "closing it":
        desk.click("room_bar_close")
    else:
        desk.click("new_conversation_button")
    assert not desk.window.room_bar.isVisible()
    send(desk, "Short")
    assert desk.texts()[-1] == "After"


def test_stop_refuses_what_cannot_be_sent_and_nothing_else(full_desk):
    desk = full_desk("stop")
    send(desk, question(5, 100))  # leaves the answer less than its usual room, but some
    held(desk, question(6, 100))
    assert "drop" in desk.window.room_bar.ways


@pytest.mark.parametrize("on_full", ["grow", "summarise", "drop", "ask", "stop"])
def test_a_message_longer_than_any_context_is_refused_with_what_to_cut(full_desk, on_full):
    desk = full_desk(on_full, turns=1)
    held(desk, question(2, 2000))
    assert desk.window.room_bar.sentence.startswith(
        "This message is too long: with what must stay it needs 2,004 tokens and the context holds 512; cut at least "
        "1,493 tokens of it, about "
    )
    assert desk.window.room_bar.ways == ["shorten"] or on_full != "stop"
    assert len(desk.engine.requests) == 1
