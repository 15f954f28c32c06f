"""The list of messages: keeping still, making few widgets, staying light."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from tests.ui.chat.documents import texts
from tests.ui.chat.lists import at_end, bar, conversation, in_sight, settle, streaming, view_of, views
from tests.ui.chat.samples import ANSWER
from ui.chat.stage import MAX_LIVE
from ui.chat.text_browser import SafeTextBrowser
from ui.chat.transcript import Item, Kind, State
from ui.theme import Scheme

if TYPE_CHECKING:
    from PySide6.QtGui import QRegion

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
    transcript.append_text("s", "answer", "b")
    assert transcript._flush_timer.remainingTime() > 400
    assert texts(view_of(transcript, "s")) == "a"
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


def test_the_empty_text_is_painted_over_when_an_item_comes_and_comes_back_when_all_are_gone(qtbot, transcript):
    class Painted(QObject):
        regions: ClassVar[list[QRegion]] = []

        def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint:
                self.regions.append(event.region())
            return False

    transcript.set_empty_text("Ask something", "The charts fill as the answer comes.")
    item = Item("u", Kind.USER, "You", "Hi")
    settle(qtbot, transcript)
    watcher = Painted(transcript)
    transcript.viewport().installEventFilter(watcher)
    middle = transcript.viewport().rect().center()
    for change in (
        lambda: transcript.append_item(item),
        lambda: transcript.remove_from("u"),
        lambda: transcript.change_items([item]),
        lambda: transcript.set_items([]),
        lambda: transcript.set_items([item]),
    ):
        watcher.regions.clear()
        change()
        qtbot.waitUntil(lambda: any(region.contains(middle) for region in watcher.regions))


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
