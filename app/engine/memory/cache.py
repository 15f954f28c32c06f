"""One KV cache and one recurrent state, as llama.cpp allocates them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.engine.events import KvCache
from app.engine.memory.settings import row_that_does_not_fit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from app.engine.memory.prediction import LayerKind
    from app.engine.memory.settings import Settings


@dataclass(frozen=True, slots=True)
class Cache:
    """K and V of some layers.

    Attributes:
        cells: of one sequence's cache, of which there are `n_stream`.
        rows: layer -> bytes of K and of V per cell.
        tokens_per_cell: more than 1 in a compressed cache.
        refused: why a row cannot be stored, one sentence; empty when it can.
    """

    kind: LayerKind
    cells: int
    n_stream: int
    rows: Mapping[int, tuple[int, int]]
    tokens_per_cell: int = 1
    refused: str = ""

    @property
    def bytes_per_cell(self) -> int:
        """K and V of all layers for one cell of one sequence."""
        return sum(k + v for k, v in self.rows.values())

    def as_event(self) -> KvCache:
        """As read from llama.cpp's log."""
        return KvCache(self.cells, len(self.rows), self.bytes_per_cell, self.tokens_per_cell, self.n_stream)


@dataclass(frozen=True, slots=True)
class State:
    """What some layers keep however long the context is: layer -> sizes in bytes of its tensors."""

    kind: LayerKind
    tensors: Mapping[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Memory:
    """All caches and states of a context, in llama.cpp's order."""

    kv_class: str
    caches: tuple[Cache, ...] = ()
    states: tuple[State, ...] = ()


def kv_cache(
    kind: LayerKind,
    layers: Iterable[int],
    cells: int,
    settings: Settings,
    k_widths: Sequence[int],
    v_widths: Sequence[int] | None,
    *,
    n_stream: int | None = None,
    tokens_per_cell: int = 1,
) -> Cache:
    """Return the cache that `llama_kv_cache` makes (llama-kv-cache.cpp, constructor).

    Args:
        k_widths, v_widths: values per cell, for every layer of the model and not only those of this cache, because
            a transposed V takes the widest of all; None: no V (MLA).
        n_stream: caches side by side when it is not the settings' number.
    """
    widest_v = max(v_widths) if v_widths else 0
    rows = {}
    refused = ""
    for il in layers:
        k_width = k_widths[il]
        v_width = 0 if v_widths is None else widest_v if settings.transposes_v else v_widths[il]
        for letter, block, width in (("K", settings.type_k, k_width), ("V", settings.type_v, v_width)):
            if width % block.elements and not refused:
                refused = row_that_does_not_fit(letter, block, width)
        rows[il] = (settings.type_k.row_bytes(k_width), settings.type_v.row_bytes(v_width))
    if rows and not any(k or v for k, v in rows.values()):
        # ggml_backend_alloc_ctx_tensors_from_buft makes no empty buffer, and llama_kv_cache gives up without one.
        refused = "The layers that should attend have no K and V in this file: choose another conversion of this model."
    streams = settings.n_stream if n_stream is None else n_stream
    return Cache(kind, cells, streams, rows, tokens_per_cell, refused)
