"""Edit, answer anew, branch, step between versions, delete, pin and continue: the changes of a conversation's tree."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.message import Message
from ui.conversation_items import can_be_continued

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.settings import SamplingSettings
    from app.storage.store import Store, Turn
    from ui.chat_controller import ChatController
    from ui.session import Session
    from ui.store_worker import StoreWorker

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class BranchController(QObject):
    """Changes the open session and the store alike, each step in one transaction; nothing is ever overwritten.

    While the open session is being answered, or the engine used for something else, nothing is changed.

    Signals:
        deleted: (conversation id, ids of messages) that were taken out.
        parted: (conversation id, id of the former end): the path ends earlier now, what followed is another branch.
        refused: one sentence: why a message cannot be deleted.
    """

    deleted = Signal(str, object)
    parted = Signal(str, str)
    refused = Signal(str)

    def __init__(self, chat: ChatController, store: StoreWorker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chat = chat
        self._store = store

    @property
    def can_change(self) -> bool:
        """Whether the open session's tree may be changed: it is neither being answered nor summarised."""
        return self._chat.running_in(self._chat.session) is None and not self._chat.is_busy

    # What asks the model

    @Slot(str, str)
    def edit(self, message_id: str, text: str) -> None:
        """Put a changed message beside the one that is there; the user's is answered, an answer stands as written."""
        session = self._chat.session
        former = self._shown(message_id)
        if former is None or not text.strip() or not self.can_change:
            return
        submitted_ns = time.perf_counter_ns()
        is_question = former.role == "user"
        if is_question:
            message = Message("user", text, pinned=former.pinned)
        else:
            message = Message("assistant", text, former.thinking, model=former.model, pinned=former.pinned, edited=True)
        leaf_id, has_followers = session.tree.leaf_id, session.conversation.messages[-1].id != message_id
        parent_id, now = self._part_at(session, message_id)
        session.put(message)
        if is_question and self._chat.can_answer:
            self._chat.show_changes(is_asking=True)
            self._chat.answer(session, submitted_ns, write=partial(_write, session.id, parent_id, [message], now))
        else:
            self._store.write(lambda store: store.branch(session.id, parent_id, [message], time=now))
            self._chat.show_changes()
            if has_followers:
                self.parted.emit(session.id, leaf_id)

    def regenerate(
        self, message_id: str = "", sampling: SamplingSettings | None = None, *, may_grow: bool | None = None
    ) -> None:
        """Answer anew in the place of an answer, by default the last, or at the end of the path after a question.

        Args:
            may_grow: whether the context may grow for it; None: as the conversation's policy says.
        """
        session = self._chat.session
        last = session.conversation.messages[-1] if session.conversation.messages else None
        message = self._shown(message_id) if message_id else last
        if message is None or not self.can_change or not self._chat.can_answer:
            return
        submitted_ns = time.perf_counter_ns()
        if message.role == "assistant":
            parent_id, now = self._part_at(session, message.id)
        else:
            parent_id, now = message.id, self._leave(session, message.id)
        self._chat.show_changes(is_asking=True)
        write = partial(_write, session.id, parent_id, [], now)
        self._chat.answer(session, submitted_ns, sampling, write, may_grow=may_grow)

    @Slot()
    def regenerate_last(self) -> None:
        """Answer the last question again."""
        self.regenerate()

    def continue_last(self, *, may_grow: bool | None = None) -> None:
        """Have the last answer written on from where it stands; `may_grow` as for `regenerate`."""
        session, last = self._chat.session, self._chat.session.last_answer
        if last is not None and self.can_change and self._chat.can_answer and self.is_continuable:
            self._chat.continue_answer(session, last, time.perf_counter_ns(), may_grow=may_grow)

    @Slot()
    def go_on(self) -> None:
        """Have the last answer written on, as the conversation's policy says."""
        self.continue_last()

    @property
    def is_continuable(self) -> bool:
        """Whether the open session ends with an answer that may go on."""
        session = self._chat.session
        last = session.last_answer
        turn = session.turns.get(last.id) if last is not None else None
        return last is not None and can_be_continued(last, turn.stats if turn is not None else None)

    # What shows something else

    def step(self, message_id: str, by: int) -> None:
        """Show an earlier (below 0) or later version of a message, with what followed it last."""
        tree = self._chat.session.tree
        if self._shown(message_id) is None:
            return
        versions = tree.versions(message_id)
        number = versions.index(message_id) + by
        if 0 <= number < len(versions):
            self.show(tree.newest_leaf(versions[number]))

    def step_last(self, by: int) -> None:
        """Show another version of the last message that has any."""
        session = self._chat.session
        shown = reversed(session.conversation.messages)
        message = next((each for each in shown if len(session.tree.versions(each.id)) > 1), None)
        if message is not None:
            self.step(message.id, by)

    def branch_from(self, message_id: str) -> None:
        """End the path at a message, so that something else can follow it; what did stays as a branch."""
        session = self._chat.session
        leaf_id = session.tree.leaf_id
        if self._shown(message_id) is not None and self.can_change and leaf_id != message_id:
            self.show(message_id)
            self.parted.emit(session.id, leaf_id)

    def go_back(self, conversation_id: str, leaf_id: str) -> None:
        """Show again what was left, if that conversation is still open."""
        if self._chat.session.id == conversation_id:
            self.show(leaf_id)

    def show(self, leaf_id: str) -> None:
        """Make the line to a message the conversation."""
        session = self._chat.session
        if not self.can_change or leaf_id == session.tree.leaf_id or leaf_id not in session.tree:
            return
        now = self._leave(session, leaf_id)
        self._store.write(lambda store: store.show_path(session.id, leaf_id, now))
        self._chat.show_changes()

    # What changes the model's view

    def pin(self, message_id: str, pinned: bool) -> None:
        """Keep a message in the model's view word for word, or no longer."""
        session, message = self._chat.session, self._shown(message_id)
        if message is None or not self.can_change or message.pinned == pinned:
            return
        session.put(replace(message, pinned=pinned))
        self._store.write(lambda store: store.set_pinned(session.id, message_id, pinned))
        self._chat.show_changes()

    def set_system_prompt(self, text: str) -> None:
        """Tell the model something else before the open conversation from the next message on."""
        session = self._chat.session
        session.set_system_prompt(text)
        if session.is_stored:
            self._store.write(lambda store: store.set_system_prompt(session.id, text))
        if session.conversation.messages:
            session.cache_note = self.tr("The system prompt was changed, so all of the prompt was read anew.")
            session.series.lose_cache(session.series.expected_tokens or session.series.context_tokens)
        self._chat.progressed.emit()

    def turn_of(self, message_id: str) -> list[str]:
        """Return the ids of a question and all that answers it, of whichever one is named."""
        messages = self._chat.session.conversation.messages
        ids = [message.id for message in messages]
        if message_id not in ids:
            return []
        starts = [i for i, message in enumerate(messages) if message.role == "user"]
        here = ids.index(message_id)
        start = max((i for i in starts if i <= here), default=0)
        end = min((i for i in starts if i > here), default=len(ids))
        return ids[start:end]

    def delete(self, message_ids: Sequence[str]) -> None:
        """Take messages out of the conversation; `restore` brings them back."""
        session = self._chat.session
        if not message_ids or not self.can_change or any(self._shown(each) is None for each in message_ids):
            return
        conversation = session.conversation
        ends = {summary.covers_until for summary in conversation.summaries if not summary.undone}
        if ends & set(message_ids):
            self.refused.emit(self.tr("A summary ends at this message: take the summary back first."))
            return
        if conversation.dropped_until in message_ids:
            self.refused.emit(self.tr("What the model no longer sees ends at this message, so it has to stay."))
            return
        ids = list(message_ids)
        session.set_deleted(ids, True)
        self._store.write(lambda store: store.set_deleted(session.id, ids, True))
        self._chat.show_changes()
        self.deleted.emit(session.id, ids)

    def restore(self, conversation_id: str, message_ids: Sequence[str]) -> None:
        """Undo `delete`; works at any time."""
        ids = list(message_ids)
        self._store.write(lambda store: store.set_deleted(conversation_id, ids, False))
        session = self._chat.live_session(conversation_id)
        if session is not None:
            session.set_deleted(ids, False)
            if session is self._chat.session:
                self._chat.show_changes()

    def _shown(self, message_id: str) -> Message | None:
        return next((each for each in self._chat.session.conversation.messages if each.id == message_id), None)

    def _part_at(self, session: Session, message_id: str) -> tuple[str, datetime]:
        """End the session's path before a message; return what it ends with, and when."""
        parent_id = session.tree[message_id].parent_id
        return parent_id, self._leave(session, parent_id)

    def _leave(self, session: Session, leaf_id: str) -> datetime:
        now = datetime.now(UTC)
        session.show_path(leaf_id, (now - _EPOCH) // timedelta(microseconds=1))
        return now


def _write(
    conversation_id: str,
    parent_id: str,
    questions: list[Message],
    now: datetime,
    store: Store,
    answer: Message,
    turn: Turn,
) -> None:
    store.branch(conversation_id, parent_id, [*questions, answer], turn, now)
