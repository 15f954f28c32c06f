"""Layers, KV and buffers on a second device: llama.cpp's RPC server on loopback stands in for a GPU."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.events import ContextGrown, LoadFailed, ModelLoaded, TokensGenerated
from app.engine.process import EngineProcess
from app.engine.request import GenerationRequest, Sampling

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.engine.self_test import SelfTests

SERVER = """
import ctypes, sys
from pathlib import Path
from app.engine.llama.library import ggml, initialise
initialise()
functions = ggml()
registry = functions.reg_by_name(b"RPC")
if not registry:
    sys.exit(77)
start = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p)(
    functions.reg_get_proc_address(registry, b"ggml_backend_rpc_start_server"))
devices = (ctypes.c_void_p * 1)(functions.dev_by_type(0))
start(sys.argv[1].encode(), None, 1, 1, ctypes.cast(devices, ctypes.c_void_p))
"""


@pytest.fixture
def rpc_server() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    endpoint = f"127.0.0.1:{port}"
    root = str(Path(__file__).parents[3])
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, endpoint],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": root},
    )
    try:
        while True:
            if server.poll() == 77:
                pytest.skip("this build of llama.cpp has no RPC backend")
            assert server.poll() is None, "the RPC server ended"
            with socket.socket() as attempt:
                if attempt.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield endpoint
    finally:
        server.kill()
        server.wait()


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


def test_layers_on_a_device_are_carried_over_too(starter: Path, self_tests: SelfTests, rpc_server: str) -> None:
    engine = EngineProcess(self_tests)
    texts = []
    for size in ({"n_ctx_start": 256}, {"n_ctx": 1024}):
        config = ModelConfig(starter, n_gpu_layers=12, rpc_servers=(rpc_server,), **size)
        loaded = list(engine.load(config))[-1]
        assert isinstance(loaded, ModelLoaded), loaded
        story = (Message("user", "Write a very long story about a ferry."),)
        asked = GenerationRequest(story, time.perf_counter_ns(), Sampling(0), max_tokens=320, stop=("\0",))
        events = list(engine.generate(asked))
        texts.append([piece for event in events if isinstance(event, TokensGenerated) for piece in event.pieces])
        if "n_ctx_start" in size:
            (grown,) = [event for event in events if isinstance(event, ContextGrown)]
            assert (grown.previous_n_ctx, grown.n_ctx, grown.carried_tokens) == (256, 512, 256)
            kv = {one.device.split("[")[0]: one.size_bytes for one in grown.memory.buffers if one.kind == "kv"}
            assert kv == {"RPC0": 11 * 512 * 768, "CPU": 19 * 512 * 768}
    engine.close()
    grown_text, fixed_text = ("".join(piece.text for piece in pieces) for pieces in texts)
    assert grown_text == fixed_text


def test_no_server_is_one_sentence(starter: Path, self_tests: SelfTests) -> None:
    engine = EngineProcess(self_tests)
    failed = list(engine.load(ModelConfig(starter, rpc_servers=("127.0.0.1:1",))))[-1]
    assert isinstance(failed, LoadFailed)
    assert "127.0.0.1:1" in failed.reason
