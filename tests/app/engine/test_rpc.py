"""Layers, KV and buffers on a second device: llama.cpp's RPC server on loopback stands in for a GPU."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.events import LoadFailed, ModelLoaded, TokensGenerated
from app.engine.process import EngineProcess
from app.engine.request import GenerationRequest, Sampling
from tests.rpc_server import running_rpc_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.engine.self_test import SelfTests


@pytest.fixture
def rpc_server() -> Iterator[str]:
    with running_rpc_server() as endpoint:
        yield endpoint


def test_layers_and_kv_move_to_the_device(starter: Path, self_tests: SelfTests, rpc_server: str) -> None:
    engine = EngineProcess(self_tests)
    config = ModelConfig(starter, n_ctx=2048, n_gpu_layers=12, rpc_servers=(rpc_server,))
    loaded = list(engine.load(config))[-1]
    assert isinstance(loaded, ModelLoaded), loaded
    model = loaded.model
    assert (model.layers_offloaded, model.layers_total) == (12, 31)
    assert model.backend.startswith("RPC0")
    kv = {buffer.device.split("[")[0]: buffer.size_bytes for buffer in model.memory.buffers if buffer.kind == "kv"}
    # 12 "layers" are the output layer and 11 with KV
    assert kv == {"RPC0": 11 * 2048 * 768, "CPU": 19 * 2048 * 768}
    assert any(device.name == "RPC0" and device.kind == "gpu" for device in engine.devices())
    request = GenerationRequest((Message("user", "Hi"),), time.perf_counter_ns(), Sampling(0), max_tokens=4)
    assert any(isinstance(event, TokensGenerated) for event in engine.generate(request))
    engine.close()


def test_auto_puts_on_the_device_what_fits(starter: Path, self_tests: SelfTests, rpc_server: str) -> None:
    engine = EngineProcess(self_tests)
    loaded = list(engine.load(ModelConfig(starter, n_ctx=512, rpc_servers=(rpc_server,))))[-1]
    engine.close()
    assert isinstance(loaded, ModelLoaded), loaded
    assert loaded.model.layers_offloaded == 31


def test_no_server_is_one_sentence(starter: Path, self_tests: SelfTests) -> None:
    engine = EngineProcess(self_tests)
    failed = list(engine.load(ModelConfig(starter, rpc_servers=("127.0.0.1:1",))))[-1]
    assert isinstance(failed, LoadFailed)
    assert "127.0.0.1:1" in failed.reason
