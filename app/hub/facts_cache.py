"""Remembers what headers said in one JSON file; one that cannot be read counts as empty and is written anew."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from app.engine.dry_run_cache import file_identity
from app.files import write_atomically
from app.hub.facts import Facts

if TYPE_CHECKING:
    from pathlib import Path

MOST_MODELS = 10_000
_VERSION = 2
"""To be raised when the same file gives other facts."""
_KINDS = ("chat", "embedding", "projector", "draft", "other")
_KEPT = tuple(field.name for field in fields(Facts) if field.name != "problem")


class FactsCache:
    """Facts of whole models, by path, sizes and times of their files; those used longest ago are dropped first.

    A model with a problem is read every time: it can go away without a new size or time, as a permission does.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._models: dict[str, Any] | None = None
        self._is_changed = False

    def find(self, path: Path) -> Facts | None:
        """Return what is known of the model whose first file this is, None when a file of it is new or has changed."""
        models = self._read()
        entry = models.pop(str(path.absolute()), None)
        if entry is None:
            return None
        facts = _unpacked(entry, path)
        if facts is None:
            self._is_changed = True
        else:
            models[str(path.absolute())] = entry  # to the end: used last
        return facts

    def remember(self, path: Path, facts: Facts) -> None:
        """Keep them; `save` writes them."""
        if facts.problem:
            return
        values = asdict(facts)
        self._read()[str(path.absolute())] = [_identity(path), [values[name] for name in _KEPT]]
        self._is_changed = True

    def save(self) -> None:
        """Write what is new. A disk that refuses loses a cache only."""
        if not self._is_changed:
            return
        self._models = dict(list(self._read().items())[-MOST_MODELS:])
        table = {"version": _VERSION, "models": self._models}
        try:
            write_atomically(self._path, json.dumps(table, separators=(",", ":")).encode())
        except OSError:
            return
        self._is_changed = False

    def _read(self) -> dict[str, Any]:
        if self._models is None:
            self._models = self._load()
        return self._models

    def _load(self) -> dict[str, Any]:
        try:
            table = json.loads(self._path.read_bytes())
            models = table["models"] if table["version"] == _VERSION else {}
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return {}
        return models if isinstance(models, dict) else {}


def _identity(path: Path) -> list[object]:
    return list(file_identity(path))


def _unpacked(entry: Any, path: Path) -> Facts | None:
    try:
        identity, values = entry
        if identity != _identity(path):
            return None
        table = dict(zip(_KEPT, values, strict=True))
    except (TypeError, ValueError):
        return None
    for name in ("architecture", "quantisation", "licence", "kind"):
        if not isinstance(table[name], str):
            return None
    for name in ("n_params", "n_ctx_train", "kv_bytes_per_token", "bits_per_weight", "file_bytes"):
        if isinstance(table[name], bool) or not isinstance(table[name], int | float | None):
            return None
    return Facts(**table) if table["kind"] in _KINDS and table["file_bytes"] is not None else None
