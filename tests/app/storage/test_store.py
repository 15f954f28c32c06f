"""The store keeps what it is given."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from app.chat.conversation import Conversation, Summary
from app.chat.message import Message
from app.errors import StorageError
from app.storage.store import Store, Turn
from app.telemetry.series import MemoryPoint
from app.telemetry.timings import TurnStats

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "conversations.db")
    yield store
    store.close()


def full_turn(message_id: str, tokens: int = 5) -> Turn:
    """A turn in which no field has its default."""
    stats = TurnStats(
        submitted_ns=1_000,
        started_ns=2_000,
        tokenised_ns=3_000,
        prefill_started_ns=4_000,
        prefill_done_ns=1_004_000,
        token_ns=tuple(2_000_000_000 + 10_000_000 * k for k in range(tokens)),
        finished_ns=9_000_000_000,
        prompt_tokens=120,
        cached_tokens=100,
        cache_miss="The turn before was edited.",
        context_tokens=125,
        n_ctx=4096,
        finish_reason="stop",
        error="An error.",
        seed=2**32 - 1,
    )
    memory = (
        MemoryPoint(0, 96_468_992, 0, 94_371_840, 0, 18_035_507, None),
        MemoryPoint(125, 96_468_992, 2_880_000, 94_371_840, 7, 18_035_507, 212_000_000),
    )
    return Turn(message_id, stats, memory, "SmolLM2 135M", "/models/模型.gguf", '{"n_ctx": 4096}')


def test_a_conversation_is_read_as_it_was_written(store: Store) -> None:
    conversation = Conversation(title="Ferry", system_prompt="Be brief.", draft="And", created_at=NOON, updated_at=NOON)
    question = Message("user", "Why?", created_at=NOON + timedelta(microseconds=1))
    answer = Message("assistant", "", model="SmolLM2", created_at=NOON + timedelta(seconds=1), state="streaming")
    done = Message("assistant", "So.", "Hm.", answer.id, answer.created_at, "SmolLM2", "complete")
    summary = Summary("Short.", question.id, 100, 20, created_at=NOON)
    store.create(conversation)
    store.add_message(conversation.id, question)
    store.begin_answer(conversation.id, answer)
    store.journal(answer.id, "S", "H", [1])
    store.finish_answer(done, full_turn(answer.id))
    store.add_summary(conversation.id, summary)

    read = store.conversation(conversation.id)

    assert read.messages == (question, done)
    assert read.summaries == (summary,)
    assert (read.title, read.system_prompt, read.draft, read.created_at) == ("Ferry", "Be brief.", "And", NOON)
    assert read.updated_at == answer.created_at
    assert store.turns(conversation.id) == [full_turn(answer.id)]


def test_an_unknown_conversation_is_one_sentence(store: Store) -> None:
    with pytest.raises(StorageError, match="not in the database any more"):
        store.conversation("gone")
