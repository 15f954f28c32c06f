"""What a summary of a conversation can cover, keep and save: known before the model is asked, and without it.

    prompt = frame + summary + what is kept word for word

`frame` is all of the rendered prompt beside the summary's text and the messages: beginning, system prompt, marks, the
opening of the answer. What is kept are the last turns, and pinned messages among those that are covered.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.chat.context_window import kept_tokens, possible_cuts, split_for_summary
from app.chat.conversation import Summary, prompt_messages
from app.chat.counting import all_tokens, own_tokens
from app.chat.facts import Fact, choose_facts, find_facts, recall_facts
from app.chat.message import Message
from app.chat.summary_text import join_summary, split_summary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.chat.conversation import Conversation
    from app.chat.counting import CountTokens

FACTS_SHARE = 0.25
WISHES_SHARE = 0.5
"""The shares of a summary that details take at most: literals, and what the user asked to be remembered."""


def summary_budget(n_ctx: int) -> int:
    """Return the tokens a summary may take: a tenth of the context, from 128 to 768."""
    return min(768, max(128, n_ctx // 10))


@dataclass(frozen=True, slots=True)
class Outline:
    """A summary that may be made; a cut is the index in `messages` where what stays word for word begins.

    Attributes:
        messages: those in view that a summary can cover, oldest first; pinned ones behind an earlier one are not.
        tokens: of each message, by the model's own count.
        cuts: where what is covered may end, rising: only before a user's message, so that what stays begins with one.
        cut: the usual one of them.
        earlier_body: the earlier summary without its details, which is part of what is summarised.
        earlier_facts, found_facts: details it carries, and those in `messages`.
        tokens_before: the rendered prompt as it is now; frame_tokens: as said above.
        characters_per_token, fact_characters_per_token: of these messages, and of their details.
    """

    conversation: Conversation
    n_ctx: int
    messages: tuple[Message, ...]
    tokens: tuple[int, ...]
    cuts: tuple[int, ...]
    cut: int
    earlier_body: str
    earlier_facts: tuple[Fact, ...]
    found_facts: tuple[Fact, ...]
    tokens_before: int
    frame_tokens: int
    characters_per_token: float
    fact_characters_per_token: float

    @property
    def budget(self) -> int:
        """Tokens the summary may take."""
        return summary_budget(self.n_ctx)

    @property
    def turns(self) -> int:
        """Turns there are: what the user said, with all that follows it."""
        return sum(message.role == "user" for message in self.messages)

    def kept_turns(self, cut: int) -> int:
        """Return how many of them stay word for word."""
        return sum(message.role == "user" for message in self.messages[cut:])

    def covered(self, cut: int) -> tuple[Message, ...]:
        """Return the messages that are taken out of the model's sight."""
        return tuple(message for message in self.messages[:cut] if not message.pinned)

    def covered_tokens(self, cut: int) -> int:
        """Return what these take."""
        return sum(self.tokens) - self.kept_tokens(cut)

    def kept_tokens(self, cut: int) -> int:
        """Return what the other messages take, without those that are in view before `messages`."""
        pairs = zip(self.messages, self.tokens, strict=True)
        return sum(tokens for i, (message, tokens) in enumerate(pairs) if i >= cut or message.pinned)

    def prompt_tokens(self, cut: int, summary_tokens: float) -> int:
        """Return the rendered prompt with a summary of so many tokens."""
        return round(self.frame_tokens + summary_tokens + self.kept_tokens(cut))

    def facts(self, cut: int) -> tuple[Fact, ...]:
        """Return all details there are in what is covered, whether they have room or not."""
        known = {fact.text for fact in self.earlier_facts}
        found = (fact for fact in self.found_facts if fact.position < cut and fact.text not in known)
        return (*self.earlier_facts, *found)

    def chosen_facts(self, cut: int) -> tuple[str, ...]:
        """Return those that have room: at most `FACTS_SHARE` of the budget, with wishes `WISHES_SHARE`."""
        found = [fact for fact in self.found_facts if fact.position < cut]
        characters = self.budget * self.fact_characters_per_token
        facts = choose_facts(self.earlier_facts, found, int(characters * FACTS_SHARE), int(characters * WISHES_SHARE))
        return tuple(fact.text for fact in facts)

    def body_tokens(self, cut: int) -> int:
        """Return what the details leave of the budget."""
        return self.budget - min(self.facts_tokens(self.chosen_facts(cut)), self.budget // 2)

    def facts_tokens(self, facts: Sequence[str]) -> int:
        """Return about what details take, without asking the tokenizer."""
        return round(len(join_summary("", facts)) / self.fact_characters_per_token)

    def text_tokens(self, body: str, facts: Sequence[str]) -> int:
        """Return about what a summary's text takes, without asking the tokenizer."""
        return round(len(body) / self.characters_per_token) + self.facts_tokens(facts)

    def laid(self, summary: Summary) -> Conversation:
        """Return the conversation with a summary."""
        return self.conversation.with_summary(summary)

    def summary(self, cut: int, text: str) -> Summary:
        """Return a summary with this text."""
        return Summary(text, covers_until=self.messages[cut - 1].id, tokens_before=self.tokens_before)


def make_outline(
    conversation: Conversation, count_tokens: CountTokens, n_ctx: int, known: Mapping[str, int] | None = None
) -> Outline | None:
    """Return what can be summarised; None when no turn is older than the last one that was answered.

    Args:
        known: own tokens of messages by id, which are not counted again.

    Raises:
        TokometerError: the prompt cannot be rendered.
    """
    messages = tuple(m for m in conversation.messages[conversation.view_start :] if m.content.strip())
    tokens = all_tokens(messages, count_tokens, known)
    cuts = possible_cuts(messages)
    if not cuts:
        return None
    cut = split_for_summary(messages, tokens, min(kept_tokens(n_ctx), sum(tokens) // 2)) or cuts[0]
    earlier = conversation.active_summary
    body, facts = split_summary(earlier.text if earlier else "")
    earlier_facts = recall_facts(facts, conversation.messages)
    found = find_facts(replace(message, content="") if message.pinned else message for message in messages)
    details = "\n".join(fact.text for fact in (*earlier_facts, *found))
    outline = Outline(
        conversation=conversation,
        n_ctx=n_ctx,
        messages=messages,
        tokens=tokens,
        cuts=cuts,
        cut=cut,
        earlier_body=body,
        earlier_facts=tuple(earlier_facts),
        found_facts=tuple(found),
        tokens_before=count_tokens(prompt_messages(conversation)),
        frame_tokens=0,
        characters_per_token=_ratio(sum(len(message.content) for message in messages), sum(tokens)),
        fact_characters_per_token=_ratio(len(details), own_tokens(Message("user", details), count_tokens)),
    )
    empty = count_tokens(prompt_messages(outline.laid(outline.summary(cut, ""))))
    return replace(outline, frame_tokens=empty - outline.kept_tokens(cut))


def _ratio(characters: int, tokens: int) -> float:
    return max(1.0, characters / max(1, tokens))
