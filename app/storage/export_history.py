"""The turns of all conversations as text for other programs: CSV with a line per turn, JSON with every instant."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Literal

from app.storage.export import COUNTS, DERIVED, JSON_VERSION, LONE_SURROGATE, safe_cell, turn_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.storage.store import Store

_OWN = ("message_id", "model_name", "model_path", "settings_json", "environment_json")


def export_history(store: Store, kind: Literal["csv", "json"]) -> Iterator[str]:
    """Yield the text piece by piece; it can always be encoded as UTF-8. No word of any conversation is in it."""
    return _csv(store) if kind == "csv" else _json(store)


def _csv(store: Store) -> Iterator[str]:
    yield _line(("conversation_id", "created_at", *_OWN, *DERIVED, "itl_p50_s", "itl_p95_s", *COUNTS))
    for conversation_id, created_at, turn in store.all_turns():
        stats = turn.stats
        yield _line(
            (
                *(conversation_id, created_at.isoformat(), *(getattr(turn, name) for name in _OWN)),
                *(getattr(stats, name) for name in DERIVED),
                *(stats.itl_percentile_s(50), stats.itl_percentile_s(95)),
                *(getattr(stats, name) for name in COUNTS),
            )
        )


def _line(cells: tuple[object, ...]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer).writerow([safe_cell(cell) for cell in cells])
    return LONE_SURROGATE.sub("\ufffd", buffer.getvalue())


def _json(store: Store) -> Iterator[str]:
    yield f'{{"format": "tokometer-history", "version": {JSON_VERSION}, "turns": ['
    comma = ""
    for conversation_id, created_at, turn in store.all_turns():
        values = {
            "conversation_id": conversation_id,
            "message_id": turn.message_id,
            "created_at": created_at.isoformat(),
            **turn_values(turn),
        }
        text = json.dumps(values, ensure_ascii=False)
        yield comma + LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
        comma = ",\n"
    yield "]}\n"
