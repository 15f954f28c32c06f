"""A loaded model's memory beside what was predicted, and beside the formula everybody knows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from app.engine.memory.block_types import kv_type
from app.telemetry.pools import buffer_device
from app.telemetry.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.engine.config import ModelConfig
    from app.engine.events import BufferKind, Device, LoadedModel
    from app.telemetry.plan import Plan

KINDS: tuple[BufferKind, ...] = ("weights", "kv", "recurrent", "compute", "output")


def settled(config: ModelConfig, model: LoadedModel) -> ModelConfig:
    """Return the settings with what was chosen for "auto", so that a plan of them is one of this very load."""
    n_gpu_layers: int | Literal["all"] = model.n_gpu_layers if model.n_gpu_layers >= 0 else "all"
    return replace(config, n_ctx=model.n_ctx, n_gpu_layers=n_gpu_layers, use_extra_bufts=model.use_extra_bufts)


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """The buffers of one kind on one device; None where a side does not know of them.

    Attributes:
        buffers: names of llama.cpp's buffer types that were added up, such as CPU_Mapped and CPU_REPACK.
    """

    kind: BufferKind
    device: str
    buffers: tuple[str, ...]
    predicted_bytes: int | None
    measured_bytes: int | None

    @property
    def difference_bytes(self) -> int | None:
        """Measured minus predicted."""
        if self.predicted_bytes is None or self.measured_bytes is None:
            return None
        return self.measured_bytes - self.predicted_bytes


def memory_rows(plan: Plan | None, model: LoadedModel) -> tuple[MemoryRow, ...]:
    """Return what llama.cpp says it allocated beside the plan, by kind and device; the plan may be missing."""
    planned = {item.device.name: item for item in plan.devices} if plan is not None else {}
    names = [name for name in planned if name != "CPU"] or [
        buffer.device.split("[")[0] for buffer in model.memory.buffers if not buffer.device.startswith("CPU")
    ]
    measured: dict[tuple[BufferKind, str], dict[str, int]] = {}
    for buffer in model.memory.buffers:
        found = measured.setdefault((buffer.kind, buffer_device(buffer.device, names)), {})
        found[buffer.device] = found.get(buffer.device, 0) + buffer.size_bytes
    rows = []
    for kind in KINDS:
        devices = [*planned, *(device for other, device in measured if other == kind and device not in planned)]
        for device in devices:
            parts = measured.get((kind, device), {})
            predicted = getattr(planned[device], f"{kind}_bytes") if device in planned else None
            if parts or predicted:
                rows.append(MemoryRow(kind, device, tuple(parts), predicted, sum(parts.values())))
    return tuple(rows)


def comparison_table(rows: Iterable[MemoryRow]) -> Table:
    """Return the rows for other programs."""
    columns = ("kind", "device", "buffers", "predicted_bytes", "measured_bytes", "difference_bytes")
    return Table(
        columns,
        tuple(
            (
                row.kind,
                row.device,
                " + ".join(row.buffers),
                row.predicted_bytes,
                row.measured_bytes,
                row.difference_bytes,
            )
            for row in rows
        ),
    )


def devices_table(devices: Iterable[Device]) -> Table:
    """Return devices for other programs."""
    columns = ("name", "kind", "backend", "description", "total_bytes", "free_bytes", "used_bytes")
    return Table(
        columns,
        tuple(
            (
                device.name,
                device.kind,
                device.backend,
                device.description,
                device.total_bytes,
                device.free_bytes,
                None
                if device.total_bytes is None or device.free_bytes is None
                else device.total_bytes - device.free_bytes,
            )
            for device in devices
        ),
    )


IdleGpu = Literal["", "no_backend", "no_device", "not_asked", "did_not_fit"]


def why_gpu_idles(config: ModelConfig, model: LoadedModel, devices: Iterable[Device]) -> IdleGpu:
    """Return why no layer is on a GPU; empty when some are, or when none was asked for and none is there.

    `no_backend`: layers were asked for, but this llama.cpp was built without any GPU backend; `no_device`: it has one
    and finds no device; `not_asked`: 0 layers were asked for; `did_not_fit`: "auto" found no room for any.
    """
    if model.layers_offloaded:
        return ""
    has_gpu = any(device.kind in ("gpu", "igpu") for device in devices)
    if config.n_gpu_layers == 0:
        return "not_asked" if has_gpu else ""
    if has_gpu:
        return "did_not_fit"
    if config.n_gpu_layers == "auto":
        return ""
    return "no_device" if model.gpu_backends else "no_backend"


DifferenceKind = Literal[
    "padding",
    "precision",
    "dimensions",
    "no_cache",
    "more_caches",
    "window",
    "compressed",
    "no_v",
    "per_layer",
    "parallel",
]


@dataclass(frozen=True, slots=True)
class Difference:
    """One reason why a KV cache is not what the classic formula says, and by how many bytes."""

    kind: DifferenceKind
    size_bytes: int


@dataclass(frozen=True, slots=True)
class ClassicFormula:
    """layers x context x KV heads x head dim x (bytes of K + bytes of V), with one model's numbers.

    Attributes:
        n_ctx: as it was asked for, without padding.
        k_bytes, v_bytes: per value, as the type's name says: 1 for q8_0, whose blocks carry a scale besides.
        exact_bytes: what llama.cpp allocates; `classic_bytes` plus all differences.
        recurrent_bytes: state besides the KV cache, which the formula does not know.
    """

    n_layer: int
    n_ctx: int
    n_head_kv: int
    head_dim: int
    k_bytes: float
    v_bytes: float
    classic_bytes: int
    exact_bytes: int
    recurrent_bytes: int
    differences: tuple[Difference, ...]


def classic_formula(model: LoadedModel, asked_n_ctx: int | None = None) -> ClassicFormula | None:
    """Return the formula beside the truth; None for a model without attention.

    The way from one to the other is walked in steps, so that the differences add up: the context as padded, types as
    they are stored and K and V as wide as they are, only the layers that have a cache, only the cells each cache has,
    and last what each cell really holds.
    """
    info, caches = model.info, model.memory.kv_caches
    if not caches or not info.n_head_kv or not info.head_dim_k:
        return None
    k, v = kv_type(model.type_k), kv_type(model.type_v)
    head_dim_v = info.head_dim_v or info.head_dim_k
    asked = min(asked_n_ctx or model.n_ctx, model.n_ctx)
    nominal = info.n_head_kv * info.head_dim_k * (_nominal_bytes(model.type_k) + _nominal_bytes(model.type_v))
    true_types = info.n_head_kv * info.head_dim_k * (k.n_bytes / k.elements + v.n_bytes / v.elements)
    true_widths = info.n_head_kv * (info.head_dim_k * k.n_bytes / k.elements + head_dim_v * v.n_bytes / v.elements)
    layers = sum(cache.layers for cache in caches)
    steps: list[tuple[DifferenceKind, float]] = [
        ("padding", info.n_layer * model.n_ctx * nominal),
        ("precision", info.n_layer * model.n_ctx * true_types),
        ("dimensions", info.n_layer * model.n_ctx * true_widths),
        ("no_cache" if layers < info.n_layer else "more_caches", layers * model.n_ctx * true_widths),
        (
            "compressed" if any(cache.tokens_per_cell > 1 for cache in caches) else "window",
            sum(cache.layers * cache.cells for cache in caches) * true_widths,
        ),
    ]
    exact = sum(cache.cells * cache.bytes_per_cell for cache in caches)
    held = exact / max(sum(cache.layers * cache.cells for cache in caches), 1)
    k_alone = info.n_head_kv * info.head_dim_k * k.n_bytes / k.elements
    steps.append(("no_v" if abs(held - k_alone) < 1 else "per_layer", exact))
    steps.append(("parallel", sum(cache.streams * cache.cells * cache.bytes_per_cell for cache in caches)))
    classic = round(info.n_layer * asked * nominal)
    before, differences = classic, []
    for kind, size in steps:
        if round(size) != before:
            differences.append(Difference(kind, round(size) - before))
        before = round(size)
    return ClassicFormula(
        n_layer=info.n_layer,
        n_ctx=asked,
        n_head_kv=info.n_head_kv,
        head_dim=info.head_dim_k,
        k_bytes=_nominal_bytes(model.type_k),
        v_bytes=_nominal_bytes(model.type_v),
        classic_bytes=classic,
        exact_bytes=exact,
        recurrent_bytes=model.memory.total_bytes("recurrent"),
        differences=tuple(differences),
    )


def _nominal_bytes(type_name: str) -> float:
    """Return the bytes per value that a type's name promises."""
    if type_name in ("f32", "f16", "bf16"):
        return kv_type(type_name).n_bytes
    return int(type_name.lstrip("iq")[0]) / 8


def formula_table(formula: ClassicFormula) -> Table:
    """Return the steps for other programs."""
    rows = [("classic", formula.classic_bytes), *((item.kind, item.size_bytes) for item in formula.differences)]
    return Table(("step", "size_bytes"), (*rows, ("exact", formula.exact_bytes)))
