"""The KV ledger: each message's tokens and bytes, exact on a real model, whatever the conversation's length."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from app.chat.conversation import Conversation, Summary, prompt_messages
from app.chat.counting import own_tokens
from app.chat.message import Message
from app.engine.events import Buffer, KvCache, MemoryBreakdown
from app.telemetry.ledger import Ledger, LedgerEntry, make_ledger, uncounted

if TYPE_CHECKING:
    from app.engine.process import EngineProcess

TEXTS = ("Why is the sky blue?", "Light is scattered by air.", "And at dusk?", "Its way is longer; red is left. 42 + 1")


def conversation(system_prompt: str = "") -> Conversation:
    messages = tuple(
        Message("user" if number % 2 == 0 else "assistant", text, id=f"m{number}") for number, text in enumerate(TEXTS)
    )
    return Conversation(system_prompt=system_prompt, messages=messages)


def ledger_of(engine: EngineProcess, value: Conversation) -> Ledger:
    known = {message.id: own_tokens(message, engine.count_tokens) for message in uncounted(value, {})}
    assert uncounted(value, known) == []
    return make_ledger(value, known, engine.count_tokens(prompt_messages(value)))


@pytest.mark.parametrize("system_prompt", ["", "Be brief and exact."])
def test_on_a_real_model_the_ledger_is_the_rendered_prompt(engine: EngineProcess, system_prompt: str) -> None:
    value = conversation(system_prompt)
    ledger = ledger_of(engine, value)
    assert ledger.total_tokens == engine.count_tokens(prompt_messages(value))
    # Each message is what the prompt grew by with it: counted here by rendering every prefix.
    prefixes = [engine.count_tokens(prompt_messages(value.up_to(message.id))) for message in value.messages]
    assert [entry.tokens for entry in ledger.entries[1:]] == [
        after - before for before, after in itertools.pairwise(prefixes)
    ]
    assert ledger.opening_tokens + ledger.entries[0].tokens == prefixes[0]
    # "<|im_start|>user\n...<|im_end|>\n" is five tokens around the text.
    assert ledger.entries[2].tokens == 5 + 4
    assert ledger.entries[2].start_tokens == prefixes[1]


def test_the_bytes_of_a_real_model_are_cells_times_bytes_per_cell(engine: EngineProcess) -> None:
    assert engine.model is not None
    memory = engine.model.memory
    ledger = ledger_of(engine, conversation())
    # 30 layers x 3 KV heads x 64 x 2 bytes x 2
    assert ledger.message_bytes(memory, "m2") == 9 * 23_040
    parts = [ledger.message_bytes(memory, entry.message_id) or 0 for entry in ledger.entries]
    opening = ledger.kv_bytes(memory, 0, ledger.opening_tokens)
    assert opening + sum(parts) == memory.kv_used_bytes(ledger.total_tokens)
    tokens = ledger.entries[2].tokens + ledger.entries[3].tokens
    assert ledger.freed_from(memory, "m2") == (tokens, tokens * 23_040)


def test_a_summary_takes_what_it_covers_out_of_the_ledger(engine: EngineProcess) -> None:
    value = conversation("Be brief.").with_summary(Summary("The sky was talked about.", "m1"))
    ledger = ledger_of(engine, value)
    assert [entry.message_id for entry in ledger.entries] == ["m2", "m3"]
    assert ledger.entry("m0") is None
    assert ledger.total_tokens == engine.count_tokens(prompt_messages(value))
    assert ledger.opening_tokens > ledger_of(engine, conversation("Be brief.")).opening_tokens


FULL = KvCache(cells=1024, layers=5, bytes_per_cell=10)
WINDOW = KvCache(cells=256, layers=25, bytes_per_cell=100)
COMPRESSED = KvCache(cells=256, layers=1, bytes_per_cell=7, tokens_per_cell=4)


def of(*caches: KvCache) -> MemoryBreakdown:
    return MemoryBreakdown((Buffer("CPU", "kv", 1),), caches)


LEDGER = Ledger(20, (LedgerEntry("a", 180, 20), LedgerEntry("b", 200, 200), LedgerEntry("c", 100, 400)))


@pytest.mark.parametrize("caches", [(FULL,), (WINDOW,), (COMPRESSED,), (FULL, WINDOW, COMPRESSED), ()])
def test_the_parts_are_the_whole(caches: tuple[KvCache, ...]) -> None:
    memory = of(*caches)
    parts = [LEDGER.message_bytes(memory, entry.message_id) or 0 for entry in LEDGER.entries]
    assert LEDGER.kv_bytes(memory, 0, 20) + sum(parts) == memory.kv_used_bytes(500)


def test_a_sliding_window_holds_the_last_messages_only() -> None:
    memory = of(WINDOW)
    # 500 tokens, the last 256 of them: from 244 on
    assert LEDGER.message_bytes(memory, "a") == 0
    assert LEDGER.message_bytes(memory, "b") == (400 - 244) * 100
    assert LEDGER.message_bytes(memory, "c") == 100 * 100
    # 400 tokens still fill it
    assert LEDGER.freed_from(memory, "c") == (100, 0)
    assert LEDGER.freed_from(memory, "b") == (300, 56 * 100)


def test_what_is_out_of_view_frees_nothing() -> None:
    assert LEDGER.freed_from(of(FULL), "gone") == (0, 0)
    assert LEDGER.message_bytes(of(FULL), "gone") is None


def test_messages_that_the_template_merges_leave_a_smaller_rest() -> None:
    value = Conversation(messages=(Message("user", "a", id="a"), Message("user", "b", id="b")))
    ledger = make_ledger(value, {"a": 6, "b": 6}, 11)
    assert ledger.opening_tokens == -1
    assert ledger.total_tokens == 11
    assert ledger.entries[1].start_tokens == 6
