"""A changed message, an answer made anew or written on: they pass the gate that a new message passes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from tests.fakes import Answer
from tests.ui.branches import check, ids, session_of
from tests.ui.full_context import SUMMARY, asked, edges, full_context, out_of_view, question, send

AFTER = Answer(pieces=("After",))
CUT = Answer(pieces=("Cut ", "off"), finish_reason="length")


@pytest.fixture
def full_desk(open_desk):
    """A window on a conversation whose next turn does not fit; see `full_context`."""
    return partial(full_context, open_desk)


@pytest.fixture
def brim_desk(full_desk):
    """The same with a fifth turn, whose answer found less than its usual room."""

    def open_(on_full: str, *answers: Answer):
        desk = full_desk("stop", *(answers or (CUT, AFTER)))
        send(desk, question(5, 100))
        settings = desk.parts.settings
        settings.set(replace(settings.value, on_full=on_full))
        return desk

    return open_


def change(desk, index: int, text: str) -> str:
    """Edit a message as a person does; return its id."""
    message_id = ids(desk)[index]
    desk.window.transcript.edit_item(message_id)
    desk.find("edit_box").setPlainText(text)
    desk.find("save_edit").click()
    return message_id


def wait_until_held(desk):
    desk.qtbot.waitUntil(lambda: bool(desk.window.room_bar.sentence))


def wait_until_answered(desk, before: int):
    desk.qtbot.waitUntil(lambda: len(desk.engine.requests) > before)
    desk.wait_until_idle()


def test_a_changed_message_that_does_not_fit_is_held_and_stays_in_its_place(full_desk):
    desk = full_desk("ask")
    texts = desk.texts()
    message_id = change(desk, 6, question(4, 150))
    wait_until_held(desk)
    bar = desk.window.room_bar
    assert bar.ways == ["summarise", "drop", "shorten"]
    assert len(desk.engine.requests) == 4
    assert desk.texts() == texts
    assert desk.window.transcript.edited_item == message_id
    assert desk.find("edit_box").toPlainText() == question(4, 150)
    desk.click("room_shorten")
    assert not bar.isVisible()
    assert desk.find("edit_box").toPlainText() == question(4, 150)
    desk.find("composer").setPlainText("Something else")
    desk.find("edit_box").setPlainText("Shorter")
    desk.find("save_edit").click()
    wait_until_answered(desk, 4)
    assert desk.texts()[-2:] == ["Shorter", "After"]
    assert desk.window.transcript.edited_item == ""
    assert desk.find("composer").toPlainText() == "Something else"
    check(desk)


def test_the_choices_go_when_the_change_is_written_on_or_given_up(full_desk):
    desk = full_desk("ask")
    change(desk, 6, question(4, 150))
    wait_until_held(desk)
    desk.find("composer").setPlainText("Not this")
    assert desk.window.room_bar.sentence
    desk.find("edit_box").setPlainText(question(4, 151))
    assert not desk.window.room_bar.sentence
    desk.find("save_edit").click()
    wait_until_held(desk)
    desk.find("cancel_edit").click()
    assert not desk.window.room_bar.sentence
    assert desk.window.transcript.edited_item == ""
    assert len(desk.engine.requests) == 4


@pytest.mark.parametrize("way", ["drop", "summarise"])
def test_a_choice_is_carried_out_for_the_changed_message(full_desk, way):
    desk = full_desk("ask", *((SUMMARY, AFTER) if way == "summarise" else (AFTER,)))
    message_id = change(desk, 6, question(4, 150))
    wait_until_held(desk)
    desk.click(f"room_{way}")
    desk.qtbot.waitUntil(lambda: desk.texts()[-1] == "After")
    desk.wait_until_idle()
    assert question(4, 150) in asked(desk)
    assert "Question 1 " not in asked(desk)
    assert ("Goal: ferries" in asked(desk)) is (way == "summarise")
    assert len(edges(desk)) == 1
    assert desk.window.transcript.edited_item == ""
    check(desk)
    desk.parts.branches.step(ids(desk)[6], -1)
    assert ids(desk)[6] == message_id
    assert edges(desk) == out_of_view(desk) == []  # that was done in the new branch alone
    check(desk)


@pytest.mark.parametrize("on_full", ["grow", "summarise"])
def test_what_stands_before_a_changed_message_is_summarised_by_itself(full_desk, on_full):
    desk = full_desk(on_full, SUMMARY, AFTER)
    change(desk, 4, question(3, 260))
    desk.qtbot.waitUntil(lambda: desk.texts()[-1] == "After")
    desk.wait_until_idle()
    assert "Goal: ferries" in asked(desk)
    assert "Question 1 " not in asked(desk)
    assert "Question 2 " in asked(desk)
    assert len(ids(desk)) == 6
    assert desk.window.undo_bar.sentence == "The older turns were summarised."
    (summary,) = session_of(desk).summaries.values()
    assert summary.receipt.measured is not None
    check(desk)


def test_stop_while_that_is_summarised_keeps_the_change(full_desk):
    desk = full_desk("summarise", Answer(pieces=("word ",) * 500, delay_s=0.01), AFTER)
    texts = desk.texts()
    message_id = change(desk, 6, question(4, 150))
    desk.qtbot.waitUntil(lambda: desk.window.status_line.activity == "summarising: writing")
    desk.click("stop_button")
    assert desk.texts() == texts
    assert session_of(desk).summaries == {}
    assert desk.window.transcript.edited_item == message_id
    assert desk.find("edit_box").toPlainText() == question(4, 150)
    check(desk)


def test_a_changed_message_longer_than_any_context_is_refused_with_what_to_cut(full_desk):
    desk = full_desk("grow", turns=1)
    change(desk, 0, question(1, 2000))
    wait_until_held(desk)
    assert "cut at least" in desk.window.room_bar.sentence
    assert desk.window.room_bar.ways == ["shorten"]
    assert len(desk.engine.requests) == 1


@pytest.mark.parametrize("name", ["regenerate", "continue"])
def test_an_answer_without_its_room_asks_before_it_is_made_anew_or_written_on(brim_desk, name):
    desk = brim_desk("ask")
    desk.window.menu_actions[name].trigger()
    wait_until_held(desk)
    assert desk.window.room_bar.ways == ["summarise", "drop"]
    assert len(desk.engine.requests) == 5
    desk.click("room_drop")
    wait_until_answered(desk, 5)
    assert desk.texts()[-1] == ("After" if name == "regenerate" else "Cut offAfter")
    assert "Question 1 " not in asked(desk)
    check(desk)


def test_an_answer_is_made_anew_otherwise_through_the_same_gate(brim_desk):
    desk = brim_desk("summarise", CUT, SUMMARY, AFTER)
    desk.parts.messages.variations.apply("more_creative", ids(desk)[-1])
    desk.qtbot.waitUntil(lambda: desk.texts()[-1] == "After")
    desk.wait_until_idle()
    assert "Goal: ferries" in asked(desk)
    own = desk.parts.settings.value.sampling.temperature
    assert desk.engine.requests[-1].sampling.temperature > own
    check(desk)
    desk.parts.branches.step(ids(desk)[-1], -1)
    assert desk.texts()[-1] == "Cut off"
    assert edges(desk) == []


def test_the_ttft_of_a_changed_message_counts_from_save_on(full_desk):
    desk = full_desk("drop")
    change(desk, 6, question(4, 150))
    wait_until_answered(desk, 4)
    request = desk.engine.requests[-1]
    assert request.submitted_ns < session_of(desk).turns[ids(desk)[-1]].stats.started_ns


def test_a_change_that_cannot_be_taken_now_stays(full_desk):
    desk = full_desk("summarise", Answer(pieces=("word ",) * 500, delay_s=0.01), AFTER)
    message_id = ids(desk)[0]
    desk.window.transcript.edit_item(message_id)
    desk.find("edit_box").setPlainText("Changed")
    desk.type_and_send(question(5))
    desk.qtbot.waitUntil(lambda: desk.parts.summaries.is_running)
    desk.find("save_edit").click()
    assert "when the model is done" in desk.window.notice_bar.sentence
    assert desk.window.transcript.edited_item == message_id
    desk.parts.commands.stop()


def test_writing_on_while_that_is_summarised_takes_the_saving_back(full_desk):
    desk = full_desk("summarise", Answer(pieces=("word ",) * 500, delay_s=0.01), AFTER)
    change(desk, 6, question(4, 150))
    desk.qtbot.waitUntil(lambda: desk.window.status_line.activity == "summarising: writing")
    desk.find("edit_box").setPlainText(question(4, 151))
    assert not desk.parts.summaries.is_running
    assert desk.parts.chat.can_answer
    assert desk.find("edit_box").toPlainText() == question(4, 151)
    check(desk)


def test_the_choices_go_when_another_version_is_shown(full_desk):
    desk = full_desk("ask")
    desk.parts.branches.edit(ids(desk)[6], "Another")
    desk.wait_until_idle()
    desk.parts.branches.step(ids(desk)[6], -1)
    change(desk, 6, question(4, 150))
    wait_until_held(desk)
    desk.parts.branches.step(ids(desk)[6], 1)
    assert not desk.window.room_bar.sentence
    desk.parts.branches.step(ids(desk)[6], -1)
    assert desk.find("edit_box").toPlainText() == question(4, 150)
    check(desk)


def test_every_branch_keeps_the_edge_of_its_own_view(full_desk, open_desk):
    desk = full_desk("drop")
    send(desk, question(5))
    first = ids(desk)[1]
    assert session_of(desk).conversation.dropped_until == first
    change(desk, 8, question(5, 160))  # more has to leave for it
    wait_until_answered(desk, 5)
    second = ids(desk)[3]
    assert session_of(desk).conversation.dropped_until == second
    assert "Question 2 " not in asked(desk)
    desk.parts.branches.edit(ids(desk)[2], "Short")  # before the edge: nothing had to leave there
    desk.wait_until_idle()
    assert edges(desk) == []
    assert "Question 1 " in asked(desk)
    check(desk)
    seen = []
    for index, by in ((2, -1), (8, -1), (2, 1), (2, -1), (8, 1)):
        desk.parts.branches.step(ids(desk)[index], by)
        seen.append(session_of(desk).conversation.dropped_until)
        check(desk)
    assert seen == [second, first, "", first, second]
    conversation_id, shown = session_of(desk).id, desk.items()
    desk.window.close()
    again = open_desk()
    again.parts.library.open(conversation_id)
    again.qtbot.waitUntil(lambda: len(again.items()) == len(shown))
    assert edges(again) == edges(desk)
    again.parts.branches.step(ids(again)[8], -1)
    assert session_of(again).conversation.dropped_until == first


def test_a_drop_is_undone_in_the_branch_it_was_made_for(full_desk):
    desk = full_desk("drop")
    send(desk, question(5))
    change(desk, 8, question(5, 160))
    wait_until_answered(desk, 5)
    assert desk.window.undo_bar.sentence.startswith("Out of the model's view now: 1 turn, up to “Question 2")
    first, second = ids(desk)[1], ids(desk)[3]
    desk.parts.branches.step(ids(desk)[8], -1)
    desk.click("undo_bar_button")
    assert session_of(desk).conversation.dropped_until == first
    desk.parts.branches.step(ids(desk)[8], 1)
    assert session_of(desk).conversation.dropped_until == first != second
    check(desk)


def test_the_message_at_which_the_view_begins_may_be_deleted(full_desk):
    desk = full_desk("drop")
    send(desk, question(5))
    question_id, answer_id = ids(desk)[:2]
    desk.parts.branches.delete([answer_id])
    assert session_of(desk).conversation.dropped_until == question_id
    assert edges(desk)[0].author == "The model sees from here on. Out of its view above: 1 turn"
    check(desk)
    desk.click("undo_bar_button")
    assert session_of(desk).conversation.dropped_until == answer_id
    check(desk)
