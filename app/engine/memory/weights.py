"""Which device each tensor goes to and what it takes there: llama_model_loader::create_tensor, llm_tensor_infos
(llama-arch.cpp), ggml_backend_alloc_ctx_tensors_from_buft (ggml-alloc.c).

These are the sums of a load without repacking and without mmap. With mmap llama.cpp's log shows the span of file
from a buffer's first to its last byte instead, which is the same on a CPU alone up to alignment, and larger when
tensors in between go to a GPU.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.engine.gguf import BLOCKS
from app.engine.memory.architectures import WITHOUT_MEMORY
from app.engine.memory.placement import CPU
from app.errors import UnknownArchitectureError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.engine.gguf import Header, Tensor
    from app.engine.memory.placement import Placement
    from app.engine.memory.shape import Shape

_LAYER = re.compile(r"(?:^|\.)blk\.(\d{1,4})\.")
_EXPERTS = re.compile(r"\.ffn_(?:up|down|gate_up|gate)_(?:ch|)exps")
"""The pattern of llama.cpp's --n-cpu-moe (common/arg.cpp, LLM_FFN_EXPS_REGEX)."""

_INPUT = frozenset(
    {
        "token_embd", "position_embd", "token_types", "per_layer_token_embd", "masked_embd_centroids",
        "masked_embd_ordering",
    }
)  # fmt: skip
_OUTPUT = frozenset(
    {
        "output", "output_norm", "output_hc_fn", "output_hc_base", "output_hc_scale", "output_hc_norm",
        "output_hc_down", "output_hc_up", "output_res_score", "enc.output_norm", "dec.output_norm", "cls",
        "cls.output", "cls.norm", "altup_proj", "altup_unembd_proj", "dense_2", "dense_3", "nextn.post_projection",
        "fc", "d2t", "markov_w1", "markov_w2", "conf_proj", "selector_predecessor", "selector_successor",
        "selector_hidden",
    }
)  # fmt: skip
_IN_EVERY_LAYER = frozenset({"rope_freqs", "rope_factors_long", "rope_factors_short"})
_SHORT_CONVOLUTION_OUTPUT = ("lfm2", "lfm2moe")
_ROW_PADDING = 512


@dataclass(frozen=True, slots=True)
class Weights:
    """Bytes per device, and per layer on whatever device; `n_params` counts values."""

    per_device: Mapping[str, int]
    per_layer: tuple[int, ...]
    n_params: int


def weights(header: Header, shape: Shape, placement: Placement, n_cpu_moe: int) -> Weights:
    """Return what the tensors take.

    Tensors of layers for multi-token prediction are in the file but not loaded (`load_mtp` is off).

    Raises:
        UnknownArchitectureError: a tensor's type is not known here.
    """
    per_device: defaultdict[str, int] = defaultdict(int)
    per_layer = [0] * shape.n_layer_all
    n_params = 0
    names = {tensor.name for tensor in header.tensors}
    for tensor in header.tensors:
        n_params += tensor.n_elements
        match = _LAYER.search(tensor.name)
        layer = int(match[1]) if match else None
        if layer is not None and not layer < shape.n_layer:
            continue
        for device in _devices_of(tensor.name, layer, shape, placement, n_cpu_moe):
            size = _size_on(tensor, device, placement)
            per_device[device] += size
            if layer is not None:
                per_layer[layer] += size
        if _is_output_too(tensor.name, names, shape) and placement.output != CPU:
            per_device[placement.output] += _size_on(tensor, placement.output, placement)
    return Weights(per_device, tuple(per_layer), n_params)


def _devices_of(
    name: str, layer: int | None, shape: Shape, placement: Placement, n_cpu_moe: int
) -> tuple[str, ...] | set[str]:
    base = name.rsplit(".", 1)[0]
    if layer is not None:
        return (CPU if layer < n_cpu_moe and _EXPERTS.search(name) else placement.layers[layer],)
    if base in _INPUT:
        return (CPU,)
    if base in _OUTPUT or (base == "token_embd_norm" and shape.architecture in _SHORT_CONVOLUTION_OUTPUT):
        return (placement.output,)
    if base in _IN_EVERY_LAYER:
        return set(placement.layers[: shape.n_layer]) or (CPU,)
    return (placement.layers[0],)


def _is_output_too(name: str, names: set[str], shape: Shape) -> bool:
    """Whether these embeddings serve as the output layer, which makes a second copy on another device."""
    return name == "token_embd.weight" and "output.weight" not in names and shape.architecture not in WITHOUT_MEMORY


def _size_on(tensor: Tensor, device: str, placement: Placement) -> int:
    size = tensor.n_bytes
    if size is None:
        raise UnknownArchitectureError(
            f"The tensor {tensor.name} has a type whose size is not known: let llama.cpp measure this model."
        )
    elements, n_bytes = BLOCKS[tensor.type_id]
    rest = tensor.shape[0] % _ROW_PADDING if tensor.shape else 0
    if rest and elements > 1 and device in placement.pads_rows:
        size += (_ROW_PADDING - rest) // elements * n_bytes
    alignment = placement.alignments[device]
    return -(-size // alignment) * alignment
