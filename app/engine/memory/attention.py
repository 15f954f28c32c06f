"""Full attention, sliding windows and shared layers: llama_kv_cache and llama_kv_cache_iswa."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.engine.memory.cache import Cache, Memory, kv_cache
from app.engine.memory.settings import padded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.engine.memory.settings import Settings
    from app.engine.memory.shape import Shape


def window_cells(shape: Shape, settings: Settings, sequences: int) -> int:
    """Return the cells of a window cache: the window of every sequence that shares it, and one batch being computed.

    llama_kv_cache_iswa (llama-kv-cache-iswa.cpp, constructor); llama_kv_cache_dsa_iswa has the same rule.
    """
    if settings.swa_full:
        return settings.n_ctx_seq
    return padded(min(settings.n_ctx_seq, (shape.window or 0) * sequences + settings.n_ubatch))


def attention_caches(shape: Shape, settings: Settings, layers: Sequence[int]) -> tuple[Cache, ...]:
    """Return the cache of these layers, or with windows the two caches: whole context first, then windows.

    K and V of a layer are n_head_kv heads wide. With MLA's absorption the heads share one latent, which serves as K
    and V. llama_kv_cache (llama-kv-cache.cpp), llama_hparams::n_embd_k_gqa (llama-hparams.cpp), is_mla.
    """
    v_widths = None if shape.is_mla else shape.v_widths
    if shape.window is None:
        return (kv_cache("full", layers, settings.n_ctx_seq, settings, shape.k_widths, v_widths),)
    cells = window_cells(shape, settings, settings.window_sequences)
    full = [il for il in layers if not shape.is_windowed[il]]
    windowed = [il for il in layers if shape.is_windowed[il]]
    return (
        kv_cache("full", full, settings.n_ctx_seq, settings, shape.k_widths, v_widths),
        kv_cache("window", windowed, cells, settings, shape.k_widths, v_widths),
    )


def attention_memory(shape: Shape, settings: Settings) -> Memory:
    """The default of llama_model::create_memory: no layers for prediction, no layers that share an earlier cache.

    Layers that read an earlier one's cache (gemma3n, gemma4) come last: llama_hparams::has_kv. A file that holds
    nothing but layers for prediction keeps them all, and graniteswitch's router counts as a layer.
    """
    trunk_only = 0 < shape.n_layer < shape.n_layer_all and not shape.has_router
    n_layer = shape.n_layer if trunk_only else shape.n_layer_all
    layers = range(min(n_layer, shape.layers_with_kv))
    return Memory(_class(shape), attention_caches(shape, settings, layers))


def _class(shape: Shape) -> str:
    if shape.is_mla:
        return "MLA"
    if shape.layers_with_kv < shape.n_layer_all:
        return "sliding window, shared layers"
    return "full attention" if shape.window is None else "sliding window"
