"""Which device each layer goes to: llama_prepare_model_devices (llama.cpp) and llama_model_base::load_tensors
(llama-model.cpp)."""

from __future__ import annotations

import struct
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.engine.config import ModelConfig
    from app.engine.events import Device

CPU = "CPU"


@dataclass(frozen=True, slots=True)
class Placement:
    """Names of devices: of every layer, and of the output layer. The input embeddings stay on the CPU."""

    layers: tuple[str, ...]
    output: str
    alignments: dict[str, int]
    pads_rows: frozenset[str]


_ALIGNMENT = 32
_ALIGNMENTS = {"CUDA": 128, "ROCm": 128, "MUSA": 128, "SYCL": 128, "CANN": 128}
"""Bytes a tensor's size is rounded up to (get_alignment of each ggml backend), 32 on the CPU, Metal and, with a CPU
behind it, RPC. Vulkan and OpenCL ask the driver; what that changes is below 256 bytes per tensor."""

_ROW_PADDING = frozenset({"CUDA", "ROCm", "MUSA"})
"""Backends that pad the last row of a quantised matrix to 512 values (ggml_backend_cuda_buffer_type_get_alloc_size)."""


def gpu_devices(config: ModelConfig, devices: Sequence[Device]) -> tuple[Device, ...]:
    """Return the devices llama.cpp spreads layers over, in its order.

    Those named in the settings; else RPC servers, then GPUs, and integrated GPUs of one backend when there is no other.

    Raises:
        BadInputError: a device of that name does not exist.
    """
    if config.devices:
        known = {device.name: device for device in devices}
        missing = [name for name in config.devices if name not in known]
        if missing:
            raise BadInputError(f"There is no device {missing[0]} here: choose one of {', '.join(known) or 'none'}.")
        return tuple(known[name] for name in config.devices)
    servers = [device for device in devices if device.kind == "gpu" and device.backend == "RPC"]
    gpus = [device for device in devices if device.kind == "gpu" and device.backend != "RPC"]
    integrated = [device for device in devices if device.kind == "igpu"]
    if not gpus:
        gpus = [device for device in integrated if device.backend == integrated[0].backend]
    return (*servers, *gpus)


def place(n_layer_all: int, config: ModelConfig, devices: Sequence[Device]) -> Placement:
    """Return where the layers go.

    The last `n_gpu_layers` of the layers, the output layer counted as one, go to the GPUs, divided by `tensor_split`
    or by free memory. "auto" counts as every layer: callers choose before, and without a GPU it makes no difference.
    """
    gpus = gpu_devices(config, devices)
    asked = config.n_gpu_layers if isinstance(config.n_gpu_layers, int) else -1
    wanted = n_layer_all + 1 if asked < 0 else asked
    first = max(n_layer_all + 1 - wanted, 0)
    count = min(wanted, n_layer_all + 1) if gpus else 0
    bounds = _split_points(gpus, config.tensor_split, devices)

    def device_of(layer: int) -> str:
        if layer < first or layer - first >= count:
            return CPU
        # A split of nothing but zeros up to here puts the rest on the last device.
        return gpus[min(bisect_right(bounds, _f32((layer - first) / count)), len(gpus) - 1)].name

    return Placement(
        tuple(device_of(layer) for layer in range(n_layer_all)),
        device_of(n_layer_all),
        {device.name: _ALIGNMENTS.get(device.backend, _ALIGNMENT) for device in gpus} | {CPU: _ALIGNMENT},
        frozenset(device.name for device in gpus if device.backend in _ROW_PADDING),
    )


def _split_points(gpus: Sequence[Device], tensor_split: Sequence[float], devices: Sequence[Device]) -> list[float]:
    """Return each device's end as a fraction of the layers, in single precision like llama.cpp's."""
    shares = [*tensor_split[: len(gpus)], *[0.0] * (len(gpus) - len(tensor_split))]
    if not any(shares):
        host = next((device.free_bytes or 0 for device in devices if device.kind == "cpu"), 0)
        shares = [float(device.free_bytes or (0 if device.total_bytes else host)) for device in gpus]
    if not any(shares):
        shares = [1.0] * len(gpus)
    sums: list[float] = []
    total = 0.0
    for share in shares:
        total = _f32(total + _f32(share))
        sums.append(total)
    return [_f32(part / total) for part in sums]


def _f32(value: float) -> float:
    rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return rounded
