"""What can be said about a model file before llama.cpp opens it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.engine.gguf import read_header
from app.errors import ModelFileError, Sentence

if TYPE_CHECKING:
    from pathlib import Path

    from app.engine.gguf import Header

_POOLING_TYPES = (1, 2, 3, 4)  # mean, cls, last, rank: enum llama_pooling_type
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
        ModelFileError: it is missing, a directory, unreadable, empty, not a GGUF, cut off, a part of it is missing, or
            it holds no chat model.
    """
    parts = split_parts(path)
    if len(parts) > 1:
        missing = [part.name for part in parts if not part.exists()]
        if missing:
            raise ModelFileError(
                Sentence(
                    "{file} is one of {count} files and {value} is missing: put all parts into {parent}.",
                    file=path.name,
                    count=len(parts),
                    value=missing[0],
                    parent=path.parent,
                )
            )
    headers = [_header(part) for part in parts]
    _check_purpose(parts[0], headers[0])
    return parts[0]


def _header(path: Path) -> Header:
    if path.is_dir():
        raise ModelFileError(Sentence("{path} is a folder: choose a GGUF file in it.", path=path))
    try:
        if path.stat().st_size == 0:
            raise ModelFileError(Sentence("{file} is empty (0 bytes): download it again.", file=path.name))
        header = read_header(path)
    except FileNotFoundError:
        raise ModelFileError(
            Sentence("{path} does not exist: check the name, or choose another file.", path=path)
        ) from None
    except PermissionError:
        raise ModelFileError(Sentence("{path} cannot be read: you have no permission to open it.", path=path)) from None
    except OSError as error:
        raise ModelFileError(
            Sentence("{path} cannot be read: {strerror}.", path=path, strerror=error.strerror or error)
        ) from None
    if missing := header.missing_bytes():
        raise ModelFileError(
            Sentence(
                "{file} is cut off: {missing:,} bytes are missing at its end. Download it again.",
                file=path.name,
                missing=missing,
            )
        )
    return header


def _check_purpose(path: Path, header: Header) -> None:
    architecture = header.architecture
    if not architecture or architecture == "clip":
        raise ModelFileError(
            Sentence(
                "{file} holds no language model (architecture {architecture}): choose the model itself.",
                file=path.name,
                architecture=architecture or "unnamed",
            )
        )
    if header.of_architecture("attention.causal") is False or header.of_architecture("pooling_type") in _POOLING_TYPES:
        raise ModelFileError(
            Sentence(
                "{file} ({architecture}) is made for embeddings and cannot chat: choose a model that writes text.",
                file=path.name,
                architecture=architecture,
            )
        )
