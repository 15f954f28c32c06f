"""Which process owns the data: a lock that the operating system frees when its holder dies."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from app.errors import Sentence, StorageError
from app.files import make_folder

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
        except (sqlite3.Error, OSError) as error:
            if connection is not None:
                connection.close()
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                return False
            raise StorageError(
                Sentence(
                    "The file {path} cannot be locked ({error}); check the permissions of its folder.",
                    path=self.path,
                    error=error,
                )
            ) from error
        self._connection = connection
        return True

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
