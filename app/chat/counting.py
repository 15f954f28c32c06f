"""The tokens of single messages, by the model's own template and tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.chat.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    CountTokens = Callable[[Sequence[Message]], int]

_ASKED = Message("user", "Hello", id="asked")
_ANSWERED = Message("assistant", "Hello", id="answered")


def own_tokens(message: Message, count_tokens: CountTokens) -> int:
    """Return a message's own tokens, role and end marks of the template included."""
    before = (_ASKED, _ANSWERED) if message.role == "user" else (_ASKED,)
    return count_tokens((*before, message)) - count_tokens(before)


def all_tokens(
    messages: Sequence[Message], count_tokens: CountTokens, known: Mapping[str, int] | None = None
) -> tuple[int, ...]:
    """Return the own tokens of each message; those of an id in `known` are not counted again."""
    known = known or {}
    return tuple(known[each.id] if each.id in known else own_tokens(each, count_tokens) for each in messages)
