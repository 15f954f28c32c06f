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
