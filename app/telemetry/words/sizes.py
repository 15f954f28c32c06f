"""Words for memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.errors import Sentence
from app.telemetry.words.explanation import Explanation, Term

if TYPE_CHECKING:
    from app.engine.events import BufferKind
    from app.telemetry.words.explanation import Figures


def kv_used(figures: Figures) -> Explanation:
    """Cells in use."""
    model, tokens = figures.model, figures.context_tokens
    value: int | None = None
    terms: tuple[Term, ...] = ()
    formula = ""
    if model is not None and tokens is not None:
        value = model.memory.kv_used_bytes(tokens)
        found: list[Term] = []
        for cache in model.memory.kv_caches:
            cells = min(-(-tokens // cache.tokens_per_cell), cache.cells)
            found += [Term("cells in use", cells, "tokens"), Term("bytes per cell", cache.bytes_per_cell, "bytes")]
        terms = tuple(found)
        formula = " + ".join(f"{{{index}}} x {{{index + 1}}}" for index in range(0, len(found), 2))
    return Explanation(
        "kv_used",
        Sentence("KV cache in use"),
        "kv_used_bytes = cells in use x bytes per cell, per layer class",
        value,
        "bytes",
        formula,
        terms,
        Sentence("One cell per token of the conversation; fewer bytes with a quantised KV cache, windows or MLA."),
    )


def kv_reserved(figures: Figures) -> Explanation:
    """All cells."""
    model = figures.model
    value = model.memory.total_bytes("kv") if model is not None else None
    terms = (Term("n_ctx", model.n_ctx, "tokens"),) if model is not None else ()
    return Explanation(
        "kv_reserved",
        Sentence("KV cache reserved"),
        "kv_reserved_bytes = what llama.cpp allocated for n_ctx",
        value,
        "bytes",
        "{0}" if terms else "",
        terms,
        Sentence("The length of the context and the types of K and V, whether it is used or not."),
    )


def memory(figures: Figures) -> Explanation:
    """All buffers."""
    model = figures.model
    kinds: tuple[BufferKind, ...] = ("weights", "kv", "recurrent", "compute", "output")
    terms = tuple(Term(kind, model.memory.total_bytes(kind), "bytes") for kind in kinds) if model is not None else ()
    return Explanation(
        "memory",
        Sentence("Memory of the model"),
        "memory (per device) = weights + KV reserved (of it used) + recurrent state + compute + output",
        model.memory.total_bytes() if model is not None else None,
        "bytes",
        " + ".join(f"{{{index}}}" for index in range(len(terms))),
        terms,
        Sentence("The model's quantisation, the context's length, K's and V's types, and the size of a batch."),
    )
