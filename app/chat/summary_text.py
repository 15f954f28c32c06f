"""The text of a summary: what it is made of, and whether a model's answer is one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.chat.thinking import strip_thinking

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.chat.message import Message

FACTS_HEADING = "Exact details, word for word:"
SENTENCE_CHARACTERS = 200
_WORD = re.compile(r"\b([^\W\d_\u3040-\u30ff\u3400-\u9fff]{5})")
_NUMBER = re.compile(r"\d{2,}")


def join_summary(body: str, facts: Sequence[str]) -> str:
    """Return body and details as the one text that is stored, shown and given to the model."""
    details = "\n".join([FACTS_HEADING, *(f"- {fact}" for fact in facts)]) if facts else ""
    return "\n\n".join(part for part in (body, details) if part)


def split_summary(text: str) -> tuple[str, list[str]]:
    """Undo `join_summary`."""
    body, _, details = text.partition(FACTS_HEADING)
    return body.strip(), [line.removeprefix("- ").strip() for line in details.splitlines() if line.strip()]


def transcript_line(message: Message, content: str | None = None) -> str:
    """Return what a message says, or part of it, with who says it."""
    return f"{'User' if message.role == 'user' else 'Assistant'}: {message.content if content is None else content}"


def clean_answer(answer: str) -> str:
    """Return the summary in an answer, without thinking and copied details; empty when it goes round in circles."""
    body, _ = split_summary(strip_thinking(answer))
    lines = dict.fromkeys(line.rstrip() for line in body.splitlines() if line.strip(" -*#"))
    sentences = re.split(r"(?<=[.!?。！？])\s*|\n", body)
    return "" if 2 * len(set(sentences)) < len(sentences) else "\n".join(lines)


def is_grounded(summary: str, source: str, ignored: str = "") -> bool:
    """Tell whether a summary speaks of its source: two fifths of its long words occur there, and half of its numbers.

    A small model that goes on chatting, or makes up another story, stays below, a faithful summary well above. Words
    are compared by their first five letters, for the sake of inflected languages; where words are not parted by spaces,
    only the numbers are compared. The words of `ignored`, such as headings, do not count.
    """
    words = _words(summary) - _words(ignored)
    numbers = set(_NUMBER.findall(summary))
    known_numbers = numbers.intersection(_NUMBER.findall(source))
    return 5 * len(words & _words(source)) >= 2 * len(words) and 2 * len(known_numbers) >= len(numbers)


def first_sentences(earlier: str, messages: Iterable[Message], characters: int) -> str:
    """Return the earlier summary, then the first sentence of every message; the middle goes when it is too long."""
    lines = [line for line in earlier.splitlines() if line.strip()]
    lines.extend(transcript_line(message, first_sentence(message.content)) for message in messages)
    return shortened(lines, characters)


def first_sentence(text: str) -> str:
    """Return a text's first sentence, cut short when it is a long one."""
    sentence = re.split(r"(?<=[.!?])\s|(?<=[。！？])|\n", text.strip(), maxsplit=1)[0]
    return sentence if len(sentence) <= SENTENCE_CHARACTERS else sentence[: SENTENCE_CHARACTERS - 1].rstrip() + "…"


def shortened(lines: list[str], characters: int) -> str:
    """Return as many of the lines as so many characters hold: beginning and end, and at least two."""
    kept = list(lines)
    length = sum(len(line) + 1 for line in kept)
    while len(kept) > 2 and length > characters:
        length -= len(kept.pop(len(kept) // 2)) + 1
    return "\n".join(kept)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))
