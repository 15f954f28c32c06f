"""Continuous batching: one decode per step for all answers under way, as llama-server's update_slots does.

A step holds one token of every answer that is written, and a bounded part of the prompts that are read. So no answer
waits more than one step for its next token, however long the prompts beside it are. The rule for the KV cache: every
sequence has cells of its own (`kv_unified` off), `n_ctx` of them; one that is full takes nothing of another's, and a
conversation that nobody asks costs the others no time. Where a full one may grow, all do, between two steps; else its
answer ends.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from app.engine.events import Answered, AnswerRestarted, ContextGrown, GenerationFinished
from app.engine.llama.batch import Batch
from app.engine.llama.context import ABORTED, not_computed
from app.engine.llama.prompt import foresee, prepare, render
from app.engine.llama.sequence import choose_sequence
from app.engine.llama.shared_answer import SharedAnswer
from app.engine.waiting_line import WaitingLine
from app.errors import ContextFullError, EngineError, Sentence, TokometerError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from app.engine.events import FinishReason, GenerationEvent, MemorySampled
    from app.engine.llama.prompt import Rendered
    from app.engine.llama.sequence import Sequence
    from app.engine.llama.session import Session
    from app.engine.request import Foreseen, GenerationRequest

BESIDE_S = 0.1
"""While answers are written, a step reads no more of prompts than takes about this long: at ten tokens a second text
still reads fluently. `PrefillPace` has a least size, below which reading costs more than it spares."""


def _carried(grown: ContextGrown, sequence: Sequence) -> int:
    """Return how many tokens of a sequence were taken over."""
    return 0 if grown.note else len(sequence.tokens)


def shares(budget: int, wanted: list[int]) -> list[int]:
    """Divide a step's room for prompts: equal parts, and what one does not need goes to the others."""
    given = [0] * len(wanted)
    open_ = sorted(range(len(wanted)), key=lambda number: wanted[number])
    while open_:
        number = open_.pop(0)
        given[number] = min(wanted[number], budget // (len(open_) + 1))
        budget -= given[number]
    return given


class Scheduler:
    """Writes all that is submitted, up to the context's `n_parallel` answers at once.

    Args:
        sample_memory: gives the process's memory when that is due.
    """

    def __init__(self, session: Session, sample_memory: Callable[[], Iterator[MemorySampled]]) -> None:
        self._session = session
        self._sample_memory = sample_memory
        self.sequences = session.sequences
        self._batch = self._new_batch()
        self._line = WaitingLine()
        self._answers: list[SharedAnswer] = []
        self._sampled = 0
        self._cancelled: set[str] = set()
        self._cancelled_at_ns = -1

    def submit(self, request: GenerationRequest) -> None:
        """Let one more wait."""
        self._line.put(request)

    def foresee(self, request: GenerationRequest) -> Foreseen:
        """Return what a request would find. See `Engine.foresee`."""
        busy = frozenset(answer.sequence.number for answer in self._answers)
        idle = [sequence for sequence in self.sequences if sequence.number not in busy] or list(self.sequences)
        rendered = render(self._session, request, time.perf_counter_ns())
        sequence = self._sequence_for(request, rendered, idle, busy)
        return foresee(self._session, request, rendered, self._session.keepers[sequence.number])

    def cancel(self, request_id: str) -> None:
        """End one answer, running or waiting; from any thread."""
        self._cancelled.add(request_id)
        # A recurrent state cannot be taken back to before a broken-off step: the others would be lost.
        if self._session.context.steps_back or len(self._answers) < 2:
            self._session.context.cancel()

    def cancel_all(self, at_ns: int) -> None:
        """End all that was asked until then; from any thread."""
        self._cancelled_at_ns = at_ns
        self._session.context.cancel()

    def serve(self) -> Iterator[Answered]:
        """Write all that wait. See `Engine.serve`."""
        try:
            while self._answers or len(self._line):
                self._session.context.clear_cancel()
                yield from self._end_cancelled()
                yield from self._admit()
                yield from self._make_room()
                if self._session.context.handle is None:
                    yield from self._end_all(
                        Sentence("There is no memory for the context any more: load the model again.")
                    )
                elif self._answers and not any(answer.needs_room for answer in self._answers):
                    yield from self._step()
        finally:
            for answer in self._answers:
                answer.free()
            self._answers.clear()
            self._line.clear()

    # -- who takes part -----------------------------------------------------------------------------------------------

    def _is_cancelled(self, request: GenerationRequest) -> bool:
        return request.id in self._cancelled or request.submitted_ns <= self._cancelled_at_ns

    def _end_cancelled(self) -> Iterator[Answered]:
        for request in self._line.remove(self._is_cancelled):
            yield self._ended(request, "cancelled")
        for answer in [each for each in self._answers if self._is_cancelled(each.request)]:
            yield from self._end(answer, "cancelled")

    def _ended(self, request: GenerationRequest, reason: FinishReason, error: str = "") -> Answered:
        self._cancelled.discard(request.id)
        return Answered(request.id, GenerationFinished(reason, time.perf_counter_ns(), 0, error))

    def _admit(self) -> Iterator[Answered]:
        """Begin what waits, as far as there are sequences; a user's takes that of one in the background."""
        while len(self._line) and self._session.context.handle is not None:
            busy = frozenset(answer.sequence.number for answer in self._answers)
            idle = [sequence for sequence in self.sequences if sequence.number not in busy]
            if not idle:
                background = [answer for answer in self._answers if answer.request.is_background]
                if not background or not self._line.has_answer:
                    return
                yield self._give_way(background[-1])
                continue
            request = self._line.take()
            assert request is not None
            try:
                answer = yield from self._begun(request, idle, busy)
            except ContextFullError as full:
                yield self._ended(request, "context", str(full))
            except TokometerError as failed:
                yield self._ended(request, "failed", str(failed))
            else:
                self._answers.append(answer)
                self._answers.sort(key=lambda each: each.sequence.number)  # neighbours are computed together
                yield Answered(request.id, answer.progress(time.perf_counter_ns()))

    def _begun(
        self, request: GenerationRequest, idle: list[Sequence], busy: frozenset[int]
    ) -> Generator[Answered, None, SharedAnswer]:
        """Make an answer ready to be read and written. Raises TokometerError."""
        session, started_ns = self._session, time.perf_counter_ns()
        rendered = render(session, request, started_ns)
        sequence = self._sequence_for(request, rendered, idle, busy)
        events = prepare(session, request, rendered, session.keepers[sequence.number])
        while True:
            try:
                event = next(events)
            except StopIteration as end:
                sequence.conversation_id, sequence.used_ns = request.conversation_id, started_ns
                return SharedAnswer(session, request, sequence, end.value)
            if isinstance(event, ContextGrown):
                yield from self._tell(event)
                event = replace(event, carried_tokens=_carried(event, sequence))
            yield Answered(request.id, event)

    def _sequence_for(
        self, request: GenerationRequest, rendered: Rendered, idle: list[Sequence], busy: frozenset[int]
    ) -> Sequence:
        tokens = self._session.tokenizer.encode(rendered.beginning.prompt)
        return choose_sequence(idle, tokens, request.conversation_id, busy)

    def _make_room(self) -> Iterator[Answered]:
        """Let the context grow for what cannot go on without; what finds no room ends."""
        for answer in list(self._answers):
            if answer not in self._answers or not answer.needs_room:
                continue
            try:
                step = self._session.elastic.plan(answer.needed_tokens)
                grown = self._session.grow(step, read_again=True) if step is not None else None
            except ContextFullError as full:
                yield from self._end(answer, "context", str(full))
            except EngineError as failed:
                yield from self._end_all(str(failed))
            else:
                if step is None:
                    yield from self._end(answer, "context")
                elif grown is not None:
                    yield from self._tell(grown)

    def _tell(self, grown: ContextGrown) -> Iterator[Answered]:
        """Say to all that are under way that the context has grown: each waited for it."""
        self._batch = self._new_batch()
        for answer in self._answers:
            carried = _carried(grown, answer.sequence)
            yield Answered(answer.request.id, replace(grown, carried_tokens=carried))

    def _new_batch(self) -> Batch:
        return Batch(max(self._session.context.n_batch, len(self.sequences)), len(self.sequences))

    def _end_all(self, error: str) -> Iterator[Answered]:
        """Nothing can be computed any more."""
        for answer in list(self._answers):
            yield from self._end(answer, "failed", error)
        while (request := self._line.take()) is not None:
            yield self._ended(request, "failed", error)

    def _give_way(self, answer: SharedAnswer) -> Answered:
        answer.free()
        self._answers.remove(answer)
        self._line.put_back(answer.request)
        return Answered(answer.request.id, AnswerRestarted(time.perf_counter_ns()))

    def _end(self, answer: SharedAnswer, reason: FinishReason, error: str = "") -> Iterator[Answered]:
        self._answers.remove(answer)
        self._cancelled.discard(answer.request.id)
        answer.finish_reason, answer.error = reason, error
        for event in (*self._sample_memory(), *answer.end(self._sampled)):
            yield Answered(answer.request.id, event)

    # -- a step -------------------------------------------------------------------------------------------------------

    def _step(self) -> Iterator[Answered]:
        answers, batch = list(self._answers), self._batch
        given = self._shares()
        batch.clear()
        for answer in answers:
            answer.put_into(batch, given.get(answer.request.id, 0))
        taking_part = sum(1 for answer in answers if answer.takes_part)
        started_ns = time.perf_counter_ns()
        status = batch.decode(self._session.context.handle)
        ended_ns = time.perf_counter_ns()
        for answer in answers:
            answer.keep_decoded(is_whole=status == 0)
        if status not in (0, ABORTED):
            yield from self._fail(answers, status)
            return
        read = sum(given.values())
        if status == 0 and read:
            self._session.pace.observe(read, ended_ns - started_ns)
        events: list[Answered] = []
        for answer in answers:
            events.extend(
                Answered(answer.request.id, event) for event in self._after_step(answer, taking_part, ended_ns)
            )
        # Every instant is taken before anything is handed on.
        yield from events
        for answer in [each for each in answers if each.finish_reason is not None]:
            assert answer.finish_reason is not None
            yield from self._end(answer, answer.finish_reason)
        for sample in self._sample_memory():
            for answer in self._answers:
                yield Answered(answer.request.id, sample)

    def _after_step(self, answer: SharedAnswer, taking_part: int, ended_ns: int) -> Iterator[GenerationEvent]:
        if answer.takes_part:
            answer.note_step(taking_part)
            if answer.is_first:
                yield answer.progress(ended_ns)
        if answer.wants_token:
            self._sampled += 1
            if (tokens := answer.sample(self._sampled)) is not None:
                yield tokens

    def _shares(self) -> dict[str, int]:
        """Return how many tokens of which prompts this step reads: users' first, bounded while others write."""
        readers = [answer for answer in self._answers if answer.unread_tokens]
        writers = len(self._answers) - len(readers)
        if not readers:
            return {}
        room = self._session.context.n_batch - writers
        budget = min(self._session.pace.chunk(BESIDE_S if writers else None), room)
        given: dict[str, int] = {}
        for is_background in (False, True):
            group = [answer for answer in readers if answer.request.is_background == is_background]
            parts = shares(budget, [answer.unread_tokens for answer in group])
            given |= {answer.request.id: part for answer, part in zip(group, parts, strict=True)}
            budget -= sum(parts)
        return given

    def _fail(self, answers: list[SharedAnswer], status: int) -> Iterator[Answered]:
        for answer in answers:
            yield from self._end(answer, "failed", not_computed(status))
