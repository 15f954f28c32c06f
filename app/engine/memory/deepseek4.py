"""DeepSeek-V4: windows over single tokens, and caches whose cells stand for 4 and for 128 tokens.

llama_kv_cache_dsv4 and llama_dsv4_comp_state (llama-kv-cache-dsv4.cpp, constructors).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.engine.memory.attention import window_cells
from app.engine.memory.cache import Memory, State, kv_cache
from app.engine.memory.indexed import indexer_key_length
from app.engine.memory.settings import padded
from app.errors import ModelFileError

if TYPE_CHECKING:
    from app.engine.memory.metadata import Metadata
    from app.engine.memory.settings import Settings
    from app.engine.memory.shape import Shape

_CSA_TOKENS = 4
_HCA_TOKENS = 128
_F32_BYTES = 4


def deepseek4_memory(meta: Metadata, shape: Shape, settings: Settings) -> Memory:
    """Return its caches, K only, and the compressors' states.

    Every sequence has streams of its own, even when the caches are said to be unified.
    """
    ratios = meta.array("attention.compress_ratios", shape.n_layer_all)
    if ratios is None:
        raise ModelFileError(
            f"{meta.file_name} lacks deepseek4.attention.compress_ratios, which its architecture needs: choose another "
            "conversion of this model."
        )
    csa = [il for il, ratio in enumerate(ratios) if ratio == _CSA_TOKENS]
    hca = [il for il, ratio in enumerate(ratios) if ratio == _HCA_TOKENS]
    streams, keys = settings.n_seq_max, indexer_key_length(meta)
    csa_cells, hca_cells = (padded(-(-settings.n_ctx_seq // tokens)) for tokens in (_CSA_TOKENS, _HCA_TOKENS))
    widths, indexer_widths = shape.k_widths, (keys,) * shape.n_layer_all

    def state(layers: list[int], cells: int, width: int) -> State:
        size = _F32_BYTES * width * cells * streams
        return State("compressor", {il: (size, size) for il in layers if il < shape.n_layer})

    window = window_cells(shape, settings, 1)
    everything = range(shape.n_layer_all)
    return Memory(
        "DeepSeek-V4",
        (
            kv_cache("window", everything, window, settings, widths, None, n_stream=streams),
            kv_cache(
                "compressed", csa, csa_cells, settings, widths, None, n_stream=streams, tokens_per_cell=_CSA_TOKENS
            ),
            kv_cache(
                "compressed", hca, hca_cells, settings, widths, None, n_stream=streams, tokens_per_cell=_HCA_TOKENS
            ),
            kv_cache(
                "indexer", csa, csa_cells, settings, indexer_widths, None, n_stream=streams, tokens_per_cell=_CSA_TOKENS
            ),
        ),
        (
            state(csa, 2 * _CSA_TOKENS, 2 * shape.head_k[0]),
            state(hca, _HCA_TOKENS, shape.head_k[0]),
            state(csa, 2 * _CSA_TOKENS, 2 * keys),
        ),
    )
