"""What keys, menus and buttons do to messages, offered only when it can be done, and how it is undone."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from ui import conversation_items as items
from ui import formatting
from ui.message_menu import MessageMenu
from ui.translation import said
from ui.variations import Variations

if TYPE_CHECKING:
    from ui.branch_controller import BranchController
    from ui.chat_controller import ChatController
    from ui.main_window import MainWindow
    from ui.model_controller import ModelController
    from ui.room_controller import RoomController
    from ui.translation import Text


class MessageCommands(QObject):
    """Carries out what is asked of the messages of the open conversation.

    Attributes:
        menu, variations: what is offered for a message, and how it is answered anew.
    """

    def __init__(
        self,
        window: MainWindow,
        chat: ChatController,
        models: ModelController,
        branches: BranchController,
        room: RoomController,
    ) -> None:
        super().__init__(window)
        self.variations = Variations(window, models, room)
        self.menu = menu = MessageMenu(window, chat, branches, room, self.variations)
        self._window = window
        self._chat = chat
        self._branches = branches
        self._room = room
        self._left = ""
        for name, slot in {
            "regenerate": room.regenerate_last,
            "continue": room.go_on,
            "edit_last": self._edit_last,
            "delete_turn": self._delete_last_turn,
            "former_version": self._show_former,
            "later_version": self._show_later,
            "branches": menu.open_branches,
        }.items():
            window.menu_actions[name].triggered.connect(slot)
        window.transcript.action_triggered.connect(self._on_item_action)
        window.transcript.menu_requested.connect(menu.open)
        menu.edit_requested.connect(window.transcript.edit_item)
        branches.deleted.connect(self._on_deleted)
        branches.parted.connect(self._on_parted)
        branches.refused.connect(self._on_refused)
        room.refused.connect(self._on_refused)
        chat.progressed.connect(self._refresh)
        models.changed.connect(self._refresh)
        self._refresh()

    @Slot(str, str)
    def _on_item_action(self, item_id: str, action_id: str) -> None:
        match action_id:
            case items.REGENERATE:
                self._room.regenerate(item_id)
            case items.CONTINUE:
                self._room.go_on()
            case items.EDIT:
                self._window.transcript.edit_item(item_id)
            case items.PREVIOUS_VERSION | items.NEXT_VERSION:
                self._branches.step(item_id, -1 if action_id == items.PREVIOUS_VERSION else 1)
            case items.SHOW_ORIGINAL:
                self._branches.show_original(item_id)
            case items.SHOW_SUMMARISED:
                self._branches.show_summarised(item_id)
            case items.UNPIN:
                self._branches.pin(item_id, False)
            case items.DELETE_MESSAGE:
                self._branches.delete([item_id])

    @Slot()
    def _edit_last(self) -> None:
        """Edit the message the keyboard is at, else the user's last."""
        transcript = self._window.transcript
        messages = self._chat.session.conversation.messages
        last = next((each.id for each in reversed(messages) if each.role == "user"), "")
        if self._branches.can_change:
            transcript.edit_item(transcript.current_item or last)

    @Slot()
    def _delete_last_turn(self) -> None:
        messages = self._chat.session.conversation.messages
        if messages:
            self._branches.delete(self._branches.turn_of(messages[-1].id))

    @Slot()
    def _show_former(self) -> None:
        self._branches.step_last(-1)

    @Slot()
    def _show_later(self) -> None:
        self._branches.step_last(1)

    @Slot(str, object)
    def _on_deleted(self, conversation_id: str, message_ids: list[str]) -> None:
        """Say what became free, and offer to undo it."""
        sentence = partial(self._deleted, len(message_ids), self.menu.freed(message_ids))
        undo = partial(self._branches.restore, conversation_id, message_ids)
        self._window.undo_bar.offer(sentence, lambda: self.tr("Undo"), undo)

    def _deleted(self, count: int, freed: Text) -> str:
        if count == 1:
            sentence = self.tr("Deleted the message.")
        else:
            sentence = self.tr("Deleted {} messages.").format(formatting.count(count))
        if not freed:
            return sentence
        return self.tr("{sentence} The next prompt is shorter by {freed}.").format(sentence=sentence, freed=said(freed))

    @Slot(str, str)
    def _on_parted(self, conversation_id: str, leaf_id: str) -> None:
        """Offer what was left, until it is shown again."""
        back = partial(self._branches.go_back, conversation_id, leaf_id)
        self._left = leaf_id
        self._window.undo_bar.offer(self._what_followed, lambda: self.tr("Show it"), back)

    def _what_followed(self) -> str:
        return self.tr("What followed is kept as another branch.")

    @Slot(object)
    def _on_refused(self, sentence: Text) -> None:
        self._window.notice_bar.offer(sentence, role="warning")

    @Slot()
    def _refresh(self) -> None:
        """Offer only what can be done now."""
        actions, branches = self._window.menu_actions, self._branches
        session, can_change = self._chat.session, self._branches.can_change
        can_answer, has_messages = can_change and self._chat.can_answer, bool(session.conversation.messages)
        actions["regenerate"].setEnabled(can_answer and has_messages)
        actions["continue"].setEnabled(can_answer and branches.is_continuable)
        for name in ("edit_last", "delete_turn", "former_version", "later_version"):
            actions[name].setEnabled(can_change and has_messages)
        actions["branches"].setEnabled(bool(session.messages))
        if self._left and self._left == session.tree.leaf_id:
            self._left = ""
            self._window.undo_bar.withdraw(self._what_followed)
