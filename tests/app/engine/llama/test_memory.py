"""What llama.cpp allocates, read from its log, against the recorded truth for every kind of memory."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.engine.config import ModelConfig
from app.engine.events import Buffer, KvCache
from app.engine.llama.context import LlamaContext
from app.engine.llama.library import initialise
from app.engine.llama.log_capture import LogCapture, log_capture, parse_devices, parse_memory, parse_offloaded
from app.engine.llama.model import LlamaModel

if TYPE_CHECKING:
    from app.engine.events import MemoryBreakdown

MIB = 1024 * 1024
ROUNDED = 0.011 * MIB  # the log has two decimals
TRUTH = [
    json.loads(line) for line in (Path(__file__).parents[3] / "models" / "memory_truth.jsonl").read_text().splitlines()
]
FLASH_ATTENTION = {-1: "auto", 0: "off", 1: "on"}


@pytest.fixture(scope="module")
def log() -> LogCapture:
    initialise()
    return log_capture()


def config_of(row: dict[str, Any], path: Path) -> ModelConfig:
    return ModelConfig(
        path,
        n_ctx=row["n_ctx"],
        type_k=row["type_k"],
        type_v=row["type_v"],
        flash_attention=FLASH_ATTENTION[row["fa"]],
        swa_full=row["swa_full"],
    )


def load(config: ModelConfig, log: LogCapture) -> tuple[MemoryBreakdown, int]:
    with log.record() as lines:
        model = LlamaModel(
            replace(config, n_gpu_layers=0), use_extra_bufts=False, on_progress=lambda _: True, errors=log.errors
        )
        context = LlamaContext(model, config, config.n_ctx or 0, 1)
        n_ctx = context.n_ctx
        context.free()
        model.free()
    return parse_memory(lines, n_ctx), n_ctx


@pytest.mark.parametrize(
    "row",
    [row for row in TRUTH if row["n_seq_max"] == 1],
    ids=lambda row: "{arch}-{n_ctx}-{type_k}-fa{fa}-{swa_full}".format(**row),
)
def test_every_buffer_is_read(row: dict[str, Any], architectures: Path, starter: Path, log: LogCapture) -> None:
    path = starter if row["arch"].startswith("SmolLM2") else architectures / f"{row['arch']}.gguf"
    memory, n_ctx = load(config_of(row, path), log)
    assert n_ctx == row["n_ctx_actual"]
    assert memory.total_bytes("weights") == pytest.approx(row["model"] * MIB, abs=ROUNDED)
    caches = sum(cache.cells * cache.bytes_per_cell for cache in memory.kv_caches)
    assert caches == memory.total_bytes("kv")
    assert memory.total_bytes("kv") == pytest.approx(row["kv"] * MIB, abs=ROUNDED * max(1, len(memory.kv_caches)))
    if row["arch"] != "deepseek4-moe":  # the recorded truth leaves its compressor states out
        assert memory.total_bytes("recurrent") == pytest.approx(row["rs"] * MIB, abs=ROUNDED)
    assert memory.total_bytes("output") == pytest.approx(row["output"] * MIB, abs=ROUNDED)
    assert memory.total_bytes("compute") == pytest.approx(row["compute"] * MIB, abs=ROUNDED)
    assert memory.kv_used_bytes(0) == 0
    assert memory.kv_used_bytes(n_ctx) <= memory.total_bytes("kv")


def test_a_sliding_window_fills_up_and_the_rest_grows_on(architectures: Path, log: LogCapture) -> None:
    memory, _ = load(ModelConfig(architectures / "gemma3-dense.gguf", n_ctx=4096), log)
    full, window = memory.kv_caches
    assert (full.cells, window.cells) == (4096, 768)
    assert memory.kv_used_bytes(768) == 768 * (full.bytes_per_cell + window.bytes_per_cell)
    assert memory.kv_used_bytes(1768) - memory.kv_used_bytes(768) == 1000 * full.bytes_per_cell


def test_a_compressed_cache_holds_several_tokens_per_cell(architectures: Path, log: LogCapture) -> None:
    memory, _ = load(ModelConfig(architectures / "deepseek4-moe.gguf", n_ctx=4096), log)
    assert [cache.tokens_per_cell for cache in memory.kv_caches] == [1, 4, 128, 4]


def test_two_devices_share_a_cache_in_whole_layers() -> None:
    lines = [
        "load_tensors:        CPU model buffer size =    40.20 MiB",
        "load_tensors:       RPC0[127.0.0.1:50052] model buffer size =    51.94 MiB",
        "llama_kv_cache:       RPC0[127.0.0.1:50052] KV buffer size =    16.50 MiB",
        "llama_kv_cache:        CPU KV buffer size =    28.50 MiB",
        "llama_kv_cache: size =   45.00 MiB (  2048 cells,  30 layers,  1/1 seqs), K (f16):   22.50 MiB, V (f16): ...",
    ]
    memory = parse_memory(lines, 2048)
    assert memory.kv_caches == (KvCache(2048, 30, 23_040),)
    assert Buffer("RPC0[127.0.0.1:50052]", "kv", 11 * 2048 * 768) in memory.buffers
    assert Buffer("CPU", "kv", 19 * 2048 * 768) in memory.buffers


def test_a_build_with_rpc_and_no_server_offloads_nothing() -> None:
    said = "load_tensors: offloaded 31/31 layers to GPU"
    assert parse_offloaded([said]) == (0, 31)
    device = "llama_model_load: using device CUDA0 (NVIDIA) (0000:01:00.0) - 9000 MiB free"
    assert parse_offloaded([device, said]) == (31, 31)
    assert parse_devices([device, said]) == ("CUDA0",)
