"""Layers, KV and buffers on a second device: llama.cpp's RPC server on loopback stands in for a GPU."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import pytest

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.dry_run import DryRuns
from app.engine.events import ContextGrown, LoadFailed, ModelLoaded, TokensGenerated
from app.engine.memory.demand import device_of
from app.engine.process import EngineProcess
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling
from app.telemetry.planner import Planner
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


@pytest.mark.parametrize("layers", [0, 12, "all", "auto"])
@pytest.mark.parametrize("offload_kqv", [True, False])
def test_the_plan_is_what_is_allocated(
    layers: int | Literal["all", "auto"],
    offload_kqv: bool,
    starter: Path,
    self_tests: SelfTests,
    rpc_server: str,
    tmp_path: Path,
) -> None:
    config = ModelConfig(
        starter,
        n_ctx=2048,
        n_gpu_layers=layers,
        offload_kqv=offload_kqv,
        rpc_servers=(rpc_server,),
        use_extra_bufts=False,
    )
    planner = Planner(DryRuns(tmp_path))
    plan = planner.plan(config)
    planner.close()
    engine = EngineProcess(self_tests)
    loaded = list(engine.load(config))[-1]
    engine.close()
    assert isinstance(loaded, ModelLoaded), loaded
    assert loaded.model.layers_offloaded == plan.n_gpu_layers
    allocated: dict[tuple[str, str], int] = {}
    for buffer in loaded.model.memory.buffers:
        key = (device_of(buffer.device, [device.device for device in plan.devices]), buffer.kind)
        allocated[key] = allocated.get(key, 0) + buffer.size_bytes
    for device in plan.devices:
        for kind in ("weights", "kv", "recurrent", "compute", "output"):
            planned = getattr(device, f"{kind}_bytes")
            got = allocated.get((device.device.name, kind), 0)
            if (device.device.name, kind, layers) == ("CPU", "weights", 12):
                # llama.cpp names the mapped stretch of the file, in which tensors that went to the device lie too.
                assert planned == pytest.approx(68.85 * 1024**2, abs=0.011 * 1024**2)
                assert planned < got <= starter.stat().st_size
            else:
                assert planned == pytest.approx(got, abs=0.011 * 1024**2), (device.device.name, kind)


def test_named_devices_and_split(starter: Path, self_tests: SelfTests, rpc_server: str) -> None:
    engine = EngineProcess(self_tests)
    config = ModelConfig(starter, n_ctx=512, n_gpu_layers="all", rpc_servers=(rpc_server,))
    split = replace(config, devices=("RPC0",), tensor_split=(1.0,))
    loaded = list(engine.load(split))[-1]
    assert isinstance(loaded, ModelLoaded), loaded
    assert loaded.model.layers_offloaded == 31
    failed = list(engine.load(replace(config, devices=("CUDA3",))))[-1]
    engine.close()
    assert isinstance(failed, LoadFailed)
    assert failed.kind == "bad_input"
    assert "CUDA3" in failed.reason
    assert "RPC0" in failed.reason


def test_layers_on_a_device_are_carried_over_too(starter: Path, self_tests: SelfTests, rpc_server: str) -> None:
    engine = EngineProcess(self_tests)
    texts = []
    for size in ({"n_ctx_start": 256}, {"n_ctx": 1024}):
        config = ModelConfig(starter, n_gpu_layers=12, n_threads=1, rpc_servers=(rpc_server,), **size)
        loaded = list(engine.load(config))[-1]
        assert isinstance(loaded, ModelLoaded), loaded
        story = (Message("user", "Write a very long story about a ferry."),)
        asked = GenerationRequest(story, time.perf_counter_ns(), Sampling(0), max_tokens=320, stop=("\0",))
        events = list(engine.generate(asked))
        batches = [event for event in events if isinstance(event, TokensGenerated)]
        texts.append("".join(piece.text for batch in batches for piece in batch.pieces))
        if "n_ctx_start" in size:
            (grown,) = [event for event in events if isinstance(event, ContextGrown)]
            assert (grown.previous_n_ctx, grown.n_ctx, grown.carried_tokens) == (256, 512, 256)
            kv = {one.device.split("[")[0]: one.size_bytes for one in grown.memory.buffers if one.kind == "kv"}
            assert kv == {"RPC0": 11 * 512 * 768, "CPU": 19 * 512 * 768}
    engine.close()
    grown_text, fixed_text = texts
    assert grown_text == fixed_text


def test_no_server_is_one_sentence(starter: Path, self_tests: SelfTests) -> None:
    engine = EngineProcess(self_tests)
    failed = list(engine.load(ModelConfig(starter, rpc_servers=("127.0.0.1:1",))))[-1]
    assert isinstance(failed, LoadFailed)
    assert "127.0.0.1:1" in failed.reason
