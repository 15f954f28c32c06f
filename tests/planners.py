"""A scripted planner: the arithmetic of SmolLM2-135M, devices and answers as a test wants them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from app.engine.events import Device
from app.errors import ModelFileError
from app.telemetry.plan import DevicePlan, Plan
from tests.fakes import MIB

if TYPE_CHECKING:
    from app.engine.config import ModelConfig
    from app.engine.gguf import Header

GIB = 1024 * MIB
CPU = Device("CPU", "Fake CPU", "cpu", "CPU", 8 * GIB, 4 * GIB)
GPU = Device("CUDA0", "Fake GPU", "gpu", "CUDA", 2 * GIB, GIB)
SECOND_GPU = Device("CUDA1", "Fake GPU", "gpu", "CUDA", 2 * GIB, 2 * GIB)

LAYERS = 31
KV_BYTES_PER_TOKEN = {"f32": 46_080, "f16": 23_040, "bf16": 23_040, "q8_0": 12_240}


class ScriptedPlanner:
    """Every layer takes the same; the KV cache goes with the layers, the rest with the CPU.

    Attributes:
        asked: every (config, accuracy), oldest first.
        gate: while it is closed `plan` waits.
        refusals: a reason by type of K.
        error: raised instead of a plan.
    """

    def __init__(self, devices: tuple[Device, ...] = (CPU,), weights_bytes: int = 92 * MIB) -> None:
        self.asked: list[tuple[ModelConfig, str]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.refusals: dict[str, str] = {}
        self.error = ""
        self.is_closed = False
        self.taken: tuple[Device, ...] = ()
        self._devices = devices
        self._weights_bytes = weights_bytes

    def plan(self, config: ModelConfig, *, accuracy: str = "estimate", header: Header | None = None) -> Plan:
        self.asked.append((config, accuracy))
        if header is not None:  # of a model that is not here yet
            self._weights_bytes = sum(tensor.n_bytes for tensor in header.tensors)
        self.gate.wait(30)
        if self.error:
            raise ModelFileError(self.error)
        gpus = [device for device in self._devices if device.kind == "gpu"]
        on_gpu = LAYERS if config.n_gpu_layers in ("auto", "all") else int(config.n_gpu_layers)
        on_gpu = min(on_gpu, LAYERS) if gpus else 0
        n_ctx = config.n_ctx or 4096
        kv_bytes = n_ctx * KV_BYTES_PER_TOKEN[config.type_k]
        cpu = next((device for device in self.taken if device.kind == "cpu"), CPU)
        plans = [self._share(cpu, LAYERS - on_gpu, kv_bytes, 17 * MIB)]
        plans += [self._share(gpu, on_gpu // len(gpus), kv_bytes, 24 * MIB) for gpu in gpus]
        room = 4 * GIB - self._weights_bytes - 17 * MIB
        return Plan(
            architecture="llama",
            n_params=134_515_008,
            n_layer=30,
            n_ctx=n_ctx,
            n_ctx_train=8192,
            n_gpu_layers=on_gpu,
            layers_total=LAYERS,
            flash_attention=config.flash_attention != "off",
            kv_class="full attention",
            kv_bytes_per_token=KV_BYTES_PER_TOKEN[config.type_k],
            devices=tuple(plans),
            max_n_ctx_that_fits=max(room // KV_BYTES_PER_TOKEN[config.type_k] // 256 * 256, 0) or None,
            choice=f"{on_gpu} of {LAYERS} layers on {gpus[0].name}." if gpus else "",
            refused=self.refusals.get(config.type_k, ""),
            source="dry run" if accuracy == "dry run" else "estimate",
        )

    def largest_n_ctx(self, config: ModelConfig) -> int | None:
        return self.plan(config).max_n_ctx_that_fits

    def devices(self, rpc_servers: tuple[str, ...]) -> tuple[Device, ...]:
        extra = tuple(
            Device(f"RPC{number}", server, "gpu", "RPC", GIB, GIB) for number, server in enumerate(rpc_servers)
        )
        return self._devices + extra

    def take_devices(self, _rpc_servers: tuple[str, ...], devices: tuple[Device, ...]) -> None:
        self.taken = devices

    def cancel(self) -> None:
        self.gate.set()

    def close(self) -> None:
        self.is_closed = True

    def _share(self, device: Device, layers: int, kv_bytes: int, compute_bytes: int) -> DevicePlan:
        return DevicePlan(
            device,
            weights_bytes=self._weights_bytes * layers // LAYERS,
            kv_bytes=kv_bytes * layers // LAYERS,
            compute_bytes=compute_bytes,
            output_bytes=MIB // 5,
        )


def scripted_planners() -> tuple[ScriptedPlanner, ScriptedPlanner]:
    """One that estimates and one that measures, without a script."""
    return ScriptedPlanner(), ScriptedPlanner()
