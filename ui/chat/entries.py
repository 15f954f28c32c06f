"""The transcript's items with their places, their buffered text and, while in sight, their widgets."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from ui.chat.item import Channel, Item, Kind, State, ViewState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ui.chat.item_view import ItemView


@dataclass(slots=True, eq=False)
class Entry:
    """One item.

    Attributes:
        is_exact: the height is known for the present width, not estimated.
        pending: text that has come and has not been drawn.
    """

    item: Item
    index: int
    height: int = 0
    is_exact: bool = False
    view: ItemView | None = None
    state: ViewState = field(default_factory=ViewState)
    pending: list[tuple[Channel, str]] = field(default_factory=list)

    @property
    def is_streaming(self) -> bool:
        """Whether text is still to come."""
        return self.item.state is State.STREAMING

    @property
    def has_focus(self) -> bool:
        """Whether the keyboard is inside the widget."""
        focused = QApplication.focusWidget()
        return self.view is not None and focused is not None and self.view.isAncestorOf(focused)

    def item_so_far(self) -> Item:
        """Return the item with the text that waits."""
        if not self.pending:
            return self.item
        answer = "".join(text for channel, text in self.pending if channel == "answer")
        thinking = "".join(text for channel, text in self.pending if channel == "thinking")
        return replace(self.item, text=self.item.text + answer, thinking=self.item.thinking + thinking)

    def take_pending(self) -> list[tuple[Channel, str]]:
        """Make the waiting text part of the item; return it joined to runs of one channel."""
        runs = groupby(self.pending, key=lambda piece: piece[0])
        joined = [(channel, "".join(text for _, text in run)) for channel, run in runs]
        self.item = self.item_so_far()
        self.pending.clear()
        return joined


class Entries:
    """The items in order.

    Attributes:
        streaming: those that still grow.
    """

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._by_id: dict[str, Entry] = {}
        self.streaming: list[Entry] = []

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def __getitem__(self, index: int) -> Entry:
        return self._entries[index]

    def find(self, item_id: str) -> Entry | None:
        """Return the entry with this id, if there is one."""
        return self._by_id.get(item_id)

    def get(self, item_id: str) -> Entry:
        """Return the entry with this id.

        Raises:
            KeyError: there is none.
        """
        return self._by_id[item_id]

    def add(self, item: Item) -> Entry:
        """Append an item."""
        entry = Entry(item, len(self._entries), state=ViewState(draft=item.edit))
        self._entries.append(entry)
        self._by_id[item.id] = entry
        if entry.is_streaming:
            self.streaming.append(entry)
        return entry

    def remove_from(self, index: int) -> list[Entry]:
        """Take the entry at this place and all after it out, and return them."""
        removed = self._entries[index:]
        del self._entries[index:]
        for entry in removed:
            del self._by_id[entry.item.id]
            if entry in self.streaming:
                self.streaming.remove(entry)
        return removed

    def change(self, entry: Entry, item: Item) -> bool:
        """Give an entry another item; return whether its widget still shows the right text."""
        old, entry.item = entry.item, item
        if entry.is_streaming and entry not in self.streaming:
            self.streaming.append(entry)
            return False
        if not entry.is_streaming and entry in self.streaming:
            self.streaming.remove(entry)
        return _body(old) == _body(item)


def _body(item: Item) -> tuple[Kind, str, str, str]:
    """What an item's widget is made of, apart from its foot."""
    return item.kind, item.author, item.text, item.thinking
