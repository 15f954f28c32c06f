"""What is done where the next turn would not fit: counted with the model's tokenizer, then decided by arithmetic.

`measure` counts whole rendered prompts, so it runs where the engine is; `decide` is arithmetic on what it found.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from app.chat.context_window import fits, reply_room, split_for_summary
from app.chat.conversation import prompt_messages
from app.chat.summary_outline import summary_budget
from app.chat.view import leaving_turns
from app.errors import Sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from app.chat.conversation import Conversation, OnFull
    from app.chat.message import Message

    CountTokens = Callable[[Sequence[Message]], int]

FRAME_TOKENS = 64
"""More than any template we know puts around one message; `surely_fits` errs on the side of counting."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What bounds a turn.

    Attributes:
        limit: tokens it may take with its answer: what the context holds, or what it can grow to where it may grow.
        n_ctx_max: tokens the context could grow to, were it let.
        max_tokens: the most tokens of the answer, None: no limit.
    """

    limit: int
    n_ctx_max: int
    max_tokens: int | None = None

    @classmethod
    def of(cls, n_ctx: int, n_ctx_max: int, on_full: OnFull, max_tokens: int | None = None) -> Limits:
        """Return the limits under a policy: only `grow` lets the context grow."""
        return cls(n_ctx_max if on_full == "grow" else n_ctx, n_ctx_max, max_tokens)

    @property
    def reply_tokens(self) -> int:
        """What the answer should find free."""
        room = reply_room(self.limit)
        return room if self.max_tokens is None else min(room, self.max_tokens)

    def has_room(self, prompt_tokens: int) -> bool:
        """Tell whether a prompt leaves the answer what it should find."""
        return fits(prompt_tokens, self.limit, self.reply_tokens)


@dataclass(frozen=True, slots=True)
class Cut:
    """The oldest whole turns leave the view.

    Attributes:
        until: id of the last message that leaves, with all before it but the pinned ones.
        turns: how many leave.
        prompt_tokens: of the prompt that is left.
    """

    until: str
    turns: int
    prompt_tokens: int


@dataclass(frozen=True, slots=True)
class NextTurn:
    """A turn that is about to be sent, counted.

    Attributes:
        prompt_tokens: of its rendered prompt as the view stands.
        cut: the fewest turns whose leaving gives the answer its room; all that may leave where none is enough; None
            where nothing may, or it would not help.
        summarised_tokens: the most its prompt takes after a summary; None where there is nothing to summarise.
        least_tokens: its prompt without any turn that may leave.
        message_tokens, message_characters: of the last message's text; 0 when it is an answer.
    """

    limits: Limits
    prompt_tokens: int
    cut: Cut | None = None
    summarised_tokens: int | None = None
    least_tokens: int = 0
    message_tokens: int = 0
    message_characters: int = 0

    def characters(self, tokens: int) -> int:
        """Return about how many characters of the last message so many of its tokens are."""
        return -(-tokens * self.message_characters // max(self.message_tokens, 1))


@dataclass(frozen=True, slots=True)
class Choices:
    """What can make a turn fit.

    Attributes:
        grow_to: tokens the context has to grow to at most; None: it cannot, or that would not do.
        summarise: whether a summary of the older turns would do.
        cut: the turns that would have to leave the view; None: none may, or that would not do.
        shorten_tokens, shorten_characters: what to take out of the message; None: that would not do.
    """

    grow_to: int | None = None
    summarise: bool = False
    cut: Cut | None = None
    shorten_tokens: int | None = None
    shorten_characters: int | None = None

    def __bool__(self) -> bool:
        """Whether there is another way than a shorter message."""
        return self.grow_to is not None or self.summarise or self.cut is not None


@dataclass(frozen=True, slots=True)
class Send:
    """It fits."""


@dataclass(frozen=True, slots=True)
class Drop:
    """These turns leave the view, then it fits."""

    cut: Cut


@dataclass(frozen=True, slots=True)
class Summarise:
    """The older turns are summarised; then it is to be measured again."""


@dataclass(frozen=True, slots=True)
class Hold:
    """It is not sent: why, and what can be done."""

    sentence: str
    choices: Choices


Decision = Send | Drop | Summarise | Hold


def surely_fits(messages: Sequence[Message], limits: Limits, known: Mapping[str, int] | None = None) -> bool:
    """Tell without a tokenizer that a prompt has room: no token is shorter than a byte.

    Args:
        known: own tokens of messages that were counted before, by id.
    """

    def most(message: Message) -> int:
        tokens = (known or {}).get(message.id)
        return len(message.content.encode("utf-8", "surrogatepass")) + FRAME_TOKENS if tokens is None else tokens

    return limits.has_room(sum(map(most, messages)) + FRAME_TOKENS)


def dropped_before(conversation: Conversation, index: int) -> Conversation:
    """Return a conversation of which the model sees nothing before this message but what is pinned."""
    return replace(conversation, dropped_until=conversation.messages[index - 1].id) if index else conversation


def measure(conversation: Conversation, count_tokens: CountTokens, limits: Limits) -> NextTurn:
    """Count a conversation that ends with the message to be sent, or with the answer to be written on.

    Args:
        count_tokens: size of the rendered prompt in tokens; what it raises passes through.
    """

    @cache
    def size(index: int) -> int:
        return count_tokens(prompt_messages(dropped_before(conversation, index)))

    prompt_tokens = size(conversation.view_start)
    if limits.has_room(prompt_tokens):
        return NextTurn(limits, prompt_tokens)
    messages, start = conversation.messages, conversation.view_start
    # The last question stays, with all that follows it.
    starts = [i for i, message in enumerate(messages) if message.role == "user" and i > start]
    cut, least = None, prompt_tokens
    if starts:
        # Sizes fall as turns leave, so the first that has room is found by halves.
        enough = bisect_left(starts, True, key=lambda index: limits.has_room(size(index)))
        first = starts[min(enough, len(starts) - 1)]
        least = size(starts[-1])
        left = size(first)
        if left < prompt_tokens:
            cut = Cut(messages[first - 1].id, leaving_turns(messages[start:first]), left)
    return NextTurn(
        limits,
        prompt_tokens,
        cut=cut,
        summarised_tokens=_summarised_tokens(conversation, size, limits),
        least_tokens=min(least, prompt_tokens),
        message_tokens=_own_tokens(messages[-1], count_tokens),
        message_characters=len(messages[-1].content),
    )


def _own_tokens(message: Message, count_tokens: CountTokens) -> int:
    """Return the tokens of a message's text; 0 for an answer, which nobody is asked to shorten."""
    if message.role != "user":
        return 0
    return count_tokens([message]) - count_tokens([replace(message, content="")])


