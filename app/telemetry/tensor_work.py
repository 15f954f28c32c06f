"""Operations and bytes that a model's tensors alone tell of, for any architecture; `work` knows more of known ones."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.engine.gguf import Header, Tensor

_EXPERTS = "_exps.weight"
_EMBEDDING = "token_embd.weight"
_HEAD = "output.weight"


def prefill_flop(header: Header, tokens: int, depth: int = 0, outputs: int = 1) -> float:
    """Return the floating-point operations of reading `tokens` after `depth` others.

    2 x weights per token, of mixtures only the experts used; the output matrix for `outputs` tokens alone; attention
    4 x n_head x head_dim x context per layer, with the mean context depth + tokens/2. Sliding windows count as whole.
    """
    weights = sum(_elements(header, tensor) for tensor in _matrices(header))
    head = next((prod(tensor.shape) for tensor in _named(header, _HEAD, _EMBEDDING)), 0)
    attention = sum(_query_width(tensor) for tensor in header.tensors)
    return 2.0 * (weights * tokens + head * outputs) + 4.0 * attention * tokens * (depth + tokens / 2)


def decode_bytes(header: Header) -> float:
    """Return the bytes of weights that one sequence's next token reads; of a mixture the experts used."""
    share = _expert_share(header)
    total = 0.0
    for tensor in _layers(header):
        total += (tensor.n_bytes or 0) * (share if tensor.name.endswith(_EXPERTS) else 1.0)
    return total + next((float(tensor.n_bytes or 0) for tensor in _named(header, _HEAD, _EMBEDDING)), 0.0)


def _layers(header: Header) -> Iterator[Tensor]:
    return (tensor for tensor in header.tensors if tensor.name not in (_EMBEDDING, _HEAD))


def _matrices(header: Header) -> Iterator[Tensor]:
    return (tensor for tensor in _layers(header) if len(tensor.shape) > 1 and tensor.name.endswith(".weight"))


def _named(header: Header, *names: str) -> Iterator[Tensor]:
    """Tensors with these names, in the order of the names."""
    return (tensor for name in names for tensor in header.tensors if tensor.name == name)


def _elements(header: Header, tensor: Tensor) -> float:
    return prod(tensor.shape) * (_expert_share(header) if tensor.name.endswith(_EXPERTS) else 1.0)


def _expert_share(header: Header) -> float:
    used, count = header.of_architecture("expert_used_count"), header.of_architecture("expert_count")
    return used / count if isinstance(used, int) and isinstance(count, int) and 0 < used <= count else 1.0


def _query_width(tensor: Tensor) -> int:
    """n_head x head_dim of the layer whose queries this tensor makes; 0 of any other tensor."""
    name, shape = tensor.name, tensor.shape
    if len(shape) != 2:
        return 0
    if name.endswith((".attn_q.weight", ".attn_q_b.weight")):
        return shape[1]
    return shape[0] if name.endswith(".attn_qkv.weight") else 0
