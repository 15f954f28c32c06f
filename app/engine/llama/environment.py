"""What a bench is run with: the library, the devices and the model, by llama-bench's names."""

from __future__ import annotations

import ctypes
import importlib.metadata
from typing import TYPE_CHECKING

from app.engine.bench import BenchEnvironment
from app.engine.llama.devices import list_devices
from app.engine.llama.library import lib

if TYPE_CHECKING:
    from app.engine.events import LoadedModel
    from app.engine.llama.model import LlamaModel

_DESCRIPTION_BYTES = 128


def bench_environment(model: LlamaModel, loaded: LoadedModel) -> BenchEnvironment:
    """Return what llama-bench prints beside every result."""
    devices = list_devices()
    description = ctypes.create_string_buffer(_DESCRIPTION_BYTES)
    lib.llama_model_desc(model.handle, description, _DESCRIPTION_BYTES)
    backends = dict.fromkeys(device.backend.split("[")[0] for device in devices if device.backend != "CPU")
    return BenchEnvironment(
        build_commit=_commit(),
        library=f"llama-cpp-python {importlib.metadata.version('llama_cpp_python')}",
        cpu_info=", ".join(device.description for device in devices if device.kind in ("cpu", "accel")),
        gpu_info=", ".join(device.description for device in devices if device.kind in ("gpu", "igpu")),
        backends=",".join(backends) or "CPU",
        model_type=description.value.decode("utf-8", "replace"),
        model_size=lib.llama_model_size(model.handle),
        model_n_params=loaded.info.n_params,
        n_gpu_layers=loaded.n_gpu_layers,
        repack=loaded.use_extra_bufts,
    )


def _commit() -> str:
    """The commit of llama.cpp, which ggml was compiled with; a changed tree is not llama-bench's to tell either."""
    try:
        function = lib._lib.ggml_commit
    except AttributeError:
        return ""
    function.restype = ctypes.c_char_p
    return (function() or b"").decode("ascii", "replace").removesuffix("-dirty")
