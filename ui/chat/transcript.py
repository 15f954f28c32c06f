"""The conversation as a list that makes widgets only for the messages in sight."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, Qt, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QAccessible, QAccessibleEvent, QColor, QGuiApplication, QPainter
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QPushButton

from ui.chat.geometry import Anchor, Column, column_width, estimate_height
from ui.chat.item import Action, Channel, Item, Kind, State
from ui.chat.item_view import ItemView, ViewState
from ui.chat.message_view import create_view
from ui.chat.style import Style
from ui.icons import keep_icon

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent, QShowEvent
    from PySide6.QtWidgets import QWidget

    from ui.theme import Theme

__all__ = ["Action", "Channel", "Item", "Kind", "State", "Transcript"]

FLUSH_MS = 33
HIDDEN_FLUSH_MS = 500
NEAR_END_PX = 40
MAX_LIVE = 40
MAX_AHEAD_PER_PASS = 2


@dataclass(slots=True, eq=False)
class _Entry:
    """An item with its place and, while it is in sight, its widget."""

    item: Item
    index: int
    height: int = 0
    is_exact: bool = False
    view: ItemView | None = None
    state: ViewState = field(default_factory=ViewState)
    pending: list[tuple[Channel, str]] = field(default_factory=list)

    @property
    def is_streaming(self) -> bool:
        return self.item.state is State.STREAMING


class Transcript(QAbstractScrollArea):
    """Shows items; keeps to the end while `follow` is on.

    Appending a message of the user's turns `follow` on; scrolling away turns it off, coming back to the end on again.

    Signals:
        action_triggered: (item id, action id).
        link_activated: a web or mail link; nothing has been opened, the window asks first.
        item_hovered: id of the item under the pointer, or "".
    """

    action_triggered = Signal(str, str)
    link_activated = Signal(QUrl)
    item_hovered = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._style = Style(theme)
        self._entries: list[_Entry] = []
        self._by_id: dict[str, _Entry] = {}
        self._live: list[_Entry] = []
        self._streaming: list[_Entry] = []
        self._column = Column(())
        self._width = 0
        self._follow = True
        self._is_updating = False
        self._flush_s = 0.0
        self._current: _Entry | None = None
        self._shows_current = False
        self._empty_text = ("", "")
        self.setObjectName("transcript")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._flush_timer = QTimer(self, singleShot=True)
        self._flush_timer.timeout.connect(self._on_flush_timeout)
        self._ahead_timer = QTimer(self, singleShot=True, interval=0)
        self._ahead_timer.timeout.connect(self._on_ahead_timeout)
        self._jump = QPushButton(self)
        self._jump.setObjectName("jump_to_latest")
        self._jump.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._jump.hide()
        self._jump.clicked.connect(self.jump_to_latest)
        keep_icon(self._jump, "arrow-down", theme)
        bar = self.verticalScrollBar()
        bar.actionTriggered.connect(self._on_scroll_action)
        bar.valueChanged.connect(self._on_scrolled)
        theme.changed.connect(self._on_theme_changed)
        self._retranslate()

    # Items

    def set_items(self, items: Sequence[Item]) -> None:
        """Show these items instead, from the end."""
        self._forget(0)
        for item in items:
            self._add(item)
        self._follow = True
        self._relayout()

    def append_item(self, item: Item) -> None:
        """Add an item at the end."""
        self._add(item)
        if item.kind is Kind.USER:
            self._follow = True
        self._relayout()

    def update_item(self, item: Item) -> None:
        """Change the item with this id; text that streams on is not shortened."""
        entry = self._by_id[item.id]
        self._flush(entry)
        old = entry.item
        if item.state is State.STREAMING and old.text.startswith(item.text) and old.thinking.startswith(item.thinking):
            item = replace(item, text=old.text, thinking=old.thinking)
        self._change(entry, item)

    def remove_from(self, item_id: str) -> None:
        """Remove the item and all after it."""
        self._forget(self._by_id[item_id].index)
        self._relayout()

    def items(self) -> tuple[Item, ...]:
        """All items, with the text that has come so far."""
        return tuple(_collected(entry) for entry in self._entries)

    def append_text(self, item_id: str, channel: Channel, text: str) -> None:
        """Add to a streaming item; it is drawn at once when nothing was drawn in the last moment, else soon.

        Text that comes too late, for an item finished or removed, is dropped.
        """
        entry = self._by_id.get(item_id)
        if entry is None or not entry.is_streaming:
            return
        entry.pending.append((channel, text))
        if not self._flush_timer.isActive():
            self._flush_all()
            self._start_flush_timer()

    def finish(self, item: Item) -> None:
        """End the streaming of an item with its final text, state and footer."""
        entry = self._by_id[item.id]
        self._flush(entry)
        self._change(entry, item)

    def set_empty_text(self, title: str, text: str) -> None:
        """Say what stands here while there are no items."""
        self._empty_text = (title, text)
        self.viewport().update()

    def copy_conversation(self) -> None:
        """Put the whole conversation on the clipboard, as markdown."""
        parts = [
            f"**{item.author}**\n\n{item.text}" if item.author else item.text
            for item in self.items()
            if item.text and item.kind is not Kind.NOTICE
        ]
        QGuiApplication.clipboard().setText("\n\n".join(parts))

    # Scrolling

    @property
    def follow(self) -> bool:
        """Whether the end stays in sight as text comes in."""
        return self._follow

    @follow.setter
    def follow(self, follow: bool) -> None:
        self._follow = follow
        self._relayout()

    @Slot()
    def jump_to_latest(self) -> None:
        """Go to the end and follow it."""
        self.follow = True

    def scroll_to(self, item_id: str) -> None:
        """Bring an item's top to the top and mark it."""
        entry = self._by_id[item_id]
        self._follow = False
        self._shows_current = True
        self._set_current(entry)
        self._relayout(Anchor(entry.index, -8))
        self._follow = self._is_at_end()
        self._update_jump()

    @Slot(int)
    def _on_scroll_action(self, action: int) -> None:
        bar = self.verticalScrollBar()
        self._follow = bar.sliderPosition() >= bar.maximum() - NEAR_END_PX

    @Slot()
    def _on_scrolled(self) -> None:
        if not self._is_updating:
            self._relayout(self._anchor())

    def _is_at_end(self) -> bool:
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - NEAR_END_PX

    # Streaming

    @Slot()
    def _on_flush_timeout(self) -> None:
        if self._flush_all():
            self._start_flush_timer()

    def _start_flush_timer(self) -> None:
        hidden = not self.isVisible() or self.window().isMinimized()
        usual = HIDDEN_FLUSH_MS if hidden else FLUSH_MS
        self._flush_timer.start(max(usual, round(self._flush_s * 2000)))  # leaves the window two thirds of the time

    def _flush_all(self) -> bool:
        waiting = [entry for entry in self._streaming if entry.pending]
        begin = time.perf_counter()
        for entry in waiting:
            self._flush(entry)
        if waiting:
            self._relayout()
        self._flush_s = time.perf_counter() - begin
        return bool(waiting)

    def _flush(self, entry: _Entry) -> None:
        """Hand the buffered text to the item's widget, joined."""
        if not entry.pending:
            return
        runs = _runs(entry.pending)
        entry.item = _collected(entry)
        entry.pending.clear()
        if entry.view is None:
            entry.is_exact = False
            return
        entry.view.item = entry.item
        for channel, text in runs:
            entry.view.append(channel, text)
        entry.height = entry.view.arrange(self._width)

    # Layout

    def _add(self, item: Item) -> None:
        entry = _Entry(item, len(self._entries))
        self._entries.append(entry)
        self._by_id[item.id] = entry
        if entry.is_streaming:
            self._streaming.append(entry)
        entry.height = self._estimate(item)

    def _estimate(self, item: Item) -> int:
        return estimate_height(item, max(200, self._width), self._style.em * 0.5, self._style.em * 1.6)

    def _forget(self, index: int) -> None:
        for entry in self._entries[index:]:
            self._drop_view(entry)
            del self._by_id[entry.item.id]
            if entry in self._streaming:
                self._streaming.remove(entry)
            if entry is self._current:
                self._current = None
        del self._entries[index:]

    def _change(self, entry: _Entry, item: Item) -> None:
        """Give an entry another item; its widget is kept when the text is the same."""
        old, entry.item = entry.item, item
        if entry in self._streaming and not entry.is_streaming:
            self._streaming.remove(entry)
        elif entry.is_streaming and entry not in self._streaming:
            self._streaming.append(entry)
        if entry.view is not None:
            restarts = entry.is_streaming and old.state is not State.STREAMING
            if _body(old) == _body(item) and not restarts:
                entry.view.item = item
                if not entry.is_streaming:
                    entry.view.finish()
                entry.view.show_foot(item)
                entry.height = entry.view.arrange(self._width)
            else:
                self._drop_view(entry)
                entry.is_exact = False
        self._relayout()

    def _drop_view(self, entry: _Entry) -> None:
        if entry.view is not None:
            if _has_focus(entry.view):
                self.setFocus()
            entry.view.hide()
            entry.view.deleteLater()
            entry.view = None
            self._live.remove(entry)

    def _realise(self, entry: _Entry) -> bool:
        """Make sure the entry has its widget at the present width; return whether its height changed."""
        if entry.view is None:
            name = self._name(entry)
            entry.view = create_view(entry.item, name, self._style, entry.state, self.viewport())
            self._live.append(entry)
            entry.view.action_triggered.connect(self.action_triggered)
            entry.view.link_activated.connect(self.link_activated)
            entry.view.hovered.connect(self.item_hovered)
            entry.view.resized.connect(self._on_view_resized)
            entry.view.left.connect(self._on_view_left)
            entry.view.set_current(entry is self._current and self._shows_current)
        elif entry.is_exact:
            return False
        old, entry.height, entry.is_exact = entry.height, entry.view.arrange(self._width), True
        return entry.height != old

    def _name(self, entry: _Entry) -> str:
        number = entry.index + 1
        names = {
            Kind.USER: self.tr("User message {}"),
            Kind.ASSISTANT: self.tr("Assistant message {}"),
            Kind.SUMMARY: self.tr("Summary {}"),
            Kind.NOTICE: self.tr("Notice {}"),
        }
        return names[entry.item.kind].format(number)

    def _anchor(self) -> Anchor | None:
        """Return what keeps still: the first item in sight whose height is known, or just the first one."""
        value = self.verticalScrollBar().value()
        visible = self._column.visible(value, self.viewport().height())
        index = next((i for i in visible if self._entries[i].is_exact), visible.start if visible else None)
        return None if index is None else Anchor(index, value - self._column.tops[index])

    @Slot()
    def _relayout(self, anchor: Anchor | None = None) -> None:
        """Make what is in sight, place it, drop what is far away; the anchor, or the end, keeps its place."""
        self._update_width()
        if anchor is None and not self._follow:
            anchor = self._anchor()
            if anchor is not None and anchor.index >= len(self._entries):
                anchor = None
        height = self.viewport().height()
        for entry in self._streaming:
            self._realise(entry)
        while True:
            self._column = Column(entry.height for entry in self._entries)
            maximum = max(0, self._column.height - height)
            if anchor is None:
                value = maximum if self._follow else min(self.verticalScrollBar().value(), maximum)
            else:
                value = min(max(0, round(self._column.tops[anchor.index] + anchor.offset)), maximum)
            visible = self._column.visible(value, height)
            changed = [i for i in visible if self._realise(self._entries[i])]
            if not changed:
                break
        self._set_bar(value, maximum)
        self._place(value, visible)
        if self._to_make_ahead():
            self._ahead_timer.start()
        self._update_jump()

    def _update_width(self) -> None:
        self._width = column_width(self.viewport().width(), self._style.em)

    def _set_bar(self, value: int, maximum: int) -> None:
        bar = self.verticalScrollBar()
        self._is_updating = True
        bar.setRange(0, maximum)
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(round(self._style.em * 1.5))
        bar.setValue(value)
        self._is_updating = False

    def _place(self, value: int, visible: range) -> None:
        height = self.viewport().height()
        x = max(0, min((self.width() - self._width) // 2, self.viewport().width() - self._width))
        middle = (visible.start + visible.stop) / 2
        excess = len(self._live) - MAX_LIVE
        for entry in sorted(self._live, key=lambda entry: -abs(entry.index - middle)):
            assert entry.view is not None
            top = self._column.tops[entry.index] - value
            far = top + entry.height < -2 * height or top > 3 * height
            if (far or excess > 0) and entry.index not in visible and not self._is_needed(entry):
                self._drop_view(entry)
                excess -= 1
                continue
            entry.view.setGeometry(x, top, self._width, entry.height)
            entry.view.show()

    def _is_needed(self, entry: _Entry) -> bool:
        return entry.is_streaming or (entry.view is not None and _has_focus(entry.view))

    def _to_make_ahead(self) -> list[_Entry]:
        """The items just out of sight that have no widget yet, nearest first, as far as widgets may be added."""
        value, height = self.verticalScrollBar().value(), self.viewport().height()
        room = MAX_LIVE - 2 - len(self._live)
        near = self._column.visible(value - height // 2, 2 * height)
        visible = self._column.visible(value, height)
        waiting = [i for i in near if self._entries[i].view is None]
        waiting.sort(key=lambda i: min(abs(i - visible.start), abs(i - visible.stop)))
        return [self._entries[i] for i in waiting[: max(0, room)]]

    @Slot()
    def _on_ahead_timeout(self) -> None:
        """Make a few widgets at a time, so that scrolling finds them ready."""
        for entry in self._to_make_ahead()[:MAX_AHEAD_PER_PASS]:
            self._realise(entry)
        self._relayout()

    def _update_jump(self) -> None:
        show = not self._follow and not self._is_at_end()
        if show:
            size = self._jump.sizeHint()
            area = self.viewport().geometry()
            x = area.left() + (area.width() - size.width()) // 2
            self._jump.setGeometry(QRect(x, area.bottom() - size.height() - 12, size.width(), size.height()))
            self._jump.raise_()
        self._jump.setVisible(show)

    @Slot(bool)
    def _on_view_resized(self, by_user: bool) -> None:
        view = self.sender()
        entry = next((entry for entry in self._live if entry.view is view), None)
        if entry is None:
            return
        entry.is_exact = False
        if not by_user or (entry.is_streaming and self._follow):
            self._relayout()
            return
        offset = self.verticalScrollBar().value() - self._column.tops[entry.index]
        self._relayout(Anchor(entry.index, offset))
        self._follow = self._is_at_end()
        self._update_jump()

    @Slot()
    def _on_theme_changed(self) -> None:
        self._style = Style(self._theme)
        for entry in self._entries:
            self._drop_view(entry)
            entry.is_exact = False
        self._relayout()
        self.viewport().update()

    # Events

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
            self._on_theme_changed()  # the messages' widgets are made anew
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self.setAccessibleName(self.tr("Conversation"))
        self._jump.setText(self.tr("Jump to latest"))
        self._jump.setAccessibleName(self._jump.text())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        before = self._width
        anchor = None if self._follow else self._anchor()
        self._update_width()
        if self._width != before:
            if anchor is not None:  # keep the same share of the item above the edge
                share = anchor.offset / max(1, self._entries[anchor.index].height)
            for entry in self._entries:
                entry.is_exact = False
                if entry.view is None:
                    entry.height = self._estimate(entry.item)
            if anchor is not None:
                self._realise(self._entries[anchor.index])
                anchor = Anchor(anchor.index, share * self._entries[anchor.index].height)
        self._relayout(anchor)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._flush_all()
        self._relayout()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._entries or not any(self._empty_text):
            return
        painter = QPainter(self.viewport())
        area = self.viewport().rect().adjusted(32, 0, -32, 0)
        middle = area.center().y()
        title, text = self._empty_text
        font = self._theme.font(delta_points=5)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.colours.text))
        flags = Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap
        upper = QRect(area.left(), area.top(), area.width(), middle - area.top())
        painter.drawText(upper, flags | Qt.AlignmentFlag.AlignBottom, title)
        painter.setFont(self._theme.font())
        painter.setPen(QColor(self._theme.colours.muted))
        lower = QRect(area.left(), middle + 8, area.width(), area.bottom() - middle)
        painter.drawText(lower, flags | Qt.AlignmentFlag.AlignTop, text)
        painter.end()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """The items are placed by the layout."""

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            return True
        return super().viewportEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            visible = self._column.visible(self.verticalScrollBar().value(), self.viewport().height())
            current = self._current or (self._entries[visible[-1]] if visible else None)
            self._shows_current = True
            self._set_current(current)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._shows_current = False
        self._set_current(self._current)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self._shows_current = False
        self._set_current(self._current)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        self._shows_current = True
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._step(1 if key == Qt.Key.Key_Down else -1)
        elif key == Qt.Key.Key_End:
            if self._entries:
                self._set_current(self._entries[-1])
            self.jump_to_latest()
        elif key == Qt.Key.Key_Home:
            if self._entries:
                self._set_current(self._entries[0])
                self._follow = False
                self._relayout(Anchor(0, -16))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._current is not None:
            if self._current.view is not None:
                self._current.view.enter()
        else:
            super().keyPressEvent(event)

    def _step(self, step: int) -> None:
        """Go to the next message, scrolling through the present one first when it reaches beyond the window."""
        if not self._entries:
            return
        bar = self.verticalScrollBar()
        height = self.viewport().height()
        if self._current is None:
            index = len(self._entries) - 1
        else:
            index = self._current.index
            top = self._column.tops[index] - bar.value()
            bottom = top + self._current.height
            hidden = bottom - height if step > 0 else -top
            in_sight = bottom > 0 and top < height
            if in_sight and hidden > 8:
                self._scroll_by(step * min(hidden + 8, round(height * 0.8)))
                return
            index = min(max(0, index + step), len(self._entries) - 1)
        self._set_current(self._entries[index])
        self._realise(self._entries[index])
        self._column = Column(entry.height for entry in self._entries)
        top = self._column.tops[index] - bar.value()
        bottom = top + self._entries[index].height
        if top < 0 or bottom > height:
            tall = bottom - top > height
            if step > 0:
                self._scroll_by(top - 8 if tall else bottom - height + 8)
            else:
                self._scroll_by(bottom - height + 8 if tall else top - 8)

    def _scroll_by(self, distance: int) -> None:
        bar = self.verticalScrollBar()
        target = min(max(0, bar.value() + distance), bar.maximum())
        self._follow = target >= bar.maximum() - NEAR_END_PX
        bar.setValue(target)
        self._update_jump()

    def _set_current(self, entry: _Entry | None) -> None:
        for other in (self._current, entry):
            if other is not None and other.view is not None:
                other.view.set_current(other is entry and self._shows_current)
        self._current = entry
        if entry is not None and entry.view is not None and self.hasFocus() and QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleEvent(entry.view, QAccessible.Event.Focus))

    @Slot()
    def _on_view_left(self) -> None:
        view = self.sender()
        entry = next((entry for entry in self._live if entry.view is view), None)
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._shows_current = True
        self._set_current(entry)


def _has_focus(view: ItemView) -> bool:
    focused = QApplication.focusWidget()
    return focused is not None and view.isAncestorOf(focused)


def _runs(pending: list[tuple[Channel, str]]) -> list[tuple[Channel, str]]:
    return [(channel, "".join(text for _, text in run)) for channel, run in groupby(pending, key=lambda p: p[0])]


def _collected(entry: _Entry) -> Item:
    if not entry.pending:
        return entry.item
    answer = "".join(text for channel, text in entry.pending if channel == "answer")
    thinking = "".join(text for channel, text in entry.pending if channel == "thinking")
    return replace(entry.item, text=entry.item.text + answer, thinking=entry.item.thinking + thinking)


def _body(item: Item) -> tuple[Kind, str, str, str]:
    """What an item's widget is made of, apart from its foot."""
    return item.kind, item.author, item.text, item.thinking
