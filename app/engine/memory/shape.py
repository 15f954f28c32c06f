"""The hyperparameters that decide memory, per layer: llama_model_base::load_hparams (llama-model.cpp), each model's
load_arch_hparams (src/models/*.cpp), llama-hparams.cpp."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.engine.memory import architectures as arch
from app.engine.memory.metadata import MAX_LAYERS, Metadata
from app.errors import ModelFileError, UnknownArchitectureError

if TYPE_CHECKING:
    from app.engine.gguf import Header

GEMMA3N_LAYERS_WITH_KV = 20
_MOST_HEADS = 65_536
_MOST_LENGTH = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Shape:
    """A model's layers. Tuples have one value per layer, those for multi-token prediction included.

    Attributes:
        n_layer: layers that generate; n_layer_all: with those for multi-token prediction.
        head_k, head_v: width of one head's key and value; after absorption (MLA) that of the latent.
        window: tokens a windowed layer looks back; None: the architecture has no windows.
        is_windowed, is_recurrent: per layer.
        layers_with_kv: the first so many have a cache of their own, the rest reads theirs.
        is_mla: the cache holds one latent per token and no V.
        n_layer_dense_lead: the first so many layers have no indexer (MSA).
        has_router: the last layer keeps which adapter was chosen (graniteswitch); it is no layer for prediction.
    """

    architecture: str
    n_ctx_train: int
    n_embd: int
    n_layer: int
    n_layer_all: int
    n_head: tuple[int, ...]
    n_head_kv: tuple[int, ...]
    n_ff: tuple[int, ...]
    head_k: tuple[int, ...]
    head_v: tuple[int, ...]
    window: int | None
    is_windowed: tuple[bool, ...]
    is_recurrent: tuple[bool, ...]
    layers_with_kv: int
    is_mla: bool
    is_causal: bool
    n_layer_dense_lead: int
    has_router: bool

    @property
    def k_widths(self) -> tuple[int, ...]:
        """Values of K per cell and layer (llama_hparams::n_embd_k_gqa)."""
        return tuple(heads * width for heads, width in zip(self.n_head_kv, self.head_k, strict=True))

    @property
    def v_widths(self) -> tuple[int, ...]:
        """Values of V per cell and layer (llama_hparams::n_embd_v_gqa)."""
        return tuple(heads * width for heads, width in zip(self.n_head_kv, self.head_v, strict=True))


def read_shape(header: Header, file_name: str = "The model file") -> Shape:
    """Return the model's layers.

    Raises:
        UnknownArchitectureError: the rules of this architecture are not known here.
        ModelFileError: the header lacks a value, or has one no model has.
    """
    name = header.architecture
    if name not in arch.KNOWN:
        raise UnknownArchitectureError(
            f"The memory of architecture {name or '(unnamed)'} cannot be calculated: let llama.cpp measure it."
        )
    meta = Metadata(header, file_name)
    n_all = meta.integer("block_count")
    if not 1 <= n_all <= MAX_LAYERS:
        raise ModelFileError(
            f"{file_name} is damaged: it claims {n_all:,} layers where llama.cpp allows 1 to {MAX_LAYERS}. "
            "Download it again."
        )
    n_layer = n_all - meta.integer("nextn_predict_layers", 0, most=n_all)
    n_head = meta.per_layer("attention.head_count", n_all, 0)
    n_head_kv = meta.per_layer("attention.head_count_kv", n_all, n_head)
    n_ff = meta.per_layer("feed_forward_length", n_all, 0)
    if max(*n_head, *n_head_kv) > _MOST_HEADS:
        raise ModelFileError(
            f"{file_name} is damaged: it claims {max(*n_head, *n_head_kv):,} attention heads. Download it again."
        )
    if name == "deepseek4" and not _has_layer_for_prediction(header, n_layer):
        n_layer = n_all
    if name == "nanbeige":
        n_all, n_layer, n_head, n_head_kv, n_ff = _looped(meta, n_all, n_layer, n_head, n_head_kv, n_ff)
    if name == "graniteswitch":
        # An extra layer of one head at the end keeps the adapter's choice (models/granite-switch.cpp).
        n_layer, n_all = n_layer, n_layer + 1
        n_head, n_head_kv, n_ff = ((*each[:n_layer], last) for each, last in ((n_head, 1), (n_head_kv, 1), (n_ff, 0)))
    is_recurrent = _recurrent_layers(meta, name, n_all, n_layer, n_head_kv, n_ff)
    window, is_windowed = _windows(meta, name, n_all, n_layer, is_recurrent)
    n_embd = meta.integer("features_length" if name == "wavtokenizer-dec" else "embedding_length")
    head_k, head_v, head_k_window, head_v_window = _head_widths(meta, name, n_embd, n_head[0])
    return Shape(
        architecture=name,
        n_ctx_train=meta.integer("context_length", most=_MOST_LENGTH),
        n_embd=n_embd,
        n_layer=n_layer,
        n_layer_all=n_all,
        n_head=n_head,
        n_head_kv=n_head_kv,
        n_ff=n_ff,
        head_k=tuple(head_k_window if windowed else head_k for windowed in is_windowed),
        head_v=tuple(head_v_window if windowed else head_v for windowed in is_windowed),
        window=window,
        is_windowed=is_windowed,
        is_recurrent=is_recurrent,
        layers_with_kv=_layers_with_kv(meta, name, n_all),
        is_mla=_is_mla(meta, name),
        is_causal=bool(meta.integer("attention.causal", 1)),
        n_layer_dense_lead=meta.integer("leading_dense_block_count", 0),
        has_router=name == "graniteswitch",
    )


def _has_layer_for_prediction(header: Header, n_layer: int) -> bool:
    probe = f"blk.{n_layer}.nextn.eh_proj.weight"
    return any(tensor.name == probe for tensor in header.tensors)


def _looped(
    meta: Metadata, n_all: int, n_layer: int, *per_layer: tuple[int, ...]
) -> tuple[int, int, tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Nanbeige runs its layers several times, each pass with a cache of its own (models/nanbeige.cpp)."""
    loops = max(meta.integer("num_loops", 1), 1)
    if n_layer * loops > MAX_LAYERS:
        raise ModelFileError(
            f"{meta.file_name} is damaged: it repeats {n_layer} layers {loops:,} times. Download it again."
        )
    if loops == 1:
        n_head, n_head_kv, n_ff = per_layer
        return n_all, n_layer, n_head, n_head_kv, n_ff
    n_head, n_head_kv, n_ff = (each[:n_layer] * loops for each in per_layer)
    return n_layer * loops, n_layer * loops, n_head, n_head_kv, n_ff


