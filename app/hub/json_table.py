"""A table kept as one JSON file in the cache folder; one that cannot be read counts as empty."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from app.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def read_table(path: Path) -> dict[str, Any]:
    """Return what is kept. Never raises."""
    try:
        table = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return table if isinstance(table, dict) else {}


def write_table(path: Path, table: Mapping[str, object], most: int) -> None:
    """Keep the last `most` entries. A disk that refuses loses a cache only."""
    latest = dict(list(table.items())[-most:])
    with suppress(OSError):
        write_atomically(path, json.dumps(latest).encode("utf-8", "surrogatepass"))
