"""The threads behind the list of models: one asks the library's process, others read and move files."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, TypeVar

from ui.job_thread import JobThread

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from PySide6.QtCore import QObject

    from app.engine.config import ModelConfig
    from app.engine.events import Device
    from app.hub.library import LibraryModel
    from app.hub.scan import Found, LibraryProcess, Placed, Scanned
    from ui.job_thread import NotKnown

T = TypeVar("T")

SHUTDOWN_TIMEOUT_MS = 3000


class LibraryWorker(JobThread):
    """Owns the library's process, which is started by the first question and ended by `rest`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__("library", parent)
        self._made: LibraryProcess | None = None

    @property
    def pid(self) -> int | None:
        """The process id of the child, None without one."""
        return self._made.pid if self._made is not None else None

    def scan(
        self,
        own: Path,
        added: Sequence[str],
        on_found: Callable[[Found], None],
        done: Callable[[Scanned | NotKnown], None],
    ) -> None:
        """List the models; `on_found` is called in the GUI thread, some times before `done`."""
        self.run_job(lambda: self._process().scan(own, added, lambda found: self.answer(on_found, found)), done)

    def place(
        self,
        models: Sequence[tuple[LibraryModel, ModelConfig]],
        devices: Sequence[Device],
        on_placed: Callable[[Placed], None],
        done: Callable[[NotKnown | None], None],
    ) -> None:
        """Say where these would go; `on_placed` is called in the GUI thread, some times before `done`."""
        self.run_job(lambda: self._process().place(models, devices, lambda p: self.answer(on_placed, p)), done)

    def cancel(self) -> None:
        """End soon what was asked last."""
        if self._made is not None:
            self._made.cancel()

    def rest(self) -> None:
        """End the process when what was asked before is answered."""
        if self.isRunning():
            self.post(self.release)

    def release(self) -> None:
        """End the process."""
        if self._made is not None:
            self._made.close()

    def shutdown(self, timeout_ms: int = SHUTDOWN_TIMEOUT_MS) -> bool:
        """End what is under way, the process and the thread. Return whether that was done in time."""
        self.cancel()
        if self.close(timeout_ms // 2):
            return True
        if self._made is not None:
            self._made.kill()
        return self.close(timeout_ms // 2)

    def _process(self) -> LibraryProcess:
        from app.hub.scan import LibraryProcess  # not above: needed in this thread only, once models are listed

        if self._made is None:
            self._made = LibraryProcess()
        return self._made


class FilesWorker(JobThread):
    """Reads files or moves them, one after another."""

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(name, parent)
        self._cancels: list[Callable[[], None]] = []

    def run_cancellable(
        self, job: Callable[[], T], done: Callable[[T | NotKnown], None], cancel: Callable[[], None]
    ) -> None:
        """As `run_job`; `cancel` ends the job soon and is called when the window closes."""

        def ended(result: T | NotKnown) -> None:
            with contextlib.suppress(ValueError):
                self._cancels.remove(cancel)
            done(result)

        self._cancels.append(cancel)
        self.run_job(job, ended)

    def shutdown(self, timeout_ms: int = SHUTDOWN_TIMEOUT_MS) -> bool:
        """End what is under way and the thread. Return whether that was done in time."""
        for cancel in self._cancels:
            cancel()
        return self.close(timeout_ms)
