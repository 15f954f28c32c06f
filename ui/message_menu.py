"""The menus of a message: what can be done with it, how to answer anew, and the branches of the conversation."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from app.chat.conversation import one_line
from ui import conversation_items as items
from ui import formatting
from ui.translation import said

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.chat.message import Message
    from ui.branch_controller import BranchController
    from ui.chat_controller import ChatController
    from ui.room_controller import RoomController
    from ui.session import Session
    from ui.translation import Text
    from ui.variations import Variations

SNIPPET_CHARACTERS = 48


class MessageMenu(QObject):
    """Made when it is wanted, of what can be done just then.

    Signals:
        edit_requested: id of a message.
    """

    edit_requested = Signal(str)

    def __init__(
        self,
        window: QWidget,
        chat: ChatController,
        branches: BranchController,
        room: RoomController,
        variations: Variations,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._chat = chat
        self._branches = branches
        self._room = room
        self._variations = variations

    @Slot(str, str, QPoint)
    def open(self, message_id: str, which: str, at: QPoint) -> None:
        """Open one of the menus at a place on the screen."""
        message = next((each for each in self._chat.session.conversation.messages if each.id == message_id), None)
        if message is None:
            return
        menu = self._make("message_menu")
        if which == items.REGENERATE_MENU:
            self._add_variations(menu, message_id)
        elif which == items.VERSIONS:
            self._add_branches(menu)
        else:
            self._fill(menu, message)
        menu.popup(at)

    @Slot()
    def open_branches(self) -> None:
        """Open the menu of branches in the middle of the window."""
        menu = self._make("branches_menu")
        self._add_branches(menu)
        menu.popup(self._window.mapToGlobal(self._window.rect().center()))

    def _make(self, name: str) -> QMenu:
        menu = QMenu(self._window)
        menu.setObjectName(name)
        menu.setToolTipsVisible(True)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu

    def _fill(self, menu: QMenu, message: Message) -> None:
        branches, tree = self._branches, self._chat.session.tree
        can_change, can_answer = branches.can_change, branches.can_change and self._chat.can_answer
        self._add(menu, items.EDIT, self.tr("Edit"), partial(self.edit_requested.emit, message.id), can_change, "F2")
        self._add(menu, "copy", self.tr("Copy"), partial(QGuiApplication.clipboard().setText, message.content))
        is_last = self._chat.session.last_answer is message
        if is_last and branches.is_continuable:
            self._add(menu, items.CONTINUE, self.tr("Continue"), self._room.go_on, can_answer)
        text = self.tr("Answer again") if message.role == "user" else self.tr("Regenerate")
        otherwise = menu.addMenu(text)
        otherwise.setObjectName(items.REGENERATE_MENU)
        otherwise.setEnabled(can_answer)
        self._add_variations(otherwise, message.id)
        menu.addSeparator()
        self._add(
            menu,
            items.BRANCH,
            self.tr("Branch from here"),
            partial(branches.branch_from, message.id),
            can_change and tree.is_followed(message.id),
        )
        versions = tree.versions(message.id)
        number = versions.index(message.id)
        if len(versions) > 1:
            former, later = (partial(branches.step, message.id, by) for by in (-1, 1))
            is_first, is_newest = number == 0, number == len(versions) - 1
            self._add(menu, items.PREVIOUS_VERSION, self.tr("Previous version"), former, can_change and not is_first)
            self._add(menu, items.NEXT_VERSION, self.tr("Next version"), later, can_change and not is_newest)
        self._add_branches(menu.addMenu(self.tr("Branches")))
        menu.addSeparator()
        if message.pinned:
            self._add(menu, items.UNPIN, self.tr("Unpin"), partial(branches.pin, message.id, False), can_change)
        else:
            pin = self._add(menu, items.PIN, self.tr("Pin"), partial(branches.pin, message.id, True), can_change)
            pin.setToolTip(self.tr("The model always sees it word for word, whatever is summarised or dropped."))
        menu.addSeparator()
        turn = branches.turn_of(message.id)
        for name, label, ids in (
            (items.DELETE_MESSAGE, self.tr("Delete message"), [message.id]),
            (items.DELETE_TURN, self.tr("Delete question and answer"), turn if len(turn) > 1 else []),
        ):
            if ids:
                self._add(menu, name, self._with_freed(label, ids), partial(branches.delete, ids), can_change)

    def _with_freed(self, label: str, message_ids: Sequence[str]) -> str:
        """Say what becomes free, where it is counted."""
        freed = said(self.freed(message_ids))
        return self.tr("{action} (frees {freed})").format(action=label, freed=freed) if freed else label

    def freed(self, message_ids: Sequence[str]) -> Text:
        """Return the tokens and the KV cache that these messages take, in words; empty when it is not counted."""
        session = self._chat.session
        if session.ledger is None or session.series.model is None:
            return ""
        tokens, size = session.ledger.freed_by(session.series.model.memory, message_ids)
        return lambda: self.tr("{tokens}, {size} of the KV cache").format(
            tokens=formatting.tokens(tokens), size=formatting.memory(size)
        )

    def _add_variations(self, menu: QMenu, message_id: str) -> None:
        variations, can_answer = self._variations, self._branches.can_change and self._chat.can_answer
        for name, label, tooltip in variations.choices():
            action = self._add(menu, name, label, partial(variations.apply, name, message_id), can_answer)
            action.setToolTip(tooltip)

    def _add_branches(self, menu: QMenu) -> None:
        """List the branches as a tree: each by the first thing that is its own, deeper forks further in."""
        session = self._chat.session
        tree = session.tree
        menu.setObjectName("branches_menu")
        before: list[str] = []
        depths: dict[str, int] = {}
        for end in tree.ends():
            line = [each for each in tree.line(end) if not tree[each].is_deleted]
            most = min(len(line), len(before))
            common = next((i for i, (a, b) in enumerate(zip(line, before, strict=False)) if a != b), most)
            own = line[min(common, len(line) - 1)]
            depth = depths[own] = max((depths.get(each, -1) for each in line[:common]), default=-1) + 1
            before = line
            text = self.tr("{indent}{text}  ({count} messages)").format(
                indent="    " * depth,
                text=self._named(session, own),
                count=formatting.count(len(tree.messages(end))),
            )
            action = self._add(
                menu, f"branch_{end}", text, partial(self._branches.show, end), self._branches.can_change
            )
            action.setCheckable(True)
            action.setChecked(end == tree.last_shown)
        if menu.isEmpty():
            menu.addAction(self.tr("No branches yet")).setEnabled(False)

    def _named(self, session: Session, place_id: str) -> str:
        if summary_id := session.tree[place_id].summary_id:
            return self.tr("Summary: {text}").format(text=_snippet(session.summaries[summary_id].text))
        return _snippet(session.messages[place_id].content)

    def _add(
        self, menu: QMenu, name: str, text: str, act: Callable[[], object], enabled: bool = True, shortcut: str = ""
    ) -> QAction:
        action = QAction(text.replace("&", "&&"), menu)
        action.setObjectName(name)
        action.setEnabled(enabled)
        if shortcut:
            action.setText(f"{action.text()}\t{shortcut}")
        action.triggered.connect(_Act(act, action).run)
        menu.addAction(action)
        return action


class _Act(QObject):
    """A slot for a menu's entry: nothing but bound methods is connected."""

    def __init__(self, act: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._act = act

    @Slot()
    def run(self) -> None:
        self._act()


def _snippet(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= SNIPPET_CHARACTERS else f"{line[: SNIPPET_CHARACTERS - 1]}…"
