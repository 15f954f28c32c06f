"""The work of a model file, from its header: which tensors a token touches, which caches it reads."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from app.engine.config import ModelConfig
from app.engine.memory import predict_memory
from app.engine.memory.metadata import Metadata
from app.engine.memory.shape import read_shape
from app.engine.model_file import read_model
from app.errors import TokometerError
from app.telemetry.work import Attention, CacheRead, ModelWork

if TYPE_CHECKING:
    from app.engine.events import LoadedModel
    from app.engine.gguf import Header, Tensor
    from app.engine.memory.prediction import LayerMemory, Prediction
    from app.engine.memory.shape import Shape

_LAYER = re.compile(r"(?:^|\.)blk\.(\d{1,4})\.")
_EXPERTS = re.compile(r"\.ffn_(?:up|down|gate_up|gate)_(?:ch|)exps")
_LOOKED_UP = frozenset({"token_embd", "position_embd", "token_types", "per_layer_token_embd"})
"""Tables of which a token reads one row."""


def model_work(header: Header, config: ModelConfig) -> ModelWork:
    """Return what the model asks for with this context and these types of K and V.

    Args:
        header: of the whole model: of a split one all parts' (`app.engine.model_file.read_model`).
        config: `n_ctx` must have been chosen; where layers lie does not matter here.

    Raises:
        UnknownArchitectureError: the rules for this model are not known.
        ModelFileError: the header lacks a value, or has one no model has.
        BadInputError: a setting is out of range.
    """
    shape = read_shape(header)
    meta = Metadata(header)
    prediction = predict_memory(header, replace(config, n_gpu_layers=0, devices=(), tensor_split=()))
    tensors = [tensor for tensor in header.tensors if _is_used(tensor, shape)]
    names = {tensor.name for tensor in tensors}
    size: defaultdict[str, int] = defaultdict(int)
    values: defaultdict[str, int] = defaultdict(int)
    for tensor in tensors:
        base = tensor.name.rsplit(".", 1)[0]
        n_bytes = tensor.n_bytes or 0
        if base in _LOOKED_UP:
            size["row"] += n_bytes // max(_rows(tensor), 1)
            if base != "token_embd" or "output.weight" in names:
                continue
            part = "head"  # tied: the table is the output matrix too
        else:
            part = "head" if base == "output" else "experts" if _EXPERTS.search(tensor.name) else "dense"
        size[part] += n_bytes
        values[part] += tensor.n_elements if _rows(tensor) > 1 else 0
    return ModelWork(
        dense_bytes=size["dense"],
        head_bytes=size["head"],
        experts_bytes=size["experts"],
        embedding_row_bytes=size["row"],
        dense_weights=values["dense"],
        head_weights=values["head"],
        experts_weights=values["experts"],
        experts=meta.integer("expert_count", 0) if size["experts"] else 0,
        experts_used=meta.integer("expert_used_count", 0),
        caches=_caches(prediction, shape),
        attention=_attention(prediction, shape),
        recurrent_bytes=sum(layer.recurrent_bytes for layer in prediction.layers),
    )


def work_of_loaded(model: LoadedModel) -> ModelWork | None:
    """Return the work of a loaded model as its context is now, None for an architecture whose rules are not known.

    Reads the file's header, some tens of milliseconds: once per load, and again when the context has grown.
    """
    config = ModelConfig(
        model.info.path,
        n_ctx=model.n_ctx,
        n_batch=model.n_batch,
        n_ubatch=model.n_ubatch,
        type_k=model.type_k,
        type_v=model.type_v,
        flash_attention="on" if model.flash_attention else "off",
    )
    try:
        return model_work(read_model(config.path)[1], config)
    except TokometerError:
        return None


def _is_used(tensor: Tensor, shape: Shape) -> bool:
    """Layers for multi-token prediction are in the file but take no part."""
    match = _LAYER.search(tensor.name)
    return match is None or int(match[1]) < shape.n_layer


def _rows(tensor: Tensor) -> int:
    return tensor.n_elements // tensor.shape[0] if tensor.shape and tensor.shape[0] else 0


def _caches(prediction: Prediction, shape: Shape) -> tuple[CacheRead, ...]:
    owned: defaultdict[tuple[str, int], int] = defaultdict(int)
    read: defaultdict[tuple[str, int], int] = defaultdict(int)
    last: dict[str, LayerMemory] = {}
    for layer in prediction.layers:
        if layer.cells:
            key = (layer.kind, layer.cells)
            owned[key] += layer.k_bytes_per_cell + layer.v_bytes_per_cell
            read[key] += layer.k_bytes_per_cell + layer.v_bytes_per_cell
            last[layer.kind] = layer
        elif layer.is_shared:
            source = last.get("window" if shape.is_windowed[layer.index] else "full")
            if source is not None:
                read[source.kind, source.cells] += source.k_bytes_per_cell + source.v_bytes_per_cell
    return tuple(
        CacheRead(cells, read[kind, cells], owned[kind, cells], _tokens_per_cell(prediction, kind, cells))
        for kind, cells in read
    )


def _tokens_per_cell(prediction: Prediction, kind: str, cells: int) -> int:
    found = [cache.tokens_per_cell for cache in prediction.kv_caches if cache.cells == cells]
    return max(found, default=1) if kind in ("compressed", "indexer") else 1


def _attention(prediction: Prediction, shape: Shape) -> tuple[Attention, ...]:
    operations: defaultdict[tuple[int | None, int], int] = defaultdict(int)
    for layer in prediction.layers:
        if layer.kind not in ("full", "window", "shared", "compressed"):
            continue
        il = layer.index
        per_pair = 2 * shape.n_head[il] * (shape.head_k[il] + shape.head_v[il])
        is_windowed = layer.kind == "window" or (layer.kind == "shared" and shape.is_windowed[il])
        window = shape.window if is_windowed else None
        operations[window, _tokens_per_cell(prediction, layer.kind, layer.cells)] += per_pair
    return tuple(Attention(count, window, tokens) for (window, tokens), count in operations.items())
