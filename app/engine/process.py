"""EngineProcess: a `LlamaEngine` in a child process, which may die without taking the window along."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import app
from app import errors
from app.engine.bench import BenchFinished
from app.engine.channel import (
    Bench,
    Cancel,
    Channel,
    Close,
    CountTokens,
    Forget,
    Generate,
    ListDevices,
    Load,
    Result,
    WarmUpBegun,
)
from app.engine.events import (
    GenerationEvent,
    GenerationFinished,
    LoadedModel,
    LoadEvent,
    LoadFailed,
    ModelLoaded,
)
from app.errors import Sentence, joined

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from app.chat.message import Message
    from app.engine.bench import BenchEvent, BenchRequest
    from app.engine.config import ModelConfig
    from app.engine.events import Device
    from app.engine.request import GenerationRequest
    from app.engine.self_test import SelfTests

logger = logging.getLogger(__name__)

_CLOSE_S = 1.5
_HUNG_S = 10.0
_KEPT_LINES = 60
_FAULTHANDLER_MARKS = ("Fatal Python error", "Current thread", "Thread 0x", "  File ", "Extension modules", "  <")
REPACKING_NOTE = Sentence(
    "This build of llama.cpp crashes on this CPU when it repacks weights, so Tokometer switched repacking off: "
    "prefill is slower than it could be. A newer build may be free of it (see `tokometer doctor`)."
)


class _Child:
    """One child process with its channel and the end of its standard error."""

    def __init__(self) -> None:
        root = str(Path(app.__file__).resolve().parent.parent)
        environment = dict(os.environ)
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (root, environment.get("PYTHONPATH"))))
        environment["PYTHONIOENCODING"] = "utf-8"
        environment.setdefault("GGML_NO_BACKTRACE", "1")  # else ggml_abort starts a debugger
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "app.engine.llama.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.channel = Channel(cast(BinaryIO, self._process.stdout), cast(BinaryIO, self._process.stdin))
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self._reader = threading.Thread(target=self._read_errors, name="engine-stderr", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            for raw in stream:
                line = raw.decode("utf-8", "replace").rstrip()
                self._lines.append(line)
                logger.info("engine: %s", line)

    def kill(self) -> None:
        self._process.kill()

    def end(self, wait_s: float) -> str:
        """Wait for the child to end, kill it when it does not; return what became of it, for a sentence."""
        killed = False
        try:
            self._process.wait(wait_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            killed = True
        self.channel.close()
        self._reader.join(1.0)
        if killed:
            return Sentence("it did not answer and was ended")
        return _describe_exit(self._process.returncode)

    def last_line(self) -> str:
        """The last thing native code said before it died."""
        said = [line for line in self._lines if line.strip() and not line.startswith(_FAULTHANDLER_MARKS)]
        return said[-1].strip()[:300] if said else ""


def _describe_exit(status: int) -> str:
    if status < 0:
        name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
        hints = {
            "SIGSEGV": Sentence("a segmentation fault in native code"),
            "SIGABRT": Sentence("native code gave up"),
            "SIGILL": Sentence("this build uses an instruction this CPU does not have"),
            "SIGKILL": Sentence("it was killed, often by the system when memory runs out"),
            "SIGBUS": Sentence("the model file changed or could not be read"),
        }
        return Sentence("{signal}: {hint}", signal=name, hint=hints[name]) if name in hints else name
    return Sentence("exit status {status}", status=f"{status:#x}" if status > 255 else status)


class EngineProcess:
    """The `Engine` in a spawned child; the default.

    The child's own resident memory is the measured memory, `unload` gives all of it back, and the end of the child, at
    any moment, becomes an event.
    """

    def __init__(self, self_tests: SelfTests) -> None:
        self._self_tests = self_tests
        self._child: _Child | None = None
        self._model: LoadedModel | None = None
        self._busy = ""
        self._watchdog: threading.Timer | None = None
        self._cancelled_at_ns = 0

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
        self.unload()
        automatic = config.use_extra_bufts is None
        verdict = self._self_tests.verdict() if automatic else None
        if automatic:
            config = replace(config, use_extra_bufts=verdict is None or verdict.repacking_is_safe)
        died_in_warm_up = yield from self._load_once(config, retry=automatic and bool(config.use_extra_bufts))
        if died_in_warm_up:
            self._self_tests.remember(repacking_is_safe=False)
            logger.warning("the engine died in its warm-up: loading again without weight repacking")
            yield from self._load_once(replace(config, use_extra_bufts=False), retry=False, notes=(REPACKING_NOTE,))
        elif automatic and self._model is not None:
            self._self_tests.remember(repacking_is_safe=bool(config.use_extra_bufts))

    def _load_once(
        self, config: ModelConfig, *, retry: bool, notes: tuple[str, ...] = ()
    ) -> Generator[LoadEvent, None, bool]:
        """Load in a new child; returns True, without a last event, when it died in its warm-up and `retry` is set."""
        warming_up = False
        self._busy = Sentence("while it loaded the model")
        try:
            self._child = _Child()
            self._child.channel.send(Load(config))
            while True:
                event = self._child.channel.receive()
                if isinstance(event, WarmUpBegun):
                    warming_up = True
                    continue
                if isinstance(event, ModelLoaded):
                    self._model = replace(event.model, notes=(*event.model.notes, *notes))
                    event = ModelLoaded(self._model)
                if isinstance(event, LoadFailed):
                    self._calm()
                    self._end_child()
                    yield event
                    return False
                if isinstance(event, ModelLoaded):
                    self._calm()
                    yield event
                    return False
                yield cast("LoadEvent", event)
        except (EOFError, OSError) as error:
            if self._child is None:
                yield LoadFailed(Sentence("The engine's process could not be started: {error}.", error=error), "failed")
                return False
            sentence = self._bury()
            if warming_up and retry:
                return True
            yield LoadFailed(sentence, "crashed")
            return False

    def generate(self, request: GenerationRequest) -> Iterator[GenerationEvent]:
        """Write one answer. See `Engine.generate`."""
        if request.submitted_ns <= self._cancelled_at_ns:
            yield GenerationFinished("cancelled", time.perf_counter_ns(), 0)
            return
        if self._child is None or self._model is None:
            yield GenerationFinished(
                "failed", time.perf_counter_ns(), 0, Sentence("No model is loaded: open one first.")
            )
            return
        self._busy = Sentence("while it answered")
        try:
            self._child.channel.send(Generate(request))
            while True:
                event = cast("GenerationEvent", self._child.channel.receive())
                if isinstance(event, GenerationFinished):
                    self._calm()
                    yield event
                    return
                yield event
        except (EOFError, OSError):
            yield GenerationFinished("crashed", time.perf_counter_ns(), 0, self._bury())

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

    def devices(self) -> tuple[Device, ...]:
        """Return the devices ggml knows; a child is started for the question when none runs."""
        if self._child is not None:
            return cast("tuple[Device, ...]", self._ask(ListDevices()))
        self._child = _Child()
        try:
            return cast("tuple[Device, ...]", self._ask(ListDevices()))
        finally:
            self._end_child()

    def _ask(self, question: CountTokens | ListDevices) -> object:
        assert self._child is not None
        self._busy = Sentence("while it was asked")
        try:
            self._child.channel.send(question)
            result = cast("Result", self._child.channel.receive())
        except (EOFError, OSError):
            raise errors.EngineCrashedError(self._bury()) from None
        self._calm()
        if result.error:
            raise getattr(errors, result.error_class, errors.EngineError)(result.error)
        return result.value

    def forget(self) -> None:
        """Empty the KV cache."""
        if self._child is not None:
            try:
                self._child.channel.send(Forget())
            except OSError:
                logger.info("the engine had died before it was told to forget")

    def cancel(self) -> None:
        """End the running load, answer or bench soon; a child that does not obey for 10 s is ended."""
        self._cancelled_at_ns = time.perf_counter_ns()
        child = self._child
        if child is None:
            return
        try:
            child.channel.send(Cancel(self._cancelled_at_ns))
        except (OSError, ValueError):
            return  # it has just ended; whoever reads its channel reports that
        if self._busy and self._watchdog is None:
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
        self._calm()
        if child is None:
            return
        with contextlib.suppress(OSError, ValueError):  # it may have ended already
            child.channel.send(Close())
        child.end(_CLOSE_S)

    def _bury(self) -> str:
        """Take note of the child's death; return one sentence about it."""
        child, self._child, self._model = self._child, None, None
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
