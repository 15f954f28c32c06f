"""Reads the header of a GGUF file: metadata and tensor list, never the weights.

The file is untrusted. Every count, length and offset is checked against the bytes that are really there before
anything is allocated. Short arrays of numbers (one value per layer) are kept; long ones and all texts (vocabularies
have hundreds of thousands of entries) are walked over. Format: ggml's docs/gguf.md, versions 2 and 3.
"""

from __future__ import annotations

import math
import struct
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.engine.gguf_reader import ARRAY, BOOL, SCALARS, STRING, WINDOW_BYTES, Reader, Scalar
from app.errors import ModelFileError, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.engine.gguf_reader import Source

MAGIC = b"GGUF"
_MOST_KEYS = 65_536
_MOST_TENSORS = 65_536
_MOST_DIMENSIONS = 4
_MOST_KEPT_NUMBERS = 4096
"""llama.cpp has 512 layers at most (LLAMA_MAX_LAYERS): a list with a value per layer is far shorter."""
_MOST_LISTED = 2_000_000
_MOST_LISTED_BYTES = 256 * 1024 * 1024
"""Of one array that is wanted whole; the largest vocabularies take some MiB."""
_LEAST_ENTRY_BYTES = 12
_MOST_SIGNED = 2**63 - 1
_DEFAULT_ALIGNMENT = 32
_MOST_ALIGNMENT = 1024 * 1024

BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36), 10: (256, 84),
    11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292), 16: (256, 66), 17: (256, 74),
    18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2),
    26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17),
    40: (64, 36), 41: (128, 18), 42: (64, 18),
}  # fmt: skip
"""enum ggml_type -> (elements per block, bytes per block), ggml.c type_traits."""


@dataclass(frozen=True, slots=True)
class Array:
    """An array that was walked over: its element type (enum gguf_type) and length."""

    element_type: int
    length: int


Value = Scalar | tuple[Scalar, ...] | Array


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor. `n_bytes` is None for a type this reader does not know."""

    name: str
    shape: tuple[int, ...]
    type_id: int
    offset: int

    @property
    def n_elements(self) -> int:
        """How many values it has."""
        return math.prod(self.shape)

    @property
    def n_bytes(self) -> int | None:
        """Size in the file."""
        block = BLOCKS.get(self.type_id)
        return None if block is None else self.n_elements // block[0] * block[1]


@dataclass(frozen=True, slots=True)
class Header:
    """What stands before the weights. Tensor offsets count from `data_offset`."""

    version: int
    metadata: dict[str, Value]
    tensors: tuple[Tensor, ...]
    data_offset: int
    file_bytes: int

    @property
    def architecture(self) -> str:
        """`general.architecture`, empty when it is missing."""
        value = self.metadata.get("general.architecture", "")
        return value if isinstance(value, str) else ""

    def of_architecture(self, key: str) -> Value | None:
        """Return a value below the architecture's own name, such as `attention.causal`."""
        return self.metadata.get(f"{self.architecture}.{key}")

    def missing_bytes(self) -> int:
        """How many bytes of the last tensor lie behind the file's end; 0 when it is whole."""
        ends = (self.data_offset + tensor.offset + (tensor.n_bytes or 0) for tensor in self.tensors)
        return max(max(ends, default=0) - self.file_bytes, 0)


def read_header(path: Path) -> Header:
    """Return the header of a GGUF file.

    Raises:
        ModelFileError: it is not a GGUF, of another byte order or version, or damaged; one sentence says which.
        OSError: it cannot be opened.
    """
    with path.open("rb") as file:
        return parse_header(file, path.stat().st_size, path.name)


def parse_header(file: Source, size: int, name: str, window_bytes: int = WINDOW_BYTES) -> Header:
    """Return the header of a GGUF file of `size` bytes, wherever it lies; so many of them are read at once.

    Raises:
        ModelFileError: as `read_header`.
    """
    if file.read(4) != MAGIC:
        raise ModelFileError(
            Sentence("{file} is not a GGUF file: Tokometer opens models in llama.cpp's GGUF format only.", file=name)
        )
    with _sentences(name):
        return _parse(Reader(file, size, window_bytes), name, size)


def read_array(path: Path, key: str) -> tuple[Scalar, ...]:
    """Return one whole array of the metadata, however long; empty when the key holds none.

    Raises:
        ModelFileError, OSError: as `read_header`, or it is longer than any model's.
    """
    with path.open("rb") as file, _sentences(path.name):
        size = path.stat().st_size
        file.seek(len(MAGIC))
        reader = Reader(file, size)
        _, _, n_metadata = _counts(reader, path.name, size)
        for _ in range(n_metadata):
            name, type_id = reader.name(), int(reader.scalar("<I"))
            if name == key and type_id == ARRAY:
                return _whole_array(reader)
            _value(reader, type_id)
    return ()


