"""Numbers as text: the only place where the window makes it.

Three significant digits, grouped by the locale; ms below one second, s above; KiB, MiB or GiB; "n/a" for unknown.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLocale

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from app.engine.events import FinishReason
    from app.telemetry.resume import Resume
    from app.telemetry.timings import ContextGrowth, TurnStats

SIGNIFICANT_DIGITS = 3
KIB, MIB, GIB = 1024, 1024**2, 1024**3


def _round(value: float) -> float:
    """Return the value rounded to three significant digits."""
    return float(f"{value:.{SIGNIFICANT_DIGITS - 1}e}")


def locale() -> QLocale:
    """Return the locale of numbers; the C locale groups nothing, so English takes its place."""
    current = QLocale()
    return QLocale(QLocale.Language.English) if current.language() == QLocale.Language.C else current


def number(value: float | None) -> str:
    """Return three significant digits, such as 0.0312, 84.1 or 1,230."""
    if value is None:
        return unknown()
    rounded = _round(value)
    if rounded == 0:
        return locale().toString(0)
    decimals = max(0, SIGNIFICANT_DIGITS - 1 - math.floor(math.log10(abs(rounded))))
    return locale().toString(rounded, "f", decimals)


@dataclass(frozen=True, slots=True)
class Unit:
    """An axis' unit: how much one of it is, in s or bytes, and its name."""

    size: float
    name: str


def duration_unit(largest_s: float) -> Unit:
    """Return the unit of an axis of times up to this one."""
    if largest_s < 1:
        return Unit(1e-3, QCoreApplication.translate("formatting", "ms"))
    return Unit(1.0, QCoreApplication.translate("formatting", "s"))


def memory_unit(largest_bytes: float) -> Unit:
    """Return the unit of an axis of memory up to this much."""
    if largest_bytes < MIB:
        return Unit(KIB, QCoreApplication.translate("formatting", "KiB"))
    if largest_bytes < GIB:
        return Unit(MIB, QCoreApplication.translate("formatting", "MiB"))
    return Unit(GIB, QCoreApplication.translate("formatting", "GiB"))


def axis_labels(values: Sequence[float], unit: Unit) -> list[str]:
    """Return evenly spaced numbers with as few decimals as tell them apart, the last one with its unit."""
    step = values[1] - values[0] if len(values) > 1 else 1.0
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    labels = [locale().toString(float(value), "f", decimals if value else 0) for value in values]
    return [*labels[:-1], f"{labels[-1]} {unit.name}"]


def labelled(values: Sequence[float]) -> list[tuple[float, str]]:
    """Return whole numbers with their labels: turn numbers, token counts."""
    return [(value, count(int(value))) for value in values]


def unknown() -> str:
    """Return the word for a number nobody knows."""
    return QCoreApplication.translate("formatting", "n/a")


def duration(seconds: float | None) -> str:
    """Return ms below one second, s above."""
    if seconds is None:
        return unknown()
    if abs(_round(seconds)) < 1:
        return QCoreApplication.translate("formatting", "{} ms").format(number(seconds * 1000))
    return QCoreApplication.translate("formatting", "{} s").format(number(seconds))


def memory(size_bytes: float | None) -> str:
    """Return bytes, KiB, MiB or GiB (powers of 1024)."""
    if size_bytes is None:
        return unknown()
    if size_bytes == 0:
        return QCoreApplication.translate("formatting", "{} MiB").format(number(0))
    if round(abs(size_bytes)) < KIB:
        return QCoreApplication.translate("formatting", "{} B").format(count(round(size_bytes)))
    if abs(_round(size_bytes / MIB)) < 1:
        return QCoreApplication.translate("formatting", "{} KiB").format(number(size_bytes / KIB))
    if abs(size_bytes) < GIB:
        return QCoreApplication.translate("formatting", "{} MiB").format(number(size_bytes / MIB))
    return QCoreApplication.translate("formatting", "{} GiB").format(number(size_bytes / GIB))


def count(value: int | None) -> str:
    """Return a whole number, exact and grouped."""
    return unknown() if value is None else locale().toString(value)


def tokens(n_tokens: int | None) -> str:
    """Return an exact number of tokens with its unit."""
    if n_tokens == 1:
        return QCoreApplication.translate("formatting", "1 token")
    return QCoreApplication.translate("formatting", "{} tokens").format(count(n_tokens))


def turn_count(n_turns: int) -> str:
    """Return a number of turns with its unit."""
    if n_turns == 1:
        return QCoreApplication.translate("formatting", "1 turn")
    return QCoreApplication.translate("formatting", "{} turns").format(count(n_turns))