def _summarised_tokens(conversation: Conversation, size: Callable[[int], int], limits: Limits) -> int | None:
    """Return the most that is left when all is summarised that may be."""
    seen = [message for message in conversation.in_view() if message.content.strip()]
    kept_from = split_for_summary(seen, [1] * len(seen), 0)
    if not kept_from:
        return None
    index = next(i for i, message in enumerate(conversation.messages) if message.id == seen[kept_from].id)
    return size(index) + summary_budget(limits.limit)


def decide(turn: NextTurn, on_full: OnFull, *, may_summarise: bool = True) -> Decision:
    """Return what is to be done with a turn.

    A policy acts where the answer would not find its room. Where it cannot make any, a turn that leaves the answer at
    least one token is sent; where not even that is left, or the user is to be asked, it is held.

    Args:
        may_summarise: false where that was tried already.
    """
    limits, choices = turn.limits, choices_for(turn, may_summarise=may_summarise)
    if limits.has_room(turn.prompt_tokens):
        return Send()
    match on_full:
        case "grow" | "summarise" if choices.summarise:
            return Summarise()
        case "drop" if choices.cut is not None:
            return Drop(choices.cut)
        case "ask" if choices:
            return Hold(_why(turn), choices)
        case _ if fits(turn.prompt_tokens, limits.limit):
            return Send()
    return Hold(_why(turn), choices)


def choices_for(turn: NextTurn, *, may_summarise: bool = True) -> Choices:
    """Return all that would make a turn fit."""
    limits, cut = turn.limits, turn.cut
    can_grow = limits.n_ctx_max > limits.limit and fits(turn.prompt_tokens, limits.n_ctx_max)
    summarised = turn.summarised_tokens if may_summarise else None
    missing = turn.prompt_tokens + limits.reply_tokens - limits.limit
    if missing >= turn.message_tokens:  # the answer's room is wished for, one token is needed
        missing = turn.prompt_tokens + 1 - limits.limit
    can_shorten = 0 < missing < turn.message_tokens
    return Choices(
        grow_to=limits.n_ctx_max if can_grow else None,
        summarise=summarised is not None and fits(summarised, limits.limit),
        cut=cut if cut is not None and fits(cut.prompt_tokens, limits.limit) else None,
        shorten_tokens=missing if can_shorten else None,
        shorten_characters=turn.characters(missing) if can_shorten else None,
    )


def _why(turn: NextTurn) -> Sentence:
    limits = turn.limits
    largest = max(limits.limit, limits.n_ctx_max)
    missing = turn.least_tokens + 1 - largest
    if missing <= 0:
        return Sentence(
            "This turn needs {prompt_tokens:,} tokens and its answer about {reply_tokens:,}, and the context holds "
            "{n_ctx:,}.",
            prompt_tokens=turn.prompt_tokens,
            reply_tokens=limits.reply_tokens,
            n_ctx=limits.limit,
        )
    if missing < turn.message_tokens:
        return Sentence(
            "This message is too long: with what must stay it needs {tokens:,} tokens and the context holds {n_ctx:,}; "
            "cut at least {missing:,} tokens of it, about {characters:,} characters.",
            tokens=turn.least_tokens,
            n_ctx=largest,
            missing=missing,
            characters=turn.characters(missing),
        )
    return Sentence(
        "The system prompt and what is pinned need more than the {n_ctx:,} tokens the context holds: shorten the one "
        "or unpin some of the other.",
        n_ctx=largest,
    )
