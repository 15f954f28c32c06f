"""What of a conversation the model sees, what is done when that is too much, and how much room is left."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, Slot

from app.chat.conversation import title_from
from app.telemetry.answer_room import answer_room
from ui import formatting
from ui.on_full import OnFullMenu

if TYPE_CHECKING:
    from app.chat.conversation import OnFull
    from app.chat.policy import Cut
    from ui.chat_controller import ChatController
    from ui.ledger_keeper import LedgerKeeper
    from ui.main_window import MainWindow
    from ui.model_controller import ModelController
    from ui.session import Session
    from ui.settings_keeper import SettingsKeeper
    from ui.store_worker import StoreWorker


class ViewKeeper(QObject):
    """Drops turns from the model's view and brings them back; keeps gauge and chart told of the room that is left."""

    def __init__(
        self,
        window: MainWindow,
        chat: ChatController,
        models: ModelController,
        settings: SettingsKeeper,
        ledger: LedgerKeeper,
        store: StoreWorker,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._chat = chat
        self._settings = settings
        self._store = store
        window.gauge.menu_requested.connect(self._on_menu_requested)
        window.conversation_list.on_full_chosen.connect(self.set_on_full)
        window.conversation_list.set_default_on_full(settings.value.on_full)
        chat.session_changed.connect(self.refresh)
        chat.progressed.connect(self.refresh)
        chat.under_way.ticked.connect(self.refresh)
        models.changed.connect(self.refresh)
        ledger.changed.connect(self.refresh)
        settings.changed.connect(self._on_settings_changed)

    def drop(self, session: Session, cut: Cut) -> None:
        """Take turns out of the model's view of what is shown; nothing is lost, and it can be undone."""
        former = session.conversation.dropped_until
        self._set_dropped_until(session.id, session.tree.leaf_id, cut.until)
        self.offer_undo(session, cut, former)

    def offer_undo(self, session: Session, cut: Cut, former: str) -> None:
        """Say what was taken out of the view of what is shown; `former` is what was before."""
        conversation = session.conversation
        index = next(i for i, message in enumerate(conversation.messages) if message.id == cut.until)
        questions = (message for message in reversed(conversation.messages[: index + 1]) if message.role == "user")
        title = title_from(next(questions, conversation.messages[index]).content)

        def sentence() -> str:
            out = self.tr("Out of the model's view now: {turns}, up to “{title}”.")
            return out.format(turns=formatting.turn_count(cut.turns), title=title)

        undo = partial(self._set_dropped_until, session.id, session.tree.leaf_id, former)
        self._window.undo_bar.offer(sentence, lambda: self.tr("Undo"), undo)

    @Slot()
    def restore(self) -> None:
        """Let the model see again all that was dropped from what is shown."""
        session = self._chat.session
        end = session.tree.leaf_id
        undo = partial(self._set_dropped_until, session.id, end, session.conversation.dropped_until)
        self._set_dropped_until(session.id, end, "")
        self._window.undo_bar.offer(
            lambda: self.tr("The model sees the dropped turns again."), lambda: self.tr("Undo"), undo
        )

    @Slot(str, object)
    def set_on_full(self, conversation_id: str, on_full: OnFull | None) -> None:
        """Choose what is done where the next turn of a conversation would not fit; None: what the settings say."""
        session = self._chat.live_session(conversation_id)
        if session is not None:
            session.set_on_full(on_full)
        if session is None or session.is_stored:
            self._store.write(lambda store: store.set_on_full(conversation_id, on_full))
        self._chat.list_changed.emit()
        self._chat.progressed.emit()

    @Slot()
    def refresh(self) -> None:
        """Say how much room the next answer has."""
        session = self._chat.session
        session.series.set_may_grow(self._chat.on_full(session) == "grow")
        room = answer_room(session.series, session.ledger)
        self._window.gauge.set_room(room)
        self._window.memory_panel.set_room(room)

    def _set_dropped_until(self, conversation_id: str, place_id: str, message_id: str) -> None:
        """Let the view begin after a message in the branch through a place, which may not be shown any more."""
        self._store.write(lambda store: store.set_dropped_until(conversation_id, message_id, place_id))
        if session := self._chat.live_session(conversation_id):
            former = session.conversation
            session.set_dropped_until(message_id, place_id)
            if session.conversation != former:
                note = self.tr("The model's view begins elsewhere now, so all from there on was read anew.")
                session.cache_note = note
        if conversation_id == self._chat.session.id:
            self._chat.show_again()

    @Slot(QPoint)
    def _on_menu_requested(self, position: QPoint) -> None:
        session = self._chat.session
        present, default = session.conversation.on_full, self._settings.value.on_full
        menu = OnFullMenu(present, default, self._window, has_heading=True)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.chosen.connect(partial(self.set_on_full, session.id))
        menu.popup(position)

    @Slot(object, object)
    def _on_settings_changed(self, _former: object, _value: object) -> None:
        self._window.conversation_list.set_default_on_full(self._settings.value.on_full)
        self.refresh()
