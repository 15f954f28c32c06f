"""One attempt at a summary; what it counts, it counts in the engine's thread."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.errors import TokometerError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from app.chat.conversation import Conversation, Summary, SummaryMethod
    from app.chat.message import Message
    from app.chat.summary import Draft, NotSummarised, Question, Summarised
    from app.chat.summary_outline import Outline
    from app.engine.base import Engine
    from app.telemetry.recorder import TurnRecorder
    from ui.session import Session

    Step = Question | Draft | Summarised | NotSummarised


class CancelledError(TokometerError):
    """The attempt was cancelled while it was counting."""


class SummaryRun:
    """From the click to a draft, or to a summary that may be laid at once.

    Attributes:
        session: the conversation's.
        is_preview: a draft is what it ends with, to be looked at; else the summary of the usual cut.
        in_background: nobody asked for it; a user's message ends it.
        then: called at the end, with whether a summary was laid.
        branch: what is summarised, where that is a branch to come; the summary is not laid, but `written`.
        outline: known once the first question is.
        question, recorder, text: of what is asked now; ticket: the engine worker's for it.
        interruptions: how often something else ended it before it was answered.
        is_waiting: for an answer of the user's to end, so that it can be asked again.
    """

    def __init__(
        self,
        session: Session,
        n_ctx: int,
        *,
        is_preview: bool = False,
        in_background: bool = False,
        cut: int | None = None,
        then: Callable[[bool], None] | None = None,
        branch: Conversation | None = None,
    ) -> None:
        self.session = session
        self.branch = branch
        self.written: Summary | None = None
        self.is_preview = is_preview
        self.in_background = in_background
        self.then = then
        self.is_cancelled = False
        self.outline: Outline | None = None
        self.question: Question | None = None
        self.interruptions = 0
        self.is_waiting = False
        self.recorder: TurnRecorder | None = None
        self.text: list[str] = []
        self.ticket = 0
        self.n_ctx = n_ctx
        self._conversation = branch or session.conversation
        self._known = known_tokens(session)
        self._cut = cut
        self._engine: Engine | None = None
        self._steps: Generator[Question, str, Draft] | None = None

    def begin(self, engine: Engine) -> Step:
        """Return the first question, or what came of it without one."""
        from app.chat.summary import NOTHING_OLDER, NotSummarised, write_summary  # not above: few starts need it
        from app.chat.summary_outline import make_outline

        self._engine = engine
        try:
            self.outline = make_outline(self._conversation, self._count, self.n_ctx, self._known)
            if self.outline is None:
                return NotSummarised(NOTHING_OLDER)
            self._steps = write_summary(self.outline, self._count, self._cut)
            return self._advance(None)
        except TokometerError as error:
            return NotSummarised(str(error))

    def go_on(self, answer: str, _engine: Engine) -> Step:
        """Take the model's answer; return the next question, or what came of it."""
        from app.chat.summary import NotSummarised

        try:
            return self._advance(answer)
        except TokometerError as error:
            return NotSummarised(str(error))

    def _advance(self, answer: str | None) -> Step:
        from app.chat.summary import settle

        assert self._steps is not None
        assert self.outline is not None
        try:
            return next(self._steps) if answer is None else self._steps.send(answer)
        except StopIteration as end:
            draft: Draft = end.value
            return draft if self.is_preview else settle(self.outline, draft, self._count)

    def _count(self, messages: Sequence[Message]) -> int:
        """Count, unless nobody wants to know any more: what comes next in the engine's thread must not wait."""
        assert self._engine is not None
        if self.is_cancelled:
            raise CancelledError("")
        return self._engine.count_tokens(messages)


def known_tokens(session: Session) -> Mapping[str, int]:
    """Return the tokens of the messages that were counted already, by id."""
    return {entry.message_id: entry.tokens for entry in session.ledger.entries} if session.ledger is not None else {}


def lay_text(
    outline: Outline, cut: int, body: str, facts: tuple[str, ...], method: SummaryMethod, engine: Engine
) -> Summary:
    """Count a text that was accepted and make a summary of it."""
    from app.chat.conversation import prompt_messages
    from app.chat.summary import lay_summary

    before = engine.count_tokens(prompt_messages(outline.conversation))
    return lay_summary(replace(outline, tokens_before=before), cut, body, facts, method, engine.count_tokens)


def count_text(outline: Outline, cut: int, body: str, facts: tuple[str, ...], engine: Engine) -> int:
    """Return what a summary's text takes in the prompt."""
    from app.chat.summary import lay_summary

    summary = lay_summary(outline, cut, body, facts, "model", engine.count_tokens)
    return (summary.tokens_after or 0) - outline.prompt_tokens(cut, 0)