def waiting(before: int) -> str:
    """Return what is said of an answer in the queue, such as `waiting, 2 answers before it`."""
    if before == 1:
        return QCoreApplication.translate("formatting", "waiting, 1 answer before it")
    return QCoreApplication.translate("formatting", "waiting, {} answers before it").format(count(before))


def rate(tokens_per_s: float | None) -> str:
    """Return tokens per second."""
    if tokens_per_s is None:
        return unknown()
    return QCoreApplication.translate("formatting", "{} tok/s").format(number(tokens_per_s))


def together(sequences: int, tokens_per_s: float | None) -> str:
    """Return how fast several answers were written at once: `3 at once, 61.2 tok/s together`; empty for one alone."""
    if sequences < 2:
        return ""
    text = QCoreApplication.translate("formatting", "{count} at once, {rate} together")
    return text.format(count=count(sequences), rate=rate(tokens_per_s))


def percent(fraction: float | None) -> str:
    """Return a fraction of 1 in percent."""
    if fraction is None:
        return unknown()
    return QCoreApplication.translate("formatting", "{}%").format(number(fraction * 100))


def progress(fraction: float) -> str:
    """Return how much is done in whole percent; 100 only at the end."""
    return QCoreApplication.translate("formatting", "{}%").format(count(math.floor(fraction * 100)))


def day(at: datetime) -> str:
    """Return a local date that cannot be misread wherever one is: 2026-01-02."""
    return at.astimezone().date().isoformat()


def figure(value: float | str | None, unit: str) -> str:
    """Return a figure of a diagnosis or an explanation in its unit, one of `words.Unit` or `diagnosis.Unit`."""
    if value is None or isinstance(value, str):
        return unknown() if value is None else value
    match unit:
        case "s":
            return duration(value)
        case "tokens":
            return tokens(round(value))
        case "tokens/s":
            return rate(value)
        case "bytes":
            return memory(value)
        case "bytes/s":
            return QCoreApplication.translate("formatting", "{} GB/s").format(number(value / 1e9))
        case "FLOP":
            return QCoreApplication.translate("formatting", "{} GFLOP").format(number(value / 1e9))
        case "FLOP/s":
            return QCoreApplication.translate("formatting", "{} GFLOP/s").format(number(value / 1e9))
        case "share":
            return percent(value)
        case "times":
            return QCoreApplication.translate("formatting", "{} times").format(number(value))
        case "count":
            return number(value) if value % 1 else count(int(value))
        case _:
            return number(value)


def finish_reason(reason: FinishReason | None) -> str:
    """Return why an answer ended."""
    match reason:
        case "stop":
            return QCoreApplication.translate("formatting", "complete")
        case "stop_string":
            return QCoreApplication.translate("formatting", "ended at a stop string")
        case "length":
            return QCoreApplication.translate("formatting", "token limit reached")
        case "context":
            return QCoreApplication.translate("formatting", "context full")
        case "cancelled":
            return QCoreApplication.translate("formatting", "stopped by you")
        case "failed":
            return QCoreApplication.translate("formatting", "failed")
        case "crashed":
            return QCoreApplication.translate("formatting", "the engine crashed")
        case "interrupted":
            return QCoreApplication.translate("formatting", "interrupted")
        case _:
            return unknown()


def turn_footer(stats: TurnStats, resume: Resume | None = None) -> str:
    """Return an answer's numbers: `TTFT 240 ms · 84.1 tok/s · TPOT 11.9 ms · 312 + 96 tokens, 288 cached`.

    With a saved KV cache its TTFT is followed by what it would have been: `TTFT 240 ms (13.1 s read anew)`.
    """
    counts = QCoreApplication.translate("formatting", "{prompt} + {answer} tokens").format(
        prompt=count(stats.prompt_tokens), answer=count(stats.completion_tokens)
    )
    if stats.cached_tokens:
        cached = QCoreApplication.translate("formatting", "{} cached").format(count(stats.cached_tokens))
        counts = QCoreApplication.translate("formatting", "{counts}, {cached}").format(counts=counts, cached=cached)
    parts = [
        _ttft(stats, resume),
        rate(stats.decode_tokens_per_s) if stats.tpot_s else "",
        QCoreApplication.translate("formatting", "TPOT {}").format(duration(stats.tpot_s)),
        together(stats.sequences, stats.aggregate_tokens_per_s),
        counts,
        finish_reason(stats.finish_reason) if stats.finish_reason else "",
    ]
    return " · ".join(part for part in parts if part)


