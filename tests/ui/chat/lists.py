"""Hands and eyes for the tests of the list of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from tests.ui.chat.samples import ANSWER
from ui.chat.transcript import Item, Kind, State

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
