"""The formula against what llama.cpp itself allocated, for every kind of memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.engine.config import ModelConfig
from app.engine.gguf import read_header
from app.engine.memory import predict_memory

MIB = 1024 * 1024
ROUNDED = 0.0051 * MIB  # the log has two decimals
TRUTH = [
    json.loads(line) for line in (Path(__file__).parents[3] / "models" / "memory_truth.jsonl").read_text().splitlines()
]
FLASH_ATTENTION = {-1: "auto", 0: "off", 1: "on"}


@pytest.mark.parametrize(
    "row", TRUTH, ids=lambda row: "{arch}-{n_ctx}-{type_k}-fa{fa}-{swa_full}-{n_seq_max}".format(**row)
)
def test_what_llama_cpp_allocated(row: dict[str, Any], architectures: Path, starter: Path) -> None:
    path = starter if row["arch"].startswith("SmolLM2") else architectures / f"{row['arch']}.gguf"
    config = ModelConfig(
        path,
        n_ctx=row["n_ctx"],
        n_gpu_layers=0,
        type_k=row["type_k"],
        type_v=row["type_v"],
        flash_attention=FLASH_ATTENTION[row["fa"]],
        swa_full=row["swa_full"],
    )
    predicted = predict_memory(read_header(path), config, n_seq_max=row["n_seq_max"])
    assert not predicted.refused
    assert predicted.n_ctx == row["n_ctx_actual"]
    assert predicted.total_bytes("weights") == pytest.approx(row["model"] * MIB, abs=ROUNDED)
    assert predicted.total_bytes("kv") == pytest.approx(row["kv"] * MIB, abs=ROUNDED * max(1, len(predicted.kv_caches)))
    if row["arch"] != "deepseek4-moe":  # the recorded truth leaves its compressor states out
        assert predicted.total_bytes("recurrent") == pytest.approx(row["rs"] * MIB, abs=ROUNDED)
    layers = predicted.layers
    assert sum(layer.cells * (layer.k_bytes_per_cell + layer.v_bytes_per_cell) for layer in layers) == (
        predicted.total_bytes("kv")
    )
    assert sum(
        cache.streams * cache.cells * cache.bytes_per_cell for cache in predicted.kv_caches
    ) == predicted.total_bytes("kv")
