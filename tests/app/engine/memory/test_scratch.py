"""The memory that ggml's CPU code takes beside all buffers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.engine.config import ModelConfig
from app.engine.events import Device
from app.engine.gguf import read_header
from app.engine.memory import predict_memory
from app.engine.memory.compute import scratch_bytes
from app.engine.memory.shape import read_shape

if TYPE_CHECKING:
    from pathlib import Path

N_HEAD, F16 = 9, 2  # of SmolLM2
CUDA = Device("CUDA0", "a graphics card", "gpu", "CUDA", 2**34, 2**34)


def scratch_of(config: ModelConfig, *devices: Device) -> int:
    header = read_header(config.path)
    return scratch_bytes(config, predict_memory(header, config, devices), read_shape(header, config.path.name))


def test_a_score_of_every_head_for_each_token_of_a_batch_and_cell(starter: Path) -> None:
    config = ModelConfig(starter, n_ctx=2048, n_gpu_layers=0, flash_attention="off")
    assert scratch_of(config) == 512 * 2048 * N_HEAD * F16
    assert scratch_of(replace(config, n_ctx=8192, n_ubatch=128)) == 128 * 8192 * N_HEAD * F16
    assert scratch_of(replace(config, n_ctx=256)) == 256 * 256 * N_HEAD * F16


def test_none_where_nothing_is_converted(starter: Path) -> None:
    config = ModelConfig(starter, n_ctx=2048, n_gpu_layers=0, flash_attention="off")
    assert scratch_of(replace(config, flash_attention="on")) == 0
    assert scratch_of(replace(config, type_v="f32")) == 0
    assert scratch_of(replace(config, n_gpu_layers=99), CUDA) == 0
    assert scratch_of(replace(config, n_gpu_layers=99, offload_kqv=False), CUDA) == 512 * 2048 * N_HEAD * F16
