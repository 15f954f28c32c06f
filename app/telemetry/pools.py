"""Memory as it is there: one pool per device, but one for all devices that share the machine's own memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.engine.events import Device, MemoryBreakdown
    from app.telemetry.plan import DevicePlan

_UNIFIED_BACKENDS = ("Metal", "MTL")


@dataclass(frozen=True, slots=True)
class Pool:
    """One stretch of memory and what is planned in it, in bytes.

    Attributes:
        devices: names of the devices that use it, such as CPU or CUDA0.
        description: what the first of them is.
        total_bytes, others_bytes: how much there is, and what other programs hold; None where nobody can say.
    """

    devices: tuple[str, ...]
    description: str
    total_bytes: int | None
    others_bytes: int | None
    weights_bytes: int = 0
    kv_bytes: int = 0
    recurrent_bytes: int = 0
    compute_output_bytes: int = 0

    @property
    def name(self) -> str:
        """Devices and description in a line."""
        names = " + ".join(self.devices)
        return f"{names} · {self.description}" if self.description and self.description != names else names

    @property
    def used_bytes(self) -> int:
        """What the model takes."""
        return self.weights_bytes + self.kv_bytes + self.recurrent_bytes + self.compute_output_bytes

    @property
    def left_bytes(self) -> int | None:
        """What stays free; negative when it does not fit."""
        if self.total_bytes is None or self.others_bytes is None:
            return None
        return self.total_bytes - self.others_bytes - self.used_bytes


def shares_machine_memory(device: Device) -> bool:
    """Whether a device works in the machine's own memory: integrated GPUs, Apple's chips, and the CPU itself."""
    return device.kind in ("cpu", "igpu", "accel") or device.backend in _UNIFIED_BACKENDS


def after_unload(devices: Iterable[Device], loaded: MemoryBreakdown) -> tuple[Device, ...]:
    """Return the devices as they will be when a loaded model was freed."""
    return tuple(
        device
        if device.free_bytes is None or device.total_bytes is None
        else replace(device, free_bytes=min(device.free_bytes + held_bytes(loaded, device), device.total_bytes))
        for device in devices
    )


def pools(plans: Iterable[DevicePlan]) -> tuple[Pool, ...]:
    """Return the pools of a plan, the machine's own memory first."""
    shared: list[DevicePlan] = []
    own: list[DevicePlan] = []
    for plan in plans:
        (shared if shares_machine_memory(plan.device) else own).append(plan)
    shared.sort(key=lambda plan: plan.device.kind != "cpu")
    groups = [shared] if shared else []
    return tuple(_pool(group) for group in [*groups, *([plan] for plan in own)])


def _pool(plans: list[DevicePlan]) -> Pool:
    first = plans[0].device
    return Pool(
        devices=tuple(plan.device.name for plan in plans),
        description=first.description,
        total_bytes=first.total_bytes,
        others_bytes=plans[0].used_by_others_bytes,
        weights_bytes=sum(plan.weights_bytes for plan in plans),
        kv_bytes=sum(plan.kv_bytes for plan in plans),
        recurrent_bytes=sum(plan.recurrent_bytes for plan in plans),
        compute_output_bytes=sum(plan.compute_bytes + plan.output_bytes for plan in plans),
    )


def held_bytes(loaded: MemoryBreakdown, device: Device) -> int:
    """Return how much a loaded model keeps from others in a device's memory.

    Weights that are mapped from the file are not counted: the system gives their pages to whoever needs them.
    """
    return sum(
        buffer.size_bytes
        for buffer in loaded.buffers
        if buffer_device(buffer.device, (device.name,)) == device.name and not buffer.device.endswith("_Mapped")
    )


def buffer_device(buffer_type: str, devices: Iterable[str]) -> str:
    """Return the device whose memory a buffer type takes: RPC0[127.0.0.1:1234] takes RPC0's, CUDA_Host the CPU's."""
    name = buffer_type.split("[")[0]
    return next((device for device in devices if name == device or name.startswith(f"{device}_")), "CPU")
