"""Writes GGUF headers, good and bad, for tests and benchmarks."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

U32, I32, F32, BOOL, STRING, ARRAY, U64 = 4, 5, 6, 7, 8, 9, 10
_FORMS = {U32: "<I", I32: "<i", F32: "<f", BOOL: "<B", U64: "<Q"}


def text(value: str) -> bytes:
    """A length and that many bytes."""
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def value_bytes(value: Any) -> bytes:
    """A value with its type before it: str, bool, int (u32, else u64), float, or a list of one of these."""
    if isinstance(value, str):
        return struct.pack("<I", STRING) + text(value)
    if isinstance(value, list):
        element = _element_type(value[0])
        items = map(text, value) if element == STRING else (struct.pack(_FORMS[element], item) for item in value)
        return struct.pack("<IIQ", ARRAY, element, len(value)) + b"".join(items)
    kind = _element_type(value)
    return struct.pack("<I", kind) + struct.pack(_FORMS[kind], value)


def _element_type(value: Any) -> int:
    if isinstance(value, str):
        return STRING
    return BOOL if isinstance(value, bool) else F32 if isinstance(value, float) else U32 if value < 2**32 else U64


def header_bytes(
    metadata: Mapping[str, Any],
    tensors: Sequence[tuple[str, tuple[int, ...]]] = (),
    *,
    n_metadata: int | None = None,
    n_tensors: int | None = None,
    extra: bytes = b"",
) -> bytes:
    """A GGUF of f32 tensors without their data; the counts can lie, and `extra` follows the metadata."""
    keys = b"".join(text(key) + value_bytes(value) for key, value in metadata.items())
    infos, offset = b"", 0
    for name, shape in tensors:
        infos += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape)
        infos += struct.pack("<IQ", 0, offset)
        size = 4
        for extent in shape:
            size *= extent
        offset += -(-size // 32) * 32
    counts = struct.pack(
        "<IQQ",
        3,
        len(tensors) if n_tensors is None else n_tensors,
        len(metadata) if n_metadata is None else n_metadata,
    )
    data = b"GGUF" + counts + keys + extra + infos
    return data + bytes(-len(data) % 32)


def write_sparse(path: Path, data: bytes, size: int) -> Path:
    """Write a file that begins with `data` and claims `size` bytes without taking them on disk."""
    with path.open("wb") as file:
        file.write(data)
        file.truncate(max(size, len(data)))
    return path
