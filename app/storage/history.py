"""Queries over the turns of all conversations."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from app.storage.packing import unpack_growths, unpack_text, unpack_time
from app.storage.turns import read_turn
from app.telemetry.environment import settings_key
from app.telemetry.history import HistoryTurn
from app.units import NS_PER_S

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from datetime import datetime

    from app.storage.database import Database
    from app.storage.turns import Turn

_FROM = """FROM turns JOIN messages ON messages.id = turns.message_id
           JOIN conversations ON conversations.id = messages.conversation_id
           WHERE conversations.deleted_at_us IS NULL"""
_PAGE = 200


def history(database: Database, model_file: str | None = None, settings: str | None = None) -> list[HistoryTurn]:
    """Return the figures of all turns, oldest first, those of regenerated answers included.

    Instants of tokens stay in the file, so that thousands of turns take milliseconds.

    Args:
        model_file: only those of a model file of this name.
        settings: only those with these settings, a `settings_key`.
    """
    rows = database.rows(
        f"""SELECT turns.message_id, messages.conversation_id, messages.created_at_us, model_name, model_path,
                   settings_json, environment_json, prompt_tokens, cached_tokens, completion_tokens, ttft_s, tpot_s,
                   submitted_ns, started_ns, prefill_started_ns, prefill_done_ns, finish_reason, context_growths,
                   sequences, restore_ns
            {_FROM} ORDER BY messages.created_at_us, messages.sequence, part"""
    )
    found = (_turn(row) for row in rows)
    return [
        turn
        for turn in found
        if (model_file is None or turn.model_file == model_file) and (settings is None or turn.settings == settings)
    ]


def _turn(row: sqlite3.Row) -> HistoryTurn:
    path = unpack_text(row["model_path"])
    growths = unpack_growths(row["context_growths"])
    before_ns = sum(growth.took_ns for growth in growths if not growth.sampled_tokens)
    return HistoryTurn(
        message_id=row["message_id"],
        conversation_id=row["conversation_id"],
        created_at=unpack_time(row["created_at_us"]),
        model_name=unpack_text(row["model_name"]),
        model_file=PurePath(path.replace("\\", "/")).name,
        settings=settings_key(unpack_text(row["settings_json"])),
        environment_json=unpack_text(row["environment_json"]),
        prompt_tokens=row["prompt_tokens"],
        cached_tokens=row["cached_tokens"],
        completion_tokens=row["completion_tokens"],
        ttft_s=row["ttft_s"],
        queue_s=_seconds(row["submitted_ns"], row["started_ns"]),
        prefill_s=_seconds(row["prefill_started_ns"], row["prefill_done_ns"]),
        tpot_s=row["tpot_s"],
        finish_reason=row["finish_reason"],
        growth_before_s=before_ns / NS_PER_S,
        growth_during_s=(sum(growth.took_ns for growth in growths) - before_ns) / NS_PER_S,
        restore_s=row["restore_ns"] / NS_PER_S,
        sequences=row["sequences"],
    )


def _seconds(start_ns: int | None, end_ns: int | None) -> float | None:
    return None if start_ns is None or end_ns is None else (end_ns - start_ns) / NS_PER_S


def all_turns(database: Database) -> Iterator[tuple[str, datetime, Turn]]:
    """Yield every turn with its conversation's id and the time of its message, oldest message first, page by page."""
    last = (-1, 0)
    while True:
        rows = database.rows(
            f"""SELECT turns.*, messages.sequence AS message_sequence, messages.conversation_id,
                       messages.created_at_us {_FROM}
                AND (messages.sequence, part) > (?, ?) ORDER BY messages.sequence, part LIMIT ?""",
            *last,
            _PAGE,
        )
        for row in rows:
            last = (row["message_sequence"], row["part"])
            yield row["conversation_id"], unpack_time(row["created_at_us"]), read_turn(row)
        if len(rows) < _PAGE:
            return
