"""Recurrent models and hybrids: a state of fixed size per sequence, in some layers beside or instead of a KV cache.

llama_memory_recurrent (llama-memory-recurrent.cpp, constructor); llama_hparams::n_embd_r and n_embd_s
(llama-hparams.cpp); which layers: llama_model::create_memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.engine.memory import architectures as arch
from app.engine.memory.attention import attention_caches
from app.engine.memory.cache import Memory, State, kv_cache
from app.engine.memory.indexed import indexer_key_length, layers_with_indexer

if TYPE_CHECKING:
    from app.engine.memory.metadata import Metadata
    from app.engine.memory.settings import Settings
    from app.engine.memory.shape import Shape

_F32_BYTES = 4
_RWKV_TOKEN_SHIFTS = 2
_KDA_CONVOLUTION = 4


def state_widths(meta: Metadata, shape: Shape) -> tuple[int, int]:
    """Return the values of a layer's convolution (or token shift) state and of its recurrent state, per sequence."""
    name = shape.architecture
    if name in arch.RWKV:
        shifts = meta.integer("token_shift_count", _RWKV_TOKEN_SHIFTS)
        return shifts * shape.n_embd, shape.n_embd * meta.integer("wkv.head_size")
    if name in arch.SHORT_CONVOLUTION:
        return shape.n_embd * max(meta.integer("shortconv.l_cache") - 1, 0), 0
    if name in arch.KIMI_DELTA_ATTENTION:
        heads, head = shape.n_head[0], meta.integer("kda.head_dim")
        convolution = meta.integer("ssm.conv_kernel") or _KDA_CONVOLUTION
        return 3 * (convolution - 1) * heads * head, head * head * heads
    if name == "minimax-01":
        return 0, shape.head_k[0] ** 2 * shape.n_head[0]
    inner, state = meta.integer("ssm.inner_size"), meta.integer("ssm.state_size")
    groups = 0 if name in arch.WITHOUT_SSM_GROUPS else meta.integer("ssm.group_count")
    return max(meta.integer("ssm.conv_kernel") - 1, 0) * (inner + 2 * groups * state), state * inner


def recurrent_state(meta: Metadata, shape: Shape, settings: Settings, layers: list[int]) -> State:
    """Return the states of these layers: f32, one row per sequence, whatever the context's length."""
    convolution, state = (width * _F32_BYTES * settings.n_seq_max for width in state_widths(meta, shape))
    tensors: dict[int, tuple[int, ...]] = dict.fromkeys(layers, (convolution, state))
    history, history_layers = _ngram_history(meta, shape)
    for il in history_layers & tensors.keys():
        tensors[il] = (*tensors[il], history * _F32_BYTES * settings.n_seq_max)
    return State("recurrent", tensors)


def _ngram_history(meta: Metadata, shape: Shape) -> tuple[int, set[int]]:
    """Qwen 4's layer with n-gram embeddings keeps the inputs of their convolution: llama_hparams::ple_conv_state."""
    if shape.architecture != "qwen4exp" or not meta.has("ple.layers"):
        return 0, set()
    layers = set(meta.array("ple.layers", shape.n_layer_all) or ())
    rows = (meta.integer("ple.conv_kernel") - 1) * meta.integer("ple.ngram_size")
    return max(rows, 0) * meta.integer("hyper_connection.count") * shape.n_embd, layers


def recurrent_memory(meta: Metadata, shape: Shape, settings: Settings) -> Memory:
    """A state in every layer and no KV cache."""
    return Memory("recurrent", (), (recurrent_state(meta, shape, settings, list(range(shape.n_layer))),))


def hybrid_memory(meta: Metadata, shape: Shape, settings: Settings) -> Memory:
    """Attention in some layers, a state in others; in falcon-h1 both in every layer.

    A hybrid that names no filter of its own keeps attention for its layers for prediction too.
    """
    name = shape.architecture
    recurrent = [il for il in range(shape.n_layer) if shape.is_recurrent[il]]
    attention = [il for il in range(shape.n_layer_all) if not shape.is_recurrent[il]]
    if name == "falcon-h1":
        attention = list(range(shape.n_layer_all))
    elif name in arch.NEMOTRON_H:
        attention = [il for il in attention if shape.n_ff[il] == 0]
    elif name in arch.RECURRENT_INTERVAL or name == "glm5-next":
        attention = [il for il in attention if il < shape.n_layer]
    caches = attention_caches(shape, settings, attention)
    if name in ("qwen4exp", "glm5-next"):
        indexed, width = attention, indexer_key_length(meta)
        if name == "glm5-next":
            own = layers_with_indexer(meta, shape)
            indexed = [il for il in attention if own[il]]
            # Key, gate and pooled value lie side by side (llama_memory_hybrid_idx).
            width *= 3 if meta.integer("attention.indexer.kpool") else 1
        if width:
            widths = (width,) * shape.n_layer_all
            caches = (*caches, kv_cache("indexer", indexed, settings.n_ctx_seq, settings, widths, None))
    return Memory(
        "hybrid, MLA" if shape.is_mla else "hybrid", caches, (recurrent_state(meta, shape, settings, recurrent),)
    )
