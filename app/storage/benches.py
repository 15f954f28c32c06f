"""Results of benches and the machine's ceilings."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from app.chat.message import new_id
from app.storage.packing import pack_time, unpack_text, unpack_time
from app.telemetry.ceilings import Ceiling, CeilingKind

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from app.storage.database import Database

COLUMNS = ("model_filename", "model_fingerprint", "machine", "method", "test")
"""Fields of a result that have a column of their own, to be searched by."""


@dataclass(frozen=True, slots=True)
class BenchResult:
    """One stored result.

    Attributes:
        run_id: the results that were measured together have the same.
        values: the fields as `bench -o json` prints them.
    """

    id: str
    run_id: str
    measured_at: datetime
    values: Mapping[str, Any]


def insert_results(
    database: Database, run_id: str, measured_at: datetime, results: Sequence[Mapping[str, Any]]
) -> None:
    """Append the results of a run, in their order."""
    names = ("id", "run_id", "measured_at_us", *COLUMNS, "values_json")
    sql = f"INSERT INTO bench_results ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    for values in results:
        database.execute(
            sql,
            new_id(),
            run_id,
            pack_time(measured_at),
            *(str(values.get(name, "")) for name in COLUMNS),
            json.dumps(values, ensure_ascii=False),
        )


def results(
    database: Database, run_ids: Sequence[str] = (), model_fingerprint: str = "", machine: str = ""
) -> list[BenchResult]:
    """Return results in the order they were added, of these runs, this model, this machine; empty: of all."""
    wanted: list[str] = []
    values: list[str] = []
    if run_ids:
        wanted.append(f"run_id IN ({', '.join('?' * len(run_ids))})")
        values += run_ids
    for name, value in (("model_fingerprint", model_fingerprint), ("machine", machine)):
        if value:
            wanted.append(f"{name} = ?")
            values.append(value)
    where = f"WHERE {' AND '.join(wanted)}" if wanted else ""
    return [_result(row) for row in database.rows(f"SELECT * FROM bench_results {where} ORDER BY sequence", *values)]


def _result(row: sqlite3.Row) -> BenchResult:
    return BenchResult(
        id=row["id"],
        run_id=row["run_id"],
        measured_at=unpack_time(row["measured_at_us"]),
        values=json.loads(unpack_text(row["values_json"])),
    )


def delete_results(database: Database, ids: Sequence[str], run_ids: Sequence[str]) -> None:
    """Delete single results and whole runs; those that are gone already are no error."""
    for column, gone in (("id", ids), ("run_id", run_ids)):
        for value in gone:
            database.execute(f"DELETE FROM bench_results WHERE {column} = ?", value)


def write_ceiling(database: Database, ceiling: Ceiling) -> None:
    """Keep a ceiling in the place of the older one of its kind, machine and device."""
    database.execute(
        """INSERT INTO ceilings (machine, kind, device, value, measured_at_us, source) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (machine, kind, device) DO UPDATE SET
               value = excluded.value, measured_at_us = excluded.measured_at_us, source = excluded.source""",
        ceiling.machine,
        ceiling.kind,
        ceiling.device,
        ceiling.value,
        pack_time(ceiling.measured_at),
        ceiling.source,
    )


def ceilings(database: Database, machine: str) -> list[Ceiling]:
    """Return what is known of a machine."""
    rows = database.rows("SELECT * FROM ceilings WHERE machine = ? ORDER BY kind, device", machine)
    return [
        Ceiling(
            kind=cast("CeilingKind", row["kind"]),
            machine=row["machine"],
            device=unpack_text(row["device"]),
            value=row["value"],
            measured_at=unpack_time(row["measured_at_us"]),
            source=unpack_text(row["source"]),
        )
        for row in rows
    ]
