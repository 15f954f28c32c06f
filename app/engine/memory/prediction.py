"""What the formula says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from app.engine.events import Buffer, BufferKind, KvCache

LayerKind = Literal["full", "window", "indexer", "compressed", "compressor", "recurrent", "shared", "none"]
"""`compressor`: DeepSeek-V4's state between two compressed cells. `shared`: reads an earlier layer's cache.
`none`: keeps nothing between tokens (a feed-forward layer, a layer for multi-token prediction)."""


@dataclass(frozen=True, slots=True)
class LayerMemory:
    """What one layer keeps in one cache; a layer with several caches has several entries.

    Attributes:
        device: where the cache lies: "CPU" or a device's name.
        cells: of all sequences together; 0 where nothing is kept per token.
        k_bytes_per_cell, v_bytes_per_cell: cells x (k + v) is the layer's part of the KV cache.
        recurrent_bytes: state that does not depend on the context's length.
        weights_bytes: all tensors of the layer, on whatever device; only in the layer's first entry, else 0.
        is_shared: the layer reads another layer's cache and has none.
    """

    index: int
    device: str
    kind: LayerKind
    cells: int = 0
    k_bytes_per_cell: int = 0
    v_bytes_per_cell: int = 0
    recurrent_bytes: int = 0
    weights_bytes: int = 0
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class Prediction:
    """Weights, KV and recurrent state that llama.cpp will allocate.

    Attributes:
        kv_class: kind of memory in a word or two, such as "full attention", "sliding window", "MLA", "recurrent".
        n_params: weights in the file, as llama.cpp counts.
        n_layer: layers that generate, those for multi-token prediction not counted.
        layers_total: what can go to a GPU: all layers and the output layer.
        n_ctx: cells of all sequences together, padding included; n_ctx_seq: tokens one sequence can hold.
        flash_attention: "auto" counts as on unless llama.cpp turns it off for the architecture (grok). The cache is
            laid out before llama.cpp probes the devices, so its size does not depend on that probe's result.
        layers: by index.
        kv_caches: as `parse_memory` reads them from llama.cpp's log, in the same order.
        buffers: of the kinds weights, kv and recurrent; `device` is "CPU" or a device's name.
        kv_bytes_per_token: what one more token of one sequence takes while every layer's cache still grows.
        refused: why llama.cpp will not make this context, one sentence; empty when it will.
    """

    architecture: str
    kv_class: str
    n_params: int
    n_layer: int
    layers_total: int
    n_ctx_train: int
    n_ctx: int
    n_ctx_seq: int
    flash_attention: bool
    layers: tuple[LayerMemory, ...]
    kv_caches: tuple[KvCache, ...]
    buffers: tuple[Buffer, ...]
    kv_bytes_per_token: int
    refused: str = ""

    def total_bytes(self, *kinds: BufferKind) -> int:
        """Sum of the buffers of these kinds; of all when none is named."""
        return sum(buffer.size_bytes for buffer in self.buffers if not kinds or buffer.kind in kinds)
