"""Layers, KV and weights per device, against real loads on RPC servers that stand in for GPUs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from app.engine.config import ModelConfig
from app.engine.events import Buffer, Device
from app.engine.gguf import read_header
from app.engine.memory import predict_memory
from tests.rpc_server import ROOT, running_rpc_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MIB = 1024 * 1024
ROUNDED = 0.0051 * MIB  # the log has two decimals
GIB = 1024**3

LOAD = """
import ctypes, json, sys
from dataclasses import astuple
from app.engine.llama.devices import list_devices
from app.engine.llama.library import initialise, lib, register_rpc_servers
from app.engine.llama.log_capture import log_capture, parse_memory
path, endpoints, cases = json.loads(sys.argv[1])
initialise()
log = log_capture()
register_rpc_servers(tuple(endpoints))
print(json.dumps([astuple(device) for device in list_devices()]))
for layers, split, offload in cases:
    parameters = lib.llama_model_default_params()
    parameters.n_gpu_layers = layers
    parameters.use_extra_bufts = False
    parameters.load_mode = lib.LLAMA_LOAD_MODE_NONE
    shares = (ctypes.c_float * 128)(*split)
    parameters.tensor_split = shares
    with log.record() as lines:
        model = lib.llama_model_load_from_file(path.encode(), parameters)
        settings = lib.llama_context_default_params()
        settings.n_ctx = 2048
        settings.n_outputs_max = 1
        settings.swa_full = False
        settings.offload_kqv = offload
        context = lib.llama_init_from_model(model, settings)
    memory = parse_memory(lines, 2048)
    print(json.dumps([[buffer.device, buffer.kind, buffer.size_bytes] for buffer in memory.buffers]))
    lib.llama_free(context)
    lib.llama_model_free(model)
"""
CASES = [
    (layers, split, offload)
    for layers, split in ((0, ()), (1, ()), (12, ()), (-1, ()), (12, (3.0, 1.0)), (-1, (1.0, 0.0)), (-1, (0.3, 0.7)))
    for offload in (True, False)
]


@pytest.fixture(scope="module")
def endpoints() -> Iterator[tuple[str, str]]:
    with running_rpc_server() as first, running_rpc_server() as second:
        yield first, second


def real_loads(path: Path, endpoints: tuple[str, str]) -> tuple[tuple[Device, ...], list[Counter[tuple[str, str]]]]:
    """The devices, and for each case the bytes per device and kind.

    The log calls a buffer RPC0[host:port], after the device's number on its server.
    """
    done = subprocess.run(
        [sys.executable, "-c", LOAD, json.dumps([str(path), endpoints, CASES])],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    rows, *loads = map(json.loads, done.stdout.splitlines())
    devices = tuple(Device(*row) for row in rows)
    named = {f"RPC0[{device.description}]": device.name for device in devices}
    found: list[Counter[tuple[str, str]]] = []
    for load in loads:
        sizes: Counter[tuple[str, str]] = Counter()
        for device, kind, size in load:
            sizes[named.get(device, device), kind] += size
        found.append(sizes)
    return devices, found


def sizes_of(buffers: tuple[Buffer, ...]) -> dict[tuple[str, str], int]:
    return {(buffer.device, buffer.kind): buffer.size_bytes for buffer in buffers}


@pytest.mark.parametrize("arch", ["starter", "jamba-dense", "gemma3-dense", "deepseek2-moe"])
def test_every_device_gets_what_was_predicted(
    arch: str, starter: Path, architectures: Path, endpoints: tuple[str, str]
) -> None:
    path = starter if arch == "starter" else architectures / f"{arch}.gguf"
    header = read_header(path)
    devices, loads = real_loads(path, endpoints)
    assert len(loads) == len(CASES)
    for (layers, split, offload), real in zip(CASES, loads, strict=True):
        config = ModelConfig(path, 2048, n_gpu_layers=layers, tensor_split=split, offload_kqv=offload)
        predicted = sizes_of(predict_memory(header, config, devices).buffers)
        for kind in ("weights", "kv", "recurrent"):
            names = {name for name, of in predicted | real if of == kind}
            for name in names:
                # KV sizes are read from lines that round once per cache.
                assert predicted.get((name, kind), 0) == pytest.approx(real[name, kind], abs=2 * ROUNDED), (
                    layers,
                    split,
                    offload,
                    name,
                    kind,
                )


def gpu(name: str, free: int | None, backend: str = "CUDA", kind: Any = "gpu") -> Device:
    return Device(name, name, kind, backend, free, free)


CPU = gpu("CPU", 16 * GIB, "CPU", "cpu")


def layers_on(header: Any, config: ModelConfig, *devices: Device) -> Counter[str]:
    return Counter(layer.device for layer in predict_memory(header, config, (CPU, *devices)).layers)


def test_layers_follow_free_memory_and_order(starter: Path) -> None:
    header, config = read_header(starter), ModelConfig(starter, 512, n_gpu_layers="all")
    two = gpu("CUDA0", 24 * GIB), gpu("CUDA1", 8 * GIB)
    # 31 "layers" are split 3 to 1; the last of them is the output layer
    assert layers_on(header, config, *two) == {"CUDA0": 24, "CUDA1": 6}
    assert layers_on(header, replace(config, devices=("CUDA1",)), *two) == {"CUDA1": 30}
    assert layers_on(header, replace(config, devices=("CUDA1", "CUDA0")), *two) == {"CUDA1": 8, "CUDA0": 22}
    server = gpu("RPC0", 24 * GIB, "RPC")
    assert layers_on(header, replace(config, tensor_split=(1, 1, 0)), *two, server) == {"RPC0": 16, "CUDA0": 14}
    integrated = gpu("Vulkan0", 8 * GIB, "Vulkan", "igpu")
    assert layers_on(header, config, integrated) == {"Vulkan0": 30}
    assert layers_on(header, config, two[0], integrated) == {"CUDA0": 30}
    assert layers_on(header, replace(config, n_gpu_layers=12), gpu("CUDA0", None)) == {"CUDA0": 11, "CPU": 19}


def test_experts_stay_on_the_cpu(architectures: Path) -> None:
    path = architectures / "deepseek2-moe.gguf"
    header, config = read_header(path), ModelConfig(path, 512, n_gpu_layers="all")
    sizes = [tensor.n_bytes or 0 for tensor in header.tensors if "_exps" in tensor.name]
    experts = sum(-(-size // 32) * 32 for size in sizes)
    assert experts
    device = gpu("Metal", 8 * GIB, "MTL")
    alone = sizes_of(predict_memory(header, config, (CPU, device)).buffers)
    kept = sizes_of(predict_memory(header, replace(config, n_cpu_moe=99), (CPU, device)).buffers)
    assert alone["Metal", "weights"] - kept["Metal", "weights"] == experts
    assert kept["CPU", "weights"] - alone["CPU", "weights"] == experts


def test_tied_embeddings_are_stored_twice(starter: Path) -> None:
    header = read_header(starter)
    embeddings = next(tensor.n_bytes for tensor in header.tensors if tensor.name == "token_embd.weight")
    on_cpu = predict_memory(header, ModelConfig(starter, 512, n_gpu_layers=0))
    on_gpu = predict_memory(header, ModelConfig(starter, 512, n_gpu_layers="all"), (CPU, gpu("Metal", GIB, "MTL")))
    assert sizes_of(on_gpu.buffers)["CPU", "weights"] == embeddings
    assert on_gpu.total_bytes("weights") - on_cpu.total_bytes("weights") == embeddings
