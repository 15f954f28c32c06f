"""Which process owns the data: a lock that the operating system frees when its holder dies."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from app.errors import Sentence, StorageError
from app.files import make_folder
from app.reasons import reason_of
from app.storage.sqlite_errors import error_code, sqlite_reason

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType


class InstanceLock:
    """An exclusive lock on a small file of its own; it knows nothing of Qt and waits for nobody.

    SQLite's file lock is used for it: it works alike on Linux, macOS and Windows, between two locks of one process
    too, and is not inherited by child processes.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None

    @property
    def is_held(self) -> bool:
        """Whether this object holds the lock."""
        return self._connection is not None

    def acquire(self) -> bool:
        """Take the lock; return False when another process or object holds it.

        Raises:
            StorageError: the file cannot be made, so nobody can own it.
        """
        if self._connection is not None:
            return True
        connection: sqlite3.Connection | None = None
        try:
            make_folder(self.path.parent)
            connection = sqlite3.connect(self.path, timeout=0, isolation_level=None, check_same_thread=False)
            connection.execute("PRAGMA journal_mode = OFF")  # nothing is written, so no file beside it is needed
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            if connection is not None:
                connection.close()
            if error_code(error) == sqlite3.SQLITE_BUSY:
                return False
            raise self._cannot_lock(sqlite_reason(error)) from error
        except OSError as error:
            raise self._cannot_lock(
                Sentence("its folder cannot be made or read ({error}); check the permissions", error=reason_of(error))
            ) from error
        self._connection = connection
        return True

    def _cannot_lock(self, reason: str) -> StorageError:
        return StorageError(Sentence("The file {path} cannot be locked: {reason}.", path=self.path, reason=reason))

    def release(self) -> None:
        """Give the lock back; the file stays. Without effect when it is not held."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __enter__(self) -> InstanceLock:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.release()