def _head_widths(meta: Metadata, name: str, n_embd: int, n_head: int) -> tuple[int, int, int, int]:
    """Return K's and V's of a head in a full and in a windowed layer; those of a layer 0 without heads are 0."""
    head_k = head_v = 0
    if n_head > 0:
        head_k = meta.integer("attention.key_length", n_embd // n_head)
        head_v = meta.integer("attention.value_length", n_embd // n_head)
    elif name == "plamo2":
        head_k = meta.integer("attention.key_length", 0)
        head_v = meta.integer("attention.value_length", 0)
    head_k_window = meta.integer("attention.key_length_swa", head_k)
    head_v_window = meta.integer("attention.value_length_swa", head_v)
    if name in arch.VALUE_IS_LATENT:
        head_v = meta.integer("attention.kv_lora_rank")
    return head_k, head_v, head_k_window, head_v_window


def _is_mla(meta: Metadata, name: str) -> bool:
    """llama_hparams::is_mla."""
    if name not in arch.MLA:
        return False
    return meta.integer("attention.key_length_mla", 0) > 0 and meta.integer("attention.value_length_mla", 0) > 0


def _layers_with_kv(meta: Metadata, name: str, n_all: int) -> int:
    """llama_hparams::has_kv; models/gemma3n.cpp, models/gemma4.cpp."""
    if name == "gemma3n":
        return min(GEMMA3N_LAYERS_WITH_KV, n_all)
    if name == "gemma4":
        return n_all - meta.integer("attention.shared_kv_layers", 0, most=n_all)
    return n_all


def _recurrent_layers(
    meta: Metadata, name: str, n_all: int, n_layer: int, n_head_kv: tuple[int, ...], n_ff: tuple[int, ...]
) -> tuple[bool, ...]:
    """llama_hparams::is_recr_impl as each hybrid fills it."""
    if name in arch.RECURRENT or name == "falcon-h1":
        return (True,) * n_all
    if name in arch.RECURRENT_WITHOUT_KV_HEADS:
        last = n_all if name == "glm5-next" else n_layer
        return tuple(heads == 0 and il < last for il, heads in enumerate(n_head_kv))
    if name in arch.NEMOTRON_H:
        return tuple(n_head_kv[il] == 0 and n_ff[il] == 0 and il < n_layer for il in range(n_all))
    if name in arch.RECURRENT_INTERVAL:
        key = "attention.recurrent_layers"
        if meta.has(key):
            return tuple(map(bool, meta.per_layer(key, n_all, 0)))
        interval = max(meta.integer("full_attention_interval", arch.RECURRENT_INTERVAL[name]), 1)
        return tuple(il < n_layer and (il + 1) % interval != 0 for il in range(n_all))
    return (False,) * n_all


def _windows(
    meta: Metadata, name: str, n_all: int, n_layer: int, is_recurrent: tuple[bool, ...]
) -> tuple[int | None, tuple[bool, ...]]:
    """Return the window and which layers have it; llama_model_base::load_swa_pattern and the models' own rules."""
    key = "attention.sliding_window"
    none = None, (False,) * n_all
    if name == "deepseek4":
        return meta.integer(key, most=_MOST_LENGTH), (True,) * n_all
    if name == "lfm2":
        window = meta.integer(key, 0, most=_MOST_LENGTH)
        windowed = tuple(not recurrent and il < n_layer for il, recurrent in enumerate(is_recurrent))
        return (window, windowed) if window else none
    rule = arch.WINDOWS.get(name)
    if rule is None or (name == "exaone4" and n_layer != arch.EXAONE4_WINDOWED_LAYERS):
        return none
    default = rule.default if rule.default is not None else 0 if rule.optional else None
    window = meta.integer(key, default, most=_MOST_LENGTH)
    if rule.optional and not window:
        return none
    pattern_key = "attention.sliding_window_pattern"
    pattern = meta.array(pattern_key, n_all)
    if pattern is not None:
        return rule.always or window, tuple(map(bool, pattern))
    group = meta.integer(pattern_key, rule.pattern)
    if rule.pattern is None:
        raise ModelFileError(
            f"{meta.file_name} must say in {name}.{pattern_key} which layers have a window: choose another conversion "
            "of this model."
        )
    return rule.always or window, tuple(
        il < n_layer and (group == 0 or (il % group != 0 if rule.dense_first else il % group < group - 1))
        for il in range(n_all)
    )
