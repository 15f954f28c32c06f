"""Edit, answer anew, branch, step between versions, delete, pin and continue: the changes of a conversation's tree."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.chat.message import Message
from ui.conversation_items import can_be_continued

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.chat.conversation import Summary
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
        refused: a `Text` of one sentence: why a message cannot be deleted.
    """

    deleted = Signal(str, object)
    parted = Signal(str, str)
    refused = Signal(object)

    def __init__(self, chat: ChatController, store: StoreWorker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chat = chat
        self._store = store

    @property
    def can_change(self) -> bool:
        """Whether the open session's tree may be changed: it is neither being answered nor summarised."""
        return self._chat.running_in(self._chat.session) is None and not self._chat.is_occupied

    # What asks the model

    def edit(
        self,
        message_id: str,
        text: str,
        submitted_ns: int = 0,
        *,
        may_grow: bool | None = None,
        summary: Summary | None = None,
        dropped_until: str = "",
    ) -> None:
        """Put a changed message beside the one that is there; the user's is answered, an answer stands as written.

        Args:
            submitted_ns: when that was asked for, 0: now.
            may_grow: whether the context may grow for the answer; None: as the conversation's policy says.
            summary: what is laid over the messages before it first.
            dropped_until: id of the last message that leaves the model's view for it; empty: none does.
        """
        session = self._chat.session
        former = self._shown(message_id)
        if former is None or not text.strip() or not self.can_change:
            return
        submitted_ns = submitted_ns or time.perf_counter_ns()
        is_question = former.role == "user"
        if is_question:
            message = Message("user", text, pinned=former.pinned)
        else:
            message = Message("assistant", text, former.thinking, model=former.model, pinned=former.pinned, edited=True)
        leaf_id, has_followers = session.tree.leaf_id, session.conversation.messages[-1].id != message_id
        write = self._part(session, session.tree[message_id].parent_id, [message], summary, message_id, dropped_until)
        session.put(message)
        if is_question and self._chat.can_answer:
            self._chat.show_changes(is_asking=True)
            self._chat.answer(session, submitted_ns, write=write, may_grow=may_grow)
        else:
            self._store.write(write)
            self._chat.show_changes()
            if has_followers:
                self.parted.emit(session.id, leaf_id)

    def regenerate(
        self,
        message_id: str = "",
        sampling: SamplingSettings | None = None,
        submitted_ns: int = 0,
        *,
        may_grow: bool | None = None,
        summary: Summary | None = None,
        dropped_until: str = "",
    ) -> None:
        """Answer anew in the place of an answer, by default the last, or at the end of the path after a question.

        Args:
            submitted_ns, may_grow, summary, dropped_until: as for `edit`.
        """
        session = self._chat.session
        last = session.conversation.messages[-1] if session.conversation.messages else None
        message = self._shown(message_id) if message_id else last
        if message is None or not self.can_change or not self._chat.can_answer:
            return
        submitted_ns = submitted_ns or time.perf_counter_ns()
        parent_id = session.tree[message.id].parent_id if message.role == "assistant" else message.id
        write = self._part(session, parent_id, [], summary, dropped_until=dropped_until)
        self._chat.show_changes(is_asking=True)
        self._chat.answer(session, submitted_ns, sampling, write, may_grow=may_grow)

    def continue_last(self, submitted_ns: int = 0, *, may_grow: bool | None = None) -> None:
        """Have the last answer written on from where it stands; `submitted_ns` and `may_grow` as for `edit`."""
        session, last = self._chat.session, self._chat.session.last_answer
        if last is not None and self.can_change and self._chat.can_answer and self.is_continuable:
            submitted_ns = submitted_ns or time.perf_counter_ns()
            self._chat.continue_answer(session, last, submitted_ns, may_grow=may_grow)

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
        if self._shown(message_id) is not None and self.can_change and session.tree.is_followed(message_id):
            self._store.write(self._part(session, message_id, []))
            self._chat.show_changes()
            self.parted.emit(session.id, leaf_id)

    def show_original(self, summary_id: str) -> None:
        """Show what a summary was laid over, as the model saw it without, and what was said there since."""
        session = self._chat.session
        if summary_id in session.tree:
            self.show(session.tree.original_leaf(summary_id, _microseconds(session.summaries[summary_id].created_at)))

    def show_summarised(self, summary_id: str) -> None:
        """Show the branch that goes on with a summary."""
        tree = self._chat.session.tree
        if summary_id in tree:
            self.show(tree.newest_leaf(summary_id))

    def go_back(self, conversation_id: str, leaf_id: str) -> None:
        """Show again what was left, if that conversation is still open."""
        if self._chat.session.id == conversation_id:
            self.show(leaf_id)

    def show(self, leaf_id: str) -> None:
        """Make the line to a place the conversation."""
        session = self._chat.session
        if not self.can_change or leaf_id == session.tree.leaf_id or leaf_id not in session.tree:
            return
        now = datetime.now(UTC)
        session.show_path(leaf_id, _microseconds(now))
        self._store.write(lambda store: store.show_path(session.id, leaf_id, now))
        self._chat.show_changes()

    # What changes the model's view

    def pin(self, message_id: str, pinned: bool) -> None:
        """Keep a message in the model's view word for word, or no longer."""
        session, message = self._chat.session, self._shown(message_id)
        if message is None or not self.can_change or message.pinned == pinned:
            return
        session.set_pinned(message, pinned=pinned)
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
        ends = {summary.covers_until for summary in session.summaries.values() if not summary.undone}
        if ends & set(message_ids):
            self.refused.emit(
                lambda: self.tr(
                    "A summary ends at this message, here or in another branch: take the summary back first."
                )
            )
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

    def _part(
        self,
        session: Session,
        parent_id: str,
        questions: list[Message],
        summary: Summary | None = None,
        edited: str = "",
        dropped_until: str = "",
    ) -> Callable[..., None]:
        """End the session's path at a place; return the write of that and of what follows: questions and an answer.

        Args:
            summary: what is laid there first.
            edited: id of the message whose change is saved so.
            dropped_until: id of the last message that leaves the model's view; empty: none does.
        """
        now, tree = datetime.now(UTC), session.tree
        if parent_id in tree and tree[parent_id].left_us is None and not tree.is_followed(parent_id):
            parent_id = tree.leaf_id  # nothing but summaries follows, and they count on
        carried = session.part_after(parent_id, _microseconds(now), dropped_until)
        dropped = session.conversation.dropped_until
        if summary is not None:
            session.add_summary(summary)
        session.set_edit(edited, None)

        def write(store: Store, answer: Message | None = None, turn: Turn | None = None) -> None:
            messages = questions if answer is None else [*questions, answer]
            store.branch(session.id, parent_id, messages, turn, now, carried, summary, edited, dropped)

        return write


def _microseconds(time: datetime) -> int:
    return (time - _EPOCH) // timedelta(microseconds=1)
