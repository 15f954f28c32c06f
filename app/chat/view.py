"""What of a conversation the model sees: its turns in view and out of view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.chat.conversation import Conversation
    from app.chat.message import Message


@dataclass(frozen=True, slots=True)
class View:
    """Turns of a conversation; a turn is a question with all that follows it up to the next one.

    Attributes:
        turns_in_view: the model sees all of their words.
        turns_out_of_view: some or all of their words it does not see.
        summarised_turns: of these, those that the summary in use was made of; the others are only not seen.
        returning_turns: of these, those that would be seen again if nothing were dropped.
    """

    turns_in_view: int
    turns_out_of_view: int
    summarised_turns: int
    returning_turns: int = 0


def turns_of(messages: Sequence[Message]) -> list[tuple[Message, ...]]:
    """Return the messages as turns, oldest first; what stands before the first question is a turn of its own."""
    turns: list[list[Message]] = []
    for message in messages:
        if message.role == "user" or not turns:
            turns.append([])
        turns[-1].append(message)
    return [tuple(turn) for turn in turns]


def view_of(conversation: Conversation) -> View:
    """Return how many turns the model sees.

    Turns that were dropped before a summary was laid over later ones do not count as summarised: it was made without
    them.
    """
    start = conversation.view_start
    out = leaving_turns(conversation.messages[:start])
    summary = conversation.active_summary
    ends = {message.id: i for i, message in enumerate(conversation.messages, 1)}
    covered = ends[summary.covers_until] if summary is not None else 0
    dropped = ends.get(conversation.dropped_until, 0)
    first = dropped if dropped <= covered else 0
    summarised = leaving_turns(conversation.messages[first:covered])
    returning = leaving_turns(conversation.messages[covered:start])
    return View(len(turns_of(conversation.messages)) - out, out, summarised, returning)


def leaving_turns(messages: Sequence[Message]) -> int:
    """Return how many turns lose words when these messages leave the view; pinned ones stay."""
    return sum(any(not message.pinned for message in turn) for turn in turns_of(messages))
