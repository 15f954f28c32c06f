"""Log files, and no error lost: uncaught exceptions and native crashes end up in the log folder.

What people write and what models answer is never logged at INFO or above.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import sys
import threading
from contextlib import suppress
from datetime import datetime
from typing import IO, TYPE_CHECKING

from app.files import make_folder
from app.reasons import reason_of

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

LOG_BYTES = 1_000_000
LOG_FILES_KEPT = 3
CRASH_BYTES = 1_000_000
FORMAT = "%(asctime)s %(levelname)s %(processName)s %(threadName)s %(name)s: %(message)s"

uncaught = logging.getLogger("app.uncaught")
"""Exceptions nobody caught, at CRITICAL; a window attaches a handler of its own to show them."""


class _LateFileHandler(logging.Handler):
    """Writes to a rotating file; what that needs is imported with the first record, which few starts have.

    Raises OSError when the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._file: logging.Handler | None = None
        path.open("a", encoding="utf-8").close()

    def emit(self, record: logging.LogRecord) -> None:
        if self._file is None:
            from logging.handlers import RotatingFileHandler

            self._file = RotatingFileHandler(
                self._path,
                maxBytes=LOG_BYTES,
                backupCount=LOG_FILES_KEPT,
                encoding="utf-8",
                errors="backslashreplace",
            )
            self._file.setFormatter(self.formatter)
        self._file.emit(record)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        super().close()


class Logging:
    """Logging of this process, from construction to `close`.

    Attributes:
        log_file: where records go, None when the folder cannot be written; then they go to stderr, if there is one.
        crash_file: where the stacks of all threads go when native code crashes.
        problem: one sentence when the folder cannot be written, else empty.
    """

    def __init__(self, folder: Path, level: int = logging.INFO) -> None:
        """Set up the root logger, the three hooks for uncaught exceptions and faulthandler."""
        self.log_file: Path | None = folder / "tokometer.log"
        self.crash_file: Path | None = folder / "crash.log"
        self.problem = ""
        self._crash_stream: IO[str] | None = None
        self._handler = self._open(folder)
        self._handler.setFormatter(logging.Formatter(FORMAT))
        root = logging.getLogger()
        self._previous_level = root.level
        root.setLevel(level)
        root.addHandler(self._handler)
        logging.captureWarnings(True)
        self._previous_hooks = sys.excepthook, threading.excepthook, sys.unraisablehook
        sys.excepthook, threading.excepthook, sys.unraisablehook = (
            self._on_exception,
            self._on_thread_exception,
            self._on_unraisable,
        )

    def close(self) -> None:
        """Put everything back as it was."""
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._previous_hooks
        logging.captureWarnings(False)
        root = logging.getLogger()
        root.removeHandler(self._handler)
        root.setLevel(self._previous_level)
        self._handler.close()
        if self._crash_stream is not None:
            faulthandler.disable()
            self._crash_stream.close()
            self._crash_stream = None

    def _open(self, folder: Path) -> logging.Handler:
        try:
            make_folder(folder)
            handler = _LateFileHandler(folder / "tokometer.log")
        except OSError as error:
            self.log_file = self.crash_file = None
            self.problem = f"Nothing can be logged to {folder} ({reason_of(error)}); check its permissions."
            # A window without a console has no stderr.
            return logging.StreamHandler() if sys.stderr else logging.NullHandler()
        with suppress(OSError):
            self._crash_stream = self._open_crash_stream(folder / "crash.log")
            faulthandler.enable(self._crash_stream)
        return handler

    @staticmethod
    def _open_crash_stream(path: Path) -> IO[str]:
        """Open the file that faulthandler writes to, itself, when it is too late for Python; it must stay open."""
        full = path.exists() and path.stat().st_size > CRASH_BYTES
        stream = path.open("w" if full else "a", encoding="utf-8")
        # faulthandler itself gives no time.
        stream.write(f"Process {os.getpid()} started at {datetime.now():%Y-%m-%d %H:%M:%S}\n")
        stream.flush()
        return stream

    def _on_exception(self, kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._previous_hooks[0](kind, error, traceback)
            return
        uncaught.critical("Uncaught exception", exc_info=(kind, error, traceback))

    def _on_thread_exception(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is None or issubclass(args.exc_type, SystemExit):
            return
        name = args.thread.name if args.thread else "a thread that is gone"
        details = (args.exc_type, args.exc_value, args.exc_traceback)
        uncaught.critical("Uncaught exception in %s", name, exc_info=details)

    def _on_unraisable(self, args: sys.UnraisableHookArgs) -> None:
        # Not repr(args.object): its text may be a conversation's, and making it may fail.
        what = getattr(args.object, "__qualname__", type(args.object).__qualname__)
        details = (args.exc_type, args.exc_value, args.exc_traceback) if args.exc_value else None
        uncaught.critical("%s: %s", args.err_msg or "Exception ignored in", what, exc_info=details)
