"""The devices ggml knows, with their memory now."""

from __future__ import annotations

import ctypes

import psutil

from app.engine.events import Device, DeviceKind
from app.engine.llama.library import ggml

_NO_GPU_BACKENDS = ("CPU", "BLAS", "RPC", "AMX", "ZDNN", "Hexagon")

_KINDS: tuple[DeviceKind, ...] = ("cpu", "gpu", "igpu", "accel", "meta")


def list_devices() -> tuple[Device, ...]:
    """Return every device in ggml's order. A device that reports 0 of 0 bytes cannot say: None.

    ggml reports the CPU's whole memory as free (ggml-cpu.cpp), so the system is asked instead.
    """
    functions = ggml()
    devices = []
    for index in range(functions.dev_count()):
        handle = functions.dev_get(index)
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        functions.dev_memory(handle, ctypes.byref(free), ctypes.byref(total))
        number = functions.dev_type(handle)
        kind: DeviceKind = _KINDS[number] if 0 <= number < len(_KINDS) else "accel"
        if kind == "cpu":
            memory = psutil.virtual_memory()
            total.value, free.value = memory.total, memory.available
        devices.append(
            Device(
                name=functions.dev_name(handle).decode("utf-8", "replace"),
                description=functions.dev_description(handle).decode("utf-8", "replace"),
                kind=kind,
                backend=functions.reg_name(functions.dev_backend_reg(handle)).decode("utf-8", "replace"),
                total_bytes=total.value or None,
                free_bytes=free.value if total.value else None,
            )
        )
    return tuple(devices)


def gpu_backends() -> tuple[str, ...]:
    """Return the names of the GPU backends in this build, such as CUDA or Vulkan; each may find no device."""
    functions = ggml()
    registries = (functions.reg_get(index) for index in range(functions.reg_count()))
    names = (functions.reg_name(registry).decode("utf-8", "replace") for registry in registries)
    return tuple(name for name in names if not name.startswith("RPC") and name not in _NO_GPU_BACKENDS)