def _ttft(stats: TurnStats, resume: Resume | None) -> str:
    text = QCoreApplication.translate("formatting", "TTFT {}").format(duration(stats.ttft_s))
    if resume is None or resume.cold_ttft_s is None:
        return text
    cold = QCoreApplication.translate("formatting", "{ttft} ({cold} read anew)")
    return cold.format(ttft=text, cold=duration(resume.cold_ttft_s))


def resumed(resume: Resume) -> str:
    """Return how a turn was resumed: `3,912 tokens of the KV cache came from disk in 110 ms; ...`."""
    text = {
        "memory": QCoreApplication.translate(
            "formatting",
            "{tokens} of the KV cache came from memory in {took}; without it TTFT would be about {cold}.",
        ),
        "disk": QCoreApplication.translate(
            "formatting", "{tokens} of the KV cache came from disk in {took}; without it TTFT would be about {cold}."
        ),
    }[resume.place]
    return text.format(tokens=tokens(resume.tokens), took=duration(resume.took_s), cold=duration(resume.cold_ttft_s))


def growth(step: ContextGrowth) -> str:
    """Return how the context grew: `context grew from 4,096 to 8,192 tokens: 94.1 MiB more, 0.1 s`."""
    text = QCoreApplication.translate(
        "formatting", "context grew from {before} to {after} tokens: {added} more, {took}"
    )
    return text.format(
        before=count(step.previous_n_ctx),
        after=count(step.n_ctx),
        added=memory(step.added_bytes),
        took=duration(step.took_ns / 1e9),
    )


def definition(key: str) -> str:
    """Return what a number means, in the words of app/telemetry/timings.py.

    Raises:
        KeyError: there is no such number.
    """
    return {
        "ttft": QCoreApplication.translate(
            "formatting",
            "Time to first token (TTFT): from pressing Send to the first sampled token. "
            "Its parts: queue, tokenise, prefill and the rest.",
        ),
        "queue": QCoreApplication.translate(
            "formatting", "Queue: from pressing Send until the engine took the request."
        ),
        "tokenise": QCoreApplication.translate("formatting", "Tokenise: rendering the chat template and tokenising."),
        "prefill": QCoreApplication.translate(
            "formatting", "Prefill: from the first prefill decode until the prompt was done."
        ),
        "rest": QCoreApplication.translate(
            "formatting",
            "Rest: what is left of TTFT: preparing the cache before the prefill and sampling the first token after it.",
        ),
        "itl": QCoreApplication.translate(
            "formatting", "Inter-token latency (ITL): from one sampled token to the next, within one answer."
        ),
        "tpot": QCoreApplication.translate(
            "formatting",
            "Time per output token (TPOT): from the first to the last sampled token, divided by the tokens after "
            "the first. Unknown for fewer than two tokens.",
        ),
        "e2e": QCoreApplication.translate(
            "formatting", "End to end (E2E): from pressing Send to the last token: TTFT + (n - 1) × TPOT."
        ),
        "prefill_rate": QCoreApplication.translate(
            "formatting", "Prefill rate: prompt tokens that were not cached, divided by the prefill's time."
        ),
        "decode_rate": QCoreApplication.translate("formatting", "Decode rate: 1 / TPOT, in tokens per second."),
        "aggregate_rate": QCoreApplication.translate(
            "formatting",
            "Together: the tokens of all answers under way, from the first token of this one to its last, per second.",
        ),
        "kv_used": QCoreApplication.translate(
            "formatting", "KV used: cells in use × bytes per cell, for each class of layers."
        ),
        "kv_reserved": QCoreApplication.translate(
            "formatting",
            "KV reserved: what llama.cpp allocated for the context as it is now. A context that grows as needed takes "
            "more in steps; between them only the used part grows.",
        ),
        "kv_saved": QCoreApplication.translate(
            "formatting",
            "KV saved: copies of KV caches in the memory of the model's process: of conversations and branches left "
            "lately, which then go on without being read again, as many as the preferences allow; and checkpoints.",
        ),
        "memory": QCoreApplication.translate(
            "formatting",
            "Memory: weights + KV reserved (of it used) + recurrent state + compute + output, as llama.cpp allocated "
            "it; beside it the measured memory of the model's process.",
        ),
        "context": QCoreApplication.translate(
            "formatting", "Context: KV cells in use, of the number of tokens the context holds now."
        ),
    }[key]
