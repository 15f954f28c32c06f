"""Summarise: the model condenses the older turns, question by question; cancellable, undoable, the originals kept."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.engine.events import ContextGrown, GenerationFinished, TokensGenerated
from app.engine.request import GenerationRequest, Sampling
from app.telemetry.recorder import TurnRecorder
from ui.translation import localised

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from app.chat.summary import NotSummarised, Question, Summarised
    from app.engine.base import Engine
    from app.engine.events import GenerationEvent
    from ui.chat_controller import ChatController
    from ui.engine_worker import EngineWorker
    from ui.model_controller import ModelController
    from ui.session import Session
    from ui.store_worker import StoreWorker

    Outcome = Summarised | NotSummarised


class _Run:
    """One attempt, from the click to its end; its generator is driven in the engine's thread, to count tokens there."""

    def __init__(self, session: Session, n_ctx: int, then: Callable[[bool], None] | None = None) -> None:
        self.session = session
        self.then = then
        self.conversation = session.conversation
        self.n_ctx = n_ctx
        self.is_cancelled = False
        self.recorder: TurnRecorder | None = None
        self.text: list[str] = []
        self._steps: Generator[Question, str, Outcome] | None = None

    def begin(self, engine: Engine) -> Question | Outcome:
        """Return the first question, or the outcome when there is nothing to ask."""
        from app.chat.summary import summarise  # what few starts need is imported when it is wanted

        self._steps = summarise(self.conversation, engine.count_tokens, self.n_ctx)
        return self._advance("", is_first=True)

    def go_on(self, answer: str, _engine: Engine) -> Question | Outcome:
        """Take the model's answer; return the next question, or the outcome."""
        return self._advance(answer)

    def _advance(self, answer: str, is_first: bool = False) -> Question | Outcome:
        assert self._steps is not None
        try:
            return next(self._steps) if is_first else self._steps.send(answer)
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome


class SummaryController(QObject):
    """Runs one summary at a time; while it runs nothing is sent.

    Signals:
        progressed: `recorder` has seen more, or the run began or ended.
        failed: one sentence; the conversation is as it was.
    """

    progressed = Signal()
    failed = Signal(str)

    def __init__(
        self,
        chat: ChatController,
        models: ModelController,
        engine: EngineWorker,
        store: StoreWorker,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._chat = chat
        self._models = models
        self._engine = engine
        self._store = store
        self._run: _Run | None = None

    @property
    def is_running(self) -> bool:
        """Whether a summary is being made."""
        return self._run is not None

    @property
    def recorder(self) -> TurnRecorder | None:
        """How far the present question has come."""
        return self._run.recorder if self._run is not None else None

    @Slot()
    def start(self) -> None:
        """Summarise the open conversation."""
        self._start(None)

    def start_for_room(self, then: Callable[[bool], None]) -> None:
        """Summarise the open conversation without asking, because what comes next has no room.

        `then` is called once, in the GUI thread: with True when a summary was laid over the conversation; with False
        when none was, which includes that it was cancelled; the conversation is then as it was.
        """
        if not self._start(then):
            then(False)

    def _start(self, then: Callable[[bool], None] | None) -> bool:
        model, session = self._models.model, self._chat.session
        if model is None or self._run is not None or self._chat.running is not None:
            return False
        if not session.conversation.messages:
            self.failed.emit(self.tr("There is nothing to summarise yet."))
            return False
        self._run = run = _Run(session, model.n_ctx, then)
        self._chat.set_busy(True)
        self._engine.ask(run.begin, partial(self._on_step, run))
        self.progressed.emit()
        return True

    @Slot()
    def cancel(self) -> None:
        """End the run; the conversation stays as it is."""
        if self._run is not None:
            self._run.is_cancelled = True
            self._engine.cancel()
            self._end(False)

    def undo(self, conversation_id: str, summary_id: str, undone: bool = True) -> None:
        """Take a summary back, or use it again; works at any time."""
        self._store.write(lambda store: store.set_summary_undone(conversation_id, summary_id, undone))
        if session := self._chat.live_session(conversation_id):
            session.undo_summary(summary_id, undone)
        if conversation_id == self._chat.session.id:
            self._chat.show_again()

    def _on_step(self, run: _Run, step: Question | Outcome | None) -> None:
        from app.chat.summary import NotSummarised, Question, Summarised

        if run.is_cancelled:
            return
        match step:
            case Question():
                self._put(run, step)
            case Summarised():
                self._take(run, step)
                self._end(True)
            case NotSummarised():
                self.failed.emit(localised(step.reason))
                self._end(False)
            case _:
                self.failed.emit(self.tr("The engine could not count the tokens of this conversation."))
                self._end(False)

    def _put(self, run: _Run, question: Question) -> None:
        now = time.perf_counter_ns()
        run.recorder, run.text = TurnRecorder(now, run.n_ctx), []
        request = GenerationRequest(
            question.messages,
            now,
            sampling=Sampling(temperature=question.temperature),
            max_tokens=question.max_tokens,
            template_kwargs=question.template_kwargs,
            purpose="summary",
        )
        self._engine.generate(request, partial(self._on_event, run))

    def _on_event(self, run: _Run, event: GenerationEvent) -> None:
        assert run.recorder is not None
        run.recorder.observe(event)
        if isinstance(event, ContextGrown):
            self._models.on_context_changed(event)
            self._models.describe_to(run.session.series)
        if isinstance(event, TokensGenerated):
            run.text.extend(piece.text for piece in event.pieces if piece.channel == "answer")
        if not run.is_cancelled:
            self.progressed.emit()
        if isinstance(event, GenerationFinished):
            run.session.series.set_context_tokens(event.context_tokens)
            self._on_answered(run, event)

    def _on_answered(self, run: _Run, event: GenerationFinished) -> None:
        if event.finish_reason == "crashed":
            self._models.on_crashed()
        if run.is_cancelled:
            return
        if event.finish_reason in ("failed", "crashed", "cancelled") or event.error:
            if event.finish_reason != "cancelled":
                self.failed.emit(localised(event.error))
            self._end(False)
            return
        self._engine.ask(partial(run.go_on, "".join(run.text)), partial(self._on_step, run))

    def _take(self, run: _Run, outcome: Summarised) -> None:
        session, summary = run.session, outcome.summary
        session.add_summary(summary)
        self._store.write(lambda store: store.add_summary(session.id, summary))
        # What the cache holds begins with what the summary replaces: nothing of it will be used again.
        self._chat.forget_cache()
        session.cache_note = self.tr("A summary changed the beginning of the prompt, so all of it was read anew.")
        session.series.lose_cache(summary.tokens_after)
        if session is self._chat.session:
            self._chat.show_again(summary.id)

    def _end(self, is_laid: bool) -> None:
        run, self._run = self._run, None
        self._chat.set_busy(False)
        self.progressed.emit()
        if run is not None and run.then is not None:
            run.then(is_laid)
