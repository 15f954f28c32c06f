"""From a header, settings and devices to what llama.cpp will allocate."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from app.engine.events import Buffer
from app.engine.memory import architectures as arch
from app.engine.memory.attention import attention_memory
from app.engine.memory.cache import Memory
from app.engine.memory.deepseek4 import deepseek4_memory
from app.engine.memory.indexed import dsa_memory, dsa_window_memory, msa_memory
from app.engine.memory.metadata import Metadata
from app.engine.memory.placement import CPU, place
from app.engine.memory.prediction import LayerMemory, Prediction
from app.engine.memory.recurrent import hybrid_memory, recurrent_memory
from app.engine.memory.settings import reason_to_refuse, resolve_settings
from app.engine.memory.shape import read_shape
from app.engine.memory.weights import weights

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.engine.config import ModelConfig
    from app.engine.events import BufferKind, Device
    from app.engine.gguf import Header
    from app.engine.memory.placement import Placement
    from app.engine.memory.settings import Settings
    from app.engine.memory.shape import Shape


def predict_memory(
    header: Header,
    config: ModelConfig,
    devices: Sequence[Device] = (),
    *,
    n_seq_max: int | None = None,
    kv_unified: bool = False,
) -> Prediction:
    """Return the weights, KV cache and recurrent state of a load with these settings.

    Args:
        header: of the whole model: of a split one all parts' (`app.engine.model_file.read_model_header`).
        config: `n_ctx` and `n_gpu_layers` must have been chosen; repacking counts as off.
        devices: all of ggml's, as the engine lists them; the CPU may be left out.
        n_seq_max: sequences that share `n_ctx`, and kv_unified: whether they share one cache. None: what the engine
            makes, `n_parallel` sequences with caches of `n_ctx` tokens each.

    Raises:
        UnknownArchitectureError: the rules for this model are not known here: ask a dry run.
        ModelFileError: the header lacks a value, or has one no model has.
        BadInputError: a setting is out of range, or names a device that is not there.
    """
    shape = read_shape(header, config.path.name)
    meta = Metadata(header, config.path.name)
    if n_seq_max is None:
        n_seq_max = config.n_parallel
        config = replace(config, n_ctx=config.n_ctx and config.n_ctx * n_seq_max)
    settings = resolve_settings(config, shape, n_seq_max, kv_unified)
    placement = place(shape.n_layer_all, config, devices)
    memory = _memory(meta, shape, settings)
    held = weights(header, shape, placement, config.n_cpu_moe)
    refused = reason_to_refuse(config, shape, settings, header)
    return Prediction(
        architecture=shape.architecture,
        kv_class=memory.kv_class,
        n_params=held.n_params,
        n_layer=shape.n_layer,
        layers_total=shape.n_layer_all + 1,
        n_ctx_train=shape.n_ctx_train,
        n_ctx=settings.n_ctx,
        n_ctx_seq=settings.n_ctx_seq,
        flash_attention=settings.flash_attention,
        layers=_layers(shape, memory, placement, held.per_layer, config.offload_kqv),
        kv_caches=tuple(cache.as_event() for cache in memory.caches if cache.bytes_per_cell),
        buffers=_buffers(memory, placement, held.per_device, config.offload_kqv),
        kv_bytes_per_token=sum(cache.bytes_per_cell // cache.tokens_per_cell for cache in memory.caches),
        refused=refused or next((cache.refused for cache in memory.caches if cache.refused), ""),
    )


def _memory(meta: Metadata, shape: Shape, settings: Settings) -> Memory:
    """llama_model::create_memory (llama-model.cpp)."""
    name = shape.architecture
    if name in arch.WITHOUT_MEMORY:
        return Memory("none")
    if name in arch.DRAFT:
        return Memory("draft")
    if name in arch.RECURRENT:
        return recurrent_memory(meta, shape, settings)
    if name in arch.HYBRID:
        return hybrid_memory(meta, shape, settings)
    if name == "deepseek4":
        return deepseek4_memory(meta, shape, settings)
    if name == "dots3note":
        return dsa_window_memory(meta, shape, settings)
    if name == "minimax-m3":
        return msa_memory(meta, shape, settings)
    if name in arch.INDEXED:
        return dsa_memory(meta, shape, settings)
    return attention_memory(shape, settings)


def _layers(
    shape: Shape, memory: Memory, placement: Placement, weights_bytes: Sequence[int], offload_kqv: bool
) -> tuple[LayerMemory, ...]:
    entries: list[list[LayerMemory]] = [[] for _ in range(shape.n_layer_all)]

    def add(il: int, entry: LayerMemory) -> None:
        entries[il].append(entry if entries[il] else replace(entry, weights_bytes=weights_bytes[il]))

    devices = placement.layers if offload_kqv else (CPU,) * shape.n_layer_all
    for cache in memory.caches:
        for il, (k, v) in cache.rows.items():
            add(il, LayerMemory(il, devices[il], cache.kind, cache.cells * cache.n_stream, k, v))
    for state in memory.states:
        for il, tensors in state.tensors.items():
            add(il, LayerMemory(il, devices[il], state.kind, recurrent_bytes=sum(tensors)))
    for il, found in enumerate(entries):
        if not found:
            shares = bool(memory.caches) and shape.layers_with_kv <= il < shape.n_layer
            add(il, LayerMemory(il, devices[il], "shared" if shares else "none", is_shared=shares))
    return tuple(entry for found in entries for entry in found)


def _buffers(
    memory: Memory, placement: Placement, weights_bytes: Mapping[str, int], offload_kqv: bool
) -> tuple[Buffer, ...]:
    sizes: defaultdict[tuple[str, BufferKind], int] = defaultdict(int)
    for device, size in weights_bytes.items():
        sizes[device, "weights"] += size

    def device_of(il: int) -> str:
        return placement.layers[il] if offload_kqv else CPU

    for cache in memory.caches:
        for il, (k, v) in cache.rows.items():
            sizes[device_of(il), "kv"] += (k + v) * cache.cells * cache.n_stream
    for state in memory.states:
        for il, tensors in state.tensors.items():
            device = device_of(il)
            alignment = placement.alignments[device]
            sizes[device, "recurrent"] += sum(-(-size // alignment) * alignment for size in tensors)
    return tuple(Buffer(device, kind, size) for (device, kind), size in sizes.items() if size)
