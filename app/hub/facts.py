"""What the headers of a model's files say about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from app.engine.config import ModelConfig
from app.engine.memory import architectures, predict_memory
from app.engine.model_file import cut_off, is_for_embeddings, parts_missing, read_file_header, together
from app.errors import ModelFileError, Sentence, TokometerError
from app.hub.file_types import bits_per_weight, quantisation
from app.hub.leftovers import NOTE
from app.hub.names import word
from app.hub.walk import is_there

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from app.engine.gguf import Header

Kind = Literal["chat", "embedding", "projector", "draft", "other"]

_MOST_TOKENS = 2**32 - 1
"""llama.cpp keeps the context of a model in 32 bits: a file that claims more is damaged."""
_ANY_N_CTX = 4096
"""Bytes per token do not depend on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What can be said without loading it; of a damaged or incomplete model what could still be read.

    Attributes:
        architecture: `general.architecture`, empty when it is not known.
        n_params: weights, as llama.cpp counts; None when not all of them could be read.
        quantisation: such as Q4_K_M: `general.file_type`, else the type of most weights; empty when not known.
        bits_per_weight: bytes of all tensors x 8 / weights.
        file_bytes: of all parts that are there.
        n_ctx_train: tokens it was trained for.
        kv_bytes_per_token: at f16, while every layer's cache still grows; None where the formula does not know it.
        kind: "projector": the vision or audio part that goes with a chat model; "draft": a head that guesses tokens
            for another model; "other": adapters, vocabularies, and what llama.cpp cannot run.
        licence: `general.license`, empty when the file does not say.
        problem: why it is damaged or incomplete, one sentence; empty when it is whole.
    """

    architecture: str = ""
    n_params: int | None = None
    quantisation: str = ""
    bits_per_weight: float | None = None
    file_bytes: int = 0
    n_ctx_train: int | None = None
    kv_bytes_per_token: int | None = None
    kind: Kind = "other"
    licence: str = ""
    problem: str = ""


def read_facts(
    parts: Sequence[Path], missing: Sequence[Path], read: Callable[[Path], Header] = read_file_header
) -> Facts:
    """Read the headers of a model. Never raises for what is wrong with its files.

    Args:
        parts: all of them in order; one for a model that is not split.
        missing: those that are not there.
        read: reads the header of one file, or remembers it.
    """
    gone = set(missing)
    problems: list[str] = [_not_all_there(parts, missing)] if missing else []
    headers: list[Header | None] = []
    for part in parts:
        header = None
        if part not in gone:
            try:
                header = read(part)
                problem = cut_off(part, header)
            except ModelFileError as error:
                problem = error.args[0]
            if problem:
                problems.append(problem)
        headers.append(header)
    problem = problems[0] if problems else ""
    file_bytes = sum(_size(part) for part in parts if part not in gone)
    if headers[0] is None:
        return Facts(file_bytes=file_bytes, problem=problem)
    whole = [header for header in headers if header is not None]
    return _facts(parts[0], together(whole), file_bytes, problem, is_all=len(whole) == len(parts))


def _not_all_there(parts: Sequence[Path], missing: Sequence[Path]) -> Sentence:
    awaited = missing[0]
    if not is_there(awaited.with_name(awaited.name + NOTE)):
        return parts_missing(parts, missing)
    return Sentence(
        "{value} is one of the {count} files of this model and is not downloaded yet: wait for its download, or go on "
        "with it.",
        value=awaited.name,
        count=len(parts),
    )


def _facts(path: Path, header: Header, file_bytes: int, problem: str, *, is_all: bool) -> Facts:
    n_params = kv_bytes = None
    kind = _kind(header)
    if is_all:
        n_params = sum(tensor.n_elements for tensor in header.tensors)
        if header.architecture in architectures.KNOWN and kind != "other":
            try:
                prediction = predict_memory(header, ModelConfig(path, n_ctx=_ANY_N_CTX, n_gpu_layers=0))
            except ModelFileError as error:
                problem = problem or error.args[0]
            except TokometerError:
                pass
            else:
                n_params, kv_bytes = prediction.n_params, prediction.kv_bytes_per_token
    n_ctx_train = header.of_architecture("context_length")
    licence = header.metadata.get("general.license")
    return Facts(
        architecture=word(header.architecture),
        n_params=n_params,
        quantisation=quantisation(header),
        bits_per_weight=bits_per_weight(header),
        file_bytes=file_bytes,
        n_ctx_train=n_ctx_train if isinstance(n_ctx_train, int) and 0 < n_ctx_train <= _MOST_TOKENS else None,
        kv_bytes_per_token=kv_bytes,
        kind=kind,
        licence=word(licence) if isinstance(licence, str) else "",
        problem=problem,
    )


def _kind(header: Header) -> Kind:
    name = header.architecture
    general_type = header.metadata.get("general.type", "model")
    if name == "clip" or general_type == "mmproj":
        return "projector"
    if general_type != "model" or not header.tensors:
        return "other"
    if name in architectures.DRAFT:
        return "draft"
    if name in architectures.ENCODERS or is_for_embeddings(header):
        return "embedding"
    if name in architectures.KNOWN or "tokenizer.ggml.model" in header.metadata:
        return "chat"
    return "other"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
