"""Summarise: the model condenses the older turns, question by question; cancellable, undoable, the originals kept."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.engine.events import AnswerRestarted, ContextGrown, GenerationFinished, TokensGenerated
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling
from app.telemetry.receipt import make_receipt, measured_cost
from app.telemetry.recorder import TurnRecorder
from ui.summary_run import SummaryRun, count_text, lay_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.chat.conversation import Conversation, Summary, SummaryMethod
    from app.chat.summary import Question
    from app.chat.summary_outline import Outline
    from app.engine.events import GenerationEvent
    from app.telemetry.recorder import TurnRecorder as Recorder
    from ui.chat_controller import ChatController
    from ui.engine_worker import EngineWorker
    from ui.model_controller import ModelController
    from ui.running_answer import RunningAnswer
    from ui.session import Session
    from ui.speed_keeper import SpeedKeeper
    from ui.store_worker import StoreWorker
    from ui.summary_run import Step
    from ui.translation import Text


MOST_INTERRUPTIONS = 20
"""A summary that gave way so often is given up: an engine that ends it each time would be asked without end."""


class SummaryController(QObject):
    """Makes one summary at a time; nothing of a conversation changes until one is laid over it.

    Signals:
        progressed: `recorder` has seen more, or a run began or ended.
        outlined: an `Outline`: what the run for a preview can cover is known.
        written: the text that the question under way has brought so far.
        drafted: the `Draft` that a run for a preview ended with.
        counted: body and details of a text, and its tokens in the prompt.
        laid: the conversation's id, the `Summary`, and whether the user had seen it before.
        failed: a `Text` of one sentence; the conversation is as it was.
    """

    progressed = Signal()
    outlined = Signal(object)
    written = Signal(str)
    drafted = Signal(object)
    counted = Signal(str, object, int)
    laid = Signal(str, object, bool)
    failed = Signal(object)

    def __init__(
        self,
        chat: ChatController,
        models: ModelController,
        engine: EngineWorker,
        store: StoreWorker,
        speed: SpeedKeeper,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._chat = chat
        self._models = models
        self._engine = engine
        self._store = store
        self._speed = speed
        self._run: SummaryRun | None = None
        self._gave_way = False
        self._accepted = 0
        self._measuring: dict[str, str] = {}
        self._cached_with: dict[str, str] = {}
        chat.answer_begun.connect(self._on_answer_begun)
        chat.answer_ended.connect(self._on_answer_ended)

    @property
    def is_running(self) -> bool:
        """Whether a summary is being made."""
        return self._run is not None

    @property
    def recorder(self) -> Recorder | None:
        """How far the present question has come."""
        return self._run.recorder if self._run is not None else None

    @Slot()
    def start(self) -> None:
        """Summarise the open conversation, and lay the summary without asking."""
        self._start()

    def start_for_room(self, then: Callable[[bool], None]) -> None:
        """Summarise the open conversation without asking, because what comes next has no room.

        `then` is called once, in the GUI thread: with True when a summary was laid over the conversation; with False
        when none was, which includes that it was cancelled; the conversation is then as it was.
        """
        if not self._start(then=then):
            then(False)

    def write_for(self, branch: Conversation, then: Callable[[Summary | None], None]) -> None:
        """Summarise what a branch of the open conversation is going to begin with; `lay_with` lays the summary.

        `then` is called as for `start_for_room`, with the summary, or None when there is none.
        """

        def end(_is_laid: bool) -> None:
            then(run.written if run is not None else None)

        if not self._start(then=end, branch=branch):
            then(None)
            return
        run = self._run

    def start_in_background(self, then: Callable[[bool], None]) -> None:
        """The same while the user does nothing; whatever the user asks of the model meanwhile ends it."""
        if not self._start(then=then, in_background=True):
            then(False)

    def start_preview(self, cut: int | None = None) -> bool:
        """Write a summary to be looked at; return whether that was begun. `accept` makes it count.

        Args:
            cut: index in the outline's messages up to which they are to be covered; None: the usual.
        """
        return self._start(is_preview=True, cut=cut)

    def accept(
        self, outline: Outline, cut: int, body: str, facts: Sequence[str], method: SummaryMethod, *, is_edited: bool
    ) -> None:
        """Lay a text over the open conversation, which may have gone on since it was outlined."""
        session = self._chat.session
        if session.id != outline.conversation.id:
            return
        now = replace(outline, conversation=session.conversation)
        self._accepted += 1
        job = partial(lay_text, now, cut, body, tuple(facts), method)
        self._engine.ask(job, partial(self._on_laid, self._accepted, session, is_edited))

    def withdraw(self) -> None:
        """Take back what was accepted and is still being counted."""
        self._accepted += 1

    def count(self, outline: Outline, cut: int, body: str, facts: Sequence[str]) -> None:
        """Count what a summary's text takes in the prompt; `counted` says it, unless it cannot be rendered."""
        text = (body, tuple(facts))
        self._engine.ask(partial(count_text, outline, cut, *text), partial(self._on_counted, text))

    def _on_counted(self, text: tuple[str, tuple[str, ...]], tokens: int | None) -> None:
        if tokens is not None:
            self.counted.emit(*text, tokens)

    @property
    def gave_way(self) -> bool:
        """Whether the last run in the background ended because the user wanted something."""
        return self._gave_way

    @Slot()
    def give_way(self) -> None:
        """End a run in the background: the user wants something."""
        if self._run is not None and self._run.in_background:
            self._gave_way = True
            self.cancel()

    @Slot()
    def cancel(self) -> None:
        """End the run; the conversation stays as it is."""
        if self._run is not None:
            self._run.is_cancelled = True
            self._engine.stop(self._run.ticket)
            self._end(is_laid=False)

    def undo(self, conversation_id: str, summary_id: str, undone: bool = True) -> None:
        """Take a summary back, or use it again; works at any time."""
        self._store.write(lambda store: store.set_summary_undone(conversation_id, summary_id, undone))
        if session := self._chat.live_session(conversation_id):
            cached_with = self._note_use(session)
            session.undo_summary(summary_id, undone)
            is_as_cached = session.summary_id == cached_with
            session.cache_note = "" if is_as_cached else self.tr("The summary has changed, so all was read anew.")
        if conversation_id == self._chat.session.id:
            self._chat.show_again()

    # -- a run --------------------------------------------------------------------------------------------------------

    def _start(
        self,
        *,
        is_preview: bool = False,
        in_background: bool = False,
        cut: int | None = None,
        then: Callable[[bool], None] | None = None,
        branch: Conversation | None = None,
    ) -> bool:
        model, session = self._models.model, self._chat.session
        if model is None or self._run is not None or self._chat.running_in(session) is not None:
            return False
        if not session.conversation.messages:
            self.failed.emit(lambda: self.tr("There is nothing to summarise yet."))
            return False
        self._run = run = SummaryRun(
            session,
            model.n_ctx,
            is_preview=is_preview,
            in_background=in_background,
            cut=cut,
            then=then,
            branch=branch,
        )
        self._gave_way = False
        if not in_background:
            self._chat.set_busy(True, session)
        self._engine.ask(run.begin, partial(self._on_step, run, is_first=True))
        self.progressed.emit()
        return True

    def _on_step(self, run: SummaryRun, step: Step | None, is_first: bool = False) -> None:
        from app.chat.summary import Draft, NotSummarised, Question, Summarised

        if run.is_cancelled:
            return
        if is_first and run.is_preview and run.outline is not None:
            self.outlined.emit(run.outline)
        match step:
            case Question():
                self._put(run, step)
            case Draft():
                self._end(is_laid=False)
                self.drafted.emit(step)
            case Summarised() if run.branch is not None:
                run.written = step.summary
                self._end(is_laid=False)
            case Summarised():
                # It may have been opened anew meanwhile.
                session = self._chat.live_session(run.session.id) or run.session
                if not session.shows(step.summary.covers_until):
                    self._fail(run, lambda: self.tr("The conversation was changed meanwhile: summarise it again."))
                    return
                self._take(session, step.summary, was_seen=False)
                self._end(is_laid=True)
            case NotSummarised():
                self._fail(run, step.reason)
            case _:
                self._fail(run, lambda: self.tr("The engine could not count the tokens of this conversation."))

    def _put(self, run: SummaryRun, question: Question) -> None:
        now = time.perf_counter_ns()
        run.question, run.recorder, run.text, run.is_waiting = question, TurnRecorder(now, run.n_ctx), [], False
        request = GenerationRequest(
            question.messages,
            now,
            sampling=Sampling(temperature=question.temperature),
            max_tokens=question.max_tokens,
            template_kwargs=question.template_kwargs,
            purpose="summary",
            # What reads a part of the text takes the cache from the conversation, whose state is saved for it.
            conversation_id=run.session.id if question.goes_on else "",
            states=self._models.state_budget(),
        )
        run.ticket = self._engine.generate(request, partial(self._on_event, run))

    def _on_event(self, run: SummaryRun, event: GenerationEvent) -> None:
        assert run.recorder is not None
        run.recorder.observe(event)
        if isinstance(event, ContextGrown):
            self._models.on_context_changed(event)
            self._models.describe_to(run.session.series)
        if isinstance(event, AnswerRestarted):
            run.text = []
        if isinstance(event, TokensGenerated):
            run.text.extend(piece.text for piece in event.pieces if piece.channel == "answer")
            self._show_text(run)
        if not run.is_cancelled:
            self.progressed.emit()
        if isinstance(event, GenerationFinished):
            run.session.series.set_context_tokens(event.context_tokens)
            self._on_answered(run, event)

    def _show_text(self, run: SummaryRun) -> None:
        if run.is_preview and not run.is_cancelled:
            self.written.emit("".join(run.text))

    def _on_answered(self, run: SummaryRun, event: GenerationFinished) -> None:
        if event.finish_reason == "crashed":
            self._models.on_crashed()
        if run.is_cancelled:
            return
        if event.finish_reason == "cancelled":
            self._on_interrupted(run)
            return
        if event.finish_reason in ("failed", "crashed") or event.error:
            self._fail(run, event.error)
            return
        self._engine.ask(partial(run.go_on, "".join(run.text)), partial(self._on_step, run))

    def _on_interrupted(self, run: SummaryRun) -> None:
        """Something else needed the engine: ask again after that, unless the model goes."""
        run.interruptions += 1
        if self._models.model is None or self._models.loading_fraction is not None:
            self._fail(run, "")
        elif run.interruptions > MOST_INTERRUPTIONS:
            self._fail(run, lambda: self.tr("The summary was interrupted too often."))
        elif self._chat.running is not None:
            run.is_waiting = True
        else:
            self._ask_again(run)

    def _ask_again(self, run: SummaryRun) -> None:
        assert run.question is not None
        self._put(run, run.question)

    def _fail(self, run: SummaryRun, sentence: Text) -> None:
        self._end(is_laid=False)
        if sentence and not run.in_background:
            self.failed.emit(sentence)

    def _end(self, *, is_laid: bool) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        if not run.in_background:
            self._chat.set_busy(False)
        self.progressed.emit()
        if run.then is not None:
            run.then(is_laid)

    # -- a summary ----------------------------------------------------------------------------------------------------

    def _on_laid(self, ticket: int, session: Session, is_edited: bool, summary: Summary | None) -> None:
        if ticket != self._accepted:
            return
        if summary is None or not session.shows(summary.covers_until):
            self.failed.emit(lambda: self.tr("The conversation was changed meanwhile: summarise it again."))
            return
        self._take(session, replace(summary, is_edited=is_edited), was_seen=True)

    def _take(self, session: Session, summary: Summary, *, was_seen: bool) -> None:
        self.lay_with(session, summary, partial(self._lay, session), was_seen=was_seen)

    def _lay(self, session: Session, summary: Summary) -> None:
        session.add_summary(summary)
        self._store.write(lambda store: store.add_summary(session.id, summary))
        session.series.lose_cache(summary.tokens_after)
        if session is self._chat.session:
            self._chat.show_again(summary.id)

    def lay_with(
        self, session: Session, summary: Summary, lay: Callable[[Summary], None], *, was_seen: bool = False
    ) -> None:
        """Lay a summary over a session in a way of the caller's."""
        stats = [turn.stats for turn in session.turns.values()]
        speed = self._speed.speed
        fitted = (speed.ttft, speed.tpot) if speed is not None else (None, None)
        summary = replace(summary, receipt=make_receipt(summary, session.series.model, stats, *fitted))
        self._note_use(session)
        # What the cache holds begins with what the summary replaces: nothing of it will be used again.
        self._chat.forget_cache()
        session.cache_note = self.tr("A summary changed the beginning of the prompt, so all of it was read anew.")
        lay(summary)
        self.laid.emit(session.id, summary, was_seen)

    def _note_use(self, session: Session) -> str:
        """Return the id of the summary that the conversation was read with last, as the KV cache has it; or none."""
        return self._cached_with.setdefault(session.id, session.summary_id)

    @Slot(object)
    def _on_answer_begun(self, running: RunningAnswer) -> None:
        self._cached_with[running.session.id] = running.session.summary_id
        summary = running.session.conversation.active_summary
        if summary is not None and summary.receipt is not None and summary.receipt.measured is None:
            self._measuring[running.message.id] = summary.id

    @Slot(object)
    def _on_answer_ended(self, running: RunningAnswer) -> None:
        """Hold what the first answer after a summary took against what was expected."""
        if self._run is not None and self._run.is_waiting and self._chat.running is None:
            self._ask_again(self._run)
        summary_id = self._measuring.pop(running.message.id, None)
        measured = measured_cost(running.recorder.stats, running.model)
        if summary_id is None or measured is None:
            return
        session = running.session
        session.measure_summary(summary_id, measured)
        self._store.write(lambda store: store.set_summary_measured(session.id, summary_id, measured))
        if session is self._chat.session:
            self._chat.show_changes()
