"""Edit, answer anew, branch, step, delete, pin and continue: what is shown, asked and stored after each."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from app.chat.conversation import Summary
from tests.fakes import Answer, ScriptedEngine
from tests.ui.branches import act, asked, check, counting_engine, edit, ids, session_of, versions
from ui.conversation_items import can_be_continued


@pytest.fixture
def desk(open_desk):
    return open_desk(counting_engine())


def test_an_edited_question_is_answered_anew_and_the_old_one_stays(desk):
    desk.ask("A")
    desk.ask("B")
    question = ids(desk)[2]
    edit(desk, question, "B, better")
    assert desk.texts() == ["A", "One", "B, better", "Three"]
    assert asked(desk) == ["A", "One", "B, better"]
    assert versions(desk) == [(1, 1), (1, 1), (2, 2), (1, 1)]
    check(desk)
    act(desk, ids(desk)[2], "previous_version")
    assert desk.texts() == ["A", "One", "B", "Two"]
    check(desk)
    act(desk, ids(desk)[2], "next_version")
    assert desk.texts()[-2:] == ["B, better", "Three"]
    check(desk)


def test_an_edited_answer_stands_as_the_user_wrote_it(desk):
    desk.ask("A")
    desk.ask("B")
    edit(desk, ids(desk)[1], "Mine")
    assert desk.texts() == ["A", "Mine"]
    assert len(desk.engine.requests) == 2
    assert "edited by you" in desk.items()[-1].footer
    check(desk)
    desk.ask("C")
    assert asked(desk) == ["A", "Mine", "C"]
    act(desk, ids(desk)[1], "previous_version")
    assert desk.texts() == ["A", "One", "B", "Two"]
    check(desk)


def test_regenerating_keeps_every_answer_as_a_version(desk):
    desk.ask("A")
    for _ in range(2):
        act(desk, ids(desk)[-1], "regenerate")
    assert desk.texts() == ["A", "Three"]
    assert versions(desk)[-1] == (3, 3)
    desk.parts.branches.step_last(-1)
    desk.parts.branches.step_last(-1)
    assert desk.texts() == ["A", "One"]
    desk.parts.branches.step_last(-1)
    assert desk.texts() == ["A", "One"]
    check(desk)


def test_an_answer_in_the_middle_can_be_made_anew(desk):
    desk.ask("A")
    desk.ask("B")
    act(desk, ids(desk)[1], "regenerate")
    assert desk.texts() == ["A", "Three"]
    assert asked(desk) == ["A"]
    check(desk)


@pytest.mark.parametrize(("name", "change"), [("more_creative", 1), ("less_creative", -1), ("same_settings", 0)])
def test_an_answer_is_made_anew_otherwise(desk, name, change):
    desk.ask("A")
    desk.window.transcript.menu_requested.emit(ids(desk)[-1], "regenerate_menu", QPoint(10, 10))
    menu = desk.window.findChild(QMenu, "message_menu")
    next(action for action in menu.actions() if action.objectName() == name).trigger()
    menu.close()
    desk.wait_until_idle()
    own, used = (request.sampling.temperature for request in desk.engine.requests)
    assert (used > own) - (used < own) == change
    turn = desk.stored(lambda store: store.turns(session_of(desk).id))[-1]
    assert json.loads(turn.settings_json)["sampling"]["temperature"] == used
    assert desk.parts.settings.value.sampling.temperature == own


def test_another_seed_is_another_seed(desk):
    settings = desk.parts.settings
    settings.set(replace(settings.value, sampling=replace(settings.value.sampling, seed=7)))
    desk.ask("A")
    desk.window.findChild(type(desk.parts.branches))
    variations = desk.parts.messages.variations
    variations.apply("other_seed", ids(desk)[-1])
    desk.wait_until_idle()
    assert desk.engine.requests[0].sampling.seed == 7
    assert desk.engine.requests[1].sampling.seed not in (7, None)


def test_sampling_is_chosen_for_one_answer(desk):
    desk.ask("A")
    desk.parts.messages.variations.apply("choose_sampling", ids(desk)[-1])
    dialog = desk.find("sampling_dialog")
    desk.find("top_k").setValue(3)
    dialog.accept()
    desk.wait_until_idle()
    assert [request.sampling.top_k for request in desk.engine.requests] == [40, 3]


def test_a_branch_goes_on_from_any_message(desk):
    desk.ask("A")
    desk.ask("B")
    menu = desk.parts.messages.menu
    desk.parts.branches.branch_from(ids(desk)[1])
    assert desk.texts() == ["A", "One"]
    check(desk)
    desk.ask("C")
    assert desk.texts() == ["A", "One", "C", "Three"]
    menu.open_branches()
    shown = desk.window.findChild(QMenu, "branches_menu")
    entries = [(action.text(), action.isChecked()) for action in shown.actions()]
    assert entries == [("A  (4 messages)", False), ("    C  (4 messages)", True)]
    shown.actions()[0].trigger()
    shown.close()
    assert desk.texts() == ["A", "One", "B", "Two"]
    check(desk)


def test_a_question_without_an_answer_can_be_answered(desk):
    desk.ask("A")
    desk.ask("B")
    desk.parts.branches.branch_from(ids(desk)[2])
    assert desk.texts() == ["A", "One", "B"]
    assert [action.label for action in desk.items()[-1].actions] == ["Answer"]
    act(desk, ids(desk)[2], "regenerate")
    desk.wait_until_idle()
    assert desk.texts() == ["A", "One", "B", "Three"]
    assert versions(desk)[-1] == (2, 2)
    assert not desk.items()[2].actions
    check(desk)


def test_what_was_left_is_one_click_away(desk):
    desk.ask("A")
    desk.ask("B")
    edit(desk, ids(desk)[1], "Mine")
    assert desk.texts() == ["A", "Mine"]
    assert desk.window.undo_bar.sentence == "What followed is kept as another branch."
    desk.window.undo_bar.act()
    assert desk.texts() == ["A", "One", "B", "Two"]
    check(desk)
    desk.parts.branches.branch_from(ids(desk)[1])
    assert desk.window.undo_bar.sentence
    desk.parts.branches.show(session_of(desk).tree.newest_leaf(ids(desk)[1]))
    assert not desk.window.undo_bar.sentence


def test_a_deleted_message_comes_back(desk):
    desk.ask("A")
    desk.ask("B")
    desk.qtbot.waitUntil(lambda: session_of(desk).ledger is not None and len(session_of(desk).ledger.entries) == 4)
    act(desk, ids(desk)[1], "delete_message")
    assert desk.texts() == ["A", "B", "Two"]
    # the scripted engine counts words + 4
    assert desk.window.undo_bar.sentence == (
        "Deleted the message. The next prompt is shorter by 5 tokens, 112 KiB of the KV cache."
    )
    check(desk)
    desk.ask("C")
    assert asked(desk) == ["A", "B", "Two", "C"]
    desk.window.menu_actions["undo"].trigger()
    assert desk.texts() == ["A", "One", "B", "Two", "C", "Three"]
    check(desk)


def test_a_turn_is_deleted_and_the_menu_says_what_that_frees(desk):
    desk.ask("A")
    desk.ask("B")
    desk.qtbot.waitUntil(lambda: session_of(desk).ledger is not None and len(session_of(desk).ledger.entries) == 4)
    desk.window.transcript.menu_requested.emit(ids(desk)[1], "menu", QPoint(10, 10))
    menu = desk.window.findChild(QMenu, "message_menu")
    action = next(action for action in menu.actions() if action.objectName() == "delete_turn")
    assert action.text() == "Delete question and answer (frees 10 tokens, 225 KiB of the KV cache)"
    action.trigger()
    menu.close()
    assert desk.texts() == ["B", "Two"]
    check(desk)


def test_an_emptied_conversation_is_not_lost(desk):
    desk.ask("A")
    first = session_of(desk).id
    desk.window.menu_actions["delete_turn"].trigger()
    assert desk.texts() == []
    desk.window.menu_actions["new"].trigger()
    assert desk.stored(lambda store: [row.id for row in store.conversations()]) == [first]
    desk.window.menu_actions["undo"].trigger()
    assert len(desk.stored(lambda store: store.conversation(first)).messages) == 2


def test_what_a_summary_ends_at_cannot_be_deleted(desk):
    desk.ask("A")
    desk.ask("B")
    session = session_of(desk)
    summary = Summary("Short.", ids(desk)[1])
    session.add_summary(summary)
    desk.parts.store.write(lambda store: store.add_summary(session.id, summary))
    act(desk, ids(desk)[1], "delete_message")
    assert len(ids(desk)) == 4
    assert "take the summary back first" in desk.window.notice_bar.sentence


def test_a_pinned_message_is_always_seen(desk):
    desk.ask("A")
    desk.ask("B")
    session = session_of(desk)
    summary = Summary("Short.", ids(desk)[3])
    session.add_summary(summary)
    desk.parts.store.write(lambda store: store.add_summary(session.id, summary))
    desk.parts.branches.pin(ids(desk)[0], True)
    desk.ask("C")
    assert asked(desk) == ["Summary of the earlier conversation:\nShort.", "A", "C"]
    assert [item.is_pinned for item in desk.items()[:2]] == [True, False]
    check_pinned = desk.stored(lambda store: store.conversation(session.id).messages[0].pinned)
    assert check_pinned
    act(desk, ids(desk)[0], "unpin")
    desk.ask("D")
    assert asked(desk)[1:] == ["C", "Three", "D"]


def test_a_stopped_answer_goes_on_in_its_place(open_desk):
    engine = ScriptedEngine(
        Answer(pieces=("Half", " an"), finish_reason="length"), Answer(pieces=(" answer", "."), thinking=())
    )
    desk = open_desk(engine)
    desk.ask("A")
    answer = desk.items()[-1]
    assert "continue" in [action.id for action in answer.actions]
    act(desk, answer.id, "continue")
    assert desk.texts() == ["A", "Half an answer."]
    request = engine.requests[-1]
    assert [message.content for message in request.messages] == ["A"]
    assert (request.continues.id, request.continues.content) == (answer.id, "Half an")
    turns = desk.stored(lambda store: store.turns(session_of(desk).id))
    assert [(turn.part, turn.stats.finish_reason) for turn in turns] == [(0, "length"), (1, "stop")]
    assert "Continued; before that" in desk.items()[-1].footer_tooltip
    assert not can_be_continued(session_of(desk).conversation.messages[-1], turns[-1].stats)
    check(desk)


def test_an_edited_answer_can_be_continued(desk):
    desk.ask("A")
    edit(desk, ids(desk)[1], "Mine, and")
    desk.window.menu_actions["continue"].trigger()
    desk.wait_until_idle()
    assert desk.texts() == ["A", "Mine, andTwo"]
    check(desk)


def test_an_interrupted_answer_goes_on_after_a_restart(open_desk):
    first = open_desk(ScriptedEngine(Answer(pieces=("word ",) * 400, delay_s=0.005)))
    first.type_and_send("A")
    first.qtbot.waitUntil(lambda: first.parts.chat.running is not None and "word" in first.parts.chat.running.text)
    conversation_id = session_of(first).id
    first.window.close()
    second = open_desk(ScriptedEngine(Answer(pieces=("end",))))
    second.parts.library.open(conversation_id)
    second.qtbot.waitUntil(lambda: session_of(second).id == conversation_id)
    half = second.texts()[-1]
    assert half.startswith("word")
    act(second, ids(second)[-1], "continue")
    assert second.texts() == ["A", half + "end"]
    assert second.items()[-1].error == ""
    check(second)


def test_everything_is_there_when_the_conversation_is_opened_again(desk):
    desk.ask("A")
    act(desk, ids(desk)[1], "regenerate")
    edit(desk, ids(desk)[0], "A, better")
    first = session_of(desk)
    desk.window.menu_actions["new"].trigger()
    desk.parts.library.open(first.id)
    desk.qtbot.waitUntil(lambda: session_of(desk).id == first.id)
    assert session_of(desk) is not first
    assert (session_of(desk).tree, session_of(desk).messages) == (first.tree, first.messages)
    act(desk, ids(desk)[0], "previous_version")
    assert desk.texts() == ["A", "Two"]
    act(desk, ids(desk)[1], "previous_version")
    assert desk.texts() == ["A", "One"]
    check(desk)


def test_nothing_changes_while_the_conversation_is_answered(open_desk):
    desk = open_desk(ScriptedEngine(Answer(pieces=("word ",) * 400, delay_s=0.005)))
    desk.type_and_send("A")
    question = ids(desk)[0]
    branches = desk.parts.branches
    branches.edit(question, "B")
    branches.delete([question])
    branches.branch_from(question)
    branches.pin(question, True)
    branches.regenerate()
    assert session_of(desk).conversation.messages[0].content == "A"
    assert not desk.window.menu_actions["edit_last"].isEnabled()
    desk.parts.chat.stop()
    desk.wait_until_idle()
    check(desk)
