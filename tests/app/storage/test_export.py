"""Exported conversations can be read by other programs and hide nothing."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING

import pytest

from app.chat.conversation import Conversation, Summary
from app.chat.message import Message
from app.errors import StorageError
from app.storage.export import Format, export
from app.telemetry.timings import TurnStats
from tests.app.storage.samples import AWKWARD_TEXTS, NOON, full_turn

if TYPE_CHECKING:
    from app.storage.store import Store

QUESTION = Message("user", "Why is it *faster*?", id="q", created_at=NOON)
ANSWER = Message("assistant", "Because.", "Let me think.", "a", NOON, "SmolLM2", "complete")


@pytest.fixture
def filled(store: Store) -> Store:
    old = Message("assistant", "Dunno.", id="old", created_at=NOON, model="SmolLM2")
    store.create(Conversation("c", "Fähre", "Be brief.", created_at=NOON, updated_at=NOON))
    store.add_message("c", QUESTION)
    store.begin_answer("c", old)
    store.finish_answer(old, full_turn("old"))
    store.branch("c", "q", [ANSWER])
    store.finish_answer(ANSWER, full_turn("a"))
    store.add_summary("c", Summary("In short.", "a", 100, 20, "s", NOON))
    return store


def test_json_holds_every_instant_and_sample_and_the_versions(filled: Store) -> None:
    document = json.loads(export(filled, "c", "json"))
    turn = full_turn("a")
    assert (document["format"], document["version"], document["title"]) == ("tokometer-conversation", 1, "Fähre")
    assert [message["id"] for message in document["messages"]] == ["q", "a"]
    assert document["messages"][0]["turn"] is None
    stats = document["messages"][1]["turn"]["stats"]
    raw = {field.name: stats[field.name] for field in fields(TurnStats)}
    growths = list(asdict(turn.stats)["context_growths"])
    assert raw == {**asdict(turn.stats), "token_ns": list(turn.stats.token_ns), "context_growths": growths}
    assert (stats["ttft_s"], stats["tpot_s"]) == (turn.stats.ttft_s, turn.stats.tpot_s)
    memory = document["messages"][1]["turn"]["memory"]
    assert [dict(zip(memory, row, strict=True)) for row in zip(*memory.values(), strict=True)] == [
        asdict(point) for point in turn.memory
    ]
    assert [(m["content"], m["turn"]["stats"]["seed"]) for m in document["superseded"]] == [("Dunno.", 2**32 - 1)]
    parents = {m["id"]: m["parent_id"] for m in (*document["messages"], *document["superseded"])}
    assert parents == {"q": "", "a": "q", "old": "q"}
    assert document["summaries"][0]["text"] == "In short."
    assert document["created_at"] == "2026-03-01T12:00:00+00:00"


def test_csv_has_a_line_per_turn_and_empty_cells_for_the_unknown(filled: Store) -> None:
    begun = Message("assistant", "", id="b", created_at=NOON)
    filled.begin_answer("c", begun)
    turn = replace(full_turn("b"), stats=TurnStats(submitted_ns=1), model_name="=HYPERLINK(evil)")
    filled.finish_answer(begun, turn)
    rows = list(csv.DictReader(io.StringIO(export(filled, "c", "csv"))))
    assert [row["message_id"] for row in rows] == ["a", "b"]
    assert float(rows[0]["ttft_s"]) == full_turn("a").stats.ttft_s
    assert (rows[0]["prompt_tokens"], rows[0]["cached_tokens"], rows[0]["itl_p50_s"]) == ("120", "100", "0.01")
    assert (rows[1]["ttft_s"], rows[1]["prompt_tokens"], rows[1]["completion_tokens"]) == ("", "", "0")
    assert rows[1]["model_name"] == "'=HYPERLINK(evil)"


def test_markdown_reads_like_the_conversation(filled: Store) -> None:
    assert export(filled, "c", "markdown") == (
        "# Fähre\n\n"
        "## System prompt\n\nBe brief.\n\n"
        "## You\n\nWhy is it *faster*?\n\n"
        "## SmolLM2\n\n"
        "<details><summary>Thinking</summary>\n\nLet me think.\n\n</details>\n\n"
        "Because.\n\n"
        "*TTFT 2.000 s, TPOT 10.00 ms, prompt 120 tokens (100 cached), answer 5 tokens, finish reason stop*\n\n"
        "---\n\n**Summary of everything above**\n\nIn short.\n\n---\n"
    )


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("```python\nx", "```python\nx\n```"),
        ("```\nx\n```", "```\nx\n```"),
        ("````\n```\nx", "````\n```\nx\n````"),
        ("~~~\n```", "~~~\n```\n~~~"),
        ("```\nx\n``` no end", "```\nx\n``` no end\n```"),
        ("    ```\nnot a fence", "    ```\nnot a fence"),
    ],
)
def test_an_interrupted_code_block_does_not_swallow_the_rest(store: Store, text: str, closed: str) -> None:
    store.create(Conversation("c", messages=(replace(ANSWER, content=text, thinking="", state="interrupted"),)))
    assert export(store, "c", "markdown") == f"# Conversation\n\n## SmolLM2\n\n{closed}\n\n*(interrupted)*\n"


@pytest.mark.parametrize("kind", ["markdown", "json", "csv"])
@pytest.mark.parametrize("text", AWKWARD_TEXTS, ids=range(len(AWKWARD_TEXTS)))
def test_any_text_can_be_exported(store: Store, text: str, kind: Format) -> None:
    messages = (Message("user", text), Message("assistant", text, text, "a", model=text))
    store.create(Conversation("c", text, text, messages, (Summary(text, "a"),), text))
    store.finish_answer(messages[1], replace(full_turn("a"), model_name=text, settings_json=text))
    exported = export(store, "c", kind)
    exported.encode()
    if kind == "json":
        document = json.loads(exported)
        # To JSON, two halves of a character side by side are that character.
        joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        assert [message["content"] for message in document["messages"]] == [joined, joined]
        assert document["messages"][1]["turn"]["settings_json"] == joined


def test_an_unknown_conversation_is_one_sentence(store: Store) -> None:
    with pytest.raises(StorageError):
        export(store, "gone", "json")
