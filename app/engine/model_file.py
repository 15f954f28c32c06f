"""What can be said about a model file before llama.cpp opens it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.errors import ModelFileError

if TYPE_CHECKING:
    from pathlib import Path

MAGIC = b"GGUF"
_SMALLEST_HEADER = 24  # magic, version, tensor count, metadata count
_SPLIT_NAME = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf", re.IGNORECASE)


def split_parts(path: Path) -> tuple[Path, ...]:
    """Return all files of a split model in order, by llama.cpp's naming (llama_split_path); one path when not split."""
    match = _SPLIT_NAME.fullmatch(path.name)
    if match is None:
        return (path,)
    count = int(match["count"])
    return tuple(path.with_name(f"{match['stem']}-{i:05d}-of-{count:05d}.gguf") for i in range(1, count + 1))


def check_model_file(path: Path) -> Path:
    """Return the file to hand to llama.cpp: the first part of a split model, else `path` itself.

    Raises:
        ModelFileError: it is missing, a directory, unreadable, empty, not a GGUF, or a part of it is missing.
    """
    parts = split_parts(path)
    if len(parts) > 1:
        missing = [part.name for part in parts if not part.exists()]
        if missing:
            raise ModelFileError(
                f"{path.name} is one of {len(parts)} files and {missing[0]} is missing: "
                f"put all parts into {path.parent}."
            )
    for part in parts:
        _check_one(part)
    return parts[0]


def _check_one(path: Path) -> None:
    if path.is_dir():
        raise ModelFileError(f"{path} is a folder: choose a GGUF file in it.")
    try:
        with path.open("rb") as file:
            head = file.read(_SMALLEST_HEADER)
    except FileNotFoundError:
        raise ModelFileError(f"{path} does not exist: check the name, or choose another file.") from None
    except PermissionError:
        raise ModelFileError(f"{path} cannot be read: you have no permission to open it.") from None
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {error.strerror or error}.") from None
    if not head:
        raise ModelFileError(f"{path.name} is empty (0 bytes): download it again.")
    if head[:4] != MAGIC:
        raise ModelFileError(f"{path.name} is not a GGUF file: Tokometer opens models in llama.cpp's GGUF format only.")
    if len(head) < _SMALLEST_HEADER:
        raise ModelFileError(f"{path.name} is cut off after {len(head)} bytes: download it again.")
