"""Words for how near a turn comes to what the machine can do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.errors import Sentence
from app.telemetry.words.explanation import Explanation, Term

if TYPE_CHECKING:
    from app.telemetry.words.explanation import Figures


def mbu(figures: Figures) -> Explanation:
    """Of decode."""
    return _utilisation(
        figures,
        "decode",
        "mbu",
        Sentence("Memory bandwidth utilisation"),
        "MBU = bytes read per token / (TPOT x best read rate)",
        Sentence("Near its ceiling only fewer bytes help; far below it look for threads, other load, or the GPU."),
    )


def mfu(figures: Figures) -> Explanation:
    """Of prefill."""
    return _utilisation(
        figures,
        "prefill",
        "mfu",
        Sentence("Model FLOPs utilisation"),
        "MFU = operations of the prefill / ((t4 - t3) x best rate seen)",
        Sentence("Short prompts and small batches leave arithmetic idle; long prompts come near 100%."),
    )


def _utilisation(
    figures: Figures, phase: str, key: str, name: Sentence, definition: str, moved_by: Sentence
) -> Explanation:
    picture = figures.roofline
    point = next((each for each in picture.phases if each.phase == phase), None) if picture is not None else None
    terms: tuple[Term, ...] = ()
    if picture is not None and point is not None:
        if phase == "decode":
            terms = (
                Term("bytes read per token", point.n_bytes / point.tokens, "bytes"),
                Term("TPOT", point.seconds / point.tokens, "s"),
                Term("best read rate", picture.ceilings.read_bytes_per_s, "bytes/s"),
            )
        else:
            terms = (
                Term("achieved", point.flops_per_s, "FLOP/s"),
                Term("best rate seen", picture.ceilings.flops_per_s, "FLOP/s"),
            )
    formula = {0: "", 2: "{0} / {1}", 3: "{0} / ({1} x {2})"}[len(terms)]
    return Explanation(key, name, definition, point.share if point else None, "share", formula, terms, moved_by)


def crossover(figures: Figures) -> Explanation:
    """B*."""
    picture = figures.roofline
    terms: tuple[Term, ...] = ()
    if picture is not None and picture.crossover_batch is not None:
        terms = (
            Term("weights read by a step", picture.weights_bytes, "bytes"),
            Term("best read rate", picture.ceilings.read_bytes_per_s, "bytes/s"),
            Term("operations per token", picture.token_operations, "FLOP"),
            Term("best rate seen", picture.ceilings.flops_per_s, "FLOP/s"),
            Term("bytes per sequence", picture.sequence_bytes, "bytes"),
        )
    return Explanation(
        "crossover",
        Sentence("Batch at which arithmetic becomes the limit"),
        "B* = sequences in a step whose operations take as long as its bytes",
        picture.crossover_batch if picture is not None else None,
        "sequences",
        "({0} / {1}) / ({2} / {3} - {4} / {1})" if terms else "",
        terms,
        Sentence("Smaller on machines with much bandwidth for their arithmetic; larger, or never, with long contexts."),
    )