@contextmanager
def _sentences(name: str) -> Iterator[None]:
    """Say what is wrong with a file of that name."""
    try:
        yield
    except EOFError:
        raise ModelFileError(Sentence("{file} is cut off in its header: download it again.", file=name)) from None
    except ValueError as error:
        raise ModelFileError(
            Sentence("{file} is damaged ({error}): download it again.", file=name, error=error)
        ) from None


def _parse(reader: Reader, name: str, size: int) -> Header:
    version, n_tensors, n_metadata = _counts(reader, name, size)
    metadata: dict[str, Value] = {}
    for _ in range(n_metadata):
        key = reader.name()
        metadata[key] = _value(reader, int(reader.scalar("<I")))
    tensors = tuple(_tensor(reader) for _ in range(n_tensors))
    alignment = metadata.get("general.alignment", _DEFAULT_ALIGNMENT)
    if not isinstance(alignment, int) or not 0 < alignment <= _MOST_ALIGNMENT:
        raise ValueError(Sentence("its alignment is not a positive number"))
    _check_places(tensors, alignment)
    return Header(version, metadata, tensors, -(-reader.position // alignment) * alignment, size)


def _counts(reader: Reader, name: str, size: int) -> tuple[int, int, int]:
    """Return the version, and how many tensors and keys there are."""
    version = int(reader.scalar("<I"))
    if version not in (2, 3):
        swapped = int.from_bytes(version.to_bytes(4, "little"), "big")
        if swapped in (2, 3):
            raise ModelFileError(
                Sentence(
                    "{file} is for machines of the other byte order and cannot be read: choose another conversion.",
                    file=name,
                )
            )
        raise ModelFileError(
            Sentence(
                "{file} has GGUF version {version}, which cannot be read: choose another conversion of this model.",
                file=name,
                version=version,
            )
        )
    n_tensors, n_metadata = reader.count(), reader.count()
    if (n_tensors + n_metadata) * _LEAST_ENTRY_BYTES > size:
        raise EOFError
    if n_tensors > _MOST_TENSORS:
        raise ValueError(Sentence("it claims {count:,} tensors", count=n_tensors))
    if n_metadata > _MOST_KEYS:
        raise ValueError(Sentence("it claims {count:,} metadata keys", count=n_metadata))
    return version, n_tensors, n_metadata


def _value(reader: Reader, type_id: int) -> Value:
    if type_id == STRING:
        return reader.text()
    if type_id == ARRAY:
        return _array(reader)
    if type_id not in SCALARS:
        raise ValueError(Sentence("metadata of unknown type {type}", type=type_id))
    value = reader.scalar(SCALARS[type_id])
    return bool(value) if type_id == BOOL else value


def _array(reader: Reader) -> tuple[Scalar, ...] | Array:
    element = int(reader.scalar("<I"))
    length = reader.count()
    if element == STRING:
        reader.skip_strings(length)
    elif element not in SCALARS:
        raise ValueError(Sentence("an array of unknown type {type}", type=element))
    elif length <= _MOST_KEPT_NUMBERS:
        return reader.numbers(element, length)
    else:
        reader.skip(struct.calcsize(SCALARS[element]) * length)
    return Array(element, length)


def _whole_array(reader: Reader) -> tuple[Scalar, ...]:
    element, length = int(reader.scalar("<I")), reader.count()
    if element != STRING and element not in SCALARS:
        raise ValueError(Sentence("an array of unknown type {type}", type=element))
    if length > _MOST_LISTED:
        raise ValueError(Sentence("an array of {count:,} values", count=length))
    if element != STRING:
        return reader.numbers(element, length)
    texts, size = [], 0
    for _ in range(length):
        texts.append(reader.text())
        size += len(texts[-1])
        if size > _MOST_LISTED_BYTES:
            raise ValueError(Sentence("an array longer than any vocabulary"))
    return tuple(texts)


def _tensor(reader: Reader) -> Tensor:
    name = reader.name()
    n_dimensions = int(reader.scalar("<I"))
    if n_dimensions > _MOST_DIMENSIONS:
        raise ValueError(Sentence("tensor {name} has {count} dimensions", name=name[:60], count=n_dimensions))
    tensor = Tensor(name, tuple(reader.count() for _ in range(n_dimensions)), int(reader.scalar("<I")), reader.count())
    if max(tensor.shape, default=0) > _MOST_SIGNED or tensor.n_elements > _MOST_SIGNED or tensor.offset > _MOST_SIGNED:
        raise ValueError(
            Sentence("tensor {name} has impossible dimensions or lies at an impossible place", name=name[:60])
        )
    return tensor


def _check_places(tensors: tuple[Tensor, ...], alignment: int) -> None:
    """Tensors must follow each other without gaps, as gguf_init_from_file_ptr demands (gguf.cpp)."""
    end = 0
    for tensor in tensors:
        if tensor.offset != end:
            raise ValueError(Sentence("tensor {name} does not lie where the one before it ends", name=tensor.name[:60]))
        if tensor.n_bytes is None:
            return
        end = -(-(end + tensor.n_bytes) // alignment) * alignment
