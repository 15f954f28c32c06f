"""Why SQLite refused, in words that can be translated, and what the user can do."""

from __future__ import annotations

import sqlite3

from app.errors import Sentence

_DAMAGED = Sentence("it is damaged")
_ACCESS = Sentence("access to it is refused; check the permissions of the file and its folder")
_LOCKED = Sentence("another program keeps it locked; close that program and try again")
_REASONS = {
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_FULL: Sentence("the disk is full; make room and try again"),
    sqlite3.SQLITE_READONLY: Sentence("it may not be written; check the permissions of the file and its folder"),
    sqlite3.SQLITE_PERM: _ACCESS,
    sqlite3.SQLITE_AUTH: _ACCESS,
    sqlite3.SQLITE_CANTOPEN: Sentence("it cannot be opened; check the permissions of the file and its folder"),
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_IOERR: Sentence("the disk reports an error; check that it is connected and has room"),
    sqlite3.SQLITE_NOMEM: Sentence("there is not enough memory; close other programs and try again"),
}


def error_code(error: sqlite3.Error) -> int | None:
    """Return the kind of error, without its extended part; None for one of Python's own."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def sqlite_reason(error: sqlite3.Error) -> str:
    """Return why it failed, to stand in a sentence; in SQLite's English where we have no words."""
    return _REASONS.get(error_code(error) or sqlite3.SQLITE_OK) or str(error)


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file is not a database any more."""
    return error_code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
