"""Compute and output buffers without a dry run: lines drawn through known ones, else an upper estimate.

llama.cpp plans its compute buffer for the worst case of one batch (llama_context::graph_reserve), which grows in
straight lines with the context: attention's mask has a row per token of the batch and a column per cell, in f16 with
flash attention; without it in f32, beside the scores of every head (llm_graph_context::build_attn_mha).
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from app.engine.events import Buffer
from app.engine.memory.metadata import Metadata
from app.engine.memory.placement import CPU, gpu_devices

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.engine.config import ModelConfig
    from app.engine.events import BufferKind, Device
    from app.engine.gguf import Header
    from app.engine.measured import Measured
    from app.engine.memory.prediction import Prediction
    from app.engine.memory.shape import Shape

_F32 = 4
_HALF_TYPES = {"f16": 2, "bf16": 2}
_ALWAYS = 1024**2


def interpolated(known: Mapping[int, Measured], n_ctx: int) -> tuple[Buffer, ...]:
    """Return the compute and output buffers at a context between or beyond measured ones; empty when two are missing.

    Beyond the last one the line is the steepest of those before, so that it is never drawn too low.
    """
    points = sorted(length for length, measured in known.items() if not measured.refused)
    if n_ctx in points:
        return tuple(Buffer(*key, size) for key, size in _sizes(known[n_ctx]).items())
    if len(points) < 2 or n_ctx < points[0]:
        return ()
    index = min(bisect_left(points, n_ctx), len(points) - 1)
    left, right = points[index - 1], points[index]
    low, high = _sizes(known[left]), _sizes(known[right])
    share = (n_ctx - left) / (right - left)
    return tuple(
        Buffer(*key, max(0, round(low.get(key, 0) + share * (high.get(key, 0) - low.get(key, 0)))))
        for key in {**low, **high}
    )


def _sizes(measured: Measured) -> dict[tuple[str, BufferKind], int]:
    sizes: dict[tuple[str, BufferKind], int] = {}
    for buffer in measured.memory.buffers:
        if buffer.kind in ("compute", "output"):
            key = (buffer.device, buffer.kind)
            sizes[key] = sizes.get(key, 0) + buffer.size_bytes
    return sizes


def scratch_bytes(config: ModelConfig, prediction: Prediction, shape: Shape) -> int:
    """Return what ggml's CPU code allocates beside all buffers, and logs nowhere, once a full batch was computed.

    A matrix product converts its right side to the type that the left side's dot product takes (ggml_graph_plan in
    ggml-cpu.c). The largest such copy is attention's weights of every head, in f32, before they meet a V in f16: a row
    per token of the batch, a column per cell. Flash attention has none.
    """
    is_on_cpu = not config.offload_kqv or any(layer.device == CPU for layer in prediction.layers)
    if prediction.flash_attention or not is_on_cpu:
        return 0
    cells = max((cache.cells for cache in prediction.kv_caches), default=0)
    return _batch(config, prediction) * cells * max(shape.n_head) * _HALF_TYPES.get(config.type_v, 0)


def _batch(config: ModelConfig, prediction: Prediction) -> int:
    """Tokens that are computed at once."""
    return min(config.n_ubatch or config.n_batch, config.n_batch, max(prediction.n_ctx_seq, 1))


class ComputeBound:
    """An upper estimate for one model, held against dry runs of every kind of memory in the tests.

    Per token of a batch, the widest layer's intermediate results in f32: its input and output, attention's heads, the
    feed-forward network's or the chosen experts', a recurrent layer's, an indexer's.
    """

    def __init__(self, header: Header, shape: Shape, file_name: str) -> None:
        meta = Metadata(header, file_name)
        self._n_embd = shape.n_embd
        self._n_head = max(shape.n_head)
        self._n_vocab = next((t.shape[1] for t in header.tensors if t.name == "token_embd.weight" and t.shape[1:]), 0)
        self._largest_tensor = max((tensor.n_bytes or 0 for tensor in header.tensors), default=0)
        experts = meta.integer("expert_used_count", 0) * meta.integer("expert_feed_forward_length", 0)
        shared = meta.integer("expert_shared_count", 0) * meta.integer("expert_feed_forward_length", 0)
        shared += meta.integer("expert_shared_feed_forward_length", 0)
        state = meta.integer("ssm.state_size", 0) * meta.integer("ssm.group_count", 0)
        index_width = meta.integer("attention.indexer.head_count", 0) * meta.integer("attention.indexer.key_length", 0)
        self._has_indexer = index_width > 0
        self._width = (
            3 * shape.n_embd
            + 3 * max(max(shape.n_ff), experts + shared)
            + 4 * max(h * max(k, v) for h, k, v in zip(shape.n_head, shape.head_k, shape.head_v, strict=True))
            + 4 * (meta.integer("ssm.inner_size", 0) + 2 * state)
            + 2 * index_width
        )

    def buffers(self, config: ModelConfig, prediction: Prediction, devices: Sequence[Device]) -> tuple[Buffer, ...]:
        """Return one compute buffer per device that computes, and the output buffer."""
        n_ubatch = _batch(config, prediction)
        cells = sum(cache.cells for cache in prediction.kv_caches)  # each class of layers has a mask of its own
        per_cell = 2 if prediction.flash_attention else 2 + _F32 * (1 + self._n_head)
        per_cell += 4 * _F32 if self._has_indexer else 0  # scores, their mask, and what is sorted out of them
        logits = _F32 * self._n_vocab * config.n_parallel  # one row for each answer written at once
        whole = n_ubatch * (per_cell * cells + _F32 * self._width) + logits + _ALWAYS
        inputs = n_ubatch * (4 * cells + 2 * _F32 * self._n_embd) + _ALWAYS
        gpus = gpu_devices(config, devices)
        holders = {buffer.device for buffer in prediction.buffers if buffer.kind == "weights"}
        on_gpus = [gpu.name for gpu in gpus if gpu.name in holders]
        found = [Buffer(name, "compute", whole) for name in on_gpus]
        if gpus and not on_gpus:
            # Large batches of the CPU's layers are computed on the first GPU, one weight at a time (op_offload).
            found.append(Buffer(gpus[0].name, "compute", whole + self._largest_tensor))
        all_on_gpus = on_gpus and all(layer.device != CPU for layer in prediction.layers) and config.offload_kqv
        found.append(Buffer(CPU, "compute", inputs if all_on_gpus and not config.n_cpu_moe else whole))
        found.append(Buffer(CPU, "output", logits))
        return tuple(found)
