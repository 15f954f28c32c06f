"""A GGUF whose header promises a huge model, in a file that takes no room on the disk: its weights are a hole."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from app.engine.gguf import read_header

if TYPE_CHECKING:
    from pathlib import Path

_ALIGNMENT = 32
_U32, _STRING, _ARRAY = 4, 8, 9
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_F32, _Q8_0 = (0, 1, 4), (8, 32, 34)

LLAMA_70B = {
    "llama.block_count": 80,
    "llama.context_length": 131_072,
    "llama.embedding_length": 8192,
    "llama.feed_forward_length": 28_672,
    "llama.attention.head_count": 64,
    "llama.attention.head_count_kv": 8,
    "llama.rope.dimension_count": 128,
}


def write_sparse_model(path: Path, starter: Path, shape: dict[str, int] = LLAMA_70B) -> Path:
    """Write a Llama of that shape in Q8_0 with the starter model's vocabulary; llama.cpp can plan it, never load it."""
    data = starter.read_bytes()
    pairs, vocabulary = _metadata(data, shape)
    layers, width = shape["llama.block_count"], shape["llama.embedding_length"]
    kv_width = width // shape["llama.attention.head_count"] * shape["llama.attention.head_count_kv"]
    inner = shape["llama.feed_forward_length"]
    tensors = [("token_embd.weight", (width, vocabulary), _Q8_0), ("output_norm.weight", (width,), _F32)]
    for layer in range(layers):
        for name, extents in (
            ("attn_norm", (width,)),
            ("attn_q", (width, width)),
            ("attn_k", (width, kv_width)),
            ("attn_v", (width, kv_width)),
            ("attn_output", (width, width)),
            ("ffn_norm", (width,)),
            ("ffn_gate", (width, inner)),
            ("ffn_up", (width, inner)),
            ("ffn_down", (inner, width)),
        ):
            tensors.append((f"blk.{layer}.{name}.weight", extents, _F32 if len(extents) == 1 else _Q8_0))
    infos, offset = b"", 0
    for name, extents, (type_id, elements, n_bytes) in tensors:
        infos += _text(name) + struct.pack("<I", len(extents)) + struct.pack(f"<{len(extents)}Q", *extents)
        infos += struct.pack("<IQ", type_id, offset)
        size = n_bytes
        for number, extent in enumerate(extents):
            size *= extent // elements if number == 0 else extent
        offset += -(-size // _ALIGNMENT) * _ALIGNMENT
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(pairs)) + b"".join(pairs) + infos
    head += bytes(-len(head) % _ALIGNMENT)
    with path.open("wb") as file:
        file.write(head)
        file.truncate(len(head) + offset)
    assert read_header(path).missing_bytes() == 0
    return path


def _metadata(data: bytes, shape: dict[str, int]) -> tuple[list[bytes], int]:
    """Return the key-value pairs as bytes, with other numbers, and the length of the vocabulary."""
    (count,) = struct.unpack_from("<Q", data, 16)
    position, pairs, vocabulary = 24, [], 0
    for _ in range(count):
        start = position
        (length,) = struct.unpack_from("<Q", data, position)
        key = data[position + 8 : position + 8 + length].decode()
        position += 8 + length
        (type_id,) = struct.unpack_from("<I", data, position)
        position = _skip(data, position + 4, type_id)
        if key == "tokenizer.ggml.tokens":
            (vocabulary,) = struct.unpack_from("<Q", data, start + 8 + length + 8)
        if key in shape:
            pairs.append(_text(key) + struct.pack("<II", _U32, shape[key]))
        elif key != "general.alignment":
            pairs.append(data[start:position])
    return pairs, vocabulary


def _skip(data: bytes, position: int, type_id: int) -> int:
    if type_id == _STRING:
        return position + 8 + struct.unpack_from("<Q", data, position)[0]
    if type_id != _ARRAY:
        return position + _SIZES[type_id]
    element, length = struct.unpack_from("<IQ", data, position)
    position += 12
    if element != _STRING:
        return position + length * _SIZES[element]
    for _ in range(length):
        position = _skip(data, position, _STRING)
    return position


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw
