"""Why the CPU does all the work, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:
    from app.telemetry.memory import IdleGpu


def idle_gpu(reason: IdleGpu) -> str:
    """Return why the CPU does all the work, empty when that is as it was asked for."""
    return {
        "": "",
        "no_backend": QCoreApplication.translate(
            "memory",
            "Layers were asked for on the GPU, but this llama.cpp was built without GPU support: the CPU does all the "
            "work. Install a GPU build (README, GPU builds).",
        ),
        "no_device": QCoreApplication.translate(
            "memory",
            "Layers were asked for on the GPU, but llama.cpp finds no GPU here: the CPU does all the work. Check the "
            "GPU's driver.",
        ),
        "not_asked": QCoreApplication.translate(
            "memory", "There is a GPU, but 0 layers were asked for on it: the CPU does all the work."
        ),
        "did_not_fit": QCoreApplication.translate(
            "memory",
            "There is a GPU, but not even one layer fits into its free memory: the CPU does all the work. Free some of "
            "it, or choose a smaller context.",
        ),
    }[reason]
