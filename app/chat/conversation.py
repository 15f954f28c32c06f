"""A conversation: messages in order, a system prompt, and the summaries laid over them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from app.chat.message import Message, new_id

if TYPE_CHECKING:
    from collections.abc import Sequence

TITLE_CHARACTERS = 48
_LINE_MARK = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+|(?:```|~~~).*$)+", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*\)")
_EMPHASIS = re.compile(r"(?<!\w)(\*{1,3}|`|~~)(?=\S)([^*`~\n]+?)(?<=\S)\1(?!\w)")
"""Not underscores, which are part of names in code more often."""

OnFull = Literal["grow", "summarise", "drop", "ask", "stop"]
"""What is done where the next turn would not fit: `grow` the context and, where it cannot, summarise; `summarise` the
older turns; `drop` the oldest whole turns from the model's view; `ask` the user; `stop`: refuse."""


SummaryMethod = Literal["model", "parts", "extracted"]
"""How a summary was written: by the model, in one go or, where the conversation did not fit into one prompt, in parts;
or `extracted`: the first sentence of every message, where the model gave nothing usable."""


@dataclass(frozen=True, slots=True)
class PromptCost:
    """What a prompt costs; None where it is not known.

    Attributes:
        tokens: its size.
        kv_bytes: KV cells in use for it x bytes per cell.
        ttft_s: TTFT when nothing of it is cached.
        tpot_s: TPOT of the answer to it.
    """

    tokens: int | None = None
    kv_bytes: int | None = None
    ttft_s: float | None = None
    tpot_s: float | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a summary was to save and what it did.

    Attributes:
        before, after: what was expected of the prompts without and with it when it was laid.
        measured: the first answer to a prompt with it, None until there is one.
    """

    before: PromptCost = PromptCost()
    after: PromptCost = PromptCost()
    measured: PromptCost | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """A condensed stretch of a conversation; the originals stay.

    Attributes:
        text: what the model sees instead of the covered messages.
        covers_until: id of the last message that is covered; everything before it is covered too.
        tokens_before, tokens_after: size of the rendered prompt without and with this summary.
        undone: the user took it back; kept as a version, not used.
        is_edited: the user changed the text before it counted.
        receipt: None for one that was made before receipts were kept.
    """

    text: str
    covers_until: str
    tokens_before: int | None = None
    tokens_after: int | None = None
    id: str = field(default_factory=new_id)
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    undone: bool = False
    method: SummaryMethod = "model"
    is_edited: bool = False
    receipt: Receipt | None = None

    @property
    def saved_tokens(self) -> int:
        """Tokens of the prompt that it saves; 0 when it was not counted."""
        if self.tokens_before is None or self.tokens_after is None:
            return 0
        return self.tokens_before - self.tokens_after


@dataclass(frozen=True, slots=True)
class Conversation:
    """All that was said, oldest first.

    Attributes:
        title: empty until the first user message gives one or the user names it.
        messages: user and assistant messages only; the system prompt stands apart.
        on_full: what is done where the next turn would not fit; None: what the settings say.
        dropped_until: id of the last message that was dropped from the model's view, with all before it; empty: none.
    """

    id: str = field(default_factory=new_id)
    title: str = ""
    system_prompt: str = ""
    messages: tuple[Message, ...] = ()
    summaries: tuple[Summary, ...] = ()
    draft: str = ""
    on_full: OnFull | None = None
    dropped_until: str = ""
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    updated_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def active_summary(self) -> Summary | None:
        """The newest summary that was not undone and whose last covered message is still there."""
        ids = {message.id for message in self.messages}
        return next(
            (summary for summary in reversed(self.summaries) if not summary.undone and summary.covers_until in ids),
            None,
        )

    def in_view(self) -> tuple[Message, ...]:
        """Return the messages that the model still sees word for word, oldest first: pinned ones and those from
        `view_start` on."""
        start = self.view_start
        return (*(message for message in self.messages[:start] if message.pinned), *self.messages[start:])

    @property
    def view_start(self) -> int:
        """Index of the first message that is neither covered by the summary in use nor dropped."""
        summary = self.active_summary
        ends = {self.dropped_until, summary.covers_until if summary is not None else ""}
        return max((i for i, message in enumerate(self.messages, 1) if message.id in ends), default=0)

    def up_to(self, message_id: str) -> Conversation:
        """Return this conversation as it was when that message was its last."""
        return replace(self, messages=self.messages[: self._index(message_id) + 1])

    def with_summary(self, summary: Summary) -> Conversation:
        """Return this conversation with one more summary laid over it."""
        return replace(self, summaries=(*self.summaries, summary))

    def with_summary_measured(self, summary_id: str, measured: PromptCost) -> Conversation:
        """Return this conversation with what the first answer after a summary took."""
        return replace(
            self,
            summaries=tuple(
                replace(summary, receipt=replace(summary.receipt or Receipt(), measured=measured))
                if summary.id == summary_id
                else summary
                for summary in self.summaries
            ),
        )

    def with_summary_undone(self, summary_id: str, undone: bool = True) -> Conversation:
        """Return this conversation with a summary taken back, or put back; an earlier one counts again meanwhile."""
        return replace(
            self,
            summaries=tuple(
                replace(summary, undone=undone) if summary.id == summary_id else summary for summary in self.summaries
            ),
        )

    def _index(self, message_id: str) -> int:
        return next(i for i, message in enumerate(self.messages) if message.id == message_id)


def one_line(text: str) -> str:
    """Return a text on one line, without markdown's marks of headings, lists, quotations, code, links and emphasis."""
    lines = _LINE_MARK.sub("", text)
    return " ".join(_EMPHASIS.sub(r"\2", _LINK.sub(r"\1", lines)).split())


def title_from(text: str) -> str:
    """Return a one-line title of at most `TITLE_CHARACTERS` characters made from a first message."""
    line = one_line(text)
    if len(line) <= TITLE_CHARACTERS:
        return line
    whole_words, _, _ = line[:TITLE_CHARACTERS].rpartition(" ")
    # Text without spaces, such as Chinese or a long path, is cut where it stands.
    title = whole_words if len(whole_words) > TITLE_CHARACTERS // 2 else line[: TITLE_CHARACTERS - 1]
    return title.rstrip() + "…"


def summary_heading(text: str) -> str:
    """Return a summary in the words in which the model is given it."""
    return f"Summary of the earlier conversation:\n{text}"


def prompt_messages(conversation: Conversation) -> list[Message]:
    """Return what the model is given: system prompt, summary merged into it, then the messages in view.

    Answers that never got any text are left out; two messages of one role in a row are left to the template, which
    merges them.
    """
    summary = conversation.active_summary
    system_parts = [
        part for part in (conversation.system_prompt.strip(), summary_heading(summary.text) if summary else "") if part
    ]
    messages: list[Message] = []
    if system_parts:
        messages.append(Message("system", "\n\n".join(system_parts), id="system"))
    messages.extend(message for message in conversation.in_view() if message.content.strip())
    return messages


def last_user_index(messages: Sequence[Message]) -> int | None:
    """Return the position of the last user message, or None."""
    return next((i for i in range(len(messages) - 1, -1, -1) if messages[i].role == "user"), None)
