"""Words for the times of a turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.errors import Sentence
from app.telemetry.words.explanation import Explanation, Term
from app.units import NS_PER_S

if TYPE_CHECKING:
    from app.telemetry.timings import TurnStats
    from app.telemetry.words.explanation import Figures, Unit


@dataclass(frozen=True, slots=True)
class _OfTurn:
    """What is always said of a figure that `TurnStats` has under the name `attribute`."""

    key: str
    name: Sentence
    definition: str
    attribute: str
    unit: Unit
    formula: str
    moved_by: Sentence

    def with_terms(self, stats: TurnStats | None, terms: tuple[Term, ...]) -> Explanation:
        """Fill in a turn's figures; without any the definition stands alone."""
        formula = self.formula if terms else ""
        value = _of(stats, self.attribute)
        return Explanation(self.key, self.name, self.definition, value, self.unit, formula, terms, self.moved_by)


_TTFT = _OfTurn(
    "ttft",
    Sentence("Time to first token"),
    "TTFT = t5 - t0",
    "ttft_s",
    "s",
    "{0} + {1} + {2} + {3}",
    Sentence(
        "Longer with every prompt token that is not in the KV cache yet; shorter with the prefix kept, a faster "
        "processor for matrices, layers on a GPU."
    ),
)
_TPOT = _OfTurn(
    "tpot",
    Sentence("Time per output token"),
    "TPOT = (tn - t5)/(n - 1)",
    "tpot_s",
    "s",
    "{0} / {1}",
    Sentence(
        "Longer with larger weights and a longer context, which every token reads from memory; shorter with a "
        "smaller quantisation, a summary, more memory bandwidth."
    ),
)
_E2E = _OfTurn(
    "e2e",
    Sentence("Time of the whole answer"),
    "E2E = tn - t0 = TTFT + (n-1) x TPOT",
    "e2e_s",
    "s",
    "{0} + {1} x {2}",
    Sentence("Long answers are mostly decode, short answers to long prompts mostly prefill."),
)
_PREFILL_RATE = _OfTurn(
    "prefill_tokens_per_s",
    Sentence("Prefill speed"),
    "prefill tokens/s = (prompt_tokens - cached_tokens)/(t4 - t3)",
    "prefill_tokens_per_s",
    "tokens/s",
    "({0} - {1}) / {2}",
    Sentence(
        "Arithmetic is its limit: cores, matrix units, a GPU, and a batch large enough to keep them busy. Short "
        "prompts look slower than long ones."
    ),
)
_DECODE_RATE = _OfTurn(
    "decode_tokens_per_s",
    Sentence("Decode speed"),
    "decode tokens/s = 1/TPOT",
    "decode_tokens_per_s",
    "tokens/s",
    "1 / {0}",
    Sentence("Memory bandwidth is its limit: bytes read per token, weights and KV cache, over bytes per second."),
)


def ttft(figures: Figures) -> Explanation:
    """Until token 1."""
    stats = figures.stats
    parts = stats.ttft_parts() if stats is not None and stats.token_ns else None
    terms: tuple[Term, ...] = ()
    if parts is not None:
        names = ("queue", "tokenise", "prefill", "rest")
        lengths_ns = (parts.queue_ns, parts.tokenise_ns, parts.prefill_ns, parts.rest_ns)
        terms = tuple(Term(name, ns / NS_PER_S, "s") for name, ns in zip(names, lengths_ns, strict=True))
    return _TTFT.with_terms(stats, terms)


def itl(figures: Figures) -> Explanation:
    """Between tokens."""
    stats = figures.stats
    percentiles = (50, 95, 99, 100)
    terms: tuple[Term, ...] = ()
    if stats is not None and stats.completion_tokens > 1:
        terms = tuple(
            Term("max" if percent == 100 else f"p{percent}", stats.itl_percentile_s(percent), "s")
            for percent in percentiles
        )
    return Explanation(
        "itl",
        Sentence("Inter-token latency"),
        "ITL_k = tk - t(k-1) k = 2..n p50, p95, p99, max",
        terms[0].value if terms else None,
        "s",
        "p50 {0}, p95 {1}, p99 {2}, max {3}" if terms else "",
        terms,
        Sentence("A wide gap between p50 and p99 is another program, a hot processor, or memory that was paged out."),
    )


