"""The words of the memory details."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from ui import formatting

if TYPE_CHECKING:
    from app.engine.events import BufferKind, DeviceKind
    from app.telemetry.memory import ClassicFormula, DifferenceKind


def kind_name(kind: BufferKind) -> str:
    """Return what a buffer is for."""
    return {
        "weights": QCoreApplication.translate("memory", "Weights"),
        "kv": QCoreApplication.translate("memory", "KV cache"),
        "recurrent": QCoreApplication.translate("memory", "Recurrent state"),
        "compute": QCoreApplication.translate("memory", "Compute"),
        "output": QCoreApplication.translate("memory", "Output"),
    }[kind]


def device_kind(kind: DeviceKind) -> str:
    """Return what a device is."""
    return {
        "cpu": QCoreApplication.translate("memory", "CPU"),
        "gpu": QCoreApplication.translate("memory", "GPU"),
        "igpu": QCoreApplication.translate("memory", "integrated GPU"),
        "accel": QCoreApplication.translate("memory", "accelerator"),
        "meta": QCoreApplication.translate("memory", "several devices"),
    }[kind]


def signed_memory(size_bytes: float) -> str:
    """Return a difference with its sign."""
    if not size_bytes:
        return formatting.memory(0)
    return f"{'+' if size_bytes > 0 else '−'}{formatting.memory(abs(size_bytes))}"


def difference(predicted_bytes: int | None, measured_bytes: int | None) -> str:
    """Return measured minus predicted, and its share of what was measured."""
    if predicted_bytes is None or measured_bytes is None:
        return formatting.unknown()
    size = signed_memory(measured_bytes - predicted_bytes)
    if not measured_bytes or measured_bytes == predicted_bytes:
        return size
    share = formatting.percent(abs(measured_bytes - predicted_bytes) / measured_bytes)
    return QCoreApplication.translate("memory", "{size} ({share})").format(size=size, share=share)


def formula_line(formula: ClassicFormula) -> str:
    """Return the classic formula with a model's numbers."""
    if formula.k_bytes == formula.v_bytes:
        text = QCoreApplication.translate(
            "memory", "{layers} layers × {n_ctx} tokens × {heads} KV heads × {dim} per head × {k} bytes × 2 (K and V)"
        )
    else:
        text = QCoreApplication.translate(
            "memory",
            "{layers} layers × {n_ctx} tokens × {heads} KV heads × {dim} per head × ({k} bytes K + {v} bytes V)",
        )
    return text.format(
        layers=formatting.count(formula.n_layer),
        n_ctx=formatting.count(formula.n_ctx),
        heads=formatting.count(formula.n_head_kv),
        dim=formatting.count(formula.head_dim),
        k=f"{formula.k_bytes:g}",
        v=f"{formula.v_bytes:g}",
    )


def formula_difference(kind: DifferenceKind) -> str:
    """Return why the truth is another than the formula."""
    return {
        "padding": QCoreApplication.translate(
            "memory", "Padding: llama.cpp rounds the context up to a multiple of 256."
        ),
        "precision": QCoreApplication.translate(
            "memory", "Quantisation: every block of 32 values carries a scale besides its values."
        ),
        "dimensions": QCoreApplication.translate("memory", "K and V are not equally wide."),
        "no_cache": QCoreApplication.translate(
            "memory", "Layers without a cache of their own: recurrent ones, or ones that read another layer's."
        ),
        "more_caches": QCoreApplication.translate(
            "memory", "More than one cache in a layer: an indexer or a compressed copy besides."
        ),
        "window": QCoreApplication.translate("memory", "Sliding window: these layers keep the last tokens only."),
        "compressed": QCoreApplication.translate(
            "memory",
            "Windows and compression: layers that keep the last tokens only, and cells that hold several tokens.",
        ),
        "no_v": QCoreApplication.translate(
            "memory",
            "MLA (multi-head latent attention): one vector stands for K, and V is computed from it, so no V is kept.",
        ),
        "per_layer": QCoreApplication.translate(
            "memory",
            "Layers differ: in their number of KV heads, in what they keep, or V is padded to the widest layer.",
        ),
        "parallel": QCoreApplication.translate(
            "memory", "Several answers at once: each of them has a cache of its own."
        ),
    }[kind]
