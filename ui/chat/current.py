"""Which message the keyboard is at, and how it goes from one to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

    from ui.chat.entries import Entries, Entry
    from ui.chat.stage import Stage

MARGIN_PX = 8


class Current:
    """Marks one message while the keyboard is used; the mouse hides the mark.

    Attributes:
        entry: the message, or None before the first key.
        is_shown: the keyboard was used last.
    """

    def __init__(self, entries: Entries, stage: Stage) -> None:
        self._entries = entries
        self._stage = stage
        self.is_shown = False
        self.entry: Entry | None = None

    def set(self, entry: Entry | None, *, is_shown: bool = True) -> None:
        """Go to a message, and mark it where the keyboard is in the list."""
        from PySide6.QtGui import QAccessible, QAccessibleEvent  # not above: many classes before the first frame

        former, self.entry, self.is_shown = self.entry, entry, is_shown
        for changed in {former, entry}:
            self.refresh(changed)
        if is_shown and entry is not None and entry.view is not None and QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleEvent(entry.view, QAccessible.Event.Focus))

    def hide(self) -> None:
        """Take the mark away and remember the place."""
        self.is_shown = False
        self.refresh(self.entry)

    def refresh(self, entry: Entry | None) -> None:
        """Give an entry's widget the mark it should have."""
        if entry is not None and entry.view is not None:
            entry.view.set_current(entry is self.entry and self.is_shown)

    def forget(self, entries: list[Entry]) -> None:
        """These are gone."""
        if self.entry in entries:
            self.entry = None

    def enter_list(self) -> None:
        """The keyboard has come to the list."""
        visible = self._stage.visible()
        if self.entry is None and visible:
            self.entry = self._entries[visible[-1]]
        self.set(self.entry)

    def take_key(self, event: QKeyEvent) -> bool:
        """Act on a key of the list; return whether it was one."""
        key = event.key()
        if not len(self._entries):
            return False
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and event.modifiers() in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.KeypadModifier,
        ):
            self._step(1 if key == Qt.Key.Key_Down else -1)
        elif key == Qt.Key.Key_End:
            self._stage.follow = True
            self._stage.lay_out()
            self.set(self._entries[-1])
        elif key == Qt.Key.Key_Home:
            self._stage.go_to(self._entries[0], -2 * MARGIN_PX)
            self.set(self._entries[0])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.entry is not None:
            self._stage.realise(self.entry)
            if self.entry.view is not None:
                self.entry.view.enter()
        elif event.matches(QKeySequence.StandardKey.Copy) and self.entry is not None:
            QGuiApplication.clipboard().setText(self.entry.item_so_far().text)
        else:
            return False
        return True

    def _step(self, step: int) -> None:
        """Go to the next message, scrolling through the present one first when it reaches beyond the window."""
        stage, height = self._stage, self._stage.height
        if self.entry is None:
            entry = self._entries[-1]
        else:
            top = stage.top(self.entry)
            bottom = top + self.entry.height
            hidden = bottom - height if step > 0 else -top
            if bottom > 0 and top < height and hidden > MARGIN_PX:
                stage.scroll_by(step * min(hidden + MARGIN_PX, round(height * 0.8)))
                return
            entry = self._entries[min(max(0, self.entry.index + step), len(self._entries) - 1)]
        self.set(entry)
        if stage.realise(entry):
            stage.lay_out()
        top = stage.top(entry)
        bottom = top + entry.height
        if top < 0 or bottom > height:
            to_top, to_bottom = top - MARGIN_PX, bottom - height + MARGIN_PX
            is_tall = bottom - top > height
            stage.scroll_by(to_top if is_tall == (step > 0) else to_bottom)
