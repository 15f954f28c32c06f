"""Reads the header of a GGUF file: metadata and tensor list, never the weights.

The file is untrusted. Every count, length and offset is checked against the bytes that are really there before
anything is allocated; arrays (vocabularies have hundreds of thousands of entries) are walked over, not kept.
Format: ggml's docs/gguf.md, versions 2 and 3.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from app.errors import ModelFileError, Sentence

if TYPE_CHECKING:
    from pathlib import Path

MAGIC = b"GGUF"
_CHUNK_BYTES = 4 * 1024 * 1024
_MOST_HEADER_BYTES = 512 * 1024 * 1024
_MOST_NAME_BYTES = 65_535
_MOST_DIMENSIONS = 4
_DEFAULT_ALIGNMENT = 32

_STRING, _ARRAY, _BOOL = 8, 9, 7
_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<B", 10: "<Q", 11: "<q", 12: "<d"}

# enum ggml_type: (elements per block, bytes per block), ggml.c type_traits
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36), 10: (256, 84),
    11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292), 16: (256, 66), 17: (256, 74),
    18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2),
    26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17),
}  # fmt: skip

Scalar = int | float | bool | str


@dataclass(frozen=True, slots=True)
class Array:
    """An array that was walked over: its element type (enum gguf_type) and length."""

    element_type: int
    length: int


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor. `n_bytes` is None for a type this reader does not know."""

    name: str
    shape: tuple[int, ...]
    type_id: int
    offset: int

    @property
    def n_bytes(self) -> int | None:
        """Size in the file."""
        block = _BLOCKS.get(self.type_id)
        if block is None:
            return None
        elements = 1
        for extent in self.shape:
            elements *= extent
        return elements // block[0] * block[1]


@dataclass(frozen=True, slots=True)
class Header:
    """What stands before the weights. Tensor offsets count from `data_offset`."""

    version: int
    metadata: dict[str, Scalar | Array]
    tensors: tuple[Tensor, ...]
    data_offset: int
    file_bytes: int

    @property
    def architecture(self) -> str:
        """`general.architecture`, empty when it is missing."""
        value = self.metadata.get("general.architecture", "")
        return value if isinstance(value, str) else ""

    def of_architecture(self, key: str) -> Scalar | Array | None:
        """Return a value below the architecture's own name, such as `attention.causal`."""
        return self.metadata.get(f"{self.architecture}.{key}")

    def missing_bytes(self) -> int:
        """How many bytes of the last tensor lie behind the file's end; 0 when it is whole."""
        ends = (self.data_offset + tensor.offset + (tensor.n_bytes or 0) for tensor in self.tensors)
        return max(max(ends, default=0) - self.file_bytes, 0)


class _Reader:
    """A growing view of the file's beginning. Raises EOFError behind its end."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = min(size, _MOST_HEADER_BYTES)
        self._data = bytearray()
        self.position = 0

    def _need(self, count: int) -> None:
        end = self.position + count
        if end > self._size:
            raise EOFError
        while len(self._data) < end:
            part = self._file.read(max(_CHUNK_BYTES, end - len(self._data)))
            if not part:
                raise EOFError
            self._data += part

    def skip(self, count: int) -> None:
        self._need(count)
        self.position += count

    def scalar(self, form: str) -> int | float:
        size = struct.calcsize(form)
        self._need(size)
        value: int | float = struct.unpack_from(form, self._data, self.position)[0]
        self.position += size
        return value

    def count(self) -> int:
        return int(self.scalar("<Q"))

    def text(self) -> str:
        length = self.count()
        self._need(length)
        raw = bytes(self._data[self.position : self.position + length])
        self.position += length
        return raw.decode("utf-8", "replace")

    def name(self) -> str:
        start = self.position
        text = self.text()
        if self.position - start > _MOST_NAME_BYTES:
            raise ValueError("a name is longer than the format allows")
        return text

    def value(self, type_id: int) -> Scalar | Array:
        if type_id == _STRING:
            return self.text()
        if type_id == _ARRAY:
            return self._array()
        if type_id not in _SCALARS:
            raise ValueError(f"metadata of unknown type {type_id}")
        value = self.scalar(_SCALARS[type_id])
        return bool(value) if type_id == _BOOL else value

    def _array(self) -> Array:
        element = int(self.scalar("<I"))
        length = self.count()
        if element == _STRING:
            self._skip_strings(length)
        elif element in _SCALARS:
            self.skip(struct.calcsize(_SCALARS[element]) * length)
        else:
            raise ValueError(f"an array of unknown type {element}")
        return Array(element, length)

    def _skip_strings(self, count: int) -> None:
        """Walk over strings; ends with EOFError when their number or a length is a lie."""
        length_of = struct.Struct("<Q").unpack_from
        position = self.position
        for _ in range(count):
            if position + 8 > len(self._data):
                self.position = position
                self._need(8)
            position += 8 + length_of(self._data, position)[0]
        self.position = position
        self._need(0)


def read_header(path: Path) -> Header:
    """Return the header of a GGUF file.

    Raises:
        ModelFileError: it is not a GGUF, of another byte order or version, or damaged; one sentence says which.
        OSError: it cannot be opened.
    """
    with path.open("rb") as file:
        size = path.stat().st_size
        if file.read(4) != MAGIC:
            raise ModelFileError(
                Sentence(
                    "{file} is not a GGUF file: Tokometer opens models in llama.cpp's GGUF format only.", file=path.name
                )
            )
        reader = _Reader(file, size - 4)
        try:
            return _parse(reader, path, size)
        except EOFError:
            raise ModelFileError(
                Sentence("{file} is cut off in its header: download it again.", file=path.name)
            ) from None
        except ValueError as error:
            raise ModelFileError(
                Sentence("{file} is damaged ({error}): download it again.", file=path.name, error=error)
            ) from None


def _parse(reader: _Reader, path: Path, size: int) -> Header:
    version = int(reader.scalar("<I"))
    if version not in (2, 3):
        swapped = int.from_bytes(version.to_bytes(4, "little"), "big")
        if swapped in (2, 3):
            raise ModelFileError(
                Sentence(
                    "{file} is for machines of the other byte order and cannot be read: choose another conversion.",
                    file=path.name,
                )
            )
        raise ModelFileError(
            Sentence(
                "{file} has GGUF version {version}, which cannot be read: choose another conversion of this model.",
                file=path.name,
                version=version,
            )
        )
    n_tensors, n_metadata = reader.count(), reader.count()
    metadata: dict[str, Scalar | Array] = {}
    for _ in range(n_metadata):
        key = reader.name()
        metadata[key] = reader.value(int(reader.scalar("<I")))
    tensors = tuple(_tensor(reader) for _ in range(n_tensors))
    alignment = metadata.get("general.alignment", _DEFAULT_ALIGNMENT)
    if not isinstance(alignment, int) or alignment < 1:
        raise ValueError("its alignment is not a positive number")
    position = reader.position + len(MAGIC)
    return Header(version, metadata, tensors, -(-position // alignment) * alignment, size)


def _tensor(reader: _Reader) -> Tensor:
    name = reader.name()
    n_dimensions = int(reader.scalar("<I"))
    if n_dimensions > _MOST_DIMENSIONS:
        raise ValueError(f"tensor {name[:60]} has {n_dimensions} dimensions")
    shape = tuple(reader.count() for _ in range(n_dimensions))
    return Tensor(name, shape, int(reader.scalar("<I")), reader.count())
