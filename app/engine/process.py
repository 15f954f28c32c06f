"""EngineProcess: a `LlamaEngine` in a child process, which may die without taking the window along."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from app import errors
from app.engine.bench import BenchFinished
from app.engine.channel import (
    Bench,
    Cancel,
    CountTokens,
    Discard,
    Foresee,
    Forget,
    ListDevices,
    Load,
    Result,
    Submit,
    WarmUpBegun,
)
from app.engine.child_process import ChildProcess, not_started
from app.engine.dry_run import DryRuns
from app.engine.events import (
    Answered,
    ContextGrown,
    GenerationEvent,
    GenerationFinished,
    LoadedModel,
    LoadEvent,
    LoadFailed,
    ModelLoaded,
)
from app.engine.local_devices import local_devices
from app.engine.settle import refused, settle
from app.engine.states import StateFolder
from app.errors import Sentence, joined
from app.paths import paths

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from app.chat.message import Message
    from app.engine.bench import BenchEvent, BenchRequest
    from app.engine.config import ModelConfig
    from app.engine.events import Device
    from app.engine.request import Foreseen, GenerationRequest
    from app.engine.self_test import SelfTests
    from app.engine.states import StateBudget

logger = logging.getLogger(__name__)

_CLOSE_S = 1.5
_HUNG_S = 10.0
REPACKING_NOTE = Sentence(
    "This build of llama.cpp crashes on this CPU when it repacks weights, so Tokometer switched repacking off: "
    "prefill is slower than it could be. A newer build may be free of it (see “tokometer doctor”)."
)


class EngineProcess:
    """The `Engine` in a spawned child; the default.

    The child's own resident memory is the measured memory, `unload` gives all of it back, and the end of the child, at
    any moment, becomes an event.
    """

    def __init__(self, self_tests: SelfTests) -> None:
        self._self_tests = self_tests
        self._dry_runs = DryRuns(paths().cache)
        self._child: ChildProcess | None = None
        self._model: LoadedModel | None = None
        self._busy = ""
        self._watchdog: threading.Timer | None = None
        self._cancelled_at_ns = 0
        self._loading = threading.Lock()
        self._is_loading = False
        self._outstanding: list[str] = []
        self._read_ahead: deque[Answered] = deque()
        self._last_words = ""

    @property
    def model(self) -> LoadedModel | None:
        """The loaded model, None when there is none or its process died."""
        return self._model

    @property
    def pid(self) -> int | None:
        """The child's process id, None without one."""
        return self._child.pid if self._child else None

    def load(self, config: ModelConfig) -> Iterator[LoadEvent]:
        """Start a fresh child and load there. See `Engine.load`.

        When it dies in its warm-up with weight repacking on, it is started again without.
        """
        started_ns = time.perf_counter_ns()
        if self._model is not None and (refusal := refused(config)) is not None:
            yield refusal
            return
        self.unload()
        automatic = config.use_extra_bufts is None
        verdict = self._self_tests.verdict() if automatic else None
        if automatic:
            config = replace(config, use_extra_bufts=verdict is None or verdict.repacking_is_safe)
        try:
            config, choice = settle(config, self._list_devices, self._dry_runs)
        except errors.TokometerError as error:
            self._end_child()
            yield LoadFailed(str(error), "bad_input" if isinstance(error, errors.BadInputError) else "failed")
            return
        repacks = automatic and bool(config.use_extra_bufts)
        died_in_warm_up = yield from self._load_once(config, choice, started_ns, retry=repacks)
        if died_in_warm_up:
            self._self_tests.remember(repacking_is_safe=False)
            logger.warning("the engine died in its warm-up: loading again without weight repacking")
            config = replace(config, use_extra_bufts=False)
            yield from self._load_once(config, choice, started_ns, retry=False, notes=(REPACKING_NOTE,))
        elif automatic and self._model is not None:
            self._self_tests.remember(repacking_is_safe=bool(config.use_extra_bufts))

    def _load_once(
        self, config: ModelConfig, choice: str, started_ns: int, *, retry: bool, notes: tuple[str, ...] = ()
    ) -> Generator[LoadEvent, None, bool]:
        """Load in a child; returns True, without a last event, when it died in its warm-up and `retry` is set.

        A cancel since `started_ns` ends the child: it may not listen yet, and half a model is worth nothing.
        """
        warming_up = False
        cancelled = LoadFailed(Sentence("Loading {file} was cancelled.", file=config.path.name), "cancelled")
        self._busy = Sentence("while it loaded the model")
        try:
            if self._cancelled_at_ns <= started_ns:
                self._child = self._child or ChildProcess()
                self._is_loading = True
            if self._child is None or self._cancelled_at_ns > started_ns:
                if self._child is not None:
                    self._child.kill()  # it may not have begun to listen
                self._end_child()
                yield cancelled
                return False
            self._child.channel.send(Load(config, choice))
            while True:
                event = self._child.channel.receive()
                if isinstance(event, WarmUpBegun):
                    warming_up = True
                    continue
                if not isinstance(event, ModelLoaded | LoadFailed):
                    yield cast("LoadEvent", event)
                    continue
                with self._loading:
                    self._is_loading = False
                self._calm()
                if isinstance(event, ModelLoaded) and self._cancelled_at_ns <= started_ns:
                    self._model = replace(event.model, notes=(*event.model.notes, *notes))
                    yield ModelLoaded(self._model)
                    return False
                self._end_child()
                yield event if isinstance(event, LoadFailed) else cancelled
                return False
        except (EOFError, OSError) as error:
            if self._child is not None and self._cancelled_at_ns > started_ns:
                self._end_child()
                yield cancelled
                return False
            if self._child is None:
                yield LoadFailed(not_started(error), "failed")
                return False
            sentence = self._bury()
            if warming_up and retry:
                return True
            yield LoadFailed(sentence, "crashed")
            return False

    def _list_devices(self, rpc_servers: tuple[str, ...]) -> Sequence[Device]:
        """Ask the child that will load, unless it is known that there is only the CPU."""
        found = local_devices() if not rpc_servers else None
        if found is not None:
            return found
        try:
            self._child = ChildProcess()
        except OSError as error:
            raise errors.EngineError(not_started(error)) from None
        return self.devices(rpc_servers)

    def generate(self, request: GenerationRequest) -> Iterator[GenerationEvent]:
        """Write one answer. See `Engine.generate`."""
        self.submit(request)
        for answered in self.serve():
            yield answered.event

    def submit(self, request: GenerationRequest) -> None:
        """Ask for one more answer. See `Engine.submit`."""
        self._outstanding.append(request.id)
        if request.submitted_ns <= self._cancelled_at_ns:
            self._end_ahead(request.id, GenerationFinished("cancelled", time.perf_counter_ns(), 0))
        elif self._child is None or self._model is None:
            sentence = Sentence("No model is loaded: open one first.")
            self._end_ahead(request.id, GenerationFinished("failed", time.perf_counter_ns(), 0, sentence))
        else:
            # A child that has just died is found dead by `serve`.
            with contextlib.suppress(OSError):
                self._child.channel.send(Submit(request))

    def serve(self) -> Iterator[Answered]:
        """Write all that was submitted. See `Engine.serve`."""
        while self._outstanding:
            self._busy = Sentence("while it answered")
            try:
                answered = self._next_answered()
            except (EOFError, OSError):
                self._last_words = self._bury()
                continue
            if isinstance(answered.event, GenerationFinished):
                self._outstanding.remove(answered.request_id)
                self._calm()
            elif isinstance(answered.event, ContextGrown) and self._model is not None:
                self._model = self._model.with_context(answered.event)
            yield answered

    def _next_answered(self) -> Answered:
        """Return the next event; of a child that is dead, the end of one answer after the other."""
        if self._read_ahead:
            return self._read_ahead.popleft()
        if self._child is None:
            crashed = GenerationFinished("crashed", time.perf_counter_ns(), 0, self._last_words)
            return Answered(self._outstanding[0], crashed)
        return cast("Answered", self._child.channel.receive())

    def _end_ahead(self, request_id: str, end: GenerationFinished) -> None:
        self._read_ahead.append(Answered(request_id, end))

    def bench(self, request: BenchRequest) -> Iterator[BenchEvent]:
        """Measure the loaded model. See `Engine.bench`."""
        if request.submitted_ns <= self._cancelled_at_ns:
            yield BenchFinished("cancelled", time.perf_counter_ns())
            return
        if self._child is None or self._model is None:
            yield BenchFinished("failed", time.perf_counter_ns(), Sentence("No model is loaded: open one first."))
            return
        self._busy = Sentence("while it measured")
        try:
            self._child.channel.send(Bench(request))
            while True:
                event = cast("BenchEvent", self._child.channel.receive())
                if isinstance(event, BenchFinished):
                    self._calm()
                    yield event
                    return
                yield event
        except (EOFError, OSError):
            yield BenchFinished("crashed", time.perf_counter_ns(), self._bury())

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Return the size in tokens of the rendered prompt."""
        if self._child is None or self._model is None:
            raise errors.EngineError(Sentence("No model is loaded: open one first."))
        return cast("int", self._ask(CountTokens(tuple(messages))))

    def foresee(self, request: GenerationRequest) -> Foreseen:
        """Return what a request would find."""
        if self._child is None or self._model is None:
            raise errors.EngineError(Sentence("No model is loaded: open one first."))
        return cast("Foreseen", self._ask(Foresee(request)))

    def devices(self, rpc_servers: tuple[str, ...] = ()) -> tuple[Device, ...]:
        """Return the devices ggml knows; a child is started for the question when none runs."""
        if self._child is not None:
            return cast("tuple[Device, ...]", self._ask(ListDevices(rpc_servers)))
        self._child = ChildProcess()
        try:
            return cast("tuple[Device, ...]", self._ask(ListDevices(rpc_servers)))
        finally:
            self._end_child()

    def _ask(self, question: CountTokens | Foresee | ListDevices) -> object:
        assert self._child is not None
        self._busy = Sentence("while it was asked")
        try:
            self._child.channel.send(question)
            result = self._receive_result()
        except (EOFError, OSError):
            self._last_words = self._bury()
            raise errors.EngineCrashedError(self._last_words) from None
        if not self._outstanding:
            self._calm()
        if result.error:
            raise getattr(errors, result.error_class, errors.EngineError)(result.error)
        return result.value

    def _receive_result(self) -> Result:
        """Wait for the answer to a question; events of answers under way that come before it are kept for `serve`."""
        assert self._child is not None
        while isinstance(message := self._child.channel.receive(), Answered):
            self._read_ahead.append(message)
        return cast("Result", message)

    def forget(self) -> LoadedModel | None:
        """Empty the KV cache; a context that has grown becomes small again."""
        if self._child is None or self._model is None:
            return None
        self._busy = Sentence("while it forgot a conversation")
        try:
            self._child.channel.send(Forget())
            model = cast("LoadedModel | None", cast("Result", self._child.channel.receive()).value)
        except (EOFError, OSError):
            self._calm()
            logger.info("the engine had died before it was told to forget")  # who asks next reports that
            return self._model
        self._calm()
        self._model = None if model is None else self._model.with_context(model)
        return self._model

    def discard(self, conversation_id: str, states: StateBudget) -> None:
        """Delete the saved states of a conversation, whether a child runs or not."""
        if self._child is not None:
            self._busy = Sentence("while it forgot a conversation")
            try:
                self._child.channel.send(Discard(conversation_id, states))
                self._receive_result()
            except (EOFError, OSError):
                logger.info("the engine had died before it was told to discard")  # who asks next reports that
            if not self._outstanding:
                self._calm()
        if states.folder is not None:
            StateFolder(states.folder).remove(conversation_id)

    def cancel(self, request_id: str = "") -> None:
        """End the running load, answer or bench soon; a child that does not obey for 10 s is ended."""
        now = time.perf_counter_ns()
        if not request_id:
            self._cancelled_at_ns = now
            self._dry_runs.cancel()
        child = self._child
        if child is None:
            return
        with self._loading:
            if self._is_loading:
                if not request_id:
                    child.kill()
                return
        try:
            child.channel.send(Cancel(now, request_id))
        except (OSError, ValueError):
            return  # it has just ended; whoever reads its channel reports that
        is_running = request_id in self._outstanding if request_id else bool(self._busy)
        if is_running and self._watchdog is None:
            self._watchdog = threading.Timer(_HUNG_S, child.kill)
            self._watchdog.daemon = True
            self._watchdog.start()

    def kill(self) -> None:
        """End the child at once, from any thread: the last resort when the window must close."""
        child = self._child
        if child is not None:
            child.kill()

    def unload(self) -> None:
        """End the child: all its memory is given back."""
        self._end_child()

    def close(self) -> None:
        """End the child; the engine cannot be used again."""
        self._end_child()

    def _calm(self) -> None:
        self._busy = ""
        watchdog, self._watchdog = self._watchdog, None
        if watchdog is not None:
            watchdog.cancel()

    def _end_child(self) -> None:
        child, self._child, self._model = self._child, None, None
        self._is_loading = False
        self._outstanding.clear()
        self._read_ahead.clear()
        self._calm()
        if child is not None:
            child.close(_CLOSE_S)

    def _bury(self) -> str:
        """Take note of the child's death; return one sentence about it."""
        child, self._child, self._model = self._child, None, None
        self._is_loading = False
        busy = self._busy
        self._calm()
        assert child is not None
        outcome = child.end(_CLOSE_S)
        last_line = child.last_line()
        sentence: str = Sentence("The engine's process ended {busy} ({outcome}).", busy=busy, outcome=outcome)
        if last_line:
            sentence = joined([sentence, Sentence("Its last words: {line}", line=last_line)])
        logger.error("%s", sentence)
        return sentence
