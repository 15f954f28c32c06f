"""Where the wait went: the bar under an answer, its parts, and the stamp of the frame that shows the end."""

from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from app.telemetry.timings import TurnStats
from app.telemetry.waiting import wait_of
from tests.fakes import MS
from ui.chat.wait_bar import WaitBar
from ui.waits import wait_of_turn

STATS = TurnStats(
    submitted_ns=0,
    started_ns=2 * MS,
    rendered_ns=5 * MS,
    tokenised_ns=9 * MS,
    prefill_started_ns=10 * MS,
    prefill_done_ns=1010 * MS,
    token_ns=tuple((1015 + 20 * number) * MS for number in range(11)),
    finished_ns=1216 * MS,
    received_ns=1220 * MS,
    shown_ns=1230 * MS,
    prompt_tokens=300,
    cached_tokens=100,
    finish_reason="stop",
)


def bar_of(desk) -> WaitBar:
    return next(bar for bar in desk.window.transcript.findChildren(WaitBar) if bar.segments)


def test_the_parts_of_the_bar_sum_to_the_wall_time():
    bar = wait_of_turn(STATS)
    segments = bar.segments()
    assert [segment.amount for segment in segments] == [n * MS for n in (2, 3, 4, 1, 1000, 5, 200, 15)]
    assert sum(segment.amount for segment in segments) == 1230 * MS == wait_of(STATS).wall_ns
    lines = bar.text().splitlines()
    assert lines[0] == "From Send until the whole answer is on screen: 1.23 s"
    assert lines[5] == "prefill: 1.00 s, 200 tokens (the rest of the prompt was read)"
    assert lines[-1] == "The KV cache saved about 500 ms of reading."


def test_the_segments_are_as_long_as_their_share(qtbot, desk):
    desk.ask("Hello")
    bar = bar_of(desk)
    bar.show_bar(wait_of_turn(STATS))
    boxes = bar.boxes()
    assert boxes[-1].right() == boxes[0].left() + bar.width()
    assert boxes[4].width() == bar.width() * 1000 / 1230


def test_hovering_tells_the_part_there_first(qtbot, desk):
    desk.ask("Hello")
    bar = bar_of(desk)
    bar.show_bar(wait_of_turn(STATS))
    place = QPoint(bar.width() // 2, 2)
    QApplication.sendEvent(bar, QHelpEvent(QEvent.Type.ToolTip, place, bar.mapToGlobal(place)))
    assert QToolTip.text().index("prefill: 1.00 s") < QToolTip.text().index("From Send")
    assert bar.accessibleDescription() == wait_of_turn(STATS).text()
    QToolTip.hideText()


def test_an_answer_gets_the_instant_at_which_its_end_was_drawn(qtbot, desk):
    desk.ask("Hello")
    session = desk.parts.chat.session
    (message_id,) = session.turns
    qtbot.waitUntil(lambda: session.turns[message_id].stats.shown_ns is not None)
    stats = session.turns[message_id].stats
    assert stats.shown_ns >= stats.received_ns
    (stored,) = desk.stored(lambda store: store.turns(session.id))
    assert stored.stats.shown_ns == stats.shown_ns
    assert desk.parts.chat.wait_check.answers == 1
    assert bar_of(desk).accessibleDescription() == wait_of_turn(stats).text()


def test_an_answer_that_is_not_drawn_gets_no_such_instant(qtbot, desk):
    desk.window.hide()
    desk.parts.chat.send("Hello")
    desk.wait_until_idle()
    (turn,) = desk.parts.chat.session.turns.values()
    assert turn.stats.shown_ns is None
    assert desk.parts.chat.wait_check.answers == 0
