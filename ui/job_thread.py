"""A thread for jobs that are not for the GUI thread; each answers once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from app.errors import TokometerError
from ui.owner_thread import OwnerThread

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NotKnown:
    """Why there is no answer, in one sentence."""

    reason: str


class JobThread(OwnerThread):
    """Runs jobs one after another; starts with the first."""

    def run_job(self, job: Callable[[], T], done: Callable[[T | NotKnown], None]) -> None:
        """Call `done` in the GUI thread with what the job returns; never once the thread is to end."""
        if self.is_closing:
            return
        if not self.isRunning():
            self.start()
        self.post(lambda: self._run_job(job, done))

    def _run_job(self, job: Callable[[], T], done: Callable[[T | NotKnown], None]) -> None:
        if self.is_closing:
            return
        result: T | NotKnown
        try:
            result = job()
        except TokometerError as error:
            result = NotKnown(str(error))
        self.answer(done, result)
