"""The tokens and the KV cache of every message of a conversation.

A message's tokens are its own by the model's template and tokenizer: the prompt with it minus the prompt without it,
counted behind a fixed short turn, so that each message is counted once however long the conversation is. What the whole
prompt has beside the messages (beginning, system prompt, summary, the opening of the next answer) is the rest of the
count of the whole, so that the sum is always that of the rendered prompt. Thinking counts nowhere: it leaves the prompt
with the next message.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from app.chat.context_window import kept_tokens, split_for_summary
from app.chat.conversation import prompt_messages
from app.telemetry.tables import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from app.chat.conversation import Conversation
    from app.chat.message import Message
    from app.engine.events import MemoryBreakdown


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One message in view: its tokens, and how many stand before it."""

    message_id: str
    tokens: int
    start_tokens: int


@dataclass(frozen=True)
class Ledger:
    """A conversation as the model is given it.

    Attributes:
        opening_tokens: what stands beside the messages; counted before the first one.
        entries: the messages the model still sees, oldest first; those behind a summary take nothing.
    """

    opening_tokens: int = 0
    entries: tuple[LedgerEntry, ...] = ()

    @cached_property
    def total_tokens(self) -> int:
        """The rendered prompt."""
        return self.opening_tokens + sum(entry.tokens for entry in self.entries)

    @cached_property
    def _by_id(self) -> dict[str, LedgerEntry]:
        return {entry.message_id: entry for entry in self.entries}

    def entry(self, message_id: str) -> LedgerEntry | None:
        """Return a message's entry, None when the model does not see it."""
        return self._by_id.get(message_id)

    def kv_bytes(self, memory: MemoryBreakdown, start_tokens: int, end_tokens: int) -> int:
        """Return the KV cache of the tokens from `start` to `end` in a prompt of this length.

        A sliding-window cache holds only the last tokens: those before take nothing of it any more.
        """
        size, total = 0, self.total_tokens
        for cache in memory.kv_caches:
            first = max(start_tokens, total - cache.cells * cache.tokens_per_cell)
            cells = _cells(end_tokens, cache.tokens_per_cell) - _cells(first, cache.tokens_per_cell)
            size += max(cells, 0) * cache.bytes_per_cell
        return size

    def message_bytes(self, memory: MemoryBreakdown, message_id: str) -> int | None:
        """Return the KV cache of one message, None when the model does not see it."""
        entry = self.entry(message_id)
        if entry is None:
            return None
        return self.kv_bytes(memory, entry.start_tokens, entry.start_tokens + entry.tokens)

    def freed_from(self, memory: MemoryBreakdown, message_id: str) -> tuple[int, int]:
        """Return tokens and KV bytes that become free when this message and all after it go; 0 for one out of view.

        A sliding-window cache becomes no emptier as long as enough is left to fill it.
        """
        entry = self.entry(message_id)
        if entry is None:
            return 0, 0
        freed = self.total_tokens - entry.start_tokens
        return freed, memory.kv_used_bytes(self.total_tokens) - memory.kv_used_bytes(entry.start_tokens)

    def freed_by(self, memory: MemoryBreakdown, message_ids: Collection[str]) -> tuple[int, int]:
        """Return tokens and KV bytes that become free when these messages go; those out of view take nothing."""
        freed = sum(entry.tokens for entry in self.entries if entry.message_id in message_ids)
        return freed, memory.kv_used_bytes(self.total_tokens) - memory.kv_used_bytes(self.total_tokens - freed)


def ledger_table(ledger: Ledger, memory: MemoryBreakdown) -> Table:
    """Return one row per message for other programs, what stands beside them first."""
    opening = ("", ledger.opening_tokens, ledger.kv_bytes(memory, 0, ledger.opening_tokens), None, None)
    rows = (
        (
            entry.message_id,
            entry.tokens,
            ledger.message_bytes(memory, entry.message_id),
            *ledger.freed_from(memory, entry.message_id),
        )
        for entry in ledger.entries
    )
    return Table(("message_id", "tokens", "kv_bytes", "freed_tokens", "freed_bytes"), (opening, *rows))


def _cells(tokens: int, tokens_per_cell: int) -> int:
    return -(-tokens // tokens_per_cell)


def _said(conversation: Conversation) -> list[Message]:
    """Return the messages that the model sees, without what stands before them."""
    return [message for message in prompt_messages(conversation) if message.role != "system"]


def uncounted(conversation: Conversation, known: Mapping[str, int]) -> list[Message]:
    """Return the messages in view whose own tokens are not known yet."""
    return [
        message for message in prompt_messages(conversation) if message.role != "system" and message.id not in known
    ]


def make_ledger(conversation: Conversation, known: Mapping[str, int], prompt_tokens: int) -> Ledger:
    """Return the ledger of a conversation.

    Args:
        known: own tokens by message id.
        prompt_tokens: the whole rendered prompt.
    """
    messages = _said(conversation)
    # Neighbours of one role are merged by the template and lose a frame each: the rest can then be below 0.
    opening = prompt_tokens - sum(known[message.id] for message in messages)
    position, entries = max(opening, 0), []
    for message in messages:
        entries.append(LedgerEntry(message.id, known[message.id], position))
        position += known[message.id]
    return Ledger(opening, tuple(entries))


def condensed_by_summary(ledger: Ledger, conversation: Conversation, n_ctx: int) -> tuple[int, int]:
    """Return messages and their tokens that a summary made now would take the place of."""
    said = _said(conversation)
    counts = [entry.tokens for entry in ledger.entries]
    if len(said) != len(counts):
        return 0, 0
    cut = split_for_summary(said, counts, min(kept_tokens(n_ctx), sum(counts) // 2))
    return cut, sum(counts[:cut])
