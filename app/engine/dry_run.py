"""Dry runs: what llama.cpp would allocate for a context, measured in a child process and remembered on disk."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, cast

from app import errors
from app.engine.channel import ListDevices, Measure, Result
from app.engine.child_process import ChildProcess
from app.engine.dry_run_cache import DryRunCache, file_identity
from app.engine.local_devices import local_devices
from app.errors import Sentence, joined
from app.reasons import reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from app.engine.config import ModelConfig
    from app.engine.events import Device
    from app.engine.measured import Measured

_LOAD_S = 60.0
_CONTEXT_S = 20.0
_CLOSE_S = 1.5


class DryRuns:
    """Asks a child process of its own, which keeps the last model, and remembers the answers.

    Driven by one thread; only `cancel` may be called from another. Every question raises TokometerError with one
    sentence when it cannot be answered, also when the child dies or does not answer in time.
    """

    def __init__(self, cache_folder: Path, cache: DryRunCache | None = None) -> None:
        self._folder = cache_folder
        self._cache = cache or DryRunCache(cache_folder / "dry_runs.json")
        self._child: ChildProcess | None = None
        self._child_for: object = None
        self._cancelled = False
        self.children_started = 0

    def twin(self) -> DryRuns:
        """Return dry runs for another thread that know at once what these find; its child is another."""
        return DryRuns(self._folder, self._cache)

    @property
    def pid(self) -> int | None:
        """The child's process id, None without one."""
        return self._child.pid if self._child else None

    def devices(self, rpc_servers: tuple[str, ...] = ()) -> tuple[Device, ...]:
        """Return the devices ggml knows, with their memory now. A build without GPU backends needs no child for it."""
        devices = local_devices() if not rpc_servers else None
        if devices is None:
            child = self._child_of(self._child_for if self._knows(rpc_servers) else (rpc_servers, None))
            devices = cast("tuple[Device, ...]", next(self._ask(child, ListDevices(rpc_servers), 0)))
        return devices

    def known(self, config: ModelConfig, devices: Sequence[Device]) -> dict[int, Measured]:
        """Return what is remembered of this config at any context length, by `n_ctx` asked for."""
        return self._cache.family(config, devices)

    def measure(self, configs: Sequence[ModelConfig], devices: Sequence[Device]) -> tuple[Measured, ...]:
        """Return one `Measured` per config, in order. Every config names its `n_ctx` and its `n_gpu_layers`."""
        found = {config: self._cache.find(config, devices) for config in configs}
        missing = tuple(config for config, measured in found.items() if measured is None)
        if missing:
            child = self._child_of((missing[0].rpc_servers, file_identity(missing[0].path)))
            answers = self._ask(child, Measure(missing), len(missing))
            try:
                for config, answer in zip(missing, answers, strict=False):
                    found[config] = cast("Measured", answer)
                    self._cache.remember(config, devices, cast("Measured", answer))
                next(answers, None)
            finally:
                self._cache.save()
        return tuple(cast("Measured", found[config]) for config in configs)

    def cancel(self) -> None:
        """End a running question: it raises."""
        self._cancelled = True
        child = self._child
        if child is not None:
            child.kill()

    def close(self) -> None:
        """End the child. The next question starts another."""
        child, self._child = self._child, None
        if child is not None:
            child.close(_CLOSE_S)

    def _knows(self, rpc_servers: tuple[str, ...]) -> bool:
        return self._child is not None and isinstance(self._child_for, tuple) and self._child_for[0] == rpc_servers

    def _child_of(self, purpose: object) -> ChildProcess:
        """Return a child for these servers and this file: what a process has once registered or read stays in it."""
        if self._child is None or self._child_for != purpose:
            self.close()
            try:
                self._child = ChildProcess()
            except OSError as error:
                raise errors.EngineError(
                    Sentence("The measuring process could not be started: {error}.", error=reason_of(error))
                ) from None
            self._child_for = purpose
            self.children_started += 1
        return self._child

    def _ask(self, child: ChildProcess, question: object, answers: int) -> Iterator[object]:
        """Yield that many messages, then the value of the closing `Result`."""
        self._cancelled = False
        try:
            child.channel.send(question)
            for number in range(answers + 1):
                with _within(_CONTEXT_S if number else _LOAD_S, child):
                    message = child.channel.receive()
                if isinstance(message, Result):
                    if message.error:
                        raise getattr(errors, message.error_class, errors.EngineError)(message.error)
                    if answers == 0:
                        yield message.value
                    return
                yield message
        except (EOFError, OSError):
            self._child = None
            outcome, last_line = child.end(_CLOSE_S), child.last_line()
            if self._cancelled:
                raise errors.EngineError(Sentence("Measuring the memory was cancelled.")) from None
            sentence: str = Sentence(
                "The memory cannot be measured: the process that does it ended ({outcome}).", outcome=outcome
            )
            if last_line:
                sentence = joined([sentence, Sentence("Its last words: {line}", line=last_line)])
            raise errors.EngineCrashedError(sentence) from None


@contextlib.contextmanager
def _within(seconds: float, child: ChildProcess) -> Iterator[None]:
    timer = threading.Timer(seconds, child.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
