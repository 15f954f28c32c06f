"""The conversation as a list that makes widgets only for the messages in sight."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QColor, QContextMenuEvent, QGuiApplication, QPainter, QPalette
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QPushButton, QWidget

from ui.chat.current import Current
from ui.chat.entries import Entries
from ui.chat.item import Action, Channel, Costs, Item, Kind, State
from ui.chat.stage import Stage
from ui.chat.style import Style
from ui.icons import keep_icon

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent, QShowEvent

    from ui.theme import Theme

__all__ = ["Action", "Channel", "Costs", "Item", "Kind", "State", "Transcript"]

FLUSH_MS = 33
"""Less than what the engine keeps tokens for, so that they are drawn as they come, without waiting for a timer."""
HIDDEN_FLUSH_MS = 500
ACTION_KEYS = {
    Qt.Key.Key_Delete: "delete_message",
    Qt.Key.Key_Left: "previous_version",
    Qt.Key.Key_Right: "next_version",
}
"""What keys do to the message the keyboard is at, beside going from one to the next."""


class Transcript(QAbstractScrollArea):
    """Shows items; keeps to the end while `follow` is on.

    Appending a message of the user's turns `follow` on; scrolling away turns it off, coming back to the end on again.

    Signals:
        action_triggered: (item id, action id).
        link_activated: a web or mail link; nothing has been opened, the window asks first.
        item_hovered: id of the item under the pointer, or "".
        item_edited: (item id, text) the user wrote in its place; it stays open until the item gives way to another.
        edit_changed: (item id, what stands there while it is edited, or None when that was given up).
        menu_requested: (item id, which menu, where on the screen).
    """

    item_edited = Signal(str, str)
    edit_changed = Signal(str, object)
    menu_requested = Signal(str, str, QPoint)
    action_triggered = Signal(str, str)
    link_activated = Signal(QUrl)
    item_hovered = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._entries = Entries()
        self._stage = Stage(self, self._entries, Style(theme))
        self._current = Current(self._entries, self._stage)
        self._flush_begin_s = self._flush_s = 0.0
        self._empty_text = ("", "")
        # The area's own viewport would be the first widget that Python does not know: PySide then makes the classes of
        # all kinds of widgets to find out what it is, before the first frame.
        self.setViewport(QWidget(autoFillBackground=True))
        self.viewport().setBackgroundRole(QPalette.ColorRole.Base)
        self.setObjectName("transcript")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._flush_timer = QTimer(self, singleShot=True)
        self._flush_timer.timeout.connect(self._on_flush_timeout)
        self._jump = QPushButton(self)
        self._jump.setObjectName("jump_to_latest")
        self._jump.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._jump.hide()
        self._jump.clicked.connect(self.jump_to_latest)
        keep_icon(self._jump, "arrow-down", theme)
        self._stage.placed.connect(self._on_placed)
        self._stage.made.connect(self._on_view_made)
        self._stage.left.connect(self._on_view_left)
        self._stage.action_triggered.connect(self.action_triggered)
        self._stage.menu_requested.connect(self.menu_requested)
        self._stage.edit_ended.connect(self._on_edit_ended)
        self._stage.edit_changed.connect(self.edit_changed)
        self._stage.link_activated.connect(self.link_activated)
        self._stage.item_hovered.connect(self.item_hovered)
        theme.changed.connect(self._on_theme_changed)
        self._retranslate()

    # Items

    def set_items(self, items: Sequence[Item]) -> None:
        """Show these items instead, from the end; what was unfolded in an item that stays is still unfolded."""
        states = {entry.item.id: entry.state for entry in self._entries}
        self._forget(0)
        for item in items:
            entry = self._entries.add(item)
            entry.state = states.get(item.id, entry.state)
            self._stage.add(entry)
        self.follow = True
        self.viewport().update()

    def change_items(self, items: Sequence[Item]) -> None:
        """Show these items instead; what is in sight and stays keeps its place."""
        anchor = self._stage.kept_place()
        same = 0
        for entry, item in zip(self._entries, items, strict=False):
            if entry.item.id != item.id:
                break
            same += 1
            if entry.item_so_far() != item:
                self._stage.show_change(entry, self._entries.change(entry, item))
        kept = {entry.item.id: entry for entry in list(self._entries)[same:]}
        self._forget(same)
        for item in items[same:]:
            entry = self._entries.add(item)
            if (former := kept.get(item.id)) is not None:
                entry.state = former.state
            self._stage.add(entry)
        self._stage.return_to(anchor)
        self.viewport().update()

    def edit_item(self, item_id: str) -> None:
        """Let the user change an item's text in its place; nothing happens when there is no such item."""
        entry = self._entries.find(item_id)
        if entry is None or entry.is_streaming or not entry.item.has_menu:
            return
        if entry.state.draft is None:
            entry.state.draft = entry.item.text
            self._stage.make_anew(entry)
        self._stage.show_whole(entry)
        if entry.view is not None:
            entry.view.enter()

    @property
    def edited_item(self) -> str:
        """Id of an item that is being edited, or ""."""
        return next((entry.item.id for entry in self._entries if entry.state.draft is not None), "")

    @property
    def current_item(self) -> str:
        """Id of the item the keyboard is at, or ""."""
        return self._current.entry.item.id if self._current.is_shown and self._current.entry is not None else ""

    @Slot(str, object)
    def _on_edit_ended(self, item_id: str, text: str | None) -> None:
        entry = self._entries.find(item_id)
        if entry is None:
            return
        if text is not None and text != entry.item.text:
            self.item_edited.emit(item_id, text)
            return
        entry.state.draft = None
        self._stage.make_anew(entry)
        self._stage.lay_out()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.edit_changed.emit(item_id, None)

    def append_item(self, item: Item) -> None:
        """Add an item at the end."""
        self._stage.add(self._entries.add(item))
        self.follow = self.follow or item.kind is Kind.USER
        if len(self._entries) == 1:
            self.viewport().update()  # what was said of the empty conversation goes

    def update_item(self, item: Item) -> None:
        """Change the item with this id; text that streams on is not shortened."""
        entry = self._entries.get(item.id)
        old = entry.item_so_far()
        if item.state is State.STREAMING and old.text.startswith(item.text) and old.thinking.startswith(item.thinking):
            item = replace(item, text=old.text, thinking=old.thinking)
        self.finish(item)

    def show_costs(self, found: Iterable[Costs]) -> None:
        """Take over these where they differ; nothing else."""
        changed = False
        for costs in found:
            entry = self._entries.find(costs.id)
            if entry is not None and costs != (costs.id, entry.item.cost, entry.item.frees, entry.item.wait):
                entry.item = replace(entry.item, **costs._asdict())
                self._stage.show_cost(entry)
                changed = True
        if changed:
            self._stage.lay_out()

    def finish(self, item: Item) -> None:
        """End the streaming of an item with its final text, state and footer."""
        entry = self._entries.get(item.id)
        self._stage.show_growth(entry)
        self._stage.show_change(entry, self._entries.change(entry, item))
        self._stage.lay_out()

    def remove_from(self, item_id: str) -> None:
        """Remove the item and all after it."""
        self._forget(self._entries.get(item_id).index)
        self._stage.lay_out()

    def items(self) -> tuple[Item, ...]:
        """All items, with the text that has come so far."""
        return tuple(entry.item_so_far() for entry in self._entries)

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

    def _forget(self, index: int) -> None:
        removed = self._entries.remove_from(index)
        for entry in removed:
            self._stage.drop(entry)
        self._current.forget(removed)
        if not len(self._entries):
            self.viewport().update()

    # Streaming

    def append_text(self, item_id: str, channel: Channel, text: str) -> None:
        """Add to a streaming item; it is drawn at once when nothing was drawn in the last moment, else soon.

        Text that comes too late, for an item finished or removed, is dropped.
        """
        entry = self._entries.find(item_id)
        if entry is None or not entry.is_streaming:
            return
        entry.pending.append((channel, text))
        if self._flush_timer.isActive():
            return
        is_hidden = not self.isVisible() or self.window().isMinimized()
        usual_s = (HIDDEN_FLUSH_MS if is_hidden else FLUSH_MS) / 1000
        pause_s = max(usual_s, 3 * self._flush_s)  # leaves the window two thirds of the time
        rest_s = self._flush_begin_s + pause_s - time.perf_counter()
        if rest_s <= 0:
            self._flush()
        else:
            self._flush_timer.start(round(rest_s * 1000))

    @Slot()
    def _on_flush_timeout(self) -> None:
        self._flush()

    def _flush(self) -> None:
        """Draw the text that waits."""
        begin = time.perf_counter()
        waiting = [entry for entry in self._entries.streaming if entry.pending]
        if not waiting:
            return
        for entry in waiting:
            self._stage.show_growth(entry)
        self._stage.lay_out()
        self._flush_begin_s, self._flush_s = begin, time.perf_counter() - begin

    # Scrolling

    @property
    def follow(self) -> bool:
        """Whether the end stays in sight as text comes in."""
        return self._stage.follow

    @follow.setter
    def follow(self, follow: bool) -> None:
        self._stage.follow = follow
        self._stage.lay_out()

    @Slot()
    def jump_to_latest(self) -> None:
        """Go to the end and follow it."""
        self.follow = True

    def scroll_to(self, item_id: str) -> None:
        """Bring an item's top to the top; the keyboard in the list goes there too. Nothing happens without the item."""
        entry = self._entries.find(item_id)
        if entry is not None:
            self._stage.go_to(entry, -8)
            self._current.set(entry, is_shown=self.hasFocus())

    @Slot()
    def _on_placed(self) -> None:
        """Offer the way to the end when it is out of sight."""
        show = not self.follow and not self._stage.is_at_end()
        if show:
            size = self._jump.sizeHint()
            area = self.viewport().geometry()
            x = area.left() + (area.width() - size.width()) // 2
            self._jump.setGeometry(QRect(x, area.bottom() - size.height() - 12, size.width(), size.height()))
            self._jump.raise_()
        self._jump.setVisible(show)

    # Keyboard and look

    @Slot(str)
    def _on_view_made(self, item_id: str) -> None:
        self._current.refresh(self._entries.find(item_id))

    @Slot(str)
    def _on_view_left(self, item_id: str) -> None:
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._current.set(self._entries.find(item_id))

    @Slot()
    def _on_theme_changed(self) -> None:
        self._stage.restyle(Style(self._theme))
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._current.take_key(event) and not self._take_action_key(event):
            super().keyPressEvent(event)

    def _take_action_key(self, event: QKeyEvent) -> bool:
        """Act on a key that does something to the message the keyboard is at; return whether it was one."""
        entry = self._current.entry
        action = ACTION_KEYS.get(Qt.Key(event.key()))
        is_plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if entry is None or action is None or not is_plain or not entry.item.has_menu:
            return False
        self.action_triggered.emit(entry.item.id, action)
        return True

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The menu of the message the keyboard is at; the pointer's is asked for by the message itself."""
        entry = self._current.entry
        if event.reason() == QContextMenuEvent.Reason.Keyboard and entry is not None and entry.item.has_menu:
            self._stage.realise(entry)
            if entry.view is not None:
                self.menu_requested.emit(entry.item.id, "menu", entry.view.mapToGlobal(QPoint(8, 8)))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self._current.enter_list()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._current.hide()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self._current.hide()

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
        self._stage.adapt_width()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._flush()
        self._stage.lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        if len(self._entries) or not any(self._empty_text):
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
        """The stage places the items."""
