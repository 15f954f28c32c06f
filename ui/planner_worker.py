"""The thread that owns the planner: what a load would take, and the devices' memory, asked from the GUI thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from app.errors import TokometerError
from ui.owner_thread import OwnerThread

if TYPE_CHECKING:
    from app.telemetry.planner import Planner
    from PySide6.QtCore import QObject

T = TypeVar("T")
MakePlanner = Callable[[], "Planner"]

SHUTDOWN_TIMEOUT_MS = 2000


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why the planner cannot say, in one sentence."""

    reason: str


class PlannerWorker(OwnerThread):
    """Drives one `Planner`, made by `make_planner` inside the thread when it is first asked, for life.

    Questions belong to a channel, one for each thing that shows answers. Of a channel only the newest question counts:
    older ones that wait are skipped, and an answer that was overtaken is dropped.
    """

    def __init__(self, make_planner: MakePlanner, parent: QObject | None = None) -> None:
        super().__init__("planner", parent)
        self._make_planner = make_planner
        self._made: Planner | None = None
        self._last_ticket = 0
        self._newest: dict[str, int] = {}

    def ask(self, channel: str, question: Callable[[Planner], T], done: Callable[[T | NoAnswer], None]) -> None:
        """Call `done` in the GUI thread with what the planner answers, unless the channel asks again before that."""
        self._last_ticket += 1
        ticket = self._newest[channel] = self._last_ticket
        if not self.isRunning():
            self.start()
        self.post(lambda: self._ask(channel, ticket, question, done))

    def forget(self, channel: str) -> None:
        """Nobody listens on this channel any more."""
        self._newest.pop(channel, None)

    def shutdown(self, timeout_ms: int = SHUTDOWN_TIMEOUT_MS) -> bool:
        """Free the planner and end the thread. Return whether that was done in time."""
        self._newest.clear()
        return self.close(timeout_ms)

    def release(self) -> None:
        """Close the planner."""
        if self._made is not None:
            self._made.close()

    def _ask(
        self,
        channel: str,
        ticket: int,
        question: Callable[[Planner], object],
        done: Callable[[Any], None],
    ) -> None:
        if self._newest.get(channel) != ticket:
            return
        answer: object
        try:
            if self._made is None:
                self._made = self._make_planner()
            answer = question(self._made)
        except TokometerError as error:
            answer = NoAnswer(str(error))
        self.answer(lambda result: self._tell(channel, ticket, done, result), answer)

    def _tell(self, channel: str, ticket: int, done: Callable[[Any], None], result: object) -> None:
        if self._newest.get(channel) == ticket:
            done(result)


def make_planner() -> Planner:
    """Return a planner of the real kind."""
    from app.engine.dry_run import DryRuns  # not above: they are needed in the planner's thread only
    from app.paths import paths
    from app.telemetry.planner import Planner

    return Planner(DryRuns(paths().cache))
