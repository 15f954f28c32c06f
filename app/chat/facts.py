"""Details that a summary must not paraphrase: found by their form and kept word for word.

The user's wishes ("remember that ...") come before literals: addresses, paths and file names, dates and times, numbers
that mean something, identifiers of code, names, and whatever stands in quotes or backticks. What a model says is worth
less than what its user says: it may be wrong, and it says more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from app.chat.fact_forms import DEFINITIONS, LITERALS, NAMES, STATEMENTS
from app.chat.wishes import find_wishes, is_wish

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.chat.message import Message

MAX_CHARACTERS = 120
"""A detail longer than this is a passage; the summary has to do with its sense."""
MAX_SCANNED_CHARACTERS = 50_000
"""Of each text, its beginning is searched: a pasted megabyte would keep the user waiting for details of no use."""
MARKS_CHARACTERS = len("- \n")
"""What a detail takes beside its own text."""

FactKind = Literal["wish", "user", "model"]

_QUOTES = '`"“”'
_WEIGHTS: dict[FactKind, int] = {"wish": 0, "user": 1, "model": 2}

_FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n(.*?)(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Fact:
    """One detail.

    Attributes:
        kind: a `wish` of the user's that it be kept, or else who said it.
        position: index of the message it is from first; -1: an earlier summary carries it.
    """

    text: str
    kind: FactKind = "user"
    position: int = -1

    @property
    def characters(self) -> int:
        """What it takes in a summary."""
        return len(self.text) + MARKS_CHARACTERS


def find_facts(messages: Iterable[Message]) -> list[Fact]:
    """Return the details of these messages, each once: wishes, then the user's, then the model's, in order.

    A literal that a wish contains is left out. Of a block of code only the names it defines count.
    """
    found: dict[str, Fact] = {}
    for position, message in enumerate(messages):
        text = message.content[:MAX_SCANNED_CHARACTERS]
        for kind, each in _details(text, is_user=message.role == "user"):
            known = found.get(plain := each.strip(_QUOTES))
            if known is None:
                found[plain] = Fact(each, kind, position)
            elif known.kind == "model" and kind != "model":
                found[plain] = Fact(each, kind, known.position)
    wishes = "\n".join(fact.text for fact in found.values() if fact.kind == "wish")
    kept = [fact for fact in found.values() if fact.kind == "wish" or fact.text not in wishes]
    return sorted(kept, key=lambda fact: _WEIGHTS[fact.kind])


def recall_facts(texts: Iterable[str], messages: Iterable[Message]) -> list[Fact]:
    """Return the details that an earlier summary carries, with their kinds by the messages they came from."""
    said = "\n".join(
        " ".join(message.content[:MAX_SCANNED_CHARACTERS].split()) for message in messages if message.role == "user"
    )

    def kind(text: str) -> FactKind:
        if is_wish(text):
            return "wish"
        return "user" if text in said else "model"

    return [Fact(text, kind(text)) for text in dict.fromkeys(texts)]


def choose_facts(
    earlier: Sequence[Fact], later: Sequence[Fact], characters: int, wish_characters: int
) -> tuple[Fact, ...]:
    """Return what of both is kept, the earlier ones first.

    Wishes may take `wish_characters`, the oldest first, so that what was asked to be remembered first is there for as
    long as it has room. Literals take what `characters` leave beside the wishes, the user's before the model's; the
    later ones may take half of that at least: the earlier ones have been found worth keeping before, but must not
    keep all new ones out.
    """
    known = {fact.text for fact in earlier}
    new = [fact for fact in later if fact.text not in known]
    wishes = _within([fact for fact in (*earlier, *new) if fact.kind == "wish"], wish_characters)
    room = max(characters - _length(wishes), 0)
    old_literals, new_literals = (
        sorted((fact for fact in facts if fact.kind != "wish"), key=lambda fact: fact.kind != "user")
        for facts in (earlier, new)
    )
    kept_new = _within(new_literals, max(room // 2, room - _length(old_literals)))
    kept_old = _within(old_literals, room - _length(kept_new))
    kept = {fact.text for fact in (*wishes, *kept_old, *kept_new)}
    return tuple(fact for fact in (*earlier, *new) if fact.text in kept)


def _details(text: str, *, is_user: bool) -> Iterable[tuple[FactKind, str]]:
    """Yield wishes and statements, then what is not part of one."""
    defined = [match[1] for block in _FENCED.finditer(text) for match in DEFINITIONS.finditer(block[2])]
    prose = _FENCED.sub("\n", text)
    kind: FactKind = "user" if is_user else "model"
    said: list[str] = []
    literals = [*(match[0] for match in LITERALS.finditer(prose)), *defined]
    if is_user:
        for wish in map(_tidy, find_wishes(prose)):
            said.append(wish)
            yield "wish", wish
        for statement in (_tidy(match[0]) for match in STATEMENTS.finditer(prose)):
            if len(statement) <= MAX_CHARACTERS and not any(statement in each for each in said):
                said.append(statement)
                yield kind, statement
        literals[:0] = [next(group for group in match.groups() if group) for match in NAMES.finditer(prose)]
    passages = "\n".join(said)
    for literal in map(_tidy, literals):
        if len(literal) <= MAX_CHARACTERS and literal not in passages:
            yield kind, literal


def _tidy(text: str) -> str:
    return " ".join(text.split()).strip(" ,;:.")


def _length(facts: Iterable[Fact]) -> int:
    return sum(fact.characters for fact in facts)


def _within(facts: Iterable[Fact], characters: int) -> list[Fact]:
    kept: list[Fact] = []
    for fact in facts:
        if fact.characters <= characters:
            kept.append(fact)
            characters -= fact.characters
    return kept
