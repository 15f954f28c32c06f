"""How many layers go to the GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.engine.llama.model import LlamaModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.engine.config import ModelConfig
    from app.engine.events import Device
    from app.engine.llama.log_capture import LogCapture

ALL_LAYERS = -1
"""llama.cpp's own value for "every layer, the output layer included"."""

MARGIN_BYTES = 1024**3
"""Left free on each GPU, llama.cpp's default for --fit (common/common.h)."""


def choose_gpu_layers(config: ModelConfig, devices: Sequence[Device], log: LogCapture) -> int:
    """Return `n_gpu_layers` for llama.cpp.

    "auto" puts everything on the GPUs when the weights and a margin fit into what they have free, else the share of
    the layers that fits, each counted as an equal part of the weights.
    """
    if isinstance(config.n_gpu_layers, int):
        return config.n_gpu_layers
    if config.n_gpu_layers == "all":
        return ALL_LAYERS
    free = [device.free_bytes for device in devices if device.kind in ("gpu", "igpu") and device.free_bytes]
    if not free:
        return 0
    room = sum(max(size - MARGIN_BYTES, 0) for size in free)
    model = LlamaModel(
        config.path,
        n_gpu_layers=0,
        use_extra_bufts=False,
        on_progress=lambda _fraction: True,
        errors=log.errors,
        no_alloc=True,
    )
    try:
        info = model.info()
    finally:
        model.free()
    if info.file_bytes <= room:
        return ALL_LAYERS
    return int(room / (info.file_bytes / (info.n_layer + 1)))
