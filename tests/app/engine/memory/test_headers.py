"""The formula against llama.cpp for many more architectures, windows and patterns: headers without weights."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from app.engine.config import ModelConfig
from app.engine.gguf import read_header
from app.engine.memory import predict_memory
from app.engine.memory.architectures import KNOWN

MODELS = Path(__file__).parents[3] / "models"
MIB = 1024 * 1024
ROUNDED = 0.0051 * MIB  # the log has two decimals
FLASH_ATTENTION = {-1: "auto", 0: "off", 1: "on"}
TRUTH: dict[str, list[dict[str, Any]]] = {}
for line in (MODELS / "header_truth.jsonl").read_text().splitlines():
    TRUTH.setdefault(json.loads(line)["file"], []).append(json.loads(line))


@pytest.fixture(scope="module")
def headers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("headers")
    with tarfile.open(MODELS / "headers.tar.xz") as archive:
        for member in archive:  # not extractall: Debian 12's Python lacks the filter that newer ones insist on
            with archive.extractfile(member) as file:
                (folder / member.name).write_bytes(file.read())
    return folder


@pytest.mark.parametrize("name", TRUTH)
def test_what_llama_cpp_allocated(name: str, headers: Path) -> None:
    header = read_header(headers / name)
    for row in TRUTH[name]:
        config = ModelConfig(
            headers / name,
            n_ctx=row["n_ctx"],
            n_gpu_layers=0,
            type_k=row["type_k"],
            type_v=row["type_v"],
            flash_attention=FLASH_ATTENTION[row["fa"]],
            swa_full=row["swa_full"],
        )
        predicted = predict_memory(header, config, n_seq_max=row["n_seq_max"], kv_unified=row["unified"])
        assert bool(predicted.refused) == row.get("refused", False)
        if predicted.refused:
            continue
        caches = [cache for cache in row["kv"] if cache[2]]
        assert [(cache.cells, cache.layers) for cache in predicted.kv_caches] == [tuple(cache[:2]) for cache in caches]
        for cache, (_, _, mib) in zip(predicted.kv_caches, caches, strict=True):
            assert cache.streams * cache.cells * cache.bytes_per_cell == pytest.approx(mib * MIB, abs=ROUNDED)
        assert predicted.total_bytes("recurrent") == pytest.approx(
            sum(row["rs"]) * MIB, abs=ROUNDED * max(1, len(row["rs"]))
        )


def test_the_truth_is_broad() -> None:
    architectures = {name.split("+")[0].removesuffix("-dense").removesuffix("-moe") for name in TRUTH}
    assert len(architectures & KNOWN) > 50


def test_answers_at_once_have_a_context_each(headers: Path) -> None:
    """`n_parallel` is `n_seq_max` sequences with caches of their own, of `n_ctx` tokens each instead of a share."""
    seen = 0
    for file, rows in TRUTH.items():
        for row in rows:
            n_parallel = row["n_seq_max"]
            if n_parallel == 1 or row["unified"] or row["n_ctx"] % (256 * n_parallel) or row.get("refused"):
                continue
            config = ModelConfig(
                headers / file,
                n_ctx=row["n_ctx"] // n_parallel,
                n_parallel=n_parallel,
                n_gpu_layers=0,
                type_k=row["type_k"],
                type_v=row["type_v"],
                flash_attention=FLASH_ATTENTION[row["fa"]],
                swa_full=row["swa_full"],
            )
            predicted = predict_memory(read_header(headers / file), config)
            said = sum(mib for _, _, mib in row["kv"]) * MIB
            assert predicted.n_ctx_seq == config.n_ctx
            assert predicted.total_bytes("kv") == pytest.approx(said, abs=ROUNDED * max(1, len(row["kv"])))
            seen += 1
    assert seen > 10
