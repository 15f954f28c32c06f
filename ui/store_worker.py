"""The thread that owns the store: writes happen in order and are never lost, reads answer in the GUI thread."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal

from app.errors import StorageError, StorageRefusedError
from ui.owner_thread import OwnerThread

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.storage.store import Store

T = TypeVar("T")

FLUSH_TIMEOUT_MS = 3000
RETRY_TIMEOUT_S = 1.0


class _Line:
    """Writes in the order they were asked for.

    Attributes:
        problem: why the first of them failed, in one `Sentence`; empty when it did not.
        is_said: whether the window was told so since it last asked for another try.
    """

    def __init__(self) -> None:
        self.waiting: deque[Callable[[], object]] = deque()
        self.problem = ""
        self.is_said = False


class StoreWorker(OwnerThread):
    """Runs operations on one `Store`, opened by `open_store` inside the thread when it is first needed.

    A write that fails by the machine's fault (disk full, no permission) stays first in line and is tried again before
    the next write, on `retry` and at close; those behind it wait, so that the order is kept. Files beside the store are
    in a line of their own: settings that cannot be written keep no message from being stored.

    Signals:
        failed: a `Sentence` about a write that waits now.
        recovered: every waiting write is on disk again.
        noticed: a `Sentence` about what is no use to try again: a damaged database was set aside, an entry is gone.
    """

    failed = Signal(object)
    recovered = Signal()
    noticed = Signal(object)

    def __init__(self, open_store: Callable[[], tuple[Store, str]], parent: QObject | None = None) -> None:
        super().__init__("storage", parent)
        self._open_store = open_store
        self._opened: Store | None = None
        self._rows, self._files = _Line(), _Line()

    def read(self, operation: Callable[[Store], T], done: Callable[[T], None]) -> None:
        """Call `done` with the operation's result in the GUI thread; a failure is only noticed."""
        self.post(lambda: self._read(operation, done))

    def write(self, operation: Callable[[Store], object]) -> None:
        """Run the operation after the writes before it; keep it until it succeeds."""
        self.post(lambda: self._write(self._rows, lambda: operation(self._store())))

    def write_file(self, operation: Callable[[], object]) -> None:
        """The same for a file beside the store."""
        self.post(lambda: self._write(self._files, operation))

    def retry(self) -> None:
        """Try the waiting writes again, and say it again when they fail."""
        self.post(self._retry)

    def problem(self, timeout_s: float = RETRY_TIMEOUT_S) -> str:
        """Try what waits once more, and wait for that; return in a sentence why the store cannot be written, or ""."""
        if self._rows.problem:
            tried = threading.Event()
            self.retry()
            self.post(tried.set)
            tried.wait(timeout_s)
        return self._rows.problem

    def shutdown(self, timeout_ms: int = FLUSH_TIMEOUT_MS) -> bool:
        """Write what waits, close the store and end. Return whether that was done in time."""
        return self.close(timeout_ms)

    def release(self) -> None:
        """Try the waiting writes a last time and close the store."""
        try:
            self._write_all()
        finally:
            if self._opened is not None:
                self._opened.close()

    def _store(self) -> Store:
        if self._opened is None:
            self._opened, sentence = self._open_store()
            if sentence:
                self.noticed.emit(sentence)
        return self._opened

    def _read(self, operation: Callable[[Store], T], done: Callable[[T], None]) -> None:
        try:
            result = operation(self._store())
        except StorageError as error:
            self.noticed.emit(str(error))
        else:
            self.answer(done, result)

    def _write(self, line: _Line, operation: Callable[[], object]) -> None:
        line.waiting.append(operation)
        self._write_waiting(line)

    def _retry(self) -> None:
        for line in (self._rows, self._files):
            line.is_said = False
        self._write_all()

    def _write_all(self) -> None:
        for line in (self._rows, self._files):
            self._write_waiting(line)

    def _write_waiting(self, line: _Line) -> None:
        while line.waiting:
            try:
                line.waiting[0]()
            except StorageRefusedError as error:
                self.noticed.emit(str(error))
            except StorageError as error:
                line.problem = str(error)
                if not line.is_said:
                    line.is_said = True
                    self.failed.emit(line.problem)
                return
            except Exception:
                line.waiting.popleft()
                raise
            line.waiting.popleft()
        if line.problem:
            line.problem, line.is_said = "", False
            if not (self._rows.problem or self._files.problem):
                self.recovered.emit()
