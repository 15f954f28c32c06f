"""What a load would take, and the devices' memory, asked from the GUI thread: one thread for what is calculated and one
for what is measured, so that a measurement under way never holds up an estimate."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject

from app.errors import TokometerError
from ui.owner_thread import OwnerThread

if TYPE_CHECKING:
    from app.engine.config import ModelConfig
    from app.engine.events import Device
    from app.telemetry.plan import Plan
    from app.telemetry.planner import Planner

T = TypeVar("T")
MakePlanners = Callable[[], "tuple[Planner, Planner]"]

SHUTDOWN_TIMEOUT_MS = 2000


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why the planner cannot say, in one sentence."""

    reason: str


class PlannerThread(OwnerThread):
    """Drives one `Planner`, got from `make_planner` inside the thread when it is first asked, for life.

    Questions belong to a channel, one for each thing that shows answers. Of a channel only the newest question counts:
    older ones that wait are skipped, and an answer that was overtaken is dropped.
    """

    def __init__(self, name: str, make_planner: Callable[[], Planner], parent: QObject | None = None) -> None:
        super().__init__(name, parent)
        self._make_planner = make_planner
        self._made: Planner | None = None
        self._last_ticket = 0
        self._newest: dict[str, int] = {}

    def ask(self, channel: str, question: Callable[[Planner], T], done: Callable[[T | NoAnswer], None]) -> None:
        """Call `done` in the GUI thread with what the planner answers, unless the channel asks again before that.

        Never once the thread is to end: it would start anew.
        """
        if self.is_closing:
            return
        self._last_ticket += 1
        ticket = self._newest[channel] = self._last_ticket
        if not self.isRunning():
            self.start()
        self.post(lambda: self._ask(channel, ticket, question, done))

    def forget(self, channel: str) -> None:
        """Nobody listens on this channel any more."""
        self._newest.pop(channel, None)

    def shutdown(self, timeout_ms: int) -> bool:
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


class PlannerWorker(QObject):
    """Asks the two planners; channels as in `PlannerThread`.

    An estimate counts with the devices that are handed in, so that it needs no process that asks for them.
    """

    def __init__(self, make_planners: MakePlanners, parent: QObject | None = None) -> None:
        """`make_planners` returns the one that estimates and the one that measures; called in one of their threads."""
        super().__init__(parent)
        self._make_planners = make_planners
        self._planners: tuple[Planner, Planner] | None = None
        self._making = threading.Lock()
        self._estimating = PlannerThread("planner", lambda: self._made()[0], self)
        self._measuring = PlannerThread("planner measuring", lambda: self._made()[1], self)

    def estimate(
        self, channel: str, config: ModelConfig, devices: tuple[Device, ...], done: Callable[[Plan | NoAnswer], None]
    ) -> None:
        """Plan within milliseconds."""

        def question(planner: Planner) -> Plan:
            planner.take_devices(config.rpc_servers, devices)
            return planner.plan(config, accuracy="estimate")

        self._estimating.ask(channel, question, done)

    def consult(
        self,
        channel: str,
        config: ModelConfig,
        devices: tuple[Device, ...],
        question: Callable[[Planner], T],
        done: Callable[[T | NoAnswer], None],
    ) -> None:
        """Ask the estimating planner something else about a load with this config."""

        def asked(planner: Planner) -> T:
            planner.take_devices(config.rpc_servers, devices)
            return question(planner)

        self._estimating.ask(channel, asked, done)

    def measure(
        self, channel: str, config: ModelConfig, devices: tuple[Device, ...], done: Callable[[Plan | NoAnswer], None]
    ) -> None:
        """Plan by a dry run; the first one of a model takes seconds."""

        def question(planner: Planner) -> Plan:
            planner.take_devices(config.rpc_servers, devices)
            return planner.plan(config, accuracy="dry run")

        self._measuring.ask(channel, question, done)

    def devices(
        self, channel: str, rpc_servers: tuple[str, ...], done: Callable[[tuple[Device, ...] | NoAnswer], None]
    ) -> None:
        """Ask for the devices and their memory now."""
        self._measuring.ask(channel, lambda planner: planner.devices(rpc_servers), done)

    def run(self, channel: str, job: Callable[[], T], done: Callable[[T | NoAnswer], None]) -> None:
        """Do something else that is not for the GUI thread, such as reading a file's header."""
        self._estimating.ask(channel, lambda _planner: job(), done)

    def forget(self, *channels: str) -> None:
        """Nobody listens on these channels any more."""
        for channel in channels:
            self._estimating.forget(channel)
            self._measuring.forget(channel)

    def release_servers(self) -> None:
        """Let RPC servers go at once: the processes connected to them are ended, and a question under way fails."""
        if self._planners is None:
            return
        for thread, planner in zip((self._estimating, self._measuring), self._planners, strict=True):
            planner.cancel()
            thread.post(planner.close)

    def shutdown(self, timeout_ms: int = SHUTDOWN_TIMEOUT_MS) -> bool:
        """End a measurement under way and both threads. Return whether that was done in time."""
        if self._planners is not None:
            self._planners[1].cancel()
        ended = [thread.shutdown(timeout_ms // 2) for thread in (self._estimating, self._measuring)]
        return all(ended)

    def _made(self) -> tuple[Planner, Planner]:
        with self._making:
            if self._planners is None:
                self._planners = self._make_planners()
            return self._planners


def make_planners() -> tuple[Planner, Planner]:
    """Return two planners of the real kind that remember dry runs together."""
    from app.engine.dry_run import DryRuns  # not above: they are needed in the planners' threads only
    from app.paths import paths
    from app.telemetry.planner import Planner

    measuring = DryRuns(paths().cache)
    return Planner(measuring.twin()), Planner(measuring)
