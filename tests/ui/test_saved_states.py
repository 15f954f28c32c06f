"""Saved KV caches in the window: budgets, sizes, what they spared, and that a deleted conversation leaves none."""

import os
from dataclasses import replace

from PySide6.QtWidgets import QLabel, QSpinBox

from app.engine.events import (
    GenerationFinished,
    PrefillProgressed,
    PromptTokenised,
    TextPiece,
    TokensGenerated,
)
from app.engine.states import StateBudget, StateFolder
from app.paths import paths
from tests.fakes import MIB, MS, Answer, ScriptedEngine
from ui.dialogs.memory.dialog import MemoryDetailsDialog
from ui.dialogs.preferences import PreferencesDialog

SECOND = 1000 * MS


def resumed_answer() -> Answer:
    """1,000 tokens came from disk in 50 ms; the other 10 took 30 ms to read, and TTFT is about 100 ms."""
    events = (
        PromptTokenised(0, 0, 1010, 1000, restored_from="disk", restored_tokens=1004, restore_ns=50 * MS),
        PrefillProgressed(0, 10, 0),
        PrefillProgressed(10, 10, 0),
        TokensGenerated((0,), (TextPiece("answer", "Back"),), 1010),
        GenerationFinished("stop", 0, 1010),
    )
    return Answer(events=events)


def write_state(conversation_id: str, size_bytes: int) -> None:
    path = StateFolder(paths().states).file(conversation_id, "0" * 32)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(size_bytes))


def test_a_request_says_whose_it_is_and_what_may_be_kept(desk):
    desk.ask("Hello")
    (request,) = desk.engine.requests
    assert request.conversation_id == desk.parts.chat.session.id
    assert request.states == StateBudget(paths().states, 1024 * MIB, 4096 * MIB)


def test_budgets_are_set_in_the_preferences_and_hold_at_once(desk):
    desk.window.menu_actions["preferences"].trigger()
    dialog = desk.window.findChild(PreferencesDialog)
    dialog.findChild(QSpinBox, "kv_memory").setValue(256)
    dialog.findChild(QSpinBox, "kv_disk").setValue(0)
    desk.ask("Hello")
    assert desk.engine.requests[-1].states == StateBudget(paths().states, 256 * MIB, 0)


def test_sizes_are_shown(desk):
    desk.ask("Hello")
    conversation = desk.parts.chat.session.id
    write_state(conversation, 3 * MIB)
    write_state("another", 2 * MIB)
    desk.parts.saved.refresh()
    desk.qtbot.waitUntil(lambda: desk.parts.saved.total_bytes == 5 * MIB)
    assert desk.parts.saved.size_bytes(conversation) == 3 * MIB
    desk.window.menu_actions["preferences"].trigger()
    label = desk.window.findChild(PreferencesDialog).findChild(QLabel, "kv_saved")
    assert label.text() == "5.00 MiB; conversations: 2"
    desk.parts.dialogs.memory_details()
    page = desk.window.findChild(MemoryDetailsDialog).conversation
    desk.qtbot.waitUntil(lambda: "saved KV cache takes 3.00 MiB on disk" in page.sentences.text())


def test_deleting_a_conversation_discards_its_state(desk):
    desk.ask("Hello")
    conversation = desk.parts.chat.session.id
    desk.parts.library.delete(conversation)
    desk.qtbot.waitUntil(lambda: desk.engine.discarded == [conversation])


def test_the_foot_says_what_was_spared(open_desk):
    desk = open_desk(ScriptedEngine(Answer(prompt_tokens=1000, prefill_ms=2000), resumed_answer()))
    desk.ask("Cold")
    desk.ask("Warm")
    item = desk.items()[-1]
    assert "read anew)" in item.footer
    assert "1,000 tokens of the KV cache came from disk in 50.0 ms; without it TTFT would be about" in (
        item.footer_tooltip
    )
    assert "read anew" not in desk.items()[1].footer
    (_, turn) = desk.stored(lambda store: store.turns(desk.parts.chat.session.id))
    assert (turn.stats.restored_from, turn.stats.restored_tokens, turn.stats.restore_ns) == ("disk", 1004, 50 * MS)


def test_a_smaller_budget_deletes_the_oldest_a_while_later(desk):
    write_state("old", 2 * MIB)
    write_state("new", 2 * MIB)
    os.utime(StateFolder(paths().states).states("old")[0].path, (1, 1))
    desk.parts.saved._pause.setInterval(50)
    desk.parts.settings.set(replace(desk.parts.settings.value, kv_disk_mib=3))
    desk.qtbot.waitUntil(lambda: [one.conversation for one in StateFolder(paths().states).states()] == ["new"])
    desk.parts.settings.set(replace(desk.parts.settings.value, kv_disk_mib=0))
    desk.qtbot.waitUntil(lambda: StateFolder(paths().states).states() == [])
