"""The columns of the table: what each shows, sorts by and means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.hub.order import natural_key
from ui import formatting
from ui.dialogs.models.library import words

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.hub.fits import Placing
    from app.hub.library import LibraryModel

    Text = Callable[[LibraryModel, Placing | None], str]
    Value = Callable[[LibraryModel, Placing | None], object]

translate = QCoreApplication.translate
_PLACES = ("gpu", "partly", "cpu", "no", "unknown")


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        key: its name in tests and settings.
        text: what a cell shows; value: what it is sorted by, None for unknown, which comes last in either order.
        sample: a text as wide as most.
        is_number: aligned to the right, the largest first when the heading is clicked first.
        is_shown: unless the user chose otherwise.
    """

    key: str
    text: Text
    value: Value
    sample: str
    is_number: bool = False
    is_shown: bool = True


def title(key: str) -> str:
    """Return a column's heading."""
    return {
        "name": translate("library", "Name"),
        "fits": translate("library", "Fits"),
        "largest": translate("library", "Largest context"),
        "size": translate("library", "Size"),
        "parameters": translate("library", "Parameters"),
        "quantisation": translate("library", "Type"),
        "bits": translate("library", "Bits/weight"),
        "context": translate("library", "Trained context"),
        "kv": translate("library", "KV per token"),
        "architecture": translate("library", "Architecture"),
        "kind": translate("library", "Kind"),
        "licence": translate("library", "Licence"),
        "source": translate("library", "Found in"),
        "folder": translate("library", "Folder"),
    }[key]


def meaning(key: str) -> str:
    """Return what the numbers of a column are."""
    return {
        "name": translate("library", "The file's name; for a model of Ollama's the name its commands take."),
        "fits": translate(
            "library",
            "Where it goes when it is loaded now with its settings, from the same plan as the load settings show; the "
            "memory of the model that is loaded counts as free.",
        ),
        "largest": translate("library", "The largest context that fits then, in tokens."),
        "size": translate("library", "Bytes of all its files."),
        "parameters": translate("library", "Weights, as llama.cpp counts them."),
        "quantisation": translate("library", "How the weights are stored, by the file's own word."),
        "bits": translate("library", "Bits per weight: bytes of all tensors × 8 / weights."),
        "context": translate("library", "The context it was trained for, in tokens."),
        "kv": translate(
            "library", "What one more token takes of the KV cache at f16, while every layer's cache still grows."
        ),
        "architecture": translate("library", "The model's architecture, as llama.cpp names it."),
        "kind": translate("library", "What it is for."),
        "licence": translate("library", "Its licence, as the file says."),
        "source": translate("library", "Whose folder it is in."),
        "folder": translate("library", "The folder its files lie in."),
    }[key]


def _rank(model: LibraryModel, placing: Placing | None) -> int | None:
    """The best place first; damaged ones, and what is not known, last."""
    return _PLACES.index(placing.place) if placing is not None and not model.is_damaged else None


def _or_unknown(text: str) -> str:
    return text or formatting.unknown()


COLUMNS: tuple[Column, ...] = (
    Column("name", lambda m, _: m.name, lambda m, _: natural_key(m.name), "Qwen3-Coder-30B-A3B-Instruct-Q4"),
    Column("fits", words.fits, _rank, "2 parts missing"),
    Column("largest", words.largest, lambda _, p: p.n_ctx if p else None,
           "1,048,576", is_number=True),
    Column("size", lambda m, _: formatting.memory(m.file_bytes), lambda m, _: m.file_bytes, "9.77 KiB", is_number=True),
    Column("parameters", lambda m, _: words.parameters(m.n_params), lambda m, _: m.n_params, "30.5B",
           is_number=True),
    Column("quantisation", lambda m, _: _or_unknown(m.quantisation), lambda m, _: m.quantisation or None, "IQ3_XXS"),
    Column("bits", lambda m, _: formatting.number(m.bits_per_weight), lambda m, _: m.bits_per_weight, "4.85",
           is_number=True),
    Column("context", lambda m, _: formatting.count(m.n_ctx_train), lambda m, _: m.n_ctx_train, "1,048,576",
           is_number=True),
    Column("kv", lambda m, _: words.per_token(m.kv_bytes_per_token), lambda m, _: m.kv_bytes_per_token, "96.0 KiB",
           is_number=True),
    Column("architecture", lambda m, _: _or_unknown(m.architecture), lambda m, _: m.architecture or None,
           "deepseek2"),
    Column("kind", lambda m, _: words.kind(m.kind), lambda m, _: words.kind(m.kind), "embedding"),
    Column("licence", lambda m, _: _or_unknown(m.licence), lambda m, _: m.licence.casefold() or None, "apache-2.0"),
    Column("source", lambda m, _: words.source(m.source), lambda m, _: words.source(m.source), "Hugging Face"),
    Column("folder", lambda m, _: str(m.path.parent), lambda m, _: str(m.path.parent).casefold(),
           "/home/user/models/publisher", is_shown=False),
)  # fmt: skip
NAME, FITS = 0, 1
