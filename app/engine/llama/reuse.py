"""Why a prompt and what stands in the cache part ways: one sentence for each cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.engine.kv_state import Origin, text_digest
from app.errors import Sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.chat.message import Message

WORTH_TOKENS = 64
"""A shorter state is read again sooner than it is brought back."""

BRANCH_SHARE = 4
"""A branch that loses less than this part of a state is not worth copying the whole for."""

CLOCKS = ("strftime_now", "datetime", "date_string")
"""What a template that writes the date asks for, here and in transformers."""


def common_prefix(tokens: Sequence[int], prompt: Sequence[int]) -> int:
    """Return how many tokens two begin with alike."""
    most = min(len(tokens), len(prompt))
    if tuple(tokens[:most]) == tuple(prompt[:most]):  # nearly always, and a hundred times faster than looking
        return most
    return next(number for number, pair in enumerate(zip(tokens, prompt, strict=False)) if pair[0] != pair[1])


def takes_the_place(new: Sequence[int], old: Sequence[int]) -> bool:
    """Tell whether a state of these tokens makes an older one of the same conversation needless.

    It holds nearly all of it: what is lost is read again sooner than a second state is kept. Else the two are branches.
    """
    return not parts_from(new, old)


def parts_from(new: Sequence[int], old: Sequence[int]) -> bool:
    """Tell whether so much of the old tokens is not among the new ones that they are worth a state of their own."""
    lost = len(old) - common_prefix(old, new)
    return lost >= max(WORTH_TOKENS, len(old) // BRANCH_SHARE)


def why_parted(origin: Origin, messages: Sequence[Message], common: int, template: str) -> Sentence | str:
    """Say what is different from token `common` on; empty when nothing that was said is.

    Args:
        origin: the request that the tokens in the cache came from.
        messages: the new one's.
        template: the source of the chat template.
    """
    now = tuple((message.role, text_digest(message.content)) for message in messages)
    before = (*origin.messages, ("assistant", origin.answer)) if origin.answer else origin.messages
    if origin.is_aside:
        before = origin.messages[:-1]
    for number, (old, new) in enumerate(zip(before, now, strict=False)):
        if old != new:
            return _changed(number, origin, new[0])
    if origin.is_aside:
        is_part = len(now) > len(origin.messages)
        return Sentence("A summary of a part was begun, so what follows it was read again.") if is_part else ""
    if common < origin.body_tokens and len(now) >= len(origin.messages):
        if any(clock in template for clock in CLOCKS):
            return Sentence("This model's template writes the date into the prompt, and that changed.")
        return Sentence("This model's template writes the earlier conversation in another way now.")
    if origin.thought and len(now) > len(origin.messages):
        return Sentence("This model's template leaves earlier thinking out, so what followed it was read again.")
    if len(now) > len(origin.messages):
        return Sentence("This model's template writes its earlier answer in another way than it came.")
    return ""


def _changed(number: int, origin: Origin, role: str) -> Sentence:
    if role == "system" or (number == 0 and origin.messages[:1] and origin.messages[0][0] == "system"):
        return Sentence(
            "The system prompt, or the summary in it, differs from what the KV cache held, so everything after it "
            "was read again."
        )
    if role == "user":
        return Sentence("A message differs from what the KV cache held, so everything from there on was read again.")
    return Sentence("An answer differs from what the KV cache held, so everything from there on was read again.")
