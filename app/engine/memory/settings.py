"""The context llama.cpp makes of the settings, and what it refuses: llama_init_from_model and the constructor of
llama_context (llama-context.cpp)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.engine.memory import architectures as arch
from app.engine.memory.block_types import BlockType, kv_type
from app.errors import BadInputError

if TYPE_CHECKING:
    from app.engine.config import ModelConfig
    from app.engine.gguf import Header
    from app.engine.memory.shape import Shape

CELLS_STEP = 256
"""Contexts and window caches are padded to a multiple of this (GGML_PAD(.., 256))."""

MOST_SEQUENCES = 256
"""LLAMA_MAX_SEQ, llama-cparams.h."""

MOST_CELLS = 2**32 - CELLS_STEP
"""llama.cpp counts them in 32 bits."""


def padded(cells: int) -> int:
    """Round up to a multiple of `CELLS_STEP`."""
    return -(-cells // CELLS_STEP) * CELLS_STEP


@dataclass(frozen=True, slots=True)
class Settings:
    """A context's settings after llama.cpp's own corrections.

    Attributes:
        n_ctx: cells of all sequences; n_ctx_seq: of one.
        n_stream: caches side by side, one per sequence unless they share one (`kv_unified`).
        window_sequences: sequences that share one window cache.
        transposes_v: without flash attention V is stored transposed, every layer as wide as the widest.
    """

    n_ctx: int
    n_ctx_seq: int
    n_ubatch: int
    n_seq_max: int
    n_stream: int
    window_sequences: int
    type_k: BlockType
    type_v: BlockType
    flash_attention: bool
    swa_full: bool

    @property
    def transposes_v(self) -> bool:
        """Whether V is laid out for attention without flash attention (llama_kv_cache, v_trans)."""
        return not self.flash_attention


def resolve_settings(config: ModelConfig, shape: Shape, n_seq_max: int, kv_unified: bool) -> Settings:
    """Return the context that llama.cpp makes.

    Raises:
        BadInputError: a number is out of range; `n_ctx` must have been chosen.
    """
    n_ctx = config.n_ctx
    if n_ctx is None or not 1 <= n_ctx <= MOST_CELLS:
        raise BadInputError(f"A context of {n_ctx or 0:,} tokens is impossible: choose 256 or more.")
    if not 1 <= n_seq_max <= MOST_SEQUENCES:
        raise BadInputError(f"{n_seq_max:,} sequences at once are impossible: choose 1 to {MOST_SEQUENCES}.")
    if config.n_batch < 1 or config.n_ubatch < 0:
        raise BadInputError("Batches must hold at least one token: choose a larger n_batch and n_ubatch.")
    n_batch = min(n_ctx, config.n_batch) if shape.is_causal else config.n_batch
    n_ubatch = min(n_batch, config.n_ubatch or config.n_batch)
    n_ctx = padded(n_ctx)
    n_ctx_seq = n_ctx if kv_unified else padded(n_ctx // n_seq_max)
    type_v = kv_type(config.type_v)
    return Settings(
        n_ctx=n_ctx if kv_unified else n_ctx_seq * n_seq_max,
        n_ctx_seq=n_ctx_seq,
        n_ubatch=n_ubatch,
        n_seq_max=n_seq_max,
        n_stream=1 if kv_unified else n_seq_max,
        window_sequences=n_seq_max if kv_unified else 1,
        type_k=kv_type(config.type_k),
        type_v=type_v,
        flash_attention=config.flash_attention != "off" and shape.architecture != "grok",
        swa_full=config.swa_full,
    )


def reason_to_refuse(config: ModelConfig, shape: Shape, settings: Settings, header: Header) -> str:
    """Return why llama.cpp will not make this context, one sentence; empty when it will.

    The checks and their order are llama_init_from_model's; then what ends in an assertion further on: a window
    pattern without a windowed layer, a shared layer without a cache of its kind to read (llama_kv_cache, reuse), and
    a row that is no whole number of blocks (ggml_row_size).
    """
    name, type_k, type_v = shape.architecture, settings.type_k, settings.type_v
    if name in arch.DRAFT and (name == "gemma4-assistant" or not _has_embeddings(header)):
        return f"{name} drafts tokens for another model and has no context of its own: choose the model it belongs to."
    if (shape.is_mla or name == "deepseek4") and type_k != type_v:
        return (
            f"This model keeps K and V together (MLA), so their types must be the same, not {type_k.name} and "
            f"{type_v.name}: choose one type for both."
        )
    if type_v.is_quantised and not settings.flash_attention:
        why = "which grok cannot use" if name == "grok" else "which is off"
        return f"A V cache of type {type_v.name} needs flash attention, {why}: choose f16 for V, or turn it on."
    if settings.flash_attention:
        for letter, block, widths in (("K", type_k, shape.head_k), ("V", type_v, shape.head_v)):
            for width in widths[: shape.n_layer]:
                if width % block.elements:
                    return _blocks_do_not_fit(letter, block, f"the width of a head, {width}")
    if not _shared_layers_find_their_cache(shape):
        return f"{config.path.name} shares caches between layers that have none in common: choose another conversion."
    if shape.window is not None and not any(shape.is_windowed):
        return f"{config.path.name} has a sliding window and no layer that uses it: choose another conversion."
    return ""


def _shared_layers_find_their_cache(shape: Shape) -> bool:
    """The last layer with a cache serves full layers, the one before it windowed ones (create_memory, gemma3n)."""
    own = shape.layers_with_kv
    if shape.architecture not in ("gemma3n", "gemma4") or own >= shape.n_layer_all:
        return True
    sources = {windowed: own - (2 if windowed else 1) for windowed in set(shape.is_windowed[own : shape.n_layer])}
    return own > 1 and all(shape.is_windowed[source] == windowed for windowed, source in sources.items())


def _has_embeddings(header: Header) -> bool:
    names = {tensor.name for tensor in header.tensors}
    return {"token_embd.weight", "output.weight"} <= names


def _blocks_do_not_fit(letter: str, block: BlockType, what: str) -> str:
    return (
        f"A {letter} cache of type {block.name} stores {block.elements} values at a time and {what}, is no multiple "
        f"of that: choose f16 for {letter}."
    )


def row_that_does_not_fit(letter: str, block: BlockType, width: int) -> str:
    """Return the sentence for a row of a cache that is no whole number of blocks."""
    return _blocks_do_not_fit(letter, block, f"the width of a layer, {width}")
