"""What the models' kinds, places and sources are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.engine.model_file import part_number
from ui import formatting
from ui.dialogs.models.words import place, short
from ui.translation import joined, localised

if TYPE_CHECKING:
    from app.hub.fits import Placing
    from app.hub.library import LibraryModel

translate = QCoreApplication.translate


def kind(name: str) -> str:
    """Return what a model is for."""
    return {
        "chat": translate("library", "chat"),
        "projector": translate("library", "projector"),
        "embedding": translate("library", "embedding"),
        "draft": translate("library", "draft"),
        "other": translate("library", "other"),
    }[name]


def kind_explained(name: str) -> str:
    """Return what it can be used for."""
    return {
        "chat": translate("library", "Writes text: can be loaded and talked to."),
        "projector": translate(
            "library", "The vision or audio part that goes with a chat model; it cannot be loaded by itself."
        ),
        "embedding": translate("library", "Turns texts into vectors; it cannot chat."),
        "draft": translate("library", "Guesses tokens for another model; it cannot chat by itself."),
        "other": translate("library", "An adapter, a vocabulary, or a model llama.cpp cannot run."),
    }[name]


def damage(model: LibraryModel) -> str:
    """Return what is wrong in a few words; empty when nothing is."""
    if not model.is_damaged:
        return ""
    if not model.missing:
        return translate("library", "damaged")
    if len(model.missing) > 1:
        return translate("library", "{} parts missing").format(formatting.count(len(model.missing)))
    return translate("library", "part {} missing").format(formatting.count(part_number(model.missing[0])))


def fits(model: LibraryModel, placing: Placing | None) -> str:
    """Return the cell of the column: where it goes, what is wrong with it, or that this is not known yet."""
    return damage(model) or (place(placing.place) if placing is not None else "…")


def largest(model: LibraryModel, placing: Placing | None) -> str:
    """Return the cell of the largest context: what is damaged has none, and it may not be known yet."""
    if placing is None:
        return formatting.unknown() if model.problem else "…"
    return formatting.count(placing.n_ctx)


def fits_explained(model: LibraryModel, placing: Placing | None) -> str:
    """Return where it goes and why, in a sentence or two."""
    if model.is_damaged:
        return localised(model.problem or model.fault)
    if model.kind in ("projector", "other"):
        return kind_explained(model.kind)
    if placing is None:
        return translate("library", "Where it goes is being calculated.")
    sentence = {
        "gpu": translate("library", "Every layer fits onto the GPU, with the settings kept for this model."),
        "partly": translate(
            "library", "Some layers fit onto the GPU, the CPU computes the others: slower than whole on the GPU."
        ),
        "cpu": translate("library", "The CPU computes it, in the machine's memory."),
        "no": translate(
            "library", "It needs {needed} of memory where {free} is free, with the settings kept for this model."
        ).format(needed=formatting.memory(placing.needed_bytes), free=formatting.memory(placing.free_bytes)),
        "unknown": translate("library", "Where it goes is not known."),
    }[placing.place]
    if placing.reason:
        return joined(sentence, localised(placing.reason)) if placing.place == "unknown" else localised(placing.reason)
    if placing.n_ctx is not None:
        largest = translate("library", "Largest context that fits: {}.").format(formatting.tokens(placing.n_ctx))
        return joined(sentence, largest)
    return sentence


def source(name: str) -> str:
    """Return whose folder it is; names of programs stay."""
    return {
        "folder": translate("library", "folder"),
        "starter": translate("library", "starter model"),
    }.get(name, name)


def parameters(n_params: int | None) -> str:
    """Return a number of weights as the hub's page writes it: 135M, 8.03B."""
    return formatting.unknown() if n_params is None else short(n_params)


def per_token(n_bytes: int | None) -> str:
    """Return what a token takes; a model without a cache, as those for embeddings are, takes nothing."""
    return formatting.memory(n_bytes) if n_bytes != 0 else translate("formatting", "{} B").format(formatting.count(0))


def model_count(count: int) -> str:
    """Return a number of models with its unit."""
    if count == 1:
        return translate("library", "1 model")
    return translate("library", "{} models").format(formatting.count(count))
