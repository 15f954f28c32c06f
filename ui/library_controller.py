"""The stored conversations: list, search, open, rename, delete with undo, drafts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from ui.session import Session

if TYPE_CHECKING:
    from app.chat.conversation import Conversation, Summary
    from app.chat.message import Message
    from app.chat.tree import MessageTree
    from app.storage.store import Store, Turn
    from ui.chat_controller import ChatController
    from ui.main_window import MainWindow
    from ui.model_controller import ModelController
    from ui.store_worker import StoreWorker

DRAFT_DELAY_MS = 500

_Stored = tuple["Conversation", "list[Turn]", "MessageTree", "list[Message]", "list[Summary]", "dict[str, str]"]
"""A conversation, the turns of all its answers, the places of all that is in it, the messages that are not shown, the
summaries of all branches, and the edits that are not saved."""


class LibraryController(QObject):
    """Keeps the list true and opens what is chosen from it.

    Signals:
        deleted: id of a conversation that was taken out of the list.
    """

    deleted = Signal(str)

    def __init__(
        self,
        chat: ChatController,
        models: ModelController,
        store: StoreWorker,
        window: MainWindow,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._chat = chat
        self._models = models
        self._store = store
        self._list = conversation_list = window.conversation_list
        self._undo_bar = window.undo_bar
        self._opening = ""
        self._draft_of: Session | None = None
        self._edited: set[str] = set()
        self._draft_pause = QTimer(self, singleShot=True, interval=DRAFT_DELAY_MS)
        self._draft_pause.timeout.connect(self.save_draft)
        window.composer.draft_changed.connect(self._on_draft_changed)
        window.transcript.edit_changed.connect(self._on_edit_changed)
        conversation_list.opened.connect(self.open)
        conversation_list.renamed.connect(self._rename)
        conversation_list.delete_requested.connect(self.delete)
        conversation_list.search_changed.connect(self.refresh)
        chat.session_leaving.connect(self._on_leaving)
        chat.session_changed.connect(self._on_session_changed)
        chat.list_changed.connect(self.refresh)

    @Slot()
    def refresh(self) -> None:
        """Read the list again."""
        search = self._list.search_text()
        self._store.read(lambda store: store.conversations(search), self._list.set_rows)

    @Slot(str)
    def open(self, conversation_id: str) -> None:
        """Show a stored conversation with its numbers and charts."""
        self._opening = conversation_id
        if session := self._chat.live_session(conversation_id):
            self._chat.show(session)
            return
        self.save_draft()
        self._store.read(partial(_read, conversation_id), self._on_read)

    @Slot(str)
    def delete(self, conversation_id: str) -> None:
        """Take a conversation out of the list; the bar offers to undo it."""
        if session := self._chat.live_session(conversation_id):
            self._chat.stop_in(session)
        self._store.write(lambda store: store.delete(conversation_id))
        self._store.read(
            lambda store: store.conversation(conversation_id).title, partial(self._offer_undo, conversation_id)
        )
        if conversation_id == self._chat.session.id:
            self._chat.show_empty()
        self.deleted.emit(conversation_id)
        self.refresh()

    @Slot()
    def save_draft(self) -> None:
        """Write the draft of the open conversation, which it may be the beginning of, and the edits in it."""
        self._draft_pause.stop()
        for message_id in self._edited:
            self._write_edit(self._chat.session, message_id)
        self._edited.clear()
        session, self._draft_of = self._draft_of, None
        if session is None:
            return
        draft = session.conversation.draft
        if session.is_stored:
            self._store.write(lambda store: store.set_draft(session.id, draft))
        elif draft.strip():
            self._chat.keep(session, draft)
        else:
            return
        self.refresh()

    @Slot(str)
    def _on_draft_changed(self, text: str) -> None:
        if text != self._chat.session.conversation.draft:
            self._chat.session.set_draft(text)
            self._draft_of = self._chat.session
            self._draft_pause.start()

    @Slot(str, object)
    def _on_edit_changed(self, message_id: str, text: str | None) -> None:
        """Keep what is written in a message's place, as the draft is kept."""
        self._chat.session.set_edit(message_id, text)
        self._edited.add(message_id)
        self._draft_pause.start()

    def _write_edit(self, session: Session, message_id: str) -> None:
        text = session.edits.get(message_id)
        self._store.write(lambda store: store.set_edit(session.id, message_id, text))

    def _on_read(self, stored: _Stored) -> None:
        conversation, turns, tree, others, summaries, edits = stored
        if conversation.id == self._opening:
            model, is_cached = self._models.model, self._chat.is_cached(conversation.id)
            self._chat.show(Session.reopened(conversation, turns, model, is_cached, tree, others, summaries, edits))

    @Slot(str, str)
    def _rename(self, conversation_id: str, title: str) -> None:
        if conversation_id == self._chat.session.id:
            self._chat.session.retitle(title)
            self._chat.session.is_named = True
        self._store.write(lambda store: store.rename(conversation_id, title))
        self.refresh()

    def _offer_undo(self, conversation_id: str, title: str) -> None:
        restore = partial(self._restore, conversation_id)
        self._undo_bar.offer(lambda: self.tr("Deleted “{}”.").format(title), lambda: self.tr("Undo"), restore)

    def _restore(self, conversation_id: str) -> None:
        self._store.write(lambda store: store.restore(conversation_id))
        self.refresh()
        self.open(conversation_id)

    @Slot(object)
    def _on_leaving(self, session: Session) -> None:
        """A conversation of nothing but an emptied draft is not kept."""
        self.save_draft()
        if session.is_stored and not session.messages and not session.conversation.draft.strip():
            self._store.write(lambda store: store.delete(session.id))
            self.refresh()

    @Slot(object)
    def _on_session_changed(self, session: Session) -> None:
        self._opening = session.id
        self._list.set_current(session.id)


def _read(conversation_id: str, store: Store) -> _Stored:
    return (
        store.conversation(conversation_id),
        [*store.turns(conversation_id), *store.superseded_turns(conversation_id)],
        store.tree(conversation_id),
        store.superseded_messages(conversation_id),
        store.summaries(conversation_id),
        store.edits(conversation_id),
    )
