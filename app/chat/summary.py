"""Condensing the older turns of a conversation: what to ask the model, and what to do with what it says.

Nothing here talks to an engine. `write_summary` is a generator: it yields each `Question` to be put to the model, is
sent the text of the answer, and returns the result. Closing it at any point cancels, and changes nothing. What it
returns counts only when it is laid over the conversation.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from app.chat.context_window import fits
from app.chat.conversation import prompt_messages
from app.chat.counting import own_tokens
from app.chat.message import Message
from app.chat.summary_outline import Outline, make_outline
from app.chat.summary_text import (
    SENTENCE_CHARACTERS,
    clean_answer,
    first_sentence,
    first_sentences,
    is_grounded,
    join_summary,
    shortened,
    transcript_line,
)
from app.errors import Sentence, TokometerError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from app.chat.conversation import Conversation, Summary, SummaryMethod
    from app.chat.counting import CountTokens

TEMPERATURE = 0.2
LEAST_GAIN = 0.25
"""A summary has to save this share of the tokens it replaces; less is not worth the loss of the words."""
THINKING_TOKENS = 1024
"""Granted with the second try, to a model that spent the whole first answer on thinking it was asked to leave out."""

INSTRUCTION = (
    "Stop here. Do not answer the conversation and do not continue it. Summarise all of it for an assistant who has "
    "not seen it and has to carry on from your summary alone, in the language of the conversation and in at most "
    "{words} words. Give what was said first as much room as what was said last. Write short points under these "
    "headings, and leave out a heading that has none:\n"
    "Goal:\nFacts:\nDecisions:\nOpen questions:\nPreferences of the user:\n"
    "Copy names, numbers, dates, file names and code exactly. Write nothing but the summary."
)
STRICTER_INSTRUCTION = (
    "Do not answer the conversation. Write only a summary of it, as a list of short points, in at most {words} words. "
    "Begin at once with the first point."
)
PART = "This is a part of a conversation:\n\n{text}\n\n"
PARTS_SUMMARISED = "These are summaries of the parts of one conversation, the oldest first:\n\n{text}\n\n"

NOTHING_OLDER = Sentence("There is nothing to summarise yet: no turn is older than the last one.")
HARDLY_SHORTER = Sentence("Nothing was changed: a summary would hardly be shorter than the turns it stands for.")


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt to be answered.

    Attributes:
        max_tokens: the most tokens to sample.
        temperature: low: a summary should not be inventive.
        template_kwargs: what turns thinking off, in the templates that let it be.
        goes_on: it begins with the conversation as the KV cache holds it; else it is about a part of its text.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float = TEMPERATURE
    template_kwargs: Mapping[str, bool] = field(default_factory=lambda: {"enable_thinking": False, "thinking": False})
    goes_on: bool = True


@dataclass(frozen=True, slots=True)
class Draft:
    """A summary that was written and does not count yet.

    Attributes:
        body: its text without details.
        read: how many of the outline's messages it speaks of; what is covered may not go beyond.
    """

    body: str
    method: SummaryMethod
    read: int


@dataclass(frozen=True, slots=True)
class Summarised:
    """A summary that makes the conversation shorter.

    Attributes:
        summary: to be laid over the conversation; it carries the receipt, the tokens before and after.
        covered: how many messages it takes out of the model's sight.
    """

    summary: Summary
    covered: int

    @property
    def method(self) -> SummaryMethod:
        """How the text came to be."""
        return self.summary.method


@dataclass(frozen=True, slots=True)
class NotSummarised:
    """Nothing was changed; `reason` is one sentence for the user."""

    reason: str


def summarise(
    conversation: Conversation,
    count_tokens: Callable[[Sequence[Message]], int],
    n_ctx: int,
    known: Mapping[str, int] | None = None,
) -> Generator[Question, str, Summarised | NotSummarised]:
    """Condense all but the last turns: `make_outline`, `write_summary`, `lay_summary` in one go.

    Args:
        conversation: with its earlier summaries.
        count_tokens: size of the rendered prompt in tokens; a TokometerError it raises becomes the reason.
        n_ctx: tokens the context holds.
        known: own tokens of messages by id, which are not counted again.
    """
    try:
        outline = make_outline(conversation, count_tokens, n_ctx, known)
        if outline is None:
            return NotSummarised(NOTHING_OLDER)
        draft = yield from write_summary(outline, count_tokens)
        return settle(outline, draft, count_tokens)
    except TokometerError as error:
        return NotSummarised(str(error))


def settle(outline: Outline, draft: Draft, count_tokens: CountTokens) -> Summarised | NotSummarised:
    """Return a draft as a summary of the usual cut.

    Where it is hardly shorter than what it replaces, first sentences stand in; where these are, nothing is changed.

    Raises:
        TokometerError: a prompt cannot be rendered.
    """
    cut = outline.cut
    for each in (draft, extract(outline, cut)):
        if each.body:
            summary = lay_summary(outline, cut, each.body, outline.chosen_facts(cut), each.method, count_tokens)
            if summary.saved_tokens >= LEAST_GAIN * outline.covered_tokens(cut):
                return Summarised(summary, len(outline.covered(cut)))
    return NotSummarised(HARDLY_SHORTER)


def lay_summary(
    outline: Outline, cut: int, body: str, facts: Sequence[str], method: SummaryMethod, count_tokens: CountTokens
) -> Summary:
    """Return a text with its details as a summary with its size counted. Raises TokometerError."""
    summary = replace(outline.summary(cut, join_summary(body.strip(), facts)), method=method)
    return replace(summary, tokens_after=count_tokens(prompt_messages(outline.laid(summary))))


def extract(outline: Outline, cut: int) -> Draft:
    """Return the first sentence of every message that is covered, word for word: what stands in for the model."""
    characters = int(outline.characters_per_token * outline.body_tokens(cut))
    return Draft(first_sentences(outline.earlier_body, outline.covered(cut), characters), "extracted", cut)


def write_summary(
    outline: Outline, count_tokens: CountTokens, cut: int | None = None
) -> Generator[Question, str, Draft]:
    """Have the model condense the conversation.

    It reads the conversation as it stands and then the instruction, so that all the KV cache holds of it is used
    again, and still is when the summary is not taken. When that does not fit, it reads what is to be covered, which
    the cache holds too; and when that does not fit either, it reads it in parts, whose summaries are put together,
    and condensed once more where they are too long. An answer that is empty, no shorter than what it replaces or not
    about the conversation is asked for once more in stricter words; when that fails too, first sentences stand in.
    Thinking is neither given to the model nor kept.

    Args:
        cut: what is to be covered; None: the usual.

    Raises:
        TokometerError: a prompt cannot be rendered.
    """
    return (yield from _Writer(outline, count_tokens, outline.cut if cut is None else cut).steps())


class _Writer:
    """One attempt to write a summary: what its steps share."""

    def __init__(self, outline: Outline, count_tokens: CountTokens, cut: int) -> None:
        self._outline = outline
        self._count = count_tokens
        self._cut = cut
        self._body_tokens = outline.body_tokens(cut)
        self._has_answered = False

    def steps(self) -> Generator[Question, str, Draft]:
        """Ask, check, and return what came of it."""
        outline, cut = self._outline, self._cut
        whole = prompt_messages(outline.conversation)
        older = prompt_messages(outline.conversation.up_to(outline.messages[cut - 1].id))
        method: SummaryMethod = "model"
        read = cut
        if self._fits([*whole, self._instruction()]):
            read = len(outline.messages)
            body = yield from self._ask_about(whole)
        elif self._fits([*older, self._instruction()]):
            body = yield from self._ask_about(older)
        else:
            method = "parts"
            body = yield from self._in_parts()
        return Draft(body, method, read) if body and self._has_answered else extract(outline, cut)

    def _ask_about(self, prefix: Sequence[Message]) -> Generator[Question, str, str]:
        source = "\n".join(message.content for message in prefix)
        replaced = self._outline.covered_tokens(self._cut) + self._count_text(self._outline.earlier_body)
        return (yield from self._ask(prefix, source, replaced, goes_on=True))

    def _in_parts(self) -> Generator[Question, str, str]:
        """Return the summaries of all parts, condensed once more where they are too long; empty: none can be asked."""
        earlier = [self._earlier()] if self._outline.earlier_body else []
        texts = [*earlier, *map(transcript_line, self._outline.covered(self._cut))]
        summaries = yield from self._condense(texts, PART)
        while len(summaries) > 1 and self._count_text("\n".join(summaries)) > self._body_tokens:
            fewer = yield from self._condense(summaries, PARTS_SUMMARISED)
            if len(fewer) >= len(summaries) or not fewer:
                return self._shortened("\n".join(summaries).splitlines())
            summaries = fewer
        return "\n".join(summaries)

    def _condense(self, texts: list[str], frame: str) -> Generator[Question, str, list[str]]:
        """Return a summary for as many texts as one prompt holds, then for the next; empty when none holds any."""
        summaries: list[str] = []
        while texts:
            size, texts = self._next_part(texts, frame)
            if not size:
                return []
            part, texts = texts[:size], texts[size:]
            text = "\n\n".join(part)
            question = Message("user", frame.format(text=text))
            body = yield from self._ask([question], text, self._count_text(text), goes_on=False)
            # Where the model gave nothing usable for a part, first sentences stand in for that part alone.
            summaries.append(body or self._shortened([first_sentence(each) for each in part]))
        return summaries

    def _shortened(self, lines: list[str]) -> str:
        return shortened(lines, int(self._outline.characters_per_token * self._body_tokens))

    def _next_part(self, texts: list[str], frame: str) -> tuple[int, list[str]]:
        """Return how many of the texts one prompt holds, and the texts, a too long one split; 0: not even a piece."""
        size = len(texts)
        while size:
            if self._fits([Message("user", frame.format(text="\n\n".join(texts[:size]))), self._instruction()]):
                return size, texts
            if size == 1 and len(texts[0]) > SENTENCE_CHARACTERS:
                middle = len(texts[0]) // 2
                texts = [texts[0][:middle], texts[0][middle:], *texts[1:]]
            else:
                size //= 2
        return 0, texts

    def _ask(
        self, messages: Sequence[Message], source: str, replaced_tokens: int, *, goes_on: bool
    ) -> Generator[Question, str, str]:
        """Ask once, and once more in stricter words; return "" when neither answer is usable."""
        answer = yield Question((*messages, self._instruction()), self._body_tokens, goes_on=goes_on)
        text = clean_answer(answer)
        if not self._is_usable(text, source, replaced_tokens):
            question = (*messages, self._instruction(STRICTER_INSTRUCTION))
            wanted = self._body_tokens if answer.strip() else self._body_tokens + THINKING_TOKENS
            room = self._outline.n_ctx - self._count(question)
            text = clean_answer((yield Question(question, min(wanted, room), goes_on=goes_on)))
        if not self._is_usable(text, source, replaced_tokens):
            return ""
        self._has_answered = True
        return text

    def _earlier(self) -> str:
        body = self._outline.earlier_body
        return f"Summary of what was said before:\n{body}" if body else ""

    def _instruction(self, words: str = INSTRUCTION) -> Message:
        return Message("user", words.format(words=self._body_tokens // 2))

    def _is_usable(self, text: str, source: str, replaced_tokens: int) -> bool:
        return (
            bool(text) and self._count_text(text) < replaced_tokens and is_grounded(text, source, ignored=INSTRUCTION)
        )

    def _fits(self, messages: Sequence[Message]) -> bool:
        return fits(self._count(messages), self._outline.n_ctx, self._body_tokens)

    def _count_text(self, text: str) -> int:
        return own_tokens(Message("user", text), self._count) if text else 0
