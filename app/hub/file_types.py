"""Names of quantisations, of whole files and of single tensors."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.engine.gguf import Header

FILE_TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S", 12: "Q3_K_M",
    13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS",
    21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S",
    29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4_MOE", 39: "NVFP4",
    40: "Q1_0", 41: "Q2_0",
}  # fmt: skip
"""enum llama_ftype (llama.h), the value of `general.file_type`."""

TENSOR_TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 9: "Q8_1", 10: "Q2_K", 11: "Q3_K",
    12: "Q4_K", 13: "Q5_K", 14: "Q6_K", 15: "Q8_K", 16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S",
    20: "IQ4_NL", 21: "IQ3_S", 22: "IQ2_S", 23: "IQ4_XS", 24: "I8", 25: "I16", 26: "I32", 27: "I64", 28: "F64",
    29: "IQ1_M", 30: "BF16", 34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4", 40: "NVFP4", 41: "Q1_0", 42: "Q2_0",
}  # fmt: skip
"""enum ggml_type (ggml.h)."""

_GUESSED_MEDIUM = ("Q3_K", "Q4_K", "Q5_K")
"""What llama.cpp takes for the medium mix when a file does not say (llama-model-loader.cpp)."""
_GUESSED_FLAG = 1024


def tensor_type(type_id: int) -> str:
    """Return the name of a tensor's type."""
    return TENSOR_TYPES.get(type_id, f"type {type_id}")


def quantisation(header: Header) -> str:
    """Return the file's own word for it, else the type that most weights have; empty when there are no weights."""
    stated = header.metadata.get("general.file_type")
    if isinstance(stated, int) and (name := FILE_TYPES.get(stated & ~_GUESSED_FLAG)):
        return name
    weights: Counter[int] = Counter()
    for tensor in header.tensors:
        weights[tensor.type_id] += tensor.n_elements
    if not weights:
        return ""
    name = tensor_type(weights.most_common(1)[0][0])
    return f"{name}_M" if name in _GUESSED_MEDIUM else name


def bits_per_weight(header: Header) -> float | None:
    """Return bytes of all tensors x 8 / weights; None without weights, or with tensors of an unknown type."""
    count = sum(tensor.n_elements for tensor in header.tensors)
    sizes = [tensor.n_bytes for tensor in header.tensors]
    if not count or None in sizes:
        return None
    return sum(size for size in sizes if size is not None) * 8 / count
