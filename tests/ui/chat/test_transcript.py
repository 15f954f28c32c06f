"""The list of messages: what it shows, and following the end."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton

from tests.ui.chat.documents import texts
from tests.ui.chat.lists import at_end, bar, conversation, in_sight, settle, streaming, view_of, views, wheel
from ui.chat.transcript import Action, Item, Kind, State

# Items


def test_items_are_shown_from_the_end(transcript):
    items = conversation(10)
    transcript.set_items(items)
    assert transcript.items() == tuple(items)
    assert at_end(transcript)
    assert transcript.follow
    assert "Answer 9." in texts(transcript)
    assert "Answer 0." not in texts(transcript)


def test_streamed_text_arrives_and_is_finished(qtbot, transcript):
    transcript.append_item(Item("u", Kind.USER, "You", "Hi"))
    transcript.append_item(streaming())
    for piece in ("Hel", "lo ", "**world**"):
        transcript.append_text("s", "answer", piece)
    assert transcript.items()[-1].text == "Hello **world**"
    qtbot.waitUntil(lambda: "Hello world" in texts(transcript))
    done = Item("s", Kind.ASSISTANT, "Model", "Hello **world**", footer="TTFT 0.24 s")
    transcript.finish(done)
    assert transcript.items()[-1] == done
    assert "Hello world" in texts(transcript)
    settle(qtbot, transcript)


def test_the_last_text_is_drawn_by_finish_without_waiting(transcript):
    transcript.append_item(streaming())
    transcript.append_text("s", "answer", "first ")
    transcript.append_text("s", "answer", "second")
    transcript.finish(Item("s", Kind.ASSISTANT, "Model", "first second"))
    assert "first second" in texts(transcript)


def test_a_final_text_that_differs_replaces_what_was_streamed(transcript):
    transcript.append_item(streaming())
    transcript.append_text("s", "answer", "draft")
    transcript.finish(Item("s", Kind.ASSISTANT, "Model", "final"))
    assert texts(view_of(transcript, "s")) == "final"


def test_update_changes_the_foot_and_keeps_the_streamed_text(qtbot, transcript):
    transcript.append_item(streaming())
    transcript.append_text("s", "answer", "so far")
    view = view_of(transcript, "s")
    transcript.update_item(Item("s", Kind.ASSISTANT, "Model", state=State.STREAMING, footer="reading"))
    assert transcript.items()[0].text == "so far"
    assert transcript.items()[0].footer == "reading"
    assert view_of(transcript, "s") is view
    settle(qtbot, transcript)


def test_update_can_replace_the_text(transcript):
    transcript.set_items([Item("a", Kind.ASSISTANT, "Model", "old")])
    transcript.update_item(Item("a", Kind.ASSISTANT, "Model", "new"))
    assert texts(view_of(transcript, "a")) == "new"


def test_remove_from_takes_the_item_and_all_after_it(transcript):
    transcript.set_items(conversation(5))
    transcript.remove_from("a3")
    assert [item.id for item in transcript.items()] == ["u0", "a0", "u1", "a1", "u2", "a2", "u3"]
    assert at_end(transcript)
    transcript.remove_from("u0")
    assert transcript.items() == ()
    transcript.append_item(Item("n", Kind.USER, "You", "Again"))
    assert "Again" in texts(transcript)


def test_a_removed_item_that_streams_leaves_nothing_behind(qtbot, transcript):
    transcript.append_item(streaming())
    transcript.append_text("s", "answer", "a")
    transcript.append_text("s", "answer", "b")
    transcript.remove_from("s")
    settle(qtbot, transcript)
    assert transcript.items() == ()


def test_actions_carry_item_and_action(qtbot, transcript):
    transcript.set_items([Item("a", Kind.ASSISTANT, "Model", "Hi", actions=(Action("regenerate", "Regenerate"),))])
    button = transcript.findChild(QPushButton, "regenerate")
    with qtbot.waitSignal(transcript.action_triggered) as caught:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert caught.args == ["a", "regenerate"]


def test_copying_gives_the_source(transcript):
    transcript.set_items([Item("u", Kind.USER, "You", "Hi"), Item("a", Kind.ASSISTANT, "Model", "**bold**")])
    copy = next(b for b in view_of(transcript, "a").foot_stops() if b.accessibleName() == "Copy message")
    copy.click()
    assert QGuiApplication.clipboard().text() == "**bold**"
    transcript.copy_conversation()
    assert QGuiApplication.clipboard().text() == "**You**\n\nHi\n\n**Model**\n\n**bold**"


def test_hovering_tells_the_item(qtbot, transcript):
    transcript.set_items(conversation(1)[:1])
    with qtbot.waitSignal(transcript.item_hovered, check_params_cb=lambda item_id: item_id == "u0"):
        view_of(transcript, "u0").hovered.emit("u0")


# Following the end


def test_the_end_is_followed_while_text_comes_in(qtbot, transcript):
    transcript.set_items(conversation(3))
    transcript.append_item(streaming())
    for _ in range(30):
        transcript.append_text("s", "answer", "One more line of text.\n\n")
        transcript._on_flush_timeout()
        assert at_end(transcript)
    settle(qtbot, transcript)


@pytest.mark.parametrize("by", ["wheel", "page up", "drag"])
def test_scrolling_away_stops_following(qtbot, transcript, by):
    transcript.set_items(conversation(5))
    settle(qtbot, transcript)
    if by == "wheel":
        wheel(transcript, 3)
    elif by == "page up":
        qtbot.keyClick(transcript, Qt.Key.Key_PageUp)
    else:
        bar(transcript).setSliderPosition(bar(transcript).maximum() // 2)
        bar(transcript).triggerAction(bar(transcript).SliderAction.SliderMove)
    assert not transcript.follow
    assert transcript._jump.isVisible()


def test_nothing_moves_while_scrolled_up(qtbot, transcript):
    transcript.set_items(conversation(5))
    transcript.append_item(streaming())
    settle(qtbot, transcript)
    wheel(transcript, 20)
    settle(qtbot, transcript)
    value = bar(transcript).value()
    places = {view.item.id: view.pos() for view in views(transcript) if in_sight(view)}
    assert places
    for _ in range(200):
        transcript.append_text("s", "answer", "token and more ")
        transcript._on_flush_timeout()
    settle(qtbot, transcript)
    assert bar(transcript).value() == value
    assert {view.item.id: view.pos() for view in views(transcript) if in_sight(view)} == places


def test_coming_back_to_the_end_follows_again(qtbot, transcript):
    transcript.set_items(conversation(5))
    settle(qtbot, transcript)
    wheel(transcript, 3)
    assert not transcript.follow
    wheel(transcript, -30)
    assert transcript.follow
    assert not transcript._jump.isVisible()


@pytest.mark.parametrize("by", ["button", "key", "call"])
def test_jump_to_latest(qtbot, transcript, by):
    transcript.set_items(conversation(5))
    settle(qtbot, transcript)
    wheel(transcript, 30)
    if by == "button":
        qtbot.mouseClick(transcript._jump, Qt.MouseButton.LeftButton)
    elif by == "key":
        qtbot.keyClick(transcript, Qt.Key.Key_End)
    else:
        transcript.jump_to_latest()
    assert transcript.follow
    assert at_end(transcript)
    assert not transcript._jump.isVisible()


def test_the_users_own_message_brings_the_end_back(qtbot, transcript):
    transcript.set_items(conversation(5))
    settle(qtbot, transcript)
    wheel(transcript, 30)
    transcript.append_item(Item("n", Kind.NOTICE, text="The model was loaded."))
    assert not transcript.follow
    transcript.append_item(Item("u", Kind.USER, "You", "Next"))
    assert transcript.follow
    assert at_end(transcript)


def test_scroll_to_brings_an_item_to_the_top(qtbot, transcript):
    transcript.set_items(conversation(20))
    transcript.scroll_to("u7")
    settle(qtbot, transcript)
    view = view_of(transcript, "u7")
    assert in_sight(view)
    assert 0 <= view.y() <= 16
    assert not transcript.follow
    transcript.scroll_to("a19")
    settle(qtbot, transcript)
    assert in_sight(view_of(transcript, "a19"))


def test_scrolling_to_what_is_not_there_does_nothing(transcript):
    transcript.set_items(conversation(3))
    transcript.scroll_to("nobody")
    assert transcript.follow