def tpot(figures: Figures) -> Explanation:
    """Of decode."""
    stats = figures.stats
    terms: tuple[Term, ...] = ()
    if stats is not None and stats.tpot_s is not None:
        steps = stats.completion_tokens - 1
        terms = (Term("tn - t5", stats.tpot_s * steps, "s"), Term("n - 1", steps, "tokens"))
    return _TPOT.with_terms(stats, terms)


def e2e(figures: Figures) -> Explanation:
    """All of it."""
    stats = figures.stats
    terms: tuple[Term, ...] = ()
    if stats is not None and stats.tpot_s is not None:
        steps = stats.completion_tokens - 1
        terms = (Term("TTFT", stats.ttft_s, "s"), Term("n-1", steps, "tokens"), Term("TPOT", stats.tpot_s, "s"))
    return _E2E.with_terms(stats, terms)


def prefill_rate(figures: Figures) -> Explanation:
    """Reading."""
    stats = figures.stats
    terms: tuple[Term, ...] = ()
    if stats is not None and stats.prefill_tokens_per_s is not None:
        terms = (
            Term("prompt_tokens", stats.prompt_tokens, "tokens"),
            Term("cached_tokens", stats.cached_tokens, "tokens"),
            Term("t4 - t3", stats.prefill_s, "s"),
        )
    return _PREFILL_RATE.with_terms(stats, terms)


def decode_rate(figures: Figures) -> Explanation:
    """Writing."""
    tpot_s = _of(figures.stats, "tpot_s")
    return _DECODE_RATE.with_terms(figures.stats, (Term("TPOT", tpot_s, "s"),) if tpot_s is not None else ())


def window(figures: Figures) -> Explanation:
    """After the last token."""
    wait = figures.wait
    value = wait.part("window").ns / NS_PER_S if wait is not None else None
    terms: tuple[Term, ...] = ()
    if wait is not None and None not in wait.window_ns:
        names = ("engine's end", "way to the window", "drawing")
        terms = tuple(Term(name, (ns or 0) / NS_PER_S, "s") for name, ns in zip(names, wait.window_ns, strict=True))
    return Explanation(
        "window",
        Sentence("What the window added"),
        "window = drawn - tn",
        value,
        "s",
        "{0} + {1} + {2}" if terms else "",
        terms,
        Sentence("A busy processor; the answer was complete before."),
    )


def _span(
    key: str,
    name: Sentence,
    definition: str,
    symbol: str,
    instants: tuple[str, str],
    moved_by: Sentence,
    figures: Figures,
) -> Explanation:
    value = _between(_of(figures.stats, instants[0]), _of(figures.stats, instants[1]))
    terms = (Term(symbol, value, "s"),) if value is not None else ()
    return Explanation(key, name, definition, value, "s", "{0}" if terms else "", terms, moved_by)


def queue(figures: Figures) -> Explanation:
    """t1 - t0."""
    moved_by = Sentence("Another answer, a load, or an engine's process that had to wake.")
    instants = ("submitted_ns", "started_ns")
    return _span("queue", Sentence("Queue"), "queue t1-t0", "t1-t0", instants, moved_by, figures)


def template(figures: Figures) -> Explanation:
    """A part of tokenise."""
    moved_by = Sentence("The chat template's length and the number of messages.")
    instants = ("started_ns", "rendered_ns")
    name, definition = Sentence("Template"), "template = rendered - t1"
    return _span("template", name, definition, "rendered - t1", instants, moved_by, figures)


def tokenise(figures: Figures) -> Explanation:
    """t2 - t1."""
    moved_by = Sentence("The length of the conversation's text, cached or not.")
    instants = ("started_ns", "tokenised_ns")
    return _span("tokenise", Sentence("Tokenise"), "tokenise t2-t1", "t2-t1", instants, moved_by, figures)


def prefill(figures: Figures) -> Explanation:
    """t4 - t3."""
    moved_by = Sentence("Prompt tokens that are not in the KV cache, over the prefill speed.")
    instants = ("prefill_started_ns", "prefill_done_ns")
    return _span("prefill", Sentence("Prefill"), "prefill t4-t3", "t4-t3", instants, moved_by, figures)


def _between(start_ns: float | None, end_ns: float | None) -> float | None:
    return None if start_ns is None or end_ns is None else (end_ns - start_ns) / NS_PER_S


def _of(stats: TurnStats | None, name: str) -> float | None:
    value: float | None = getattr(stats, name) if stats is not None else None
    return value
