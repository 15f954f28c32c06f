"""The library's own process: lists models and says where they would go, at a low priority, until its input closes."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Generic, TypeVar

import psutil

from app.engine.channel import Cancel, Close, Result, take_standard_streams
from app.engine.dry_run import DryRuns
from app.engine.memory import architectures
from app.errors import Sentence
from app.hub.fits import Placing, placing
from app.hub.header_cache import HEADERS_FOLDER, HeaderCache
from app.hub.library import CACHE_FILE, Library, LibraryModel
from app.hub.scan import ROOMS, Found, Place, Placed, Scan, Scanned
from app.hub.sources import folders_of_roots, model_roots
from app.paths import paths
from app.telemetry.planner import Planner

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.engine.channel import Channel
    from app.engine.config import ModelConfig

T = TypeVar("T")

_FIRST_PAUSE_S, _LONGEST_PAUSE_S, _PAUSE_GROWTH = 0.1, 1.0, 1.5
"""Answers are sent together, the first at once and the others at ever longer pauses: each message makes the window draw
its table anew, which takes some 10 ms."""
_NICE = 10


def _be_patient() -> None:
    """Let an answer of the engine, which is being measured, have the processor first."""
    with contextlib.suppress(OSError, psutil.Error):
        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS if sys.platform == "win32" else _NICE)


def _listen(channel: Channel, cancelled: threading.Event, commands: queue.SimpleQueue[object]) -> None:
    while True:
        message: object
        try:
            message = channel.receive()
        except (EOFError, OSError):
            message = Close()
        if isinstance(message, Cancel | Close):
            cancelled.set()
        commands.put(message)
        if isinstance(message, Close):
            return


class _Batches(Generic[T]):
    """Sends what is gathered, not more often than the window has use for."""

    def __init__(self, send: Callable[[tuple[T, ...]], None]) -> None:
        self._send = send
        self._waiting: list[T] = []
        self._sent_s = 0.0
        self._pause_s = _FIRST_PAUSE_S

    def add(self, item: T) -> None:
        self._waiting.append(item)
        if time.monotonic() - self._sent_s >= self._pause_s:
            self.flush()
            self._pause_s = min(self._pause_s * _PAUSE_GROWTH, _LONGEST_PAUSE_S)

    def flush(self) -> None:
        if self._waiting:
            self._send(tuple(self._waiting))
            self._waiting, self._sent_s = [], time.monotonic()


def _scan(channel: Channel, question: Scan, headers: HeaderCache, cancelled: threading.Event) -> Scanned:
    roots = model_roots(question.own, question.added)
    counts = (0, 0)

    def count(done: int, total: int) -> None:
        nonlocal counts
        counts = (done, total)

    def send(models: tuple[LibraryModel, ...]) -> None:
        channel.send(Found(models, min(counts[0] + 1, counts[1]), counts[1]))

    batches = _Batches(send)
    library = Library(paths().cache / CACHE_FILE, headers.read)
    listing = library.scan(roots, cancelled=cancelled, progress=count, on_model=batches.add)
    batches.flush()
    headers.prune()
    return Scanned(roots, listing, folders_of_roots())


def _place(channel: Channel, question: Place, planner: Planner, cancelled: threading.Event) -> None:
    def send(placings: tuple[tuple[Path, Placing], ...]) -> None:
        channel.send(Placed(placings))

    batches = _Batches(send)
    for model, config in question.models:
        if cancelled.is_set():
            break
        planner.take_devices(config.rpc_servers, question.devices)
        batches.add((model.path, _placing(planner, model, config)))
    batches.flush()


def _placing(planner: Planner, model: LibraryModel, config: ModelConfig) -> Placing:
    if config.rpc_servers and not model.problem and model.architecture not in architectures.KNOWN:
        # A server talks to one process at a time, and that may be the engine with a model on it.
        return Placing(
            "unknown",
            reason=Sentence(
                "Where a model of the architecture {architecture} goes is found out when it is loaded.",
                architecture=model.architecture or "unnamed",
            ),
        )
    return placing(planner, model, config)


def _serve(channel: Channel, cancelled: threading.Event, commands: queue.SimpleQueue[object]) -> None:
    headers = HeaderCache(paths().cache / HEADERS_FOLDER)
    planner = Planner(DryRuns(paths().cache), headers.read)
    while True:
        match commands.get():
            case Scan() as question:
                channel.send(Result(_scan(channel, question, headers, cancelled)))
            case Place() as question:
                _place(channel, question, planner, cancelled)
                channel.send(Result())
            case Cancel():
                cancelled.clear()  # what was asked before it has ended
            case Close():
                planner.close()
                return


def main() -> None:
    """Serve one window until it closes the pipe."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(message)s")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal reaches both; the window decides
    _be_patient()
    channel = take_standard_streams(ROOMS)
    commands: queue.SimpleQueue[object] = queue.SimpleQueue()
    cancelled = threading.Event()
    threading.Thread(target=_listen, args=(channel, cancelled, commands), name="listen", daemon=True).start()
    try:
        _serve(channel, cancelled, commands)
    except OSError:
        pass  # the window has gone: nobody is left to tell
    finally:
        sys.stderr.flush()
        os._exit(0)  # the listener must not delay the end


if __name__ == "__main__":
    main()
