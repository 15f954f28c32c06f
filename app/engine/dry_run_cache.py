"""Remembers dry runs in one small JSON file; one that cannot be read counts as empty and is written anew."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from app.engine.events import Buffer, KvCache, MemoryBreakdown
from app.engine.measured import Measured
from app.engine.model_file import split_parts
from app.engine.self_test import library_fingerprint
from app.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from app.engine.config import ModelConfig
    from app.engine.events import Device

_MOST_FAMILIES = 64
_MOST_CONTEXTS = 128
_fingerprint = cache(library_fingerprint)


def file_identity(path: Path) -> tuple[object, ...]:
    """Return what changes when the file, or a part of a split one, is replaced. A missing part counts as empty."""
    identity: list[object] = [str(path.absolute())]
    for part in split_parts(path):
        try:
            status = part.stat()
        except OSError:
            identity.append(None)
        else:
            identity += (status.st_size, status.st_mtime_ns)
    return tuple(identity)


class DryRunCache:
    """Families of contexts that differ in `n_ctx` alone; the least recently used family is dropped first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._families: dict[str, dict[int, Measured]] | None = None
        self._changed: dict[str, dict[int, Measured]] = {}

    def family(self, config: ModelConfig, devices: Sequence[Device]) -> dict[int, Measured]:
        """Return what is known of this config at any `n_ctx`."""
        return dict(self._read().get(_family_key(config, devices), {}))

    def find(self, config: ModelConfig, devices: Sequence[Device]) -> Measured | None:
        """Return what is known of this config, None when nothing is."""
        return self._read().get(_family_key(config, devices), {}).get(config.n_ctx or 0)

    def remember(self, config: ModelConfig, devices: Sequence[Device], measured: Measured) -> None:
        """Keep an answer; `save` writes it."""
        key = _family_key(config, devices)
        for families in (self._read(), self._changed):
            family = families.pop(key, {})  # to the end: used last
            families[key] = family
            family[config.n_ctx or 0] = measured

    def save(self) -> None:
        """Write what is new beside what others have written meanwhile. A disk that refuses loses a cache only."""
        if not self._changed:
            return
        families = self._load()
        for key, family in self._changed.items():
            merged = {**families.pop(key, {}), **family}
            families[key] = dict(list(merged.items())[-_MOST_CONTEXTS:])
        self._changed = {}
        self._families = dict(list(families.items())[-_MOST_FAMILIES:])
        table = {key: {str(n): _packed(m) for n, m in family.items()} for key, family in self._families.items()}
        try:
            write_atomically(self._path, json.dumps(table, separators=(",", ":")).encode())
        except OSError:
            return

    def _read(self) -> dict[str, dict[int, Measured]]:
        if self._families is None:
            self._families = self._load()
        return self._families

    def _load(self) -> dict[str, dict[int, Measured]]:
        try:
            table = json.loads(self._path.read_bytes())
            return {key: {int(n): _unpacked(m) for n, m in family.items()} for key, family in table.items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return {}


def _family_key(config: ModelConfig, devices: Sequence[Device]) -> str:
    """Everything that decides the buffers, `n_ctx` apart. Threads and weight repacking do not."""
    settings = replace(config, n_ctx=None, n_threads=None, use_extra_bufts=None, reserve_bytes=0)
    machine = [(device.name, device.description, device.total_bytes) for device in devices if device.kind != "cpu"]
    text = repr((file_identity(config.path), _fingerprint(), machine, settings))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _packed(measured: Measured) -> list[Any]:
    memory = measured.memory
    return [
        measured.n_ctx,
        measured.flash_attention,
        [[buffer.device, buffer.kind, buffer.size_bytes] for buffer in memory.buffers],
        [
            [cache.cells, cache.layers, cache.bytes_per_cell, cache.tokens_per_cell, cache.streams]
            for cache in memory.kv_caches
        ],
        measured.refused,
        measured.host_bytes,
    ]


def _unpacked(values: list[Any]) -> Measured:
    n_ctx, flash_attention, buffers, caches, refused, host = values
    memory = MemoryBreakdown(
        tuple(Buffer(str(device), kind, int(size)) for device, kind, size in buffers),
        tuple(KvCache(*map(int, cache)) for cache in caches),
    )
    return Measured(int(n_ctx), bool(flash_attention), memory, str(refused), None if host is None else int(host))
