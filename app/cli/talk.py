"""A conversation in the terminal: room is made for each turn as --on-full says, and what became of the others told."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.chat.conversation import prompt_messages
from app.chat.policy import Cut, Drop, Hold, Limits, Send, Summarise, decide, measure, surely_fits
from app.chat.summary import NotSummarised, summarise
from app.chat.summary_text import split_summary
from app.chat.view import turns_of, view_of
from app.engine.events import GenerationFinished, TokensGenerated
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling
from app.errors import BadInputError, EngineError, Sentence, TokometerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.chat.conversation import Conversation, OnFull
    from app.chat.message import Message
    from app.chat.summary import Question
    from app.engine.base import Engine

INTERRUPTED = 130


class Interrupted(TokometerError):  # noqa: N818 - not a fault
    """The user pressed Ctrl+C while something other than an answer was made."""

    exit_status = INTERRUPTED


class Talk:
    """Owns the conversation; each change of it is a new value.

    Args:
        engine: with a loaded model.
        max_tokens: the most tokens of an answer, None: no limit.
        say: takes one line about what became of earlier turns.
    """

    def __init__(
        self,
        engine: Engine,
        conversation: Conversation,
        on_full: OnFull,
        max_tokens: int | None,
        say: Callable[[str], None],
    ) -> None:
        self.conversation = conversation
        self.on_full = on_full
        self._engine = engine
        self._max_tokens = max_tokens
        self._say = say

    @property
    def prompt(self) -> tuple[Message, ...]:
        """What the model is given."""
        return tuple(prompt_messages(self.conversation))

    @property
    def may_grow(self) -> bool:
        """Whether an answer may make the context larger."""
        return self.on_full == "grow"

    def add(self, message: Message) -> None:
        """Append a question or an answer."""
        self.conversation = replace(self.conversation, messages=(*self.conversation.messages, message))

    def take_back(self) -> None:
        """Take the last message out again."""
        self.conversation = replace(self.conversation, messages=self.conversation.messages[:-1])

    def make_room(self, *, may_grow: bool = True) -> None:
        """See that the question that was added can be answered.

        A summary that cannot be made, or is not short enough, gives way to dropping.

        Args:
            may_grow: false when there turned out to be no memory for a larger context.

        Raises:
            BadInputError: the turn does not fit, and nothing may or can be done about it.
            EngineError, Interrupted: while the turns before it were summarised.
        """
        may_summarise = True
        while not surely_fits(self.prompt, limits := self._limits(may_grow=may_grow)):
            turn = measure(self.conversation, self._engine.count_tokens, limits)
            match decide(turn, self.on_full, may_summarise=may_summarise):
                case Send():
                    return
                case Drop(cut):
                    self._drop(cut)
                    return
                case Summarise():
                    self._summarise()
                    may_summarise = False
                case Hold(sentence, choices):
                    if self.on_full == "stop" or choices.cut is None:
                        raise BadInputError(sentence)
                    self._drop(choices.cut)
                    return

    def report(self) -> dict[str, Any]:
        """Return what the model was given of the conversation, for `--json`."""
        view, summary = view_of(self.conversation), self.conversation.active_summary
        return {
            "policy": self.on_full,
            "turns_in_view": view.turns_in_view,
            "turns_out_of_view": view.turns_out_of_view,
            "summarised_turns": view.summarised_turns,
            "facts_kept": split_summary(summary.text)[1] if summary is not None else [],
        }

    def _limits(self, *, may_grow: bool) -> Limits:
        model = self._engine.model
        if model is None:
            raise EngineError(Sentence("No model is loaded: open one first."))
        n_ctx_max = model.n_ctx_max if may_grow else model.n_ctx
        return Limits.of(model.n_ctx, n_ctx_max, self.on_full, self._max_tokens)

    def _drop(self, cut: Cut) -> None:
        first = self._turns_before(self.conversation.view_start) + 1
        self.conversation = replace(self.conversation, dropped_until=cut.until)
        last = self._turns_before(self.conversation.view_start)
        turns = f"turn {last} is" if first == last else f"turns {first} to {last} are"
        self._say(f"{turns} out of the model's view from here on: the context is full.")

    def _summarise(self) -> None:
        """Lay a summary over the turns before the last question, where one can be made."""
        asked = self.conversation.messages[-1]
        earlier = replace(self.conversation, messages=self.conversation.messages[:-1])
        model = self._engine.model
        assert model is not None  # it was counted with a moment ago
        steps = summarise(earlier, self._engine.count_tokens, model.n_ctx)
        try:
            question = next(steps)
            while True:
                question = steps.send(self._ask(question))
        except StopIteration as end:
            outcome = end.value
        if isinstance(outcome, NotSummarised):
            self._say(f"no summary was made: {outcome.reason}")
            return
        summary = outcome.summary
        self.conversation = replace(earlier.with_summary(summary), messages=(*earlier.messages, asked))
        last = self._turns_before(self.conversation.view_start)
        self._say(
            f"turns 1 to {last} are summarised from here on, {summary.tokens_before:,} -> {summary.tokens_after:,} "
            "tokens: the context is full."
        )

    def _turns_before(self, index: int) -> int:
        return len(turns_of(self.conversation.messages[:index]))

    def _ask(self, question: Question) -> str:
        request = GenerationRequest(
            question.messages,
            time.perf_counter_ns(),
            sampling=Sampling(temperature=question.temperature),
            max_tokens=question.max_tokens,
            template_kwargs=question.template_kwargs,
            purpose="summary",
            may_grow=self.may_grow,
        )
        text: list[str] = []
        for event in self._engine.generate(request):
            if isinstance(event, TokensGenerated):
                text.extend(piece.text for piece in event.pieces if piece.channel == "answer")
            elif isinstance(event, GenerationFinished):
                if event.finish_reason == "cancelled":
                    raise Interrupted(Sentence("The summary was cancelled."))
                if event.finish_reason in ("failed", "crashed") or event.error:
                    raise EngineError(event.error)
        return "".join(text)
