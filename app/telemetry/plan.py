"""What a model will take with some settings, per device, before it is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from app.engine.events import Device


@dataclass(frozen=True, slots=True)
class DevicePlan:
    """One device and what the model will take of it, in bytes."""

    device: Device
    weights_bytes: int = 0
    kv_bytes: int = 0
    recurrent_bytes: int = 0
    compute_bytes: int = 0
    output_bytes: int = 0

    @property
    def used_bytes(self) -> int:
        """What the model takes of this device."""
        return self.weights_bytes + self.kv_bytes + self.recurrent_bytes + self.compute_bytes + self.output_bytes

    @property
    def used_by_others_bytes(self) -> int | None:
        """What other programs hold now; None where the device cannot say."""
        if self.device.total_bytes is None or self.device.free_bytes is None:
            return None
        return self.device.total_bytes - self.device.free_bytes

    @property
    def left_bytes(self) -> int | None:
        """What stays free; negative when the plan does not fit, None where the device cannot say."""
        return None if self.device.free_bytes is None else self.device.free_bytes - self.used_bytes


@dataclass(frozen=True, slots=True)
class Plan:
    """The allocation of one model with one set of settings.

    Attributes:
        architecture: `general.architecture`.
        n_ctx: tokens the context holds, padding included; n_ctx_train: what the model was trained for.
        n_gpu_layers: layers on GPUs, output layer included; layers_total: all of them, counted likewise.
        n_cpu_moe: in how many of the first layers the experts' weights stay on the CPU.
        flash_attention: what "auto" becomes.
        kv_class: kind of cache in a word or two, such as "full attention", "sliding window", "MLA", "recurrent".
        kv_bytes_per_token: what one more token takes while every layer's cache still grows.
        devices: those the plan uses, the CPU always among them.
        max_n_ctx_that_fits: with the other settings as they are; None when no context fits.
        choice: one sentence that explains what was chosen for "auto"; empty when nothing was.
        refused: why llama.cpp will not make this context, one sentence; empty when it will.
        note: why it is only an estimate although a dry run was asked for, one sentence; else empty.
        host_bytes: what the process grows by beside its buffers: for the vocabulary and the graphs, as a dry run
            measured it, and for ggml's scratch memory; None without a dry run.
        source: whether compute and output buffers were measured by a dry run, or only estimated.
    """

    architecture: str
    n_params: int
    n_layer: int
    n_ctx: int
    n_ctx_train: int
    n_gpu_layers: int
    layers_total: int
    flash_attention: bool
    kv_class: str
    kv_bytes_per_token: int
    devices: tuple[DevicePlan, ...]
    max_n_ctx_that_fits: int | None
    choice: str = ""
    refused: str = ""
    source: Literal["dry run", "estimate"] = "dry run"
    note: str = ""
    n_cpu_moe: int = 0
    host_bytes: int | None = None

    def total_bytes(self, kind: Literal["weights", "kv", "recurrent", "compute", "output"] | None = None) -> int:
        """Sum over the devices, of one kind or of all."""
        if kind is None:
            return sum(plan.used_bytes for plan in self.devices)
        return sum(getattr(plan, f"{kind}_bytes") for plan in self.devices)

    @property
    def process_bytes(self) -> int | None:
        """What the model's process will grow by on this machine, once every buffer was used; None: not measured."""
        if self.host_bytes is None:
            return None
        return self.host_bytes + sum(plan.used_bytes for plan in self.devices if plan.device.kind == "cpu")

    @property
    def fits(self) -> bool:
        """Whether llama.cpp accepts it and every device has the room; a device that cannot say is taken to have it."""
        return not self.refused and all((plan.left_bytes or 0) >= 0 for plan in self.devices)
