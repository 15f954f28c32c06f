"""Send, stream, stop: the path of one message through the window."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chat.conversation import Conversation, title_from
from app.chat.message import Message
from app.engine.events import ContextGrown, GenerationFinished, PromptTokenised, TokensGenerated
from app.telemetry.waiting import WaitCheck, wait_of
from ui.answer_starter import AnswerStarter
from ui.session import Session
from ui.translation import localised

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.chat.conversation import OnFull
    from app.engine.events import GenerationEvent, ModelInfo
    from app.engine.request import GenerationRequest
    from app.settings import SamplingSettings
    from app.storage.store import Store, Turn
    from ui.chat.composer import Composer
    from ui.chat.transcript import Transcript
    from ui.conversation_items import ConversationItems
    from ui.engine_worker import EngineWorker
    from ui.frame_stamp import FrameStamp
    from ui.model_controller import ModelController
    from ui.running_answer import RunningAnswer
    from ui.settings_keeper import SettingsKeeper
    from ui.store_worker import StoreWorker

TICK_MS = 250


class ChatController(QObject):
    """The one writer of the open session and of the answer under way, which may belong to another session.

    Attributes:
        wait_check: how far the parts of the waits and the wall time, taken by another clock, were apart.

    Signals:
        session_leaving, session_changed: another `Session` is going to be open; another one is.
        progressed: the open session's numbers changed; at most every 250 ms while writing, and when a turn ends.
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
        self.wait_check = WaitCheck()
        self._frames = frames
        self._transcript = transcript
        self._composer = composer
        self._items = items
        self._engine = engine
        self._store = store
        self._models = models
        self._settings = settings
        self._starter = AnswerStarter(models, self)
        self._session = Session()
        self._running: RunningAnswer | None = None
        self._ending: list[RunningAnswer] = []
        self._cached: tuple[str, ModelInfo] | None = None
        self._is_busy = False
        self._is_closing = False
        self._tick = QTimer(self, interval=TICK_MS)
        self._tick.timeout.connect(self._on_tick)
        models.changed.connect(self._on_model_changed)

    @property
    def session(self) -> Session:
        """The open session."""
        return self._session

    @property
    def running(self) -> RunningAnswer | None:
        """The answer under way, of whatever session."""
        return self._running

    @property
    def can_answer(self) -> bool:
        """Whether a message would be answered at once."""
        return self._models.model is not None and self._running is None and not self._is_busy

    @property
    def is_busy(self) -> bool:
        """Whether the engine is used for something else than an answer."""
        return self._is_busy

    def running_in(self, session: Session) -> RunningAnswer | None:
        """Return the answer under way in a session."""
        running = self._running
        return running if running is not None and running.session is session else None

    def is_cached(self, conversation_id: str) -> bool:
        """Whether the KV cache holds this conversation: it was the last that was answered, by the model loaded now."""
        model = self._models.model
        return model is not None and self._cached == (conversation_id, model.info)

    def forget_cache(self) -> None:
        """Empty the KV cache once the running answer has ended."""
        self._engine.forget(self._models.on_context_changed)
        self._cached = None

    def set_busy(self, busy: bool) -> None:
        """The engine is used for something else than an answer; Stop ends that."""
        self._is_busy = busy
        self._show_readiness()
        self.progressed.emit()

    def show_again(self, item_id: str = "") -> None:
        """Draw the open session anew, from this item on."""
        self._transcript.set_items(self._items.of(self._session, self._running))
        if item_id:
            self._transcript.scroll_to(item_id)
        self.progressed.emit()

    def show_changes(self, *, is_asking: bool = False) -> None:
        """Draw what changed in the open session, which may be asked next; what is in sight keeps its place."""
        self._transcript.change_items(self._items.of(self._session, self._running, is_asking=is_asking))
        self.progressed.emit()

    @Slot()
    def show_costs(self) -> None:
        """Say at each message what it takes of the context, now that it was counted."""
        items = self._items
        shown = (items.message(self._session, message) for message in self._session.conversation.messages)
        if self._running is None:
            self._transcript.show_costs(shown)

    def live_session(self, conversation_id: str) -> Session | None:
        """Return a session that is open or being answered; the store does not have all of it yet."""
        answers = [*self._ending, self._running]
        sessions = [self._session, *(running.session for running in answers if running is not None)]
        return next((session for session in sessions if session.id == conversation_id), None)

    def show(self, session: Session) -> None:
        """Open a session; an answer under way in another one goes on."""
        if session is not self._session:
            self.session_leaving.emit(self._session)
        self._session = session
        self._models.describe_to(session.series)
        self._transcript.set_items(self._items.of(session, self._running))
        self._composer.set_text(session.conversation.draft)
        self._show_readiness()
        self.session_changed.emit(session)
        self.progressed.emit()

    def show_empty(self) -> None:
        """Open an empty conversation."""
        self.show(Session(Conversation(system_prompt=self._settings.value.system_prompt)))

    @Slot()
    def new(self) -> None:
        """Open an empty conversation at once; an answer under way is ended and its text kept."""
        if self._running is not None:
            self._ending.append(self._running)
            self._running = None
            self._engine.cancel()
        self.forget_cache()
        self.show_empty()
        self._composer.focus_editor()

    def on_full(self, session: Session) -> OnFull:
        """Return what is done where the next turn of a session would not fit."""
        return session.conversation.on_full or self._settings.value.on_full

    @Slot(str)
    def send(self, text: str, submitted_ns: int = 0, *, may_grow: bool | None = None) -> None:
        """Append the user's message and have it answered.

        Args:
            submitted_ns: when Send was pressed, 0: now.
            may_grow: whether the context may grow for this answer; None: as `on_full` says.
        """
        submitted_ns = submitted_ns or time.perf_counter_ns()
        if not text.strip() or not self.can_answer:
            return
        session, message = self._session, Message("user", text)
        self.keep(session, text)
        session.put(message)
        self._store.write(lambda store: store.add_message(session.id, message))
        self._refresh_last_answer()
        self._transcript.append_item(self._items.message(session, message))
        self._composer.clear()
        self.answer(session, submitted_ns, may_grow=may_grow)

    @Slot()
    def stop(self) -> None:
        """End the answer under way; its text is kept."""
        if self._running is not None:
            self._engine.cancel()

    def set_system_prompt(self, text: str) -> None:
        """Tell the model something else before the open conversation from the next message on."""
        session = self._session
        session.set_system_prompt(text)
        if session.is_stored:
            self._store.write(lambda store: store.set_system_prompt(session.id, text))
        if session.conversation.messages:
            session.cache_note = self.tr("The system prompt was changed, so all of the prompt was read anew.")
            session.series.lose_cache(session.series.expected_tokens or session.series.context_tokens)
        self.progressed.emit()

    def keep(self, session: Session, text: str) -> None:
        """See that a conversation is in the store, with a title made from its first text."""
        if session.is_stored and session.messages:
            return
        if not session.is_named:
            session.retitle(title_from(text))
        conversation = session.conversation
        if session.is_stored:
            self._store.write(lambda store: store.rename(conversation.id, conversation.title))
        else:
            session.is_stored = True
            self._store.write(lambda store: store.create(conversation))

    def begin_closing(self) -> None:
        """From now on answers are stored, but nothing is shown."""
        self._is_closing = True
        self._tick.stop()

    def close(self) -> None:
        """After the engine ended: whatever answer is still open ends with the text that came."""
        for running in [*self._ending, self._running]:
            if running is not None:
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
        self._begin(running, self._bounded(request, session, may_grow), write or partial(_append, session.id))

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
        self._running = running
        self.answer_begun.emit(running)
        message, begun = running.message, running.turn()
        self._store.write(lambda store: write(store, message, begun))
        if request.continues is not None:
            self._transcript.update_item(self._items.streaming(running))
        else:
            self._transcript.append_item(self._items.streaming(running))
        self._transcript.follow = True
        self._engine.generate(request, partial(self._on_event, running))
        self._tick.start()
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
            for note in event.notes:
                self.noticed.emit(localised(note))
        if isinstance(event, TokensGenerated) and running.session is self._session:
            for piece in event.pieces:
                self._transcript.append_text(running.message.id, piece.channel, piece.text)
        if isinstance(event, GenerationFinished):
            self._finish(running)

    @Slot()
    def _on_tick(self) -> None:
        running = self._running
        if running is None:
            self._tick.stop()
            return
        running.session.series.observe()
        if entry := running.take_journal():
            self._store.write(entry)
        self.progressed.emit()

    def _finish(self, running: RunningAnswer) -> None:
        session = running.session
        session.series.observe()
        message, turn = running.finished_message(self._is_closing), running.turn()
        self._store.write(lambda store: store.finish_answer(message, turn))
        session.put(message)
        session.series.end_turn()
        session.add_turn(turn)
        if running is self._running:
            self._running = None
            self._cached = (session.id, running.model.info)
        else:
            self._ending.remove(running)
        if self._is_closing:
            return
        if session is self._session:
            self._transcript.finish(self._items.message(session, message))
            self._show_readiness()
            self._frames.after_next_frame(partial(self._on_shown, running))
        self.answer_ended.emit(running)
        self.list_changed.emit()
        self.progressed.emit()

    def _on_shown(self, running: RunningAnswer, at_ns: int) -> None:
        """The end of an answer is on the screen: its turn gets the last part of the wait."""
        session, message = running.session, running.message
        wall_ns = time.monotonic_ns() - running.begun_monotonic_ns
        known = session.turns.get(message.id)
        if known is None or self._is_closing:
            return
        running.observe_shown(at_ns)
        stats = running.recorder.stats
        session.turns[message.id] = replace(known, stats=replace(known.stats, shown_ns=at_ns))
        self._store.write(lambda store: store.note_shown(message.id, at_ns))
        if (wait := wait_of(stats, wall_ns=wall_ns)) is not None:
            self.wait_check.observe(wait)
        if session is self._session:
            shown = next((each for each in session.conversation.messages if each.id == message.id), None)
            if shown is not None:
                self._transcript.show_costs([self._items.message(session, shown)])
        self.answer_shown.emit(running)

    def _refresh_last_answer(self) -> None:
        """The actions of an answer that is no longer the last one go away."""
        for message in self._session.conversation.messages[-2:-1]:
            self._transcript.update_item(self._items.message(self._session, message))

    @Slot()
    def _on_model_changed(self) -> None:
        if self._models.model is None:
            self._cached = None
        self._models.describe_to(self._session.series)
        self._show_readiness()
        self.progressed.emit()

    def _show_readiness(self) -> None:
        self._composer.set_generating(self._running is not None or self._is_busy)
        has_model = self._models.model is not None
        self._composer.set_enabled_to_send(has_model, "" if has_model else self.tr("Load a model first."))


def _append(conversation_id: str, store: Store, answer: Message, turn: Turn) -> None:
    store.begin_answer(conversation_id, answer, turn)
