"""What fits into a context: arithmetic on token counts, so that an overflow is always said and never silent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.errors import Sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.chat.message import Message

MAX_REPLY_TOKENS = 1024
KEPT_SHARE = 0.3
"""The share of the prompt's room that the turns kept word for word beside a summary may take."""


def reply_room(n_ctx: int) -> int:
    """Tokens to leave free for the answer: a quarter of the context, at most `MAX_REPLY_TOKENS`."""
    return min(MAX_REPLY_TOKENS, n_ctx // 4)


def fits(prompt_tokens: int, n_ctx: int, reply_tokens: int = 1) -> bool:
    """Tell whether a prompt fits with so many tokens left for the answer.

    One is enough to send; `reply_room` is what an answer usually wants.
    """
    return prompt_tokens + reply_tokens <= n_ctx


def does_not_fit(prompt_tokens: int, n_ctx: int) -> str:
    """Return the sentence for a prompt that does not fit: by how much, and what the user can do."""
    return Sentence(
        "This conversation needs {prompt_tokens:,} tokens and the context holds {n_ctx:,}: "
        "summarise it, start a new one or load the model with a larger context.",
        prompt_tokens=prompt_tokens,
        n_ctx=n_ctx,
    )


def kept_tokens(n_ctx: int) -> int:
    """Return how many tokens of the last turns a summary leaves word for word."""
    return int(KEPT_SHARE * (n_ctx - reply_room(n_ctx)))


def split_for_summary(messages: Sequence[Message], counts: Sequence[int], keep_tokens: int) -> int:
    """Return the index that parts what a summary may replace, before it, from what stays word for word.

    The cut is only ever before a user message, so that what stays begins with one. As many whole turns stay as
    `keep_tokens` hold, and always the last question that has an answer, with all that follows it. 0: nothing is older
    than what must stay.

    Args:
        messages: user and assistant messages, oldest first.
        counts: tokens of each message.
        keep_tokens: the most tokens to keep, if more than the last turn.
    """
    cuts = possible_cuts(messages)
    first = next((i for i, message in enumerate(messages) if message.role == "user"), 0)
    if not cuts or sum(counts[first:]) <= keep_tokens:
        return 0
    fitting = [cut for cut in cuts if sum(counts[cut:]) <= keep_tokens]
    return fitting[0] if fitting else cuts[-1]


def possible_cuts(messages: Sequence[Message]) -> tuple[int, ...]:
    """Return the indices where `split_for_summary` may cut, rising; the last one keeps the least."""
    starts = [i for i, message in enumerate(messages) if message.role == "user"]
    answered = [i for i in starts if any(message.role == "assistant" for message in messages[i:])]
    return tuple(i for i in starts if starts[0] < i <= answered[-1]) if answered else ()
