"""Where layers, and the experts' weights in them, are put: ModelConfig in llama.cpp's terms."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from app.engine.llama.library import ggml, lib
from app.errors import BadInputError, Sentence

if TYPE_CHECKING:
    from app.engine.config import ModelConfig

ALL_LAYERS = -1
"""llama.cpp's own value for "every layer, the output layer included"."""

_EXPERTS = r"blk\.{}\.ffn_(up|down|gate_up|gate)_(ch|)exps"  # LLM_FFN_EXPS_REGEX of llama.cpp's common/common.h


class _Override(ctypes.Structure):
    """struct llama_model_tensor_buft_override; the binding leaves it out."""

    _fields_ = (("pattern", ctypes.c_char_p), ("buft", ctypes.c_void_p))


def layers_asked_for(config: ModelConfig) -> int:
    """Return `n_gpu_layers` as llama.cpp takes it."""
    return config.n_gpu_layers if isinstance(config.n_gpu_layers, int) else ALL_LAYERS


def place(parameters: Any, config: ModelConfig) -> tuple[object, ...]:
    """Fill in the layers, devices, split and experts of llama_model_params; return what must outlive the model.

    Raises:
        BadInputError: a device is unknown, or the split has more parts than llama.cpp takes.
    """
    parameters.n_gpu_layers = layers_asked_for(config)
    kept: list[object] = []
    if config.devices:
        handles = (ctypes.c_void_p * (len(config.devices) + 1))(*map(_device, config.devices), None)
        parameters.devices = ctypes.cast(handles, ctypes.c_void_p)
        kept.append(handles)
    if config.tensor_split:
        most = lib.llama_max_devices()
        if len(config.tensor_split) > most:
            raise BadInputError(
                Sentence(
                    "The layers are split over {count} devices: llama.cpp takes at most {most}.",
                    count=len(config.tensor_split),
                    most=most,
                )
            )
        split = (ctypes.c_float * most)(*config.tensor_split)
        parameters.tensor_split = ctypes.cast(split, type(parameters.tensor_split))
        kept.append(split)
    if config.n_cpu_moe:
        overrides = _experts_on_cpu(config.n_cpu_moe)
        parameters.tensor_buft_overrides = ctypes.cast(overrides, ctypes.c_void_p)
        kept.append(overrides)
    return tuple(kept)


def _device(name: str) -> int:
    handle: int | None = ggml().dev_by_name(name.encode())
    if not handle:
        functions = ggml()
        known = [functions.dev_name(functions.dev_get(i)).decode() for i in range(functions.dev_count())]
        raise BadInputError(
            Sentence("There is no device {name}: this machine has {devices}.", name=name, devices=", ".join(known))
        )
    return handle


def _experts_on_cpu(layers: int) -> ctypes.Array[_Override]:
    most = lib.llama_max_tensor_buft_overrides() - 1
    if layers > most:
        raise BadInputError(
            Sentence(
                "The experts of at most {most} layers can be kept on the CPU, not of {count}.", most=most, count=layers
            )
        )
    buft = ggml().cpu_buffer_type()
    rows = [_Override(_EXPERTS.format(layer).encode(), buft) for layer in range(layers)]
    return (_Override * (layers + 1))(*rows, _Override(None, None))
