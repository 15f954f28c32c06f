"""The thread that owns the engine: loads and answers are asked by ticket, events come back with it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.engine.events import GenerationFinished, LoadFailed, ModelLoaded
from app.errors import TokometerError
from ui.owner_thread import Job, OwnerThread

if TYPE_CHECKING:
    from app.engine.base import Engine
    from app.engine.config import ModelConfig
    from app.engine.events import FinishReason, LoadedModel
    from app.engine.request import GenerationRequest

T = TypeVar("T")
Observer = Callable[[Any], None]
"""Takes the events of a load, of an answer or of a run."""
_MakeEnd = Callable[[str, bool], Any]

SHUTDOWN_TIMEOUT_MS = 3000


class Run(Protocol):
    """Something that takes longer and uses the engine in its own way, such as `app.bench.runner.BenchRun`."""

    def run(self) -> Iterator[Any]:
        """Go through; the last event is `app.bench.runner.RunFinished`."""

    def cancel(self) -> None:
        """End soon; called from another thread."""


class EngineWorker(OwnerThread):
    """Drives one `Engine`, made by `make_engine` inside the thread, for life.

    An observer is called in the GUI thread with each event of what it asked for; the last is always `ModelLoaded`,
    `LoadFailed`, `GenerationFinished` or, of a run, `RunFinished`.

    Signals:
        event_emitted: ticket (int) and the event: the only crossing from the engine's thread.
    """

    event_emitted = Signal(int, object)

    def __init__(self, make_engine: Callable[[], Engine], parent: QObject | None = None) -> None:
        super().__init__("engine", parent)
        self._make_engine = make_engine
        self._made: Engine | None = None
        self._context_tokens = 0
        self._last_ticket = 0
        self._cancelled_ticket = 0
        self._beside: deque[tuple[int, Job]] = deque()
        self._barriers_posted = self._barriers_passed = 0
        self._requests: dict[int, GenerationRequest] = {}
        self._stopped: set[int] = set()
        self._under_way: dict[str, int] = {}
        self._observers: dict[int, tuple[Observer, tuple[type, ...]]] = {}
        self._run: Run | None = None
        self.event_emitted.connect(self._dispatch, Qt.ConnectionType.QueuedConnection)

    def load(self, config: ModelConfig, observe: Observer) -> int:
        """Load a model; what was asked before is cancelled first. Return the ticket of its events."""
        self.cancel()
        ticket = self._next_ticket(observe, ModelLoaded, LoadFailed)
        self._post_alone(lambda: self._play(ticket, lambda engine: engine.load(config), self._load_ended))
        return ticket

    def generate(self, request: GenerationRequest, observe: Observer) -> int:
        """Write an answer, beside or after those under way. Return the ticket of its events."""
        ticket = self._next_ticket(observe, GenerationFinished)
        self._requests[ticket] = request
        self._post_beside(lambda: self._submit(ticket, request))
        return ticket

    def stop(self, ticket: int) -> None:
        """End soon one answer, running or waiting; others go on."""
        request = self._requests.get(ticket)
        if request is None:
            return
        self._stopped.add(ticket)
        if self._made is not None:
            self._made.cancel(request.id)

    def measure(self, make_run: Callable[[Engine], Run], observe: Observer) -> int:
        """Go through a run, which may load other models. Return the ticket of its events."""
        from app.bench.runner import RunFinished  # not above: it is slow, and comes in a thread

        ticket = self._next_ticket(observe, RunFinished)

        def start(engine: Engine) -> Iterator[Any]:
            self._run = make_run(engine)
            return self._run.run()

        def ended(error: str, cancelled: bool) -> RunFinished:
            return RunFinished(cancelled, error)

        self._post_alone(lambda: self._play(ticket, start, ended))
        return ticket

    def ask(self, question: Callable[[Engine], T], done: Callable[[T | None], None]) -> None:
        """Ask the engine something short, between two events of answers under way; `done` gets None for no answer."""
        self._post_beside(lambda: self._ask(question, done))

    def forget(self, done: Callable[[LoadedModel | None], None]) -> None:
        """Empty the KV cache once the answers under way have ended; `done` gets the model as it is then."""
        self._post_alone(lambda: self._forget(done))

    def unload(self) -> None:
        """Free the model; what was asked before is cancelled first."""
        self.cancel()
        self._post_alone(lambda: self._engine().unload())

    def cancel(self) -> None:
        """End soon whatever was asked so far, running or waiting."""
        self._cancelled_ticket = self._last_ticket
        self._stop()

    def shutdown(self, timeout_ms: int = SHUTDOWN_TIMEOUT_MS) -> bool:
        """Cancel, free the engine and end the thread. Return whether that was done in time."""
        self.cancel()
        if self.close(timeout_ms // 2):
            return True
        from app.engine.process import EngineProcess  # not above: the engine's thread imports it

        if isinstance(self._made, EngineProcess):
            self._made.kill()
        return self.close(timeout_ms // 2)

    def release(self) -> None:
        """Close the engine."""
        if self._made is not None:
            self._made.close()

    def _stop(self) -> None:
        """End soon what runs now; from any thread."""
        run = self._run
        if run is not None:
            run.cancel()
        if self._made is not None:
            self._made.cancel()

    def _next_ticket(self, observe: Observer, *last: type) -> int:
        self._last_ticket += 1
        self._observers[self._last_ticket] = (observe, last)
        return self._last_ticket

    @Slot(int, object)
    def _dispatch(self, ticket: int, event: object) -> None:
        observe, last = self._observers[ticket]
        if isinstance(event, last):
            del self._observers[ticket]
            self._requests.pop(ticket, None)
            self._stopped.discard(ticket)
        observe(event)

    def _engine(self) -> Engine:
        if self._made is None:
            self._made = self._make_engine()
        return self._made

    # -- the engine's thread ------------------------------------------------------------------------------------------

    def _post_alone(self, job: Job) -> None:
        """Post what needs the engine for itself: whatever is posted later waits until it is done."""
        self._barriers_posted += 1
        self.post(self._pass_barrier)
        self.post(job)

    def _pass_barrier(self) -> None:
        self._barriers_passed += 1

    def _post_beside(self, job: Job) -> None:
        """Post what can be done while answers are written, after all that was posted alone before."""
        self._beside.append((self._barriers_posted, job))
        self.post(self._work_beside)

    def _work_beside(self) -> None:
        self._do_beside()
        if self._under_way:
            self._write_answers()

    def _do_beside(self) -> None:
        while self._beside and self._beside[0][0] <= self._barriers_passed:
            self._beside.popleft()[1]()

    def _submit(self, ticket: int, request: GenerationRequest) -> None:
        if ticket <= self._cancelled_ticket or ticket in self._stopped:
            self.event_emitted.emit(ticket, self._answer_ended("", True))
            return
        try:
            self._engine().submit(request)
        except TokometerError as error:
            self.event_emitted.emit(ticket, self._answer_ended(str(error), False))
            return
        self._under_way[request.id] = ticket
        # Once again: a cancel may have come while the engine did not know of it yet.
        if ticket in self._stopped:
            self._engine().cancel(request.id)

    def _write_answers(self) -> None:
        begun: set[int] = set()
        error = ""
        try:
            for answered in self._engine().serve():
                ticket, event = self._under_way[answered.request_id], answered.event
                if isinstance(event, GenerationFinished):
                    self._context_tokens = event.context_tokens
                    del self._under_way[answered.request_id]
                self.event_emitted.emit(ticket, event)
                if ticket not in begun and ticket <= self._cancelled_ticket:
                    self._stop()
                begun.add(ticket)
                self._do_beside()
        except TokometerError as failed:
            error = str(failed)
        except Exception:
            error = self.tr("The engine failed unexpectedly.")
            raise
        finally:
            for ticket in self._under_way.values():
                self.event_emitted.emit(ticket, self._answer_ended(error, False))
            self._under_way.clear()

    def _play(self, ticket: int, start: Callable[[Engine], Iterator[Any]], ended: _MakeEnd) -> None:
        if ticket <= self._cancelled_ticket:
            self.event_emitted.emit(ticket, ended("", True))
            return
        try:
            engine = self._engine()
            is_begun = False
            for event in start(engine):
                self.event_emitted.emit(ticket, event)
                # Once again at the first event: a cancel may have come while the engine was not listening yet.
                if not is_begun and ticket <= self._cancelled_ticket:
                    self._stop()
                is_begun = True
        except TokometerError as error:
            self.event_emitted.emit(ticket, ended(str(error), False))
        except Exception:
            self.event_emitted.emit(ticket, ended(self.tr("The engine failed unexpectedly."), False))
            raise
        finally:
            self._run = None

    def _load_ended(self, error: str, cancelled: bool) -> LoadFailed:
        return LoadFailed(error or self.tr("The load was cancelled."), "cancelled" if cancelled else "failed")

    def _answer_ended(self, error: str, cancelled: bool) -> GenerationFinished:
        reason: FinishReason = "cancelled" if cancelled else "failed"
        return GenerationFinished(reason, time.perf_counter_ns(), self._context_tokens, error)

    def _forget(self, done: Callable[[LoadedModel | None], None]) -> None:
        model = self._engine().forget()
        self._context_tokens = 0
        self.answer(done, model)

    def _ask(self, question: Callable[[Engine], T], done: Callable[[T | None], None]) -> None:
        try:
            result = question(self._engine())
        except TokometerError:
            result = None
        self.answer(done, result)
