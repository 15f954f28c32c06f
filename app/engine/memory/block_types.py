"""Bytes of one row of a KV cache, per type."""

from __future__ import annotations

from dataclasses import dataclass

from app.errors import BadInputError


@dataclass(frozen=True, slots=True)
class BlockType:
    """A ggml type: `elements` values are stored in `n_bytes` bytes (ggml.c, type_traits)."""

    name: str
    elements: int
    n_bytes: int

    @property
    def is_quantised(self) -> bool:
        """Whether several values share a scale (ggml_is_quantized)."""
        return self.elements > 1

    def row_bytes(self, width: int) -> int:
        """Bytes of `width` values (ggml_row_size)."""
        return width // self.elements * self.n_bytes


_TYPES = {
    name: BlockType(name, elements, n_bytes)
    for name, elements, n_bytes in (
        ("f32", 1, 4), ("f16", 1, 2), ("bf16", 1, 2), ("q8_0", 32, 34), ("q5_1", 32, 24), ("q5_0", 32, 22),
        ("q4_1", 32, 20), ("q4_0", 32, 18), ("iq4_nl", 32, 18),
    )
}  # fmt: skip


def kv_type(name: str) -> BlockType:
    """Return the type of that name.

    Raises:
        BadInputError: a KV cache cannot have it.
    """
    if name not in _TYPES:
        raise BadInputError(f"{name} is not a type of KV cache: choose one of {', '.join(_TYPES)}.")
    return _TYPES[name]
