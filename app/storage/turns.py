"""Turns: the raw instants and the memory of one answer, and the few derived columns one would query."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from app.storage.conversations import SHOWN
from app.storage.packing import (
    pack_growths,
    pack_integers,
    pack_memory,
    unpack_growths,
    unpack_integers,
    unpack_memory,
    unpack_text,
)
from app.telemetry.timings import TurnStats

if TYPE_CHECKING:
    import sqlite3

    from app.storage.database import Database
    from app.telemetry.series import MemoryPoint

STATS_COLUMNS = tuple(field.name for field in fields(TurnStats))
TEXT_COLUMNS = ("cache_miss", "error")
DERIVED_COLUMNS = ("completion_tokens", "ttft_s", "tpot_s")
OWN_COLUMNS = ("part", "memory", "model_name", "model_path", "settings_json", "environment_json")
COLUMNS = ("message_id", *STATS_COLUMNS, *DERIVED_COLUMNS, *OWN_COLUMNS)

WRITE = (
    f"INSERT INTO turns ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))}) "
    f"ON CONFLICT (message_id, part) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in COLUMNS[1:])}"
)


@dataclass(frozen=True, slots=True)
class Turn:
    """How one answer was made.

    Attributes:
        message_id: the answer.
        part: an answer that was continued has a turn for each time it was written on, counted from 0.
        memory: samples against the length of the context, oldest first.
        model_name, model_path: the model that answered.
        settings_json: load and sampling settings, as the caller writes them.
        environment_json: what the answer was made with, see `app.telemetry.environment`; empty when unknown.
    """

    message_id: str
    stats: TurnStats
    memory: tuple[MemoryPoint, ...] = ()
    model_name: str = ""
    model_path: str = ""
    settings_json: str = ""
    environment_json: str = ""
    part: int = 0


def write_turn(database: Database, turn: Turn) -> None:
    """Insert a turn, or replace the one that was written while the answer was under way."""
    stats = turn.stats
    columns: dict[str, Any] = {name: getattr(stats, name) for name in (*STATS_COLUMNS, *DERIVED_COLUMNS)}
    columns["message_id"] = turn.message_id
    columns["token_ns"] = pack_integers(stats.token_ns)
    columns["context_growths"] = pack_growths(stats.context_growths)
    columns["memory"] = pack_memory(turn.memory)
    columns |= {name: getattr(turn, name) for name in OWN_COLUMNS if name != "memory"}
    database.execute(WRITE, *(columns[name] for name in COLUMNS))


def read_turn(row: sqlite3.Row) -> Turn:
    """Return the turn in a row of the table `turns`."""
    values: dict[str, Any] = {name: row[name] for name in STATS_COLUMNS}
    values |= {name: unpack_text(row[name]) for name in TEXT_COLUMNS}
    values["context_growths"] = unpack_growths(row["context_growths"])
    values["token_ns"] = tuple(unpack_integers(row["token_ns"]))
    return Turn(
        message_id=row["message_id"],
        stats=TurnStats(**values),
        memory=unpack_memory(row["memory"]),
        model_name=unpack_text(row["model_name"]),
        model_path=unpack_text(row["model_path"]),
        settings_json=unpack_text(row["settings_json"]),
        environment_json=unpack_text(row["environment_json"]),
        part=row["part"],
    )


def turns_of(database: Database, conversation_id: str, shown: bool = True) -> list[Turn]:
    """Return the turns of the answers on a conversation's path, or of all its others, oldest first."""
    rows = database.rows(
        f"""SELECT turns.* FROM turns JOIN messages ON messages.id = turns.message_id
            WHERE messages.conversation_id = ? AND {SHOWN} = ? ORDER BY messages.sequence, part""",
        conversation_id,
        int(shown),
    )
    return [read_turn(row) for row in rows]


def last_turn(database: Database, message_id: str) -> Turn | None:
    """Return the newest turn of an answer, None without one."""
    row = database.row("SELECT * FROM turns WHERE message_id = ? ORDER BY part DESC LIMIT 1", message_id)
    return read_turn(row) if row is not None else None


def note_shown(database: Database, message_id: str, shown_ns: int) -> None:
    """Add to an answer's newest turn when its end was drawn. One that is gone meanwhile needs it no more."""
    database.execute(
        """UPDATE turns SET shown_ns = ?1 WHERE message_id = ?2
           AND part = (SELECT max(part) FROM turns WHERE message_id = ?2)""",
        shown_ns,
        message_id,
    )
