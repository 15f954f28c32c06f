"""What a load is told about the context: a number that stays, or where one that grows begins."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.engine.config import ModelConfig
from app.engine.dry_run import DryRuns
from app.engine.events import Device
from app.engine.settle import settle

if TYPE_CHECKING:
    from pathlib import Path

GIB = 1024**3


def settled(path: Path, folder: Path, free_bytes: int, **settings: object) -> ModelConfig:
    cpu = Device("CPU", "CPU", "cpu", "CPU", 64 * GIB, free_bytes)
    return settle(replace(ModelConfig(path), **settings), lambda _servers: (cpu,), DryRuns(folder))[0]


def test_a_context_that_grows_stays_open_and_begins_small(starter: Path, tmp_path: Path) -> None:
    config = settled(starter, tmp_path, 8 * GIB)
    assert (config.n_ctx, config.n_ctx_start) == (None, 4096)


def test_where_memory_is_short_it_begins_smaller(starter: Path, tmp_path: Path) -> None:
    free = GIB + (92 + 60) * 1024**2 + 2000 * 23_040  # reserve, weights, buffers, KV cache
    config = settled(starter, tmp_path, free)
    assert config.n_ctx is None
    assert 512 <= config.n_ctx_start < 4096


@pytest.mark.parametrize("n_ctx", [2048, 8192])
def test_a_number_is_fixed(starter: Path, tmp_path: Path, n_ctx: int) -> None:
    assert settled(starter, tmp_path, 8 * GIB, n_ctx=n_ctx).n_ctx == n_ctx
