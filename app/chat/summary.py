"""Condensing the older turns of a conversation: what to ask the model, and what to do with what it says.

Nothing here talks to an engine. `summarise` is a generator: it yields each `Question` to be put to the model, is sent
the text of the answer, and returns the result. Closing it at any point cancels, and changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from app.chat.context_window import fits, kept_tokens, split_for_summary
from app.chat.conversation import Summary, prompt_messages
from app.chat.facts import find_facts, merge_facts
from app.chat.message import Message
from app.chat.summary_text import (
    SENTENCE_CHARACTERS,
    clean_answer,
    first_sentences,
    is_grounded,
    join_summary,
    split_summary,
    transcript_line,
)
from app.errors import TokometerError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from app.chat.conversation import Conversation

TEMPERATURE = 0.2
LEAST_GAIN = 0.25
"""A summary has to save this share of the tokens it replaces; less is not worth the loss of the words."""
THINKING_TOKENS = 1024
"""Granted with the second try, to a model that spent the whole first answer on thinking it was asked to leave out."""

INSTRUCTION = (
    "Stop here. Do not answer the conversation and do not continue it. Summarise all of it for an assistant who has "
    "not seen it and has to carry on from your summary alone, in the language of the conversation and in at most "
    "{words} words. Write short points under these headings, and leave out a heading that has none:\n"
    "Goal:\nFacts:\nDecisions:\nOpen questions:\nPreferences of the user:\n"
    "Copy names, numbers, dates, file names and code exactly. Write nothing but the summary."
)
STRICTER_INSTRUCTION = (
    "Do not answer the conversation. Write only a summary of it, as a list of short points, in at most {words} words. "
    "Begin at once with the first point."
)
PART = "This is a part of a conversation:\n\n{part}\n\n"
RUNNING = "This is the summary of the conversation so far; keep of it what is still true:\n\n{summary}\n\n"


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt to be answered.

    Attributes:
        max_tokens: the most tokens to sample.
        temperature: low: a summary should not be inventive.
        template_kwargs: what turns thinking off, in the templates that let it be.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float = TEMPERATURE
    template_kwargs: Mapping[str, bool] = field(default_factory=lambda: {"enable_thinking": False, "thinking": False})


@dataclass(frozen=True, slots=True)
class Summarised:
    """A summary that makes the conversation shorter.

    Attributes:
        summary: to be laid over the conversation; it carries the receipt, the tokens before and after.
        covered: how many messages it takes out of the model's sight.
        method: `extracted` when the model gave nothing usable: the first sentence of every message, word for word.
    """

    summary: Summary
    covered: int
    method: Literal["model", "extracted"]


@dataclass(frozen=True, slots=True)
class NotSummarised:
    """Nothing was changed; `reason` is one sentence for the user."""

    reason: str


def summary_budget(n_ctx: int) -> int:
    """Return the tokens a summary may take: a tenth of the context, from 128 to 768."""
    return min(768, max(128, n_ctx // 10))


def summarise(
    conversation: Conversation, count_tokens: Callable[[Sequence[Message]], int], n_ctx: int
) -> Generator[Question, str, Summarised | NotSummarised]:
    """Condense all but the last turns.

    The model reads the older turns as they are, then the instruction, so that what the KV cache holds of them is used
    again. When that does not fit, it reads them in parts and carries a summary along. An answer that is empty, or no
    shorter than what it replaces, is asked for once more in stricter words; when that fails too, the first sentence of
    every message stands in. The system prompt and the last turns stay word for word, an earlier summary is part of what
    is summarised, and details known by their form are added word for word.

    Args:
        conversation: with its earlier summaries.
        count_tokens: size of the rendered prompt in tokens; a TokometerError it raises becomes the reason.
        n_ctx: tokens the context holds.
    """
    try:
        return (yield from _Run(conversation, count_tokens, n_ctx).steps())
    except TokometerError as error:
        return NotSummarised(str(error))


class _Run:
    """One attempt to summarise: what its steps share."""

    def __init__(
        self, conversation: Conversation, count_tokens: Callable[[Sequence[Message]], int], n_ctx: int
    ) -> None:
        self._conversation = conversation
        self._count = count_tokens
        self._n_ctx = n_ctx
        self._facts_tokens = summary_budget(n_ctx) // 4
        self._body_tokens = summary_budget(n_ctx) - self._facts_tokens
        earlier = conversation.active_summary
        self._earlier_body, self._earlier_facts = split_summary(earlier.text if earlier else "")

    def steps(self) -> Generator[Question, str, Summarised | NotSummarised]:
        """Ask, check, and return what came of it."""
        messages = [message for message in self._conversation.in_view() if message.content.strip()]
        counts = [self._count_text(message.content) for message in messages]
        cut = split_for_summary(messages, counts, min(kept_tokens(self._n_ctx), sum(counts) // 2))
        if cut == 0:
            return NotSummarised("There is nothing to summarise yet: no turn is older than the last one.")
        older, older_tokens = messages[:cut], sum(counts[:cut])
        characters_per_token = max(1.0, sum(len(message.content) for message in older) / max(1, older_tokens))
        facts = self._facts(older, int(characters_per_token * self._facts_tokens))
        before = self._count(prompt_messages(self._conversation))

        candidates: tuple[tuple[Literal["model", "extracted"], str], ...] = (
            ("model", (yield from self._ask_about(older, older_tokens))),
            ("extracted", first_sentences(self._earlier_body, older, int(characters_per_token * self._body_tokens))),
        )
        for method, body in candidates:
            summary = Summary(join_summary(body, facts), covers_until=older[-1].id, tokens_before=before)
            after = self._count(prompt_messages(self._conversation.with_summary(summary)))
            if body and before - after >= LEAST_GAIN * older_tokens:
                return Summarised(replace(summary, tokens_after=after), len(older), method)
        return NotSummarised("Nothing was changed: a summary would hardly be shorter than the turns it stands for.")

    def _facts(self, older: Sequence[Message], characters: int) -> tuple[str, ...]:
        """Return the details to keep: the user's before the model's, which may be wrong."""
        by_weight = sorted(older, key=lambda message: message.role != "user")
        return merge_facts(self._earlier_facts, find_facts(message.content for message in by_weight), characters)

    def _ask_about(self, older: Sequence[Message], older_tokens: int) -> Generator[Question, str, str]:
        """Return the model's summary, empty when it gave none that is usable."""
        texts = [transcript_line(message) for message in older]
        source = "\n".join([self._earlier_body, *self._earlier_facts, *texts])
        prefix = prompt_messages(self._conversation.up_to(older[-1].id))
        if self._fits([*prefix, self._instruction()]):
            return (yield from self._ask(prefix, source, older_tokens + self._count_text(self._earlier_body)))
        running = self._earlier_body
        while texts:
            part, texts = self._next_part(running, texts)
            if part is None:
                return ""
            running = yield from self._ask([part], source, self._count([part]))
            if not running:
                return ""
        return running

    def _next_part(self, running: str, texts: list[str]) -> tuple[Message | None, list[str]]:
        """Return a message with as many texts as one prompt holds, and those left; None when not even a piece fits."""
        so_far = RUNNING.format(summary=running) if running else ""
        size = len(texts)
        while size:
            part = Message("user", so_far + PART.format(part="\n\n".join(texts[:size])))
            if self._fits([part, self._instruction()]):
                return part, texts[size:]
            if size == 1 and len(texts[0]) > SENTENCE_CHARACTERS:
                middle = len(texts[0]) // 2
                texts = [texts[0][:middle], texts[0][middle:], *texts[1:]]
            else:
                size //= 2
        return None, texts

    def _ask(self, messages: Sequence[Message], source: str, replaced_tokens: int) -> Generator[Question, str, str]:
        """Ask once, and once more in stricter words; return "" when neither answer is usable."""
        answer = yield Question((*messages, self._instruction()), self._body_tokens)
        text = clean_answer(answer)
        if not self._is_usable(text, source, replaced_tokens):
            question = (*messages, self._instruction(STRICTER_INSTRUCTION))
            wanted = self._body_tokens if answer.strip() else self._body_tokens + THINKING_TOKENS
            text = clean_answer((yield Question(question, min(wanted, self._n_ctx - self._count(question)))))
        return text if self._is_usable(text, source, replaced_tokens) else ""

    def _instruction(self, words: str = INSTRUCTION) -> Message:
        return Message("user", words.format(words=self._body_tokens // 2))

    def _is_usable(self, text: str, source: str, replaced_tokens: int) -> bool:
        return (
            bool(text) and self._count_text(text) < replaced_tokens and is_grounded(text, source, ignored=INSTRUCTION)
        )

    def _fits(self, messages: Sequence[Message]) -> bool:
        return fits(self._count(messages), self._n_ctx, self._body_tokens)

    def _count_text(self, text: str) -> int:
        return self._count([Message("user", text)]) if text else 0
