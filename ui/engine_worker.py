"""The thread that owns the engine: loads and answers are asked by ticket, events come back with it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.engine.events import GenerationFinished, LoadFailed, ModelLoaded
from app.errors import TokometerError
from ui.owner_thread import OwnerThread

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
        self._observers: dict[int, tuple[Observer, tuple[type, ...]]] = {}
        self._run: Run | None = None
        self.event_emitted.connect(self._dispatch, Qt.ConnectionType.QueuedConnection)

    def load(self, config: ModelConfig, observe: Observer) -> int:
        """Load a model; what was asked before is cancelled first. Return the ticket of its events."""
        self.cancel()
        ticket = self._next_ticket(observe, ModelLoaded, LoadFailed)
        self.post(lambda: self._play(ticket, lambda engine: engine.load(config), self._load_ended))
        return ticket

    def generate(self, request: GenerationRequest, observe: Observer) -> int:
        """Write an answer. Return the ticket of its events."""
        ticket = self._next_ticket(observe, GenerationFinished)
        self.post(lambda: self._play(ticket, lambda engine: engine.generate(request), self._answer_ended))
        return ticket

    def measure(self, make_run: Callable[[Engine], Run], observe: Observer) -> int:
        """Go through a run, which may load other models. Return the ticket of its events."""
        from app.bench.runner import RunFinished  # not above: the first frame does without

        ticket = self._next_ticket(observe, RunFinished)

        def start(engine: Engine) -> Iterator[Any]:
            self._run = make_run(engine)
            return self._run.run()

        def ended(error: str, cancelled: bool) -> RunFinished:
            return RunFinished(cancelled, error)

        self.post(lambda: self._play(ticket, start, ended))
        return ticket

    def ask(self, question: Callable[[Engine], T], done: Callable[[T | None], None]) -> None:
        """Ask the idle engine something short; `done` gets None when it cannot say."""
        self.post(lambda: self._ask(question, done))

    def forget(self, done: Callable[[LoadedModel | None], None]) -> None:
        """Empty the KV cache once the running answer has ended; `done` gets the model as it is then."""
        self.post(lambda: self._forget(done))

    def unload(self) -> None:
        """Free the model; what was asked before is cancelled first."""
        self.cancel()
        self.post(lambda: self._engine().unload())

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
        observe(event)

    def _engine(self) -> Engine:
        if self._made is None:
            self._made = self._make_engine()
        return self._made

    def _play(self, ticket: int, start: Callable[[Engine], Iterator[Any]], ended: _MakeEnd) -> None:
        if ticket <= self._cancelled_ticket:
            self.event_emitted.emit(ticket, ended("", True))
            return
        try:
            engine = self._engine()
            is_begun = False
            for event in start(engine):
                if isinstance(event, GenerationFinished):
                    self._context_tokens = event.context_tokens
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
