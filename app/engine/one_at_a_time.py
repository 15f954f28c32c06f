"""Answers to several requests, on an engine that writes one at a time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from app.engine.events import Answered, AnswerRestarted, GenerationFinished
from app.engine.waiting_line import WaitingLine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from app.engine.events import GenerationEvent
    from app.engine.request import GenerationRequest


class OneAtATime:
    """A user's requests in the order of asking; what is in the background gives way to them at its next event.

    Args:
        generate: writes one answer; its first event may end it at once.
        interrupt: makes `generate` end soon with the reason `cancelled`; called from any thread.
    """

    def __init__(
        self, generate: Callable[[GenerationRequest], Iterator[GenerationEvent]], interrupt: Callable[[], None]
    ) -> None:
        self._generate = generate
        self._interrupt = interrupt
        self._line = WaitingLine()
        self._current: GenerationRequest | None = None
        self._cancelled: set[str] = set()
        self._cancelled_at_ns = -1

    def submit(self, request: GenerationRequest) -> None:
        """Let one more wait."""
        self._line.put(request)

    def cancel(self, request_id: str) -> None:
        """End one answer, running or waiting; from any thread."""
        self._cancelled.add(request_id)
        current = self._current
        if current is not None and current.id == request_id:
            self._interrupt()

    def cancel_all(self, at_ns: int) -> None:
        """End all that was asked until then; from any thread. What runs is interrupted by the caller."""
        self._cancelled_at_ns = at_ns

    def serve(self) -> Iterator[Answered]:
        """Write all that wait. See `Engine.serve`."""
        while (request := self._line.take()) is not None:
            self._current = request
            try:
                yield from self._write(request)
            finally:
                self._current = None

    def _write(self, request: GenerationRequest) -> Iterator[Answered]:
        if self._is_cancelled(request):
            yield self._ended(request)
            return
        for event in self._generate(request):
            if isinstance(event, GenerationFinished):
                if event.finish_reason == "cancelled" and self._gives_way(request):
                    self._line.put_back(request)
                    yield Answered(request.id, AnswerRestarted(event.at_ns))
                else:
                    self._cancelled.discard(request.id)
                    yield Answered(request.id, event)
                return
            yield Answered(request.id, event)
            for gone in self._line.remove(self._is_cancelled):
                yield self._ended(gone)
            if request.id in self._cancelled or self._gives_way(request):
                self._interrupt()

    def _is_cancelled(self, request: GenerationRequest) -> bool:
        return request.id in self._cancelled or request.submitted_ns <= self._cancelled_at_ns

    def _gives_way(self, request: GenerationRequest) -> bool:
        return request.is_background and self._line.has_answer and not self._is_cancelled(request)

    def _ended(self, request: GenerationRequest) -> Answered:
        self._cancelled.discard(request.id)
        return Answered(request.id, GenerationFinished("cancelled", time.perf_counter_ns(), 0))
