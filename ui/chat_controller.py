"""Send, stream, stop: the path of one message through the window."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.conversation import Conversation, title_from
from app.chat.message import Message
from app.engine.events import ContextGrown, GenerationFinished, PromptTokenised, TokensGenerated
from ui.answer_starter import AnswerStarter
from ui.answers_under_way import AnswersUnderWay
from ui.cached_conversations import CachedConversations
from ui.session import Session
from ui.shown_answers import ShownAnswers
from ui.translation import localised

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.chat.conversation import OnFull
    from app.engine.events import GenerationEvent
    from app.engine.request import GenerationRequest
    from app.settings import SamplingSettings
    from app.storage.store import Store, Turn
    from ui.chat.composer import Composer
    from ui.chat.item import Item
    from ui.chat.transcript import Transcript
    from ui.conversation_items import ConversationItems
    from ui.engine_worker import EngineWorker
    from ui.frame_stamp import FrameStamp
    from ui.model_controller import ModelController
    from ui.running_answer import RunningAnswer
    from ui.settings_keeper import SettingsKeeper
    from ui.store_worker import StoreWorker


class ChatController(QObject):
    """The one writer of the open session and of the answers under way, at most one of each session.

    Signals:
        session_leaving, session_changed: another `Session` is going to be open; another one is.
        progressed: what can be done, or the open session's numbers, changed; of what is written see `under_way.ticked`.
        answer_begun: a `RunningAnswer` that was just asked for.
        answer_ended: a `RunningAnswer` that is stored now; answer_shown: its end is on the screen too.
        noticed: one sentence about how the prompt was made.
        list_changed: titles or order of the stored conversations changed.
    """

    session_leaving = Signal(object)
    session_changed = Signal(object)
    progressed = Signal()
    answer_begun = Signal(object)
    answer_ended = Signal(object)
    answer_shown = Signal(object)
    noticed = Signal(str)
    list_changed = Signal()

    def __init__(
        self,
        transcript: Transcript,
        composer: Composer,
        items: ConversationItems,
        engine: EngineWorker,
        store: StoreWorker,
        models: ModelController,
        settings: SettingsKeeper,
        frames: FrameStamp,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._transcript = transcript
        self._composer = composer
        self._items = items
        self._engine = engine
        self._store = store
        self._models = models
        self._settings = settings
        self._starter = AnswerStarter(models, self)
        self._shown = ShownAnswers(frames, store, self)
        self._shown.shown.connect(self._on_shown)
        self.wait_check = self._shown.check
        self._session = Session()
        self.under_way = AnswersUnderWay(store, self)
        self._cached = CachedConversations()
        self._is_busy = self._is_closing = False
        self._busy_session: Session | None = None
        models.changed.connect(self._on_model_changed)

    @property
    def session(self) -> Session:
        """The open session."""
        return self._session

    @property
    def answers(self) -> tuple[RunningAnswer, ...]:
        """The answers under way, of whatever sessions, in the order in which they were asked for."""
        return self.under_way.all()

    @property
    def running(self) -> RunningAnswer | None:
        """The answer under way in the open session; without one there the first of the others."""
        return self.running_in(self._session) or next(iter(self.answers), None)

    def running_in(self, session: Session) -> RunningAnswer | None:
        """Return the answer under way in a session."""
        return self.under_way.of(session)

    @property
    def can_answer(self) -> bool:
        """Whether a message in the open session would be answered, at once or after those under way."""
        is_taken = self.running_in(self._session) is not None or self.is_occupied
        return self._models.model is not None and not is_taken

    @property
    def is_idle(self) -> bool:
        """Whether a model is loaded and nothing is asked of it."""
        return self._models.model is not None and not self.answers and not self._is_busy

    @property
    def is_busy(self) -> bool:
        """Whether the engine is used for something else than an answer."""
        return self._is_busy

    @property
    def is_occupied(self) -> bool:
        """Whether the open session waits for something else than an answer."""
        return self._is_busy and self._busy_session in (None, self._session)

    def is_cached(self, conversation_id: str) -> bool:
        """Whether the KV cache holds this conversation."""
        return self._cached.holds(conversation_id, self._models.model)

    def forget_cache(self, *, all_parts: bool = False) -> None:
        """Empty the KV cache, unless an answer still needs it; one that conversations share only with `all_parts`."""
        model = self._models.model
        if model is not None and model.n_parallel > 1 and not all_parts:
            return
        self._cached.clear()
        if not self.answers:
            self._engine.forget(self._models.on_context_changed)

    def set_busy(self, busy: bool, session: Session | None = None) -> None:
        """The engine is used for something else than an answer: all wait for it, or one session alone; Stop ends it."""
        self._is_busy, self._busy_session = busy, session
        self._show_readiness()
        self.progressed.emit()

    def show_again(self, item_id: str = "") -> None:
        """Draw the open session anew, from this item on."""
        self._transcript.set_items(self._shown_items())
        if item_id:
            self._transcript.scroll_to(item_id)
        self.progressed.emit()

    def show_changes(self, *, is_asking: bool = False) -> None:
        """Draw what changed in the open session, which may be asked next; what is in sight keeps its place."""
        self._transcript.change_items(self._shown_items(is_asking=is_asking))
        self.progressed.emit()

    def _shown_items(self, *, is_asking: bool = False) -> list[Item]:
        running = self.running_in(self._session)
        before = self.under_way.before(running) if running is not None else 0
        return self._items.of(self._session, running, before, is_asking=is_asking)

    @Slot()
    def show_costs(self) -> None:
        """Say at each message what it takes of the context, now that it was counted."""
        items = self._items
        shown = (items.costs(self._session, message) for message in self._session.conversation.messages)
        if self.running_in(self._session) is None:
            self._transcript.show_costs(shown)

    def live_session(self, conversation_id: str) -> Session | None:
        """Return a session that is open or being answered; the store does not have all of it yet."""
        sessions = [self._session, *(running.session for running in self.answers)]
        return next((session for session in sessions if session.id == conversation_id), None)

    def show(self, session: Session) -> None:
        """Open a session; answers under way in others go on."""
        if session is not self._session:
            self.session_leaving.emit(self._session)
        self._session = session
        self._models.describe_to(session.series)
        self._transcript.set_items(self._shown_items())
        self._composer.set_text(session.conversation.draft)
        self._show_readiness()
        self.session_changed.emit(session)
        self.progressed.emit()

    def show_empty(self, draft: str = "") -> None:
        """Open an empty conversation; `draft` is what was typed for it."""
        self.show(Session(Conversation(system_prompt=self._settings.value.system_prompt, draft=draft)))

    @Slot()
    def new(self) -> None:
        """Open an empty conversation at once; answers under way go on, a context that has grown is small again."""
        if not self.answers and not self._is_busy:
            self.forget_cache(all_parts=self._models.has_grown)
        self.show_empty()
        self._composer.focus_editor()

    def on_full(self, session: Session) -> OnFull:
        """Return what is done where the next turn of a session would not fit."""
        return session.conversation.on_full or self._settings.value.on_full

    def send(self, text: str, submitted_ns: int = 0, *, may_grow: bool | None = None) -> None:
        """Append the user's message and have it answered, in its turn.

        Args:
            submitted_ns: when Send was pressed, 0: now.
            may_grow: whether the context may grow for this answer; None: as `on_full` says.
        """
        submitted_ns = submitted_ns or time.perf_counter_ns()
        if not text.strip() or not self.can_answer:
            return
        session, message = self._session, Message("user", text)
        write = partial(_write_turn, session.id, self._keeping(session, text), message)
        session.put(message)
        self._refresh_last_answer()
        self._transcript.append_item(self._items.message(session, message))
        self._composer.clear()
        self.answer(session, submitted_ns, write=write, may_grow=may_grow)

    @Slot()
    def stop(self) -> None:
        """End the answer under way in the open session; its text is kept."""
        self.stop_in(self._session)

    def stop_in(self, session: Session) -> None:
        """End the answer under way in a session, or take it out of the queue; others go on."""
        running = self.running_in(session)
        if running is not None:
            self._engine.stop(running.ticket)

    def keep(self, session: Session, text: str) -> None:
        """See that a conversation is in the store, with a title made from its first text."""
        self._store.write(self._keeping(session, text))

    def _keeping(self, session: Session, text: str) -> Callable[[Store], None]:
        """Return the write for that."""
        if session.is_stored and session.messages:
            return lambda _store: None
        if not session.is_named:
            session.retitle(title_from(text))
        conversation, was_stored, session.is_stored = session.conversation, session.is_stored, True
        if was_stored:
            return lambda store: store.rename(conversation.id, conversation.title)
        return lambda store: store.create(conversation)

    def begin_closing(self) -> None:
        """From now on answers are stored, but nothing is shown."""
        self._is_closing = self._shown.is_closing = True
        self.under_way.begin_closing()

    def close(self) -> None:
        """After the engine ended: whatever answer is still open ends with the text that came."""
        for running in self.answers:
            context = running.recorder.context_tokens
            self._on_event(running, GenerationFinished("interrupted", time.perf_counter_ns(), context))

    def answer(
        self,
        session: Session,
        submitted_ns: int,
        sampling: SamplingSettings | None = None,
        write: Callable[[Store, Message, Turn], None] | None = None,
        *,
        may_grow: bool | None = None,
    ) -> None:
        """Have the open session's path answered.

        Args:
            sampling: how; None: as the settings say.
            write: puts the answer that has begun into the store, with all it needs; None: at the end of the path.
            may_grow: whether the context may grow for it; None: as `on_full` says.
        """
        running, request = self._starter.new(session, submitted_ns, sampling)
        write = write or (lambda store, answer, turn: store.begin_answer(session.id, answer, turn))
        self._begin(running, self._bounded(request, session, may_grow), write)

    def continue_answer(
        self, session: Session, message: Message, submitted_ns: int, *, may_grow: bool | None = None
    ) -> None:
        """Have the open session's last answer written on from where it stands, as a further part of it."""
        running, request = self._starter.continued(session, message, submitted_ns)
        request = self._bounded(request, session, may_grow)
        self._begin(running, request, lambda store, _, turn: store.continue_answer(session.id, message.id, turn))

    def _bounded(self, request: GenerationRequest, session: Session, may_grow: bool | None) -> GenerationRequest:
        return replace(request, may_grow=self.on_full(session) == "grow" if may_grow is None else may_grow)

    def _begin(
        self, running: RunningAnswer, request: GenerationRequest, write: Callable[[Store, Message, Turn], None]
    ) -> None:
        self.under_way.add(running)
        self.answer_begun.emit(running)
        message, begun = running.message, running.turn()
        self._store.write(lambda store: write(store, message, begun))
        item = self._items.streaming(running, self.under_way.before(running))
        if request.continues is not None:
            self._transcript.update_item(item)
        else:
            self._transcript.append_item(item)
        self._transcript.follow = True
        running.ticket = self._engine.generate(request, partial(self._on_event, running))
        self._show_readiness()
        self.list_changed.emit()
        self.progressed.emit()

    def _on_event(self, running: RunningAnswer, event: GenerationEvent) -> None:
        running.observe(event)
        if isinstance(event, ContextGrown):
            self._models.on_context_changed(event)
            self._models.describe_to(running.session.series)
            if event.note:
                self.noticed.emit(localised(event.note))
        if isinstance(event, PromptTokenised):
            self._show_queue()
            for note in event.notes:
                self.noticed.emit(localised(note))
        if isinstance(event, TokensGenerated) and running.session is self._session:
            for piece in event.pieces:
                self._transcript.append_text(running.message.id, piece.channel, piece.text)
        if isinstance(event, TokensGenerated):
            self.under_way.note_tokens()
        if isinstance(event, GenerationFinished):
            self._finish(running)

    def _finish(self, running: RunningAnswer) -> None:
        session = running.session
        session.series.observe()
        message, turn = running.finished_message(self._is_closing), running.turn()
        self._store.write(lambda store: store.finish_answer(message, turn))
        session.put(message)
        session.series.end_turn()
        session.add_turn(turn)
        self.under_way.remove(running)
        if turn.stats.prompt_tokens is not None:
            self._cached.note(session.id, running.model)
        if self._is_closing:
            return
        if session is self._session:
            self._transcript.finish(self._items.message(session, message))
            self._show_readiness()
            self._shown.watch(running)
        self._show_queue()
        self.answer_ended.emit(running)
        self.list_changed.emit()
        self.progressed.emit()

    @Slot(object)
    def _on_shown(self, running: RunningAnswer) -> None:
        session = running.session
        if session is self._session:
            found = [each for each in session.conversation.messages if each.id == running.message.id]
            self._transcript.show_costs(self._items.costs(session, each) for each in found)
        self.answer_shown.emit(running)

    def _show_queue(self) -> None:
        """Say anew how many are before an answer that waits in the open session, or no longer."""
        running = self.running_in(self._session)
        if running is not None and not running.recorder.completion_tokens:
            self._transcript.update_item(self._items.streaming(running, self.under_way.before(running)))

    def _refresh_last_answer(self) -> None:
        """The actions of an answer that is no longer the last one go away."""
        for message in self._session.conversation.messages[-2:-1]:
            self._transcript.update_item(self._items.message(self._session, message))

    @Slot()
    def _on_model_changed(self) -> None:
        if self._models.model is None:
            self._cached.clear()
        self._models.describe_to(self._session.series)
        if not self._session.conversation.messages:
            self._transcript.change_items(self._shown_items())
        self._show_readiness()
        self.progressed.emit()

    def _show_readiness(self) -> None:
        self._composer.set_generating(self.running_in(self._session) is not None or self.is_occupied)
        has_model = self._models.model is not None
        self._composer.set_enabled_to_send(has_model, "" if has_model else self.tr("Load a model first."))


def _write_turn(
    conversation_id: str, keep: Callable[[Store], None], question: Message, store: Store, answer: Message, turn: Turn
) -> None:
    with store.together():
        keep(store)
        store.set_draft(conversation_id, "")
        store.add_message(conversation_id, question)
        store.begin_answer(conversation_id, answer, turn)
