"""What can be said about a model file before llama.cpp opens it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from app.engine.gguf import read_header
from app.errors import ModelFileError, Sentence
from app.reasons import reason_of
from app.units import size_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
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
    if not 1 <= int(match["number"]) <= count or not path.name.endswith(".gguf"):
        return (path,)
    return tuple(path.with_name(f"{match['stem']}-{i:05d}-of-{count:05d}.gguf") for i in range(1, count + 1))


def part_number(name: str) -> int | None:
    """Return which file of a split model has this name, counted from 1; None when it is not split."""
    match = _SPLIT_NAME.fullmatch(name)
    return int(match["number"]) if match else None


def read_model_header(path: Path) -> Header:
    """Return the header of a whole model: of a split one the first part's metadata and all parts' tensors.

    Tensor offsets count within the part that holds the tensor.

    Raises:
        ModelFileError: a part is missing, unreadable, not a GGUF, or damaged.
    """
    return together([read_file_header(part) for part in split_parts(path)])


def together(headers: Sequence[Header]) -> Header:
    """Return the header of a split model from those of its parts, the first one first."""
    if len(headers) == 1:
        return headers[0]
    tensors = tuple(tensor for header in headers for tensor in header.tensors)
    return replace(headers[0], tensors=tensors, file_bytes=sum(header.file_bytes for header in headers))


def model_name(path: Path, quantisation: str = "") -> str:
    """Return the file's name without its split number and quantisation: `general.name` is often a training run's."""
    match = _SPLIT_NAME.fullmatch(path.name)
    stem = match["stem"] if match else path.stem
    return re.sub(rf"[-._ ]{re.escape(quantisation)}$", "", stem, flags=re.IGNORECASE) or stem


def check_model_file(path: Path) -> Path:
    """Return the file to hand to llama.cpp: the first part of a split model, else `path` itself.

    Raises:
        ModelFileError: as `read_model`, or it holds no chat model.
    """
    first, header = read_model(path)
    check_purpose(first, header)
    return first


def read_model(path: Path, read: Callable[[Path], Header] | None = None) -> tuple[Path, Header]:
    """Return the file to hand to llama.cpp, and the header of the whole model, checked to be there to its end.

    Args:
        read: reads the header of one file in place of `read_file_header`.

    Raises:
        ModelFileError: it is missing, a directory, unreadable, empty, not a GGUF, cut off, a part of it is missing, or
            it holds no language model.
    """
    parts = split_parts(path)
    if len(parts) > 1 and (missing := [part for part in parts if not part.exists()]):
        raise ModelFileError(parts_missing(parts, missing))
    headers = [_header(part, read or read_file_header) for part in parts]
    first = headers[0]
    if not first.architecture or first.architecture == "clip":
        raise ModelFileError(
            Sentence(
                "{file} holds no language model (architecture {architecture}): choose the model itself.",
                file=parts[0].name,
                architecture=first.architecture or "unnamed",
            )
        )
    return parts[0], together(headers)


def parts_missing(parts: Sequence[Path], missing: Sequence[Path]) -> Sentence:
    """Return the sentence about a split model that is not all there."""
    gone = set(missing)
    values = {
        "file": next((part for part in parts if part not in gone), parts[0]).name,
        "count": len(parts),
        "value": missing[0].name,
        "parent": parts[0].parent,
    }
    if len(missing) == 1:
        return Sentence("{file} is one of {count} files and {value} is missing: put all parts into {parent}.", **values)
    return Sentence(
        "{file} is one of {count} files and {value} is missing, the first of {missing}: put all parts into {parent}.",
        missing=len(missing),
        **values,
    )


def cut_off(path: Path, header: Header) -> str:
    """Return the sentence about a file that ends before its last tensor does; empty when it is whole."""
    missing = header.missing_bytes()
    if not missing:
        return ""
    return Sentence(
        "{file} is cut off: {missing} are missing at its end. Download it again.",
        file=path.name,
        missing=size_text(missing),
    )


def _header(path: Path, read: Callable[[Path], Header]) -> Header:
    header = read(path)
    if sentence := cut_off(path, header):
        raise ModelFileError(sentence)
    return header


def read_file_header(path: Path) -> Header:
    """Return the header of one file, be it a part of a split model or cut off behind its header.

    Raises:
        ModelFileError: it is missing, a folder, unreadable, empty, not a GGUF, or damaged; one sentence says which.
    """
    try:
        if path.is_dir():
            raise ModelFileError(Sentence("{path} is a folder: choose a GGUF file in it.", path=path))
        if path.stat().st_size == 0:
            raise ModelFileError(Sentence("{file} is empty (0 bytes): download it again.", file=path.name))
        return read_header(path)
    except FileNotFoundError:
        raise ModelFileError(
            Sentence("{path} does not exist: check the name, or choose another file.", path=path)
        ) from None
    except PermissionError:
        raise ModelFileError(Sentence("{path} cannot be read: you have no permission to open it.", path=path)) from None
    except OSError as error:
        raise ModelFileError(Sentence("{path} cannot be read: {error}.", path=path, error=reason_of(error))) from None


def is_for_embeddings(header: Header) -> bool:
    """Whether it turns texts into vectors and writes none."""
    pooling = header.of_architecture("pooling_type")
    return header.of_architecture("attention.causal") is False or pooling in _POOLING_TYPES


def check_purpose(path: Path, header: Header) -> None:
    architecture = header.architecture
    if is_for_embeddings(header):
        raise ModelFileError(
            Sentence(
                "{file} ({architecture}) is made for embeddings and cannot chat: choose a model that writes text.",
                file=path.name,
                architecture=architecture,
            )
        )
