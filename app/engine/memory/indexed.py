"""Sparse attention with an indexer: small keys of their own choose the cells that attention reads.

llama_kv_cache_dsa, llama_kv_cache_dsa_iswa, llama_kv_cache_msa; which layers have an indexer: create_memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.engine.memory.attention import attention_caches, window_cells
from app.engine.memory.cache import Cache, Memory, kv_cache

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.engine.memory.metadata import Metadata
    from app.engine.memory.settings import Settings
    from app.engine.memory.shape import Shape

_LONG_CONTEXT = 1_048_576


def indexer_key_length(meta: Metadata) -> int:
    """Width of the indexer's single key per cell."""
    return meta.integer("attention.indexer.key_length")


def layers_with_indexer(meta: Metadata, shape: Shape) -> tuple[bool, ...]:
    """Whether each layer chooses cells itself ("full") or takes over an earlier layer's choice ("shared")."""
    key, trunk = "attention.indexer.types", shape.n_layer
    rest = (False,) * (shape.n_layer_all - trunk)
    if shape.architecture == "deepseek32":
        return (True,) * trunk + rest
    if shape.architecture == "dots3note":
        return tuple(map(bool, (meta.array(key, shape.n_layer_all) or (0,) * shape.n_layer_all)[:trunk])) + rest
    default: tuple[int, ...] = (1,) * trunk
    if shape.architecture == "hy_v4":
        default = (0,) * trunk
    elif shape.architecture == "glm-dsa" and shape.n_ctx_train >= _LONG_CONTEXT:
        # GLM 5.2: the first three, then every fourth (models/glm-dsa.cpp, GLM_5_2_DEFAULT_INDEXER_TYPES).
        default = tuple(int(il < 2 or il % 4 == 2) for il in range(trunk))
    return tuple(map(bool, meta.per_layer(key, trunk, default))) + rest


def indexer_cache(shape: Shape, settings: Settings, layers: Sequence[int], width: int, with_v: bool) -> Cache:
    """One key of `width` per cell, and, where the rest of the model has V, a V of one head that nothing reads.

    llama_kv_cache_dsa and llama_kv_cache_msa make it by setting n_head_kv to 1 and leaving the rest as it is.
    """
    v_widths = shape.head_v if with_v else None
    return kv_cache("indexer", layers, settings.n_ctx_seq, settings, (width,) * shape.n_layer_all, v_widths)


def dsa_memory(meta: Metadata, shape: Shape, settings: Settings) -> Memory:
    """deepseek32, glm-dsa, hy_v4: attention, normally MLA, over the trunk, and an indexer cache."""
    if shape.architecture == "hy_v4":
        layers: range = range(shape.n_layer_all)
        if not meta.integer("attention.indexer.top_k", 0):
            return Memory("MLA", attention_caches(shape, settings, layers))
    else:
        layers = range(shape.n_layer)
    indexed = [il for il, own in enumerate(layers_with_indexer(meta, shape)) if own]
    indexer = indexer_cache(shape, settings, indexed, indexer_key_length(meta), not shape.is_mla)
    name = "MLA, sparse" if shape.is_mla else "sparse attention"
    return Memory(name, (*attention_caches(shape, settings, layers), indexer))


def dsa_window_memory(meta: Metadata, shape: Shape, settings: Settings) -> Memory:
    """dots3note: full layers with an indexer, then windows; in llama.cpp's order full, indexer, window."""
    v_widths = None if shape.is_mla else shape.v_widths
    trunk = range(shape.n_layer)
    full = [il for il in trunk if not shape.is_windowed[il]]
    windowed = [il for il in trunk if shape.is_windowed[il]]
    indexed = [il for il, own in enumerate(layers_with_indexer(meta, shape)) if own]
    cells = window_cells(shape, settings, settings.window_sequences)
    return Memory(
        "MLA, sparse, sliding window",
        (
            kv_cache("full", full, settings.n_ctx_seq, settings, shape.k_widths, v_widths),
            indexer_cache(shape, settings, indexed, indexer_key_length(meta), not shape.is_mla),
            kv_cache("window", windowed, cells, settings, shape.k_widths, v_widths),
        ),
    )


def msa_memory(meta: Metadata, shape: Shape, settings: Settings) -> Memory:
    """minimax-m3: every layer in full, and an indexer cache with a V for all but the leading dense layers."""
    layers = range(shape.n_layer_all)
    indexed = layers[shape.n_layer_dense_lead :]
    indexer = indexer_cache(shape, settings, indexed, indexer_key_length(meta), with_v=True)
    return Memory("sparse attention", (*attention_caches(shape, settings, layers), indexer))
