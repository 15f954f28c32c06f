"""The turns of all conversations: queried by model and settings, and exported whole."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from app.chat.conversation import Conversation
from app.chat.message import Message
from app.storage.export_history import export_history
from app.telemetry.environment import settings_key
from app.telemetry.speed import sample_of
from tests.app.storage.samples import NOON, full_turn

if TYPE_CHECKING:
    from app.storage.store import Store

WIDE, NARROW = '{"load": {"type_k": "f16", "n_ctx": 1}}', '{"load": {"type_k": "q8_0"}}'


def add(store: Store, conversation: str, answer: str, minute: int, **own: str) -> None:
    message = Message("assistant", "Secret.", id=answer, created_at=NOON + timedelta(minutes=minute))
    store.begin_answer(conversation, message)
    store.finish_answer(message, replace(full_turn(answer), **own))


@pytest.fixture
def filled(store: Store) -> Store:
    for conversation in ("c", "d", "gone"):
        store.create(Conversation(conversation, created_at=NOON, updated_at=NOON))
    add(store, "c", "a", 2, model_path="/models/one.gguf", settings_json=WIDE)
    add(store, "d", "b", 1, model_path="C:\\models\\one.gguf", settings_json=NARROW)
    add(store, "d", "e", 3, model_path="/models/two.gguf", model_name="half a \ud83d")
    add(store, "gone", "f", 4)
    store.delete("gone")
    store.show_path("d", "b")
    return store


def test_turns_of_all_conversations_oldest_first_without_deleted_ones(filled: Store) -> None:
    turns = filled.history()
    assert [(turn.message_id, turn.conversation_id, turn.model_file) for turn in turns] == [
        ("b", "d", "one.gguf"),
        ("a", "c", "one.gguf"),
        ("e", "d", "two.gguf"),  # taken out of its conversation, measured all the same
    ]
    stats, first = full_turn("b").stats, turns[0]
    assert (first.ttft_s, first.tpot_s, first.queue_s, first.prefill_s) == (
        stats.ttft_s,
        stats.tpot_s,
        stats.queue_s,
        stats.prefill_s,
    )
    assert (first.prompt_tokens, first.cached_tokens, first.completion_tokens) == (120, 100, 5)
    assert (first.growth_before_s, first.growth_during_s) == (0.06, 2**33 / 1e9)
    assert first.restore_s == stats.restore_ns / 1e9 > 0
    assert first.sample == sample_of(stats)
    assert first.environment_json == '{"library": "b1"}'


def test_filtered_by_model_and_settings(filled: Store) -> None:
    def ids(**wanted: str) -> list[str]:
        return [turn.message_id for turn in filled.history(**wanted)]

    assert ids(model_file="one.gguf") == ["b", "a"]
    assert ids(model_file="one.gguf", settings=settings_key(WIDE)) == ["a"]
    assert ids(settings=settings_key(NARROW)) == ["b"]
    assert ids(model_file="none.gguf") == []


def test_the_csv_has_every_turn_with_its_settings(filled: Store) -> None:
    text = "".join(export_history(filled, "csv"))
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["message_id"] for row in rows] == ["a", "b", "e"]
    assert rows[0]["settings_json"] == WIDE
    assert float(rows[0]["tpot_s"]) == full_turn("a").stats.tpot_s
    assert rows[0]["template_s"] == "5e-07"
    assert rows[2]["model_name"] == "half a \ufffd"
    assert "Secret" not in text


def test_the_json_has_every_instant_and_no_word(filled: Store) -> None:
    text = "".join(export_history(filled, "json"))
    document = json.loads(text)
    assert (document["format"], document["version"]) == ("tokometer-history", 1)
    assert [turn["message_id"] for turn in document["turns"]] == ["a", "b", "e"]
    stats = document["turns"][0]["stats"]
    assert stats["token_ns"] == list(full_turn("a").stats.token_ns)
    assert stats["shown_ns"] == 9_004_000_000
    assert document["turns"][0]["environment_json"] == '{"library": "b1"}'
    assert document["turns"][2]["model_name"] == "half a \ud83d"
    assert "Secret" not in text
    text.encode()


def test_more_turns_than_a_page(store: Store) -> None:
    store.create(Conversation("c", created_at=NOON, updated_at=NOON))
    for number in range(401):
        add(store, "c", f"m{number:03}", number)
    assert [turn.message_id for _, _, turn in store.all_turns()] == [f"m{number:03}" for number in range(401)]


def test_nothing_stored(store: Store) -> None:
    assert store.history() == []
    assert json.loads("".join(export_history(store, "json")))["turns"] == []
    assert "".join(export_history(store, "csv")).count("\n") == 1
