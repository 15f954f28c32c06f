"""Remembers headers without their vocabularies, which are most of what there is to read in a model's header.

One JSON file per model file; one that cannot be read, because it was not written to its end, say, counts as missing
and is written anew.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from app.engine.gguf import Array, Header, Tensor
from app.engine.model_file import read_file_header
from app.files import make_folder

if TYPE_CHECKING:
    from pathlib import Path

HEADERS_FOLDER = "headers"
"""In the cache folder."""
MOST_HEADERS = 2000
"""Some 20 KiB each; the ones written longest ago are dropped."""
_VERSION = 1
"""To be raised when the same file gives another header."""


class HeaderCache:
    """Headers by path, size and time of a file. Driven by one thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, path: Path) -> Header:
        """Return the header of one file, as `read_file_header` does and with its errors."""
        name = hashlib.sha256(str(path.absolute()).encode("utf-8", "surrogatepass")).hexdigest()
        kept = self._folder / f"{name}.json"
        try:
            status = path.stat()
        except OSError:
            return read_file_header(path)  # which says what is wrong
        identity = [_VERSION, str(path.absolute()), status.st_size, status.st_mtime_ns]
        header = _load(kept, identity)
        if header is None:
            header = read_file_header(path)
            with suppress(OSError, ValueError):  # a disk that refuses, or a text that JSON cannot hold
                make_folder(self._folder)
                kept.write_text(json.dumps([identity, _packed(header)], separators=(",", ":")), encoding="utf-8")
        return header

    def prune(self) -> None:
        """Forget what is too much."""
        with suppress(OSError):
            files = sorted(self._folder.glob("*.json"), key=lambda file: file.stat().st_mtime_ns)
            for file in files[: max(len(files) - MOST_HEADERS, 0)]:
                file.unlink()


def _load(kept: Path, identity: list[object]) -> Header | None:
    try:
        found, values = json.loads(kept.read_bytes())
        return _unpacked(values) if found == identity else None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def _packed(header: Header) -> list[Any]:
    return [
        header.version,
        {key: _packed_value(value) for key, value in header.metadata.items()},
        [[tensor.name, tensor.shape, tensor.type_id, tensor.offset] for tensor in header.tensors],
        header.data_offset,
        header.file_bytes,
    ]


def _packed_value(value: Any) -> Any:
    if isinstance(value, Array):
        return {"array": [value.element_type, value.length]}
    return {"numbers": value} if isinstance(value, tuple) else value


def _unpacked(values: list[Any]) -> Header:
    version, metadata, tensors, data_offset, file_bytes = values
    return Header(
        int(version),
        {key: _unpacked_value(value) for key, value in metadata.items()},
        tuple(
            Tensor(str(name), tuple(map(int, shape)), int(type_id), int(offset))
            for name, shape, type_id, offset in tensors
        ),
        int(data_offset),
        int(file_bytes),
    )


def _unpacked_value(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "array" in value:
        element_type, length = value["array"]
        return Array(int(element_type), int(length))
    return tuple(value["numbers"])
