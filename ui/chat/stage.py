"""Makes the widgets of the messages in sight, places them and keeps still what the user looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QTimer, QUrl, Signal, Slot

from ui.chat.geometry import Anchor, Column, column_width, estimate_height
from ui.chat.item import Kind

if TYPE_CHECKING:
    from PySide6.QtWidgets import QAbstractScrollArea

    from ui.chat.entries import Entries, Entry
    from ui.chat.item import Item
    from ui.chat.style import Style

NEAR_END_PX = 40
MAX_LIVE = 40
MAX_AHEAD_PER_PASS = 2


class Stage(QObject):
    """Lays entries out in a scroll area's viewport.

    Attributes:
        follow: the end stays in sight.
        live: the entries that have a widget.

    Signals:
        placed: after each layout.
        made: a widget has been made for the item with this id.
        left: the keyboard comes back from inside the item with this id.
        action_triggered, link_activated, item_hovered, menu_requested, edit_ended, edit_changed: from the widgets.
    """

    menu_requested = Signal(str, str, QPoint)
    edit_ended = Signal(str, object)
    edit_changed = Signal(str, object)

    placed = Signal()
    made = Signal(str)
    left = Signal(str)
    action_triggered = Signal(str, str)
    link_activated = Signal(QUrl)
    item_hovered = Signal(str)

    def __init__(self, area: QAbstractScrollArea, entries: Entries, style: Style) -> None:
        super().__init__(area)
        self._area = area
        self._entries = entries
        self._style = style
        self._column = Column(())
        self._width = 0
        self._is_setting_bar = False
        self.follow = True
        self.live: list[Entry] = []
        self.ahead_timer = QTimer(self, singleShot=True, interval=0)
        self.ahead_timer.timeout.connect(self._on_ahead_timeout)
        bar = area.verticalScrollBar()
        bar.actionTriggered.connect(self._on_scroll_action)
        bar.valueChanged.connect(self._on_scrolled)

    # Reading

    @property
    def height(self) -> int:
        """Of the window."""
        return self._area.viewport().height()

    @property
    def value(self) -> int:
        """How far the window is scrolled."""
        return self._area.verticalScrollBar().value()

    def is_at_end(self) -> bool:
        """Whether the end is in sight, or nearly."""
        return self.value >= self._area.verticalScrollBar().maximum() - NEAR_END_PX

    def visible(self) -> range:
        """Return the indices of the entries in sight."""
        return self._column.visible(self.value, self.height)

    def top(self, entry: Entry) -> int:
        """Return where an entry begins, from the window's upper edge."""
        return self._column.tops[entry.index] - self.value

    # Changing

    def add(self, entry: Entry) -> None:
        """Take a new entry in, at an estimated height."""
        entry.height = self._estimate(entry.item)

    def show_growth(self, entry: Entry) -> None:
        """Hand an entry's waiting text to its widget."""
        if entry.view is None:
            entry.take_pending()
            entry.is_exact = False
            return
        for channel, text in entry.take_pending():
            entry.view.append(channel, text)
        entry.view.item = entry.item
        entry.height = entry.view.arrange(self._width)

    def show_change(self, entry: Entry, keeps_text: bool) -> None:
        """Show an entry's changed item: a new foot when the text is the same, else a new widget."""
        if entry.view is None:
            entry.is_exact = False
        elif keeps_text:
            entry.view.item = entry.item
            if not entry.is_streaming:
                entry.view.finish()
            entry.view.show_foot(entry.item)
            entry.height = entry.view.arrange(self._width)
        else:
            self.drop(entry)
            entry.is_exact = False

    def show_cost(self, entry: Entry) -> None:
        """Show an entry's changed cost; the widgets stay."""
        if entry.view is not None:
            entry.view.show_cost(entry.item)
            entry.height = entry.view.arrange(self._width)

    def restyle(self, style: Style) -> None:
        """Make all widgets anew in another style."""
        self._style = style
        for entry in self._entries:
            self.drop(entry)
            entry.is_exact = False
        self.lay_out()

    def make_anew(self, entry: Entry) -> None:
        """Give an entry another widget for the same item."""
        self.drop(entry)
        entry.is_exact = False
        self.realise(entry)

    def show_whole(self, entry: Entry) -> None:
        """Scroll as little as is needed to see an entry, its beginning first."""
        self.lay_out()
        top = self.top(entry)
        bottom = top + entry.height
        if top < 0 or entry.height > self.height:
            self.go_to(entry, 0)
        elif bottom > self.height:
            self.go_to(entry, entry.height - self.height)

    def kept_place(self) -> tuple[list[str], float] | None:
        """Return ids from the first one in sight on and where that begins; None while the end is followed."""
        anchor = None if self.follow else self._anchor()
        if anchor is None:
            return None
        return [entry.item.id for entry in list(self._entries)[anchor.index :]], anchor.offset

    def return_to(self, place: tuple[list[str], float] | None) -> None:
        """Lay out so that the first of what was in sight and is still there keeps its place."""
        ids, offset = place if place is not None else ([], 0.0)
        found = next((entry for item_id in ids if (entry := self._entries.find(item_id)) is not None), None)
        if found is None:
            self.lay_out()
        else:
            self.lay_out(Anchor(found.index, offset if found.item.id == ids[0] else 0.0))

    def drop(self, entry: Entry) -> None:
        """Take an entry's widget away."""
        if entry.view is not None:
            if entry.has_focus:
                self._area.setFocus()
            entry.view.hide()
            entry.view.deleteLater()
            entry.view = None
            self.live.remove(entry)

    def go_to(self, entry: Entry, offset: int) -> None:
        """Scroll until the window's upper edge is `offset` pixels below the entry's."""
        self.follow = False
        self.lay_out(Anchor(entry.index, offset))
        self.follow = self.is_at_end()

    def scroll_by(self, distance: int) -> None:
        """Scroll as the user does."""
        bar = self._area.verticalScrollBar()
        bar.setSliderPosition(min(max(0, bar.value() + distance), bar.maximum()))
        self._on_scroll_action()
        self.placed.emit()

    def adapt_width(self) -> None:
        """Lay everything out for the window's new width, with the same share of what is in sight above its edge."""
        anchor = None if self.follow else self._anchor()
        if self._update_width():
            share = 0.0 if anchor is None else anchor.offset / max(1, self._entries[anchor.index].height)
            for entry in self._entries:
                entry.is_exact = False
                if entry.view is None:
                    entry.height = self._estimate(entry.item)
            if anchor is not None:
                entry = self._entries[anchor.index]
                self.realise(entry)
                anchor = Anchor(anchor.index, share * entry.height)
        self.lay_out(anchor)

    def realise(self, entry: Entry) -> bool:
        """Make sure the entry has its widget at the present width; return whether its height changed."""
        from ui.chat.message_view import create_view  # not above: the first frame has no messages

        if entry.view is None:
            name = self._name(entry)
            entry.view = create_view(entry.item, name, self._style, entry.state, self._area.viewport())
            self.live.append(entry)
            entry.view.action_triggered.connect(self.action_triggered)
            entry.view.link_activated.connect(self.link_activated)
            entry.view.hovered.connect(self.item_hovered)
            entry.view.left.connect(self.left)
            entry.view.menu_requested.connect(self.menu_requested)
            entry.view.edit_ended.connect(self.edit_ended)
            entry.view.edit_changed.connect(self.edit_changed)
            entry.view.resized.connect(self._on_view_resized)
            self.made.emit(entry.item.id)
        elif entry.is_exact:
            return False
        old, entry.height, entry.is_exact = entry.height, entry.view.arrange(self._width), True
        return entry.height != old

    def lay_out(self, anchor: Anchor | None = None) -> None:
        """Make what is in sight, place it and drop what is far away; the anchor, or the end, keeps its place."""
        self._update_width()
        if anchor is None and not self.follow:
            anchor = self._anchor()
        for entry in self._entries.streaming:
            self.realise(entry)
        while True:
            self._column = Column(entry.height for entry in self._entries)
            maximum = max(0, self._column.height - self.height)
            value = maximum if self.follow else self.value
            if anchor is not None:
                value = round(self._column.tops[anchor.index] + anchor.offset)
            value = min(max(0, value), maximum)
            visible = self._column.visible(value, self.height)
            changed = [index for index in visible if self.realise(self._entries[index])]
            if not changed:
                break
        self._set_bar(value, maximum)
        self._place(visible)
        if self._to_make_ahead():
            self.ahead_timer.start()
        self.placed.emit()

    def _place(self, visible: range) -> None:
        area_width = self._area.viewport().width()
        x = max(0, min((self._area.width() - self._width) // 2, area_width - self._width))
        middle = (visible.start + visible.stop) / 2
        excess = len(self.live) - MAX_LIVE
        for entry in sorted(self.live, key=lambda entry: -abs(entry.index - middle)):
            assert entry.view is not None
            top = self.top(entry)
            is_far = top + entry.height < -2 * self.height or top > 3 * self.height
            is_needed = entry.index in visible or entry.is_streaming or entry.has_focus
            if (is_far or excess > 0) and not is_needed:
                self.drop(entry)
                excess -= 1
            else:
                entry.view.move(x, top)  # apart from the size: Qt then copies what is painted already
                entry.view.resize(self._width, entry.height)
                entry.view.show()

    def _set_bar(self, value: int, maximum: int) -> None:
        bar = self._area.verticalScrollBar()
        self._is_setting_bar = True
        bar.setRange(0, maximum)
        bar.setPageStep(self.height)
        bar.setSingleStep(round(self._style.em * 1.5))
        bar.setValue(value)
        self._is_setting_bar = False

    def _anchor(self) -> Anchor | None:
        """Return what keeps still: the first entry in sight whose height is known, or just the first one."""
        visible = [index for index in self.visible() if index < len(self._entries)]
        if not visible:
            return None
        index = next((index for index in visible if self._entries[index].is_exact), visible[0])
        return Anchor(index, self.value - self._column.tops[index])

    def _update_width(self) -> bool:
        before, self._width = self._width, column_width(self._area.viewport().width(), self._style.em)
        return self._width != before

    def _estimate(self, item: Item) -> int:
        return estimate_height(item, self._width, self._style.em * 0.5, self._style.em * 1.6)

    def _to_make_ahead(self) -> list[Entry]:
        """The entries just out of sight that have no widget yet, nearest first, as far as widgets may be added."""
        room = MAX_LIVE - 2 - len(self.live)
        visible = self.visible()
        near = self._column.visible(self.value - self.height // 2, 2 * self.height)
        waiting = [index for index in near if self._entries[index].view is None]
        waiting.sort(key=lambda index: min(abs(index - visible.start), abs(index - visible.stop)))
        return [self._entries[index] for index in waiting[: max(0, room)]]

    def _name(self, entry: Entry) -> str:
        names = {
            Kind.USER: self.tr("User message {}"),
            Kind.ASSISTANT: self.tr("Assistant message {}"),
            Kind.SUMMARY: self.tr("Summary {}"),
            Kind.EDGE: self.tr("Where the model's view begins"),
            Kind.NOTICE: self.tr("Notice {}"),
        }
        return names[entry.item.kind].format(entry.index + 1)

    @Slot()
    def _on_ahead_timeout(self) -> None:
        """Make a few widgets at a time, so that scrolling finds them ready."""
        for entry in self._to_make_ahead()[:MAX_AHEAD_PER_PASS]:
            self.realise(entry)
        self.lay_out()

    @Slot()
    def _on_scroll_action(self) -> None:
        """Only the user's scrolling comes here, before the value changes."""
        bar = self._area.verticalScrollBar()
        self.follow = bar.sliderPosition() >= bar.maximum() - NEAR_END_PX

    @Slot()
    def _on_scrolled(self) -> None:
        if not self._is_setting_bar:
            self.lay_out(self._anchor())

    @Slot(bool)
    def _on_view_resized(self, by_user: bool) -> None:
        view = self.sender()
        entry = next((entry for entry in self.live if entry.view is view), None)
        if entry is None:
            return  # dropped a moment ago
        entry.is_exact = False
        if not by_user or (entry.is_streaming and self.follow):
            self.lay_out()
        else:
            self.lay_out(Anchor(entry.index, -self.top(entry)))
            self.follow = self.is_at_end()
            self.placed.emit()
