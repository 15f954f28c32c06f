"""The list of messages: following the end, keeping still, making few widgets, the keyboard."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QAccessible, QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QApplication, QPushButton

from tests.ui.chat.documents import texts
from tests.ui.chat.samples import ANSWER
from ui.chat.stage import MAX_LIVE
from ui.chat.text_browser import SafeTextBrowser
from ui.chat.transcript import Action, Item, Kind, State
from ui.theme import Scheme

if TYPE_CHECKING:
    from ui.chat.item_view import ItemView


def conversation(turns: int) -> list[Item]:
    items = []
    for turn in range(turns):
        items.append(Item(f"u{turn}", Kind.USER, "You", f"Question {turn}?"))
        items.append(Item(f"a{turn}", Kind.ASSISTANT, "Model", f"Answer {turn}.\n\n{ANSWER}"))
    return items


def streaming(item_id: str = "s") -> Item:
    return Item(item_id, Kind.ASSISTANT, "Model", state=State.STREAMING)


def views(transcript) -> list[ItemView]:
    return [entry.view for entry in transcript._entries if entry.view is not None]


def view_of(transcript, item_id: str) -> ItemView:
    return next(view for view in views(transcript) if view.item.id == item_id)


def in_sight(view: ItemView) -> bool:
    return view.isVisible() and view.geometry().intersects(view.parentWidget().rect())


def settle(qtbot, transcript) -> None:
    """Wait until the widgets ahead are made and the text has been drawn."""
    timers = (transcript._stage.ahead_timer, transcript._flush_timer)
    qtbot.waitUntil(lambda: not any(timer.isActive() for timer in timers))


def wheel(transcript, notches: int) -> None:
    """Turn the wheel over the middle; positive is up."""
    viewport = transcript.viewport()
    middle = QPointF(viewport.rect().center())
    event = QWheelEvent(
        middle,
        QPointF(viewport.mapToGlobal(middle.toPoint())),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(viewport, event)


def bar(transcript):
    return transcript.verticalScrollBar()


def at_end(transcript) -> bool:
    return bar(transcript).value() == bar(transcript).maximum()


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


# Geometry


def test_items_lie_below_each_other_without_holes(qtbot, transcript):
    transcript.set_items(conversation(8))
    settle(qtbot, transcript)
    live = sorted(views(transcript), key=lambda view: view.y())
    for upper, lower in pairwise(live):
        assert upper.y() + upper.height() == lower.y()


def test_scrolling_up_through_unknown_heights_does_not_jump(qtbot, transcript):
    transcript.set_items(conversation(60))
    settle(qtbot, transcript)
    step = 70
    while bar(transcript).value() > 0:
        visible = [view for view in views(transcript) if in_sight(view)]
        before = {view.item.id: view.y() for view in visible}
        value = bar(transcript).value()
        bar(transcript).setSliderPosition(max(0, value - step))
        bar(transcript).triggerAction(bar(transcript).SliderAction.SliderMove)
        moved = {view_of(transcript, i).y() - y for i, y in before.items() if in_sight(view_of(transcript, i))}
        assert len(moved) == 1
        assert moved == {step} or bar(transcript).value() == 0
    assert in_sight(view_of(transcript, "u0"))


def test_resizing_keeps_the_place(qtbot, transcript):
    transcript.set_items(conversation(20))
    transcript.scroll_to("a7")
    settle(qtbot, transcript)
    transcript.resize(420, 600)
    settle(qtbot, transcript)
    assert in_sight(view_of(transcript, "a7"))
    assert abs(view_of(transcript, "a7").y()) < 60
    transcript.jump_to_latest()
    transcript.resize(900, 500)
    settle(qtbot, transcript)
    assert at_end(transcript)


def test_lines_stay_readable_in_a_wide_window(qtbot, transcript):
    transcript.set_items(conversation(2))
    transcript.resize(2000, 600)
    settle(qtbot, transcript)
    view = view_of(transcript, "a1")
    assert view.width() < 900
    assert abs((view.x() + view.width() / 2) - 1000) <= 1


def test_few_widgets_for_many_items(qtbot, transcript):
    transcript.set_items(conversation(250))
    assert len(views(transcript)) <= MAX_LIVE
    for share in (0.0, 0.25, 0.5, 0.9, 0.1):
        bar(transcript).setValue(round(bar(transcript).maximum() * share))
        settle(qtbot, transcript)
        assert any(in_sight(view) for view in views(transcript))
        assert len(views(transcript)) <= MAX_LIVE
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert len(transcript.viewport().findChildren(SafeTextBrowser)) <= MAX_LIVE * 8


def test_few_widgets_for_many_short_items(qtbot, transcript):
    transcript.set_items([Item(str(i), Kind.NOTICE, text="x") for i in range(500)])
    for share in range(20):
        bar(transcript).setValue(bar(transcript).maximum() * share // 20)
        settle(qtbot, transcript)
        assert 10 < len(views(transcript)) <= MAX_LIVE


def test_the_streaming_item_keeps_its_widget_out_of_sight(qtbot, transcript):
    transcript.set_items(conversation(30))
    transcript.append_item(streaming())
    view = view_of(transcript, "s")
    bar(transcript).setSliderPosition(0)
    bar(transcript).triggerAction(bar(transcript).SliderAction.SliderMove)
    transcript.append_text("s", "answer", "still here")
    settle(qtbot, transcript)
    assert view_of(transcript, "s") is view
    assert texts(view) == "still here"


def test_the_timers_rest_when_nothing_happens(qtbot, transcript):
    transcript.set_items(conversation(30))
    transcript.append_item(streaming())
    transcript.append_text("s", "answer", "x")
    settle(qtbot, transcript)
    assert not transcript._flush_timer.isActive()
    assert not transcript._stage.ahead_timer.isActive()


def test_a_hidden_transcript_draws_seldom_and_catches_up(qtbot, transcript):
    transcript.append_item(streaming())
    transcript.hide()
    transcript.append_text("s", "answer", "a")
    assert transcript._flush_timer.interval() >= 500
    transcript.append_text("s", "answer", "b")
    transcript.show()
    assert texts(view_of(transcript, "s")) == "ab"


def test_theme_and_zoom_restyle(qtbot, transcript, theme):
    transcript.set_items(conversation(3))
    settle(qtbot, transcript)
    before = view_of(transcript, "a2").height()
    theme.set_zoom(1.5)
    settle(qtbot, transcript)
    assert view_of(transcript, "a2").height() > before * 1.2
    assert at_end(transcript)
    theme.set_scheme(Scheme.DARK)
    settle(qtbot, transcript)
    image = transcript.viewport().grab().toImage()
    assert image.pixelColor(2, 2).lightness() < 80


def test_the_empty_text(qtbot, transcript):
    blank = transcript.viewport().grab().toImage()
    transcript.set_empty_text("Ask something", "<b>The charts</b> fill as the answer comes.")
    assert transcript.viewport().grab().toImage() != blank
    transcript.append_item(Item("u", Kind.USER, "You", "Hi"))
    transcript.remove_from("u")
    assert transcript.viewport().grab().toImage() != blank


def test_late_text_is_dropped(qtbot, transcript):
    transcript.append_text("nobody", "answer", "x")
    transcript.set_items([Item("a", Kind.ASSISTANT, "M", "done")])
    transcript.append_text("a", "answer", " late")
    assert transcript.items()[0].text == "done"
    settle(qtbot, transcript)


def test_an_answer_can_stream_again(qtbot, transcript):
    transcript.set_items([Item("a", Kind.ASSISTANT, "M", "Once", state=State.STOPPED)])
    transcript.update_item(Item("a", Kind.ASSISTANT, "M", "Once", state=State.STREAMING))
    transcript.append_text("a", "answer", " more")
    transcript.finish(Item("a", Kind.ASSISTANT, "M", "Once more"))
    assert texts(view_of(transcript, "a")) == "Once more"
    settle(qtbot, transcript)


def test_a_thousand_tokens_a_second_leave_the_window_time(qtbot, transcript):
    """The largest delay of a 5 ms timer while text comes in as fast as it can be handed over."""
    transcript.set_items(conversation(100))
    transcript.append_item(streaming())
    pieces = iter(ANSWER[start : start + 20] for start in range(0, len(ANSWER), 20))
    gaps, feeder, probe = [], QTimer(), QTimer()
    probe.setTimerType(Qt.TimerType.PreciseTimer)
    last = time.perf_counter()

    def feed() -> None:
        piece = next(pieces, None)
        if piece is None:
            feeder.stop()
        else:
            transcript.append_text("s", "answer", piece)

    def measure() -> None:
        nonlocal last
        now = time.perf_counter()
        gaps.append(now - last)
        last = now

    feeder.timeout.connect(feed)
    probe.timeout.connect(measure)
    feeder.start(5)
    probe.start(5)
    qtbot.waitUntil(lambda: not feeder.isActive(), timeout=60_000)
    probe.stop()
    settle(qtbot, transcript)
    assert transcript.items()[-1].text == ANSWER
    assert sorted(gaps)[len(gaps) // 2] < 0.05
    assert max(gaps) < 1


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
