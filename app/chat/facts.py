"""Details that a summary must not paraphrase: found by their form and kept word for word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_CHARACTERS = 120
"""A detail longer than this is a passage; the summary has to do with its sense."""
MAX_SCANNED_CHARACTERS = 50_000
"""Of each text, its beginning is searched: a pasted megabyte would keep the user waiting for details of no use."""

_UNITS = (
    r"%|‰|°[CF]?|[kKMGTP]i?[BbW]|[kKMG]?Hz|[mkµn]?[smgVAW]|[ckmµ]?m[²³]?|kg|lb|oz|ft|min|h|hours?|minutes?|seconds?|"
    r"days?|weeks?|months?|years?|miles?|km/h|mph|tokens?|bytes?|people|persons?|euros?|dollars?|pounds?|EUR|USD|GBP|CNY|"
    r"€|\$|£|¥|元|年|月|日|小时|分钟|公里|米|人"
)
_ASKED_TO_KEEP = re.compile(
    r"(?:\b(?:please\s+)?(?:remember|keep in mind|don['’]t forget|do not forget|note that)\b|请?(?:记住|记得|别忘))"
    r"[^.!?\n。！？]{3,}",
    re.IGNORECASE,
)
# Repetitions are bounded: without, a long run of digits or letters would take quadratic time.
_LITERALS = re.compile(
    "|".join(
        (
            r"https?://[^\s<>\"')\]]+",
            r"\b[\w.+-]{1,64}@[\w-]{1,64}\.[\w.]{1,64}\b",
            r"`[^`\n]{1,100}`",
            r"\"[^\"\n]{2,60}\"|“[^”\n]{2,60}”|«[^»\n]{2,60}»|「[^」\n]{2,60}」|《[^》\n]{2,60}》",
            r"(?<![\w/])(?:[A-Za-z]:\\|~?/|\.{1,2}/)[\w.@-]+(?:[/\\][\w.@-]+)*",
            r"\b[\w-]{1,80}\.(?:py|js|ts|c|h|cpp|rs|go|java|md|txt|csv|json|toml|ya?ml|xml|html|css|sql|sh|pdf|png|jpe?g|gguf|zip)\b",
            r"\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m)?\b",
            r"\bv?\d+\.\d+(?:\.\d+)+\b",
            r"[€$£¥]\s?\d[\d.,]*\d|[€$£¥]\s?\d",
            rf"(?<![A-Za-z0-9_.])-?\d[\d.,]{{0,24}}\s?(?:{_UNITS})(?![A-Za-z0-9_])",
            r"\b0x[0-9A-Fa-f]+\b|(?<!\w)#\d+\b",
            r"\b[A-Za-z]\w*_\w+\b(?:\(\))?|\b[a-z]+[A-Z]\w*\b(?:\(\))?|\b\w+\(\)",
        )
    )
)


def find_facts(texts: Iterable[str]) -> list[str]:
    """Return what the texts ask to remember, then their literals, each once, in order.

    Literals are addresses, paths and file names, dates and times, versions, amounts with a unit, identifiers and
    whatever stands in quotes or backticks.
    """
    wishes: dict[str, None] = {}
    literals: dict[str, None] = {}
    for text in (text[:MAX_SCANNED_CHARACTERS] for text in texts):
        wishes |= dict.fromkeys(_tidy(match) for match in _ASKED_TO_KEEP.findall(text))
        literals |= dict.fromkeys(_tidy(match) for match in _LITERALS.findall(text))
    kept = [*wishes, *(literal for literal in literals if not any(literal in wish for wish in wishes))]
    return [fact for fact in kept if len(fact) <= MAX_CHARACTERS]


def merge_facts(earlier: Sequence[str], later: Sequence[str], characters: int) -> tuple[str, ...]:
    """Return both lists without repetitions, within so many characters.

    What does not fit is left out from the end of the later ones first, which may take half the room at least: the
    earlier ones have been found worth keeping before, but must not keep all new ones out.
    """
    new = [fact for fact in dict.fromkeys(later) if fact not in earlier]
    kept_new = _within(new, max(characters // 2, characters - _length(earlier)))
    kept_old = _within(list(earlier), characters - _length(kept_new))
    return (*kept_old, *kept_new)


def _tidy(text: str) -> str:
    return " ".join(text.split()).rstrip(" ,;:.")


def _length(facts: Iterable[str]) -> int:
    return sum(len(fact) + len("- \n") for fact in facts)


def _within(facts: Sequence[str], characters: int) -> list[str]:
    kept: list[str] = []
    for fact in facts:
        if _length([*kept, fact]) <= characters:
            kept.append(fact)
    return kept
