"""One SQLite connection with explicit transactions, whose errors are sentences for the user."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from app.errors import Sentence, StorageDamagedError, StorageError, StorageRefusedError
from app.files import make_folder, set_aside
from app.reasons import reason_of
from app.storage.lock import InstanceLock
from app.storage.packing import pack_text, unpack_text
from app.storage.sqlite_errors import error_code, is_damage, sqlite_reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    Value = str | bytes | int | float | None

BUSY_TIMEOUT_S = 5.0
SMALLEST_BYTES = 512
"""The smallest page SQLite has."""

PRAGMAS = (
    "PRAGMA trusted_schema = OFF",
    "PRAGMA foreign_keys = ON",
    "PRAGMA journal_mode = WAL",
    # In WAL mode a killed process loses nothing; only a power cut may cost the last transactions.
    "PRAGMA synchronous = NORMAL",
    # What the user purges is overwritten, not merely forgotten.
    "PRAGMA secure_delete = ON",
)


class Database:
    """A connection that opens with its settings made; used by one thread at a time.

    Attributes:
        path: the file; None: in memory, gone when it is closed.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        if path is not None:
            self._prepare(path)
        with self._errors_as_sentences():
            self._connection = sqlite3.connect(
                path or ":memory:", timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
        self._connection.row_factory = sqlite3.Row
        self._connection.text_factory = unpack_text
        try:
            with self._errors_as_sentences():
                for pragma in PRAGMAS:
                    self._connection.execute(pragma)
        except StorageError:
            self.close()
            raise

    def check(self) -> None:
        """Read the whole file. Raises StorageDamagedError when its structure is broken."""
        findings = [row[0] for row in self.rows("PRAGMA quick_check(1)")]
        if findings != ["ok"]:
            raise StorageDamagedError(self._sentence(Sentence("it is damaged")))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is executed inside is written, or, after any exception, none of it. One in another is part of it."""
        if self._connection.in_transaction:
            yield
            return
        with self._errors_as_sentences():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                # A full disk may have rolled back already.
                if self._connection.in_transaction:
                    with suppress(sqlite3.Error):
                        self._connection.execute("ROLLBACK")
                raise

    def execute(self, sql: str, *values: Value) -> int:
        """Run one statement and return how many rows it changed. Text of any kind is accepted."""
        with self._errors_as_sentences():
            return self._run(sql, values).rowcount

    def rows(self, sql: str, *values: Value) -> list[sqlite3.Row]:
        """Return all rows of a query."""
        with self._errors_as_sentences():
            return self._run(sql, values).fetchall()

    def row(self, sql: str, *values: Value) -> sqlite3.Row | None:
        """Return the first row of a query, None without one."""
        with self._errors_as_sentences():
            row: sqlite3.Row | None = self._run(sql, values).fetchone()
            return row

    def close(self) -> None:
        """Close the file; its write-ahead log is folded in. May be called twice."""
        with self._errors_as_sentences():
            self._connection.close()

    def _run(self, sql: str, values: Sequence[Value]) -> sqlite3.Cursor:
        packed = [pack_text(value) if isinstance(value, str) else value for value in values]
        return self._connection.execute(sql, packed)

    def _prepare(self, path: Path) -> None:
        try:
            make_folder(path.parent)
            size = path.stat().st_size if path.exists() else 0
        except OSError as error:
            reason = Sentence(
                "its folder cannot be made or read ({error}); check the permissions", error=reason_of(error)
            )
            raise StorageError(self._sentence(reason)) from error
        if 0 < size < SMALLEST_BYTES:
            # SQLite would take what is left of a cut file for an empty one and write over it.
            raise StorageDamagedError(self._sentence(Sentence("it is damaged")))

    @contextmanager
    def _errors_as_sentences(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if error_code(error) is None:
                raise  # from the Python module, about how it was called: a fault of the program
            if error_code(error) == sqlite3.SQLITE_CONSTRAINT:
                raise StorageRefusedError(
                    Sentence("This is in the database already, or its conversation is gone.")
                ) from error
            kind = StorageDamagedError if is_damage(error) else StorageError
            raise kind(self._sentence(sqlite_reason(error))) from error

    def _sentence(self, reason: str) -> str:
        return Sentence("The database {path} cannot be used: {reason}.", path=self.path or "in memory", reason=reason)


def lock_of(path: Path) -> InstanceLock:
    """Return the lock, not yet taken, that says which process owns the database."""
    return InstanceLock(path.with_name(path.name + ".lock"))


def set_aside_database(path: Path) -> Path:
    """Rename a damaged database with its write-ahead log, so that it can still be repaired; return the new path.

    Raises:
        StorageError: another process has it open, or it cannot be renamed.
    """
    with lock_of(path) as lock:
        if not lock.is_held:
            raise StorageError(
                Sentence(
                    "The database {path} is damaged, and another Tokometer has it open; close that first.", path=path
                )
            )
        try:
            aside = set_aside(path)
            for suffix in ("-wal", "-shm"):
                companion = path.with_name(path.name + suffix)
                if companion.exists():
                    companion.rename(aside.with_name(aside.name + suffix))
        except OSError as error:
            raise StorageError(
                Sentence(
                    "The database {path} is damaged and cannot be renamed ({error}); move it away yourself.",
                    path=path,
                    error=reason_of(error),
                )
            ) from error
    return aside
