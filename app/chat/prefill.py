"""Where an answer begins: behind the prompt, or inside the answer that is to be written on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.chat.thinking import FAMILIES, Family, ThinkingSplitter, opens_thinking

if TYPE_CHECKING:
    from app.chat.message import Message


@dataclass(frozen=True, slots=True)
class Beginning:
    """What the model is given, and what takes its text apart from there."""

    prompt: str
    splitter: ThinkingSplitter


def begin(rendered: str, continued: Message | None, template: str) -> Beginning:
    """Return where an answer begins.

    An answer that is continued stands behind the rendered prompt as the model would have written it: its thinking
    between the family's marks, its text behind the mark the template's family puts there, and no end of turn.

    Args:
        rendered: the prompt up to the opening of the answer.
        continued: the answer that is to be written on, which is not in `rendered`; None: a new one.
        template: the chat template's source, which tells how the model marks its thinking.
    """
    opened = opens_thinking(rendered)
    if continued is None:
        return Beginning(rendered, ThinkingSplitter(opened))
    family = opened or family_of(template)
    thinking, content = continued.thinking, continued.content
    if not content and not thinking:
        return Beginning(rendered, ThinkingSplitter(opened))
    if not content:
        family = family or FAMILIES[0]
        opener = "" if opened else family.opener + _space(family, template)
        return Beginning(f"{rendered}{opener}{thinking}", ThinkingSplitter(family, resumes="thinking"))
    before = ""
    if opened or (thinking and not _is_closed(rendered)):
        family = family or FAMILIES[0]
        space = _space(family, template)
        opener = "" if opened else family.opener + space
        before = f"{opener}{thinking}{space}{family.closer}{2 * space}"
    if family is not None and (before or family.answer_opener in template):
        before += (family.turn_opener if before else "") + family.answer_opener
    return Beginning(f"{rendered}{before}{content}", ThinkingSplitter(family, resumes="answer"))


def _is_closed(rendered: str) -> bool:
    """Whether the template itself has ended the thinking before it began."""
    return rendered.rstrip().endswith(tuple(family.closer for family in FAMILIES))


def family_of(template: str) -> Family | None:
    """Return the family whose thinking a chat template knows how to close, None when it knows none."""
    return next((each for each in FAMILIES if each.closer in template and each.opener in template), None)


def _space(family: Family, template: str) -> str:
    """Return the line feed that the model's family puts around its marks, or nothing."""
    marks = (family.opener, family.closer)
    return "\n" if any(f"{mark}{feed}" in template for mark in marks for feed in ("\n", "\\n")) else ""
