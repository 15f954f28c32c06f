"""Requests that wait to be answered: a user's go first, each kind in the order of asking."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.engine.request import GenerationRequest


class WaitingLine:
    """Two queues: what a user waits for, and what is written in the background."""

    def __init__(self) -> None:
        self._answers: deque[GenerationRequest] = deque()
        self._background: deque[GenerationRequest] = deque()

    def __len__(self) -> int:
        return len(self._answers) + len(self._background)

    @property
    def has_answer(self) -> bool:
        """Whether a user waits."""
        return bool(self._answers)

    def put(self, request: GenerationRequest) -> None:
        """Let one more wait."""
        (self._background if request.is_background else self._answers).append(request)

    def put_back(self, request: GenerationRequest) -> None:
        """Let one that was taken wait again, as the first of its kind."""
        (self._background if request.is_background else self._answers).appendleft(request)

    def take(self) -> GenerationRequest | None:
        """Return the next, None when nobody waits."""
        if self._answers:
            return self._answers.popleft()
        return self._background.popleft() if self._background else None

    def remove(self, is_unwanted: Callable[[GenerationRequest], bool]) -> list[GenerationRequest]:
        """Take out, and return, those that are not wanted any more."""
        waiting = [*self._answers, *self._background]
        gone = [request for request in waiting if is_unwanted(request)]
        ids = {request.id for request in gone}
        self.clear()
        for request in waiting:
            if request.id not in ids:
                self.put(request)
        return gone

    def clear(self) -> None:
        """Forget all."""
        self._answers.clear()
        self._background.clear()
