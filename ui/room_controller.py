"""Between whatever asks the model and the chat: what would not fit waits until there is room for it."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.conversation import prompt_messages
from app.chat.message import Message
from ui import formatting
from ui.attempt import Attempt, answered, before
from ui.chat.room_bar import Offer, Way
from ui.translation import localised

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.chat.conversation import Conversation, Summary
    from app.chat.policy import Choices, Cut, Hold, Limits, NextTurn
    from app.engine.base import Engine
    from app.settings import SamplingSettings
    from ui.branch_controller import BranchController
    from ui.chat_controller import ChatController
    from ui.engine_worker import EngineWorker
    from ui.main_window import MainWindow
    from ui.model_controller import ModelController
    from ui.running_answer import RunningAnswer
    from ui.session import Session
    from ui.summary_controller import SummaryController
    from ui.view_keeper import ViewKeeper

GROW, SUMMARISE, DROP, SHORTEN = "grow", "summarise", "drop", "shorten"
"""What the user can choose for a message that does not fit."""


class RoomController(QObject):
    """Counts with the engine before it is asked, unless that surely fits; makes room as the policy says.

    Signals:
        refused: a `Text` of one sentence: why an edited message cannot be taken now; it is still being edited.
    """

    refused = Signal(object)

    def __init__(
        self,
        window: MainWindow,
        chat: ChatController,
        branches: BranchController,
        models: ModelController,
        engine: EngineWorker,
        summaries: SummaryController,
        view: ViewKeeper,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._composer = window.composer
        self._transcript = window.transcript
        self._bar = window.room_bar
        self._chat = chat
        self._branches = branches
        self._models = models
        self._engine = engine
        self._summaries = summaries
        self._view = view
        self._attempt: Attempt | None = None
        self._tried_again = ""
        self._composer.submitted.connect(self.send)
        self._composer.draft_changed.connect(self._on_draft_changed)
        self._transcript.item_edited.connect(self.edit)
        self._transcript.edit_changed.connect(self._on_edit_changed)
        self._bar.chosen.connect(self.choose)
        self._bar.dismissed.connect(self.cancel)
        chat.session_changed.connect(self._on_session_changed)
        chat.progressed.connect(self._on_progressed)
        chat.answer_ended.connect(self._on_answer_ended)

    @property
    def is_trying(self) -> bool:
        """Whether something waits to be sent."""
        return self._attempt is not None

    @Slot(str)
    def send(self, text: str) -> None:
        """Have a message answered as soon as there is room for it."""
        submitted_ns = time.perf_counter_ns()
        if not text.strip() or not self._chat.can_answer:
            return
        session, message = self._chat.session, Message("user", text)

        def base() -> Conversation:
            return replace(session.conversation, messages=(*session.conversation.messages, message))

        def go(*, may_grow: bool, **_view: object) -> None:
            written = self._composer.text()
            self._chat.send(text, submitted_ns, may_grow=may_grow)
            if written != text:  # the next message was begun while room was made
                self._composer.set_text(written)

        self._try(Attempt(session, base, go, self._chat.on_full(session), text))

    @Slot(str, str)
    def edit(self, message_id: str, text: str) -> None:
        """Put a changed message beside the one that is there; the user's is answered as soon as there is room."""
        session, submitted_ns = self._chat.session, time.perf_counter_ns()
        former = next((each for each in session.conversation.messages if each.id == message_id), None)
        if former is None or not self._branches.can_change:
            self.refused.emit(lambda: self.tr("The change can be saved when the model is done with what it does now."))
            return
        if former.role != "user" or not self._chat.can_answer:
            self._branches.edit(message_id, text)
            return
        changed = Message("user", text, pinned=former.pinned)

        def base() -> Conversation:
            earlier = before(session.conversation, message_id)
            return replace(earlier, messages=(*earlier.messages, changed))

        go = partial(self._branches.edit, message_id, text, submitted_ns)
        on_full = self._chat.on_full(session)
        self._try(Attempt(session, base, go, on_full, text, message_id))

    def regenerate(self, message_id: str = "", sampling: SamplingSettings | None = None) -> None:
        """Answer anew in the place of an answer, by default the last, or at the end of the path after a question."""
        messages = self._chat.session.conversation.messages
        if messages and self._branches.can_change and self._chat.can_answer:
            self._try(self._again(self._chat.session, message_id or messages[-1].id, sampling))

    @Slot()
    def regenerate_last(self) -> None:
        """Answer the last question again."""
        self.regenerate()

    @Slot()
    def go_on(self) -> None:
        """Have the last answer written on from where it stands."""
        if self._branches.can_change and self._chat.can_answer and self._branches.is_continuable:
            self._try(self._going_on(self._chat.session))

    @Slot()
    def make_room(self, way: str) -> None:
        """Make room in the open conversation, whose last answer ended at the edge.

        An answer without text is then asked for again.
        """
        session = self._chat.session
        if way in (SUMMARISE, DROP) and self._chat.can_answer and session.last_answer is not None:
            has_text = bool(session.last_answer.content)
            attempt = self._going_on(session) if has_text else self._again(session, session.last_answer.id)
            self._measure(attempt, partial(self._on_measured_for, way))

    @Slot()
    def cancel(self) -> None:
        """Send nothing; the message stays in the composer, a changed one in its place."""
        self._attempt = None
        self._bar.dismiss()

    @Slot(str)
    def choose(self, way: str) -> None:
        """Do what the user chose for the message that waits."""
        attempt = self._attempt
        self._bar.dismiss()
        if attempt is None:
            return
        if way == SHORTEN:
            self.cancel()
            if attempt.edits:
                self._transcript.edit_item(attempt.edits)
            else:
                self._composer.focus_editor()
        elif not self._chat.can_answer:
            self.cancel()
        elif way == GROW:
            self._go(attempt, may_grow=True)
        elif way == DROP and attempt.cut is not None:
            self._drop(attempt, attempt.cut)
        elif way == SUMMARISE:
            self._summarise(attempt)

    # One attempt

    def _try(self, attempt: Attempt) -> None:
        from app.chat.policy import surely_fits  # not above: it is slow, and comes in a thread

        self._bar.dismiss()
        self._attempt = attempt
        ledger = attempt.session.ledger
        known = {entry.message_id: entry.tokens for entry in ledger.entries} if ledger is not None else {}
        if surely_fits(prompt_messages(attempt.conversation()), self._limits(attempt), known):
            self._go(attempt)
        else:
            self._measure(attempt, self._on_measured)

    def _again(self, session: Session, message_id: str, sampling: SamplingSettings | None = None) -> Attempt:
        """Return an attempt to have a question answered again, of which it or an answer is named."""
        submitted_ns = time.perf_counter_ns()

        def base() -> Conversation:
            conversation = session.conversation
            is_answer = session.messages[message_id].role == "assistant"
            return before(conversation, message_id) if is_answer else conversation.up_to(message_id)

        go = partial(self._branches.regenerate, message_id, sampling, submitted_ns)
        return Attempt(session, base, go, self._chat.on_full(session), at=message_id)

    def _going_on(self, session: Session) -> Attempt:
        """Return an attempt to have the last answer written on."""
        submitted_ns = time.perf_counter_ns()

        def go(*, may_grow: bool, **_view: object) -> None:
            self._branches.continue_last(submitted_ns, may_grow=may_grow)

        return Attempt(session, lambda: session.conversation, go, self._chat.on_full(session))

    def _limits(self, attempt: Attempt) -> Limits:
        from app.chat.policy import Limits

        model = self._models.model
        assert model is not None
        n_ctx_max = model.n_ctx_max if attempt.can_grow else model.n_ctx
        return Limits.of(model.n_ctx, n_ctx_max, attempt.on_full, self._models.answer_settings.max_tokens)

    def _measure(self, attempt: Attempt, done: Callable[[Attempt, NextTurn], None]) -> None:
        self._attempt = attempt
        self._composer.set_forecast(self.tr("Counting what this takes of the context…"))
        question = partial(_measure, attempt.conversation(), self._limits(attempt))
        self._engine.ask(question, partial(self._on_counted, attempt, done))

    def _on_counted(self, attempt: Attempt, done: Callable[[Attempt, NextTurn], None], turn: NextTurn | None) -> None:
        if attempt is not self._attempt:
            return
        self._chat.progressed.emit()  # beside Send it is said again what sending will cost
        if not self._chat.can_answer:
            self._attempt = None
        elif turn is None:  # it cannot be rendered, or the engine is gone: that is said in the answer's place
            self._go(attempt)
        else:
            attempt.cut = turn.cut
            done(attempt, turn)

    def _on_measured(self, attempt: Attempt, turn: NextTurn) -> None:
        from app.chat.policy import Drop, Hold, Send, Summarise, decide

        match decide(turn, attempt.on_full, may_summarise=attempt.may_summarise):
            case Send():
                self._go(attempt)
            case Drop(cut):
                self._drop(attempt, cut)
            case Summarise():
                self._summarise(attempt)
            case Hold() as hold:
                self._hold(attempt, hold)

    def _on_refused_measured(self, attempt: Attempt, turn: NextTurn) -> None:
        """What was refused although it fits had no memory to grow into."""
        from app.chat.policy import Send, decide

        if isinstance(decide(turn, attempt.on_full), Send):
            attempt.can_grow = False
            self._measure(attempt, self._on_measured)
        else:
            self._on_measured(attempt, turn)

    def _on_measured_for(self, way: str, attempt: Attempt, turn: NextTurn) -> None:
        from app.chat.policy import choices_for

        choices = choices_for(turn)
        if turn.limits.has_room(turn.prompt_tokens):
            self._go(attempt)
        elif way == SUMMARISE and choices.summarise:
            self._summarise(attempt)
        elif way == DROP and choices.cut is not None:
            self._drop(attempt, choices.cut)
        else:
            self._attempt = None
            self._chat.noticed.emit(self.tr("No turn is old enough for that: only the last question is in view."))

    def _go(self, attempt: Attempt, *, may_grow: bool = False, dropped_until: str = "") -> None:
        self._attempt = None
        may_grow = may_grow or (attempt.on_full == "grow" and attempt.can_grow)

        def go(summary: Summary | None) -> None:
            attempt.go(may_grow=may_grow, summary=summary, dropped_until=dropped_until)

        if attempt.summary is None:
            go(None)
        else:
            self._summaries.lay_with(attempt.session, attempt.summary, go)

    def _drop(self, attempt: Attempt, cut: Cut) -> None:
        session, former = attempt.session, attempt.base().dropped_until
        if attempt.at:
            self._go(attempt, dropped_until=cut.until)
            self._view.offer_undo(session, cut, former)
        else:
            self._view.drop(session, cut)
            self._go(attempt)

    def _summarise(self, attempt: Attempt) -> None:
        attempt.may_summarise = False
        self._attempt = attempt
        if attempt.at:
            self._summaries.write_for(answered(attempt.base()), partial(self._on_written, attempt))
        else:
            self._summaries.start_for_room(partial(self._on_summarised, attempt))

    def _on_written(self, attempt: Attempt, summary: Summary | None) -> None:
        attempt.summary = summary
        self._on_summarised(attempt, summary is not None)

    def _on_summarised(self, attempt: Attempt, is_laid: bool) -> None:
        if attempt is not self._attempt:
            return
        if attempt.session is not self._chat.session or not self._chat.can_answer:
            self._attempt = None
        elif is_laid or attempt.on_full in ("grow", "summarise"):
            self._measure(attempt, self._on_measured)

    def _hold(self, attempt: Attempt, hold: Hold) -> None:
        can_shorten = bool(attempt.text)
        self._bar.offer(lambda: Offer(localised(hold.sentence), self._ways(hold.choices, can_shorten=can_shorten)))

    def _ways(self, choices: Choices, *, can_shorten: bool) -> tuple[Way, ...]:
        ways = []
        if choices.grow_to is not None:
            limit = self.tr("For this message, to at most {}.").format(formatting.tokens(choices.grow_to))
            ways.append(Way(GROW, self.tr("Let the context grow"), limit))
        if choices.summarise:
            place = self.tr("A summary takes their place in the model's view. Can be undone.")
            ways.append(Way(SUMMARISE, self.tr("Summarise the older turns"), place))
        if choices.cut is not None:
            turns = formatting.turn_count(choices.cut.turns)
            left = self.tr("They stay in the conversation; {} are left in the model's view. Can be undone.")
            left = left.format(formatting.tokens(choices.cut.prompt_tokens))
            ways.append(Way(DROP, self.tr("Take the oldest out of view: {}").format(turns), left))
        if choices.shorten_tokens is not None and can_shorten:
            shorter = self.tr("Shorten by {}").format(formatting.tokens(choices.shorten_tokens))
            characters = formatting.count(choices.shorten_characters)
            ways.append(Way(SHORTEN, shorter, self.tr("About {} characters of your message.").format(characters)))
        return tuple(ways)

    # What happens meanwhile

    @Slot(str)
    def _on_draft_changed(self, text: str) -> None:
        is_other = self._attempt is None or (not self._attempt.edits and text != self._attempt.text)
        if self._bar.sentence and is_other:
            self.cancel()

    @Slot(str, object)
    def _on_edit_changed(self, message_id: str, _text: str | None) -> None:
        attempt = self._attempt
        if attempt is not None and attempt.edits == message_id:
            self.cancel()
            if not attempt.may_summarise:
                self._summaries.cancel()

    @Slot()
    def _on_progressed(self) -> None:
        """Another version may be shown than the one that is to be changed or answered anew."""
        attempt, messages = self._attempt, self._chat.session.conversation.messages
        if attempt is not None and attempt.at and all(message.id != attempt.at for message in messages):
            self.cancel()

    @Slot(object)
    def _on_session_changed(self, _session: Session) -> None:
        if self._attempt is not None or self._bar.sentence:
            self.cancel()

    @Slot(object)
    def _on_answer_ended(self, running: RunningAnswer) -> None:
        """The engine refused what seemed to fit: there was no memory to grow, or a template adds much of its own."""
        stats, session = running.recorder.stats, running.session
        is_refused = stats.finish_reason == "context" and not stats.completion_tokens
        if not is_refused or session is not self._chat.session or not self._chat.can_answer:
            return
        question = session.conversation.messages[-2].id if len(session.conversation.messages) > 1 else ""
        if question == self._tried_again:
            return
        self._tried_again = question
        self._measure(self._again(session, running.message.id), self._on_refused_measured)


def _measure(conversation: Conversation, limits: Limits, engine: Engine) -> NextTurn:
    from app.chat.policy import measure

    return measure(conversation, engine.count_tokens, limits)
