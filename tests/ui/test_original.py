"""What a summary was laid over is a branch: both go on, each with its own view, and are always one step apart."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QMenu

from tests.fakes import Answer, ScriptedEngine
from tests.ui.branches import act, asked, check, edit, ids, session_of, versions
from ui.chat.transcript import Kind

LONG = Answer(pieces=("word ",) * 60)
SUMMARY = Answer(pieces=("Goal: ", "First ferries"), prompt_tokens=200)
HEADING = "Summary of the earlier conversation:\nGoal: First ferries"
QUESTIONS = ["First ferries " * 10, "Second ferries " * 10, "Third ferries " * 10]
MORE = ("One", "Two", "Three", "Four", "Five")


@pytest.fixture
def summarised(open_desk):
    """A conversation of three turns over which a summary was laid; the next answers are One, Two, Three..."""
    desk = open_desk(ScriptedEngine(*[LONG] * 3, SUMMARY, *(Answer(pieces=(word,)) for word in MORE)))
    for question in QUESTIONS:
        desk.ask(question)
    summarise(desk)
    return desk


def summarise(desk):
    desk.parts.summaries.start()
    desk.qtbot.waitUntil(lambda: not desk.parts.summaries.is_running)


def divider(desk):
    (item,) = [item for item in desk.items() if item.kind is Kind.SUMMARY]
    return item


def has_summary(desk) -> bool:
    return asked(desk)[0].startswith(HEADING)


def show_original(desk):
    act(desk, divider(desk).id, "show_original")


def show_summarised(desk):
    (item,) = [item for item in desk.items() if "show_summarised" in [action.id for action in item.actions]]
    act(desk, item.id, "show_summarised")


def said(desk) -> list[str]:
    return [item.text for item in desk.items() if item.kind in (Kind.USER, Kind.ASSISTANT)]


def test_the_original_and_the_summarised_branch_go_on_beside_each_other(summarised):
    desk, before = summarised, said(summarised)
    desk.ask("A")
    assert has_summary(desk)
    show_original(desk)
    assert said(desk) == before
    assert not any(item.is_out_of_view or item.kind in (Kind.SUMMARY, Kind.EDGE) for item in desk.items())
    check(desk)
    desk.ask("B")
    assert asked(desk) == [*before, "B"]
    assert said(desk) == [*before, "B", "Two"]
    check(desk)
    show_summarised(desk)
    assert said(desk) == [*before, "A", "One"]
    assert divider(desk).text.startswith("Goal: First ferries")
    desk.ask("C")
    assert has_summary(desk)
    assert asked(desk)[-3:] == ["A", "One", "C"]
    check(desk)
    show_original(desk)
    assert said(desk) == [*before, "B", "Two"]
    check(desk)


def test_both_are_there_after_a_restart(summarised, open_desk):
    desk = summarised
    desk.ask("A")
    show_original(desk)
    shown, conversation_id = desk.items(), session_of(desk).id
    desk.window.close()
    again = open_desk(ScriptedEngine(Answer(pieces=("Whole",)), Answer(pieces=("Short",))))
    again.parts.library.open(conversation_id)
    again.qtbot.waitUntil(lambda: session_of(again).id == conversation_id)
    assert again.items() == shown
    again.ask("B")
    assert asked(again) == [*said(again)[:6], "B"]
    show_summarised(again)
    assert said(again)[-2:] == ["A", "One"]
    again.ask("C")
    assert has_summary(again)
    check(again)


def test_what_is_said_after_both_is_a_version_of_the_other(summarised):
    desk = summarised
    desk.ask("A")
    show_original(desk)
    desk.ask("B")
    question = ids(desk)[6]
    assert [version for version in versions(desk) if version[1] > 1] == [(2, 2)]
    act(desk, question, "previous_version")
    assert said(desk)[-2:] == ["A", "One"]
    assert divider(desk)
    check(desk)


def test_the_list_of_branches_has_the_original_and_the_summary(summarised):
    desk = summarised

    def entries():
        desk.parts.messages.menu.open_branches()
        menu = desk.window.findChild(QMenu, "branches_menu")
        found = [(action.text().strip(), action.isChecked()) for action in menu.actions()]
        menu.actions()[0].trigger()
        menu.close()
        menu.setObjectName("")
        return found

    first = next(text for text, _ in entries())
    assert first.startswith("First ferries")
    assert first.endswith("(6 messages)")
    assert divider_count(desk) == 0
    (original, is_shown), (summary, _) = entries()
    assert (original, is_shown) == (first, True)
    assert summary.startswith("Summary: Goal: First ferries")
    check(desk)


def divider_count(desk) -> int:
    return sum(item.kind is Kind.SUMMARY for item in desk.items())


def test_a_summary_of_one_branch_is_not_laid_over_another(open_desk):
    desk = open_desk(ScriptedEngine(*[LONG] * 4, SUMMARY, Answer(pieces=("Other",))))
    for question in QUESTIONS:
        desk.ask(question)
    edit(desk, ids(desk)[4], "Third, but otherwise " * 10)
    summarise(desk)
    assert divider(desk)
    act(desk, ids(desk)[4], "previous_version")
    assert divider_count(desk) == 0
    desk.ask("And?")
    assert asked(desk)[0] == QUESTIONS[0]
    check(desk)


@pytest.mark.parametrize("way", ["regenerate", "edit", "branch"])
def test_what_stayed_word_for_word_can_be_changed_and_the_summary_counts_on(summarised, way):
    desk, before = summarised, said(summarised)
    if way == "regenerate":
        act(desk, ids(desk)[5], "regenerate")
        assert versions(desk)[[item.id for item in desk.items()].index(ids(desk)[5])] == (2, 2)
    elif way == "edit":
        edit(desk, ids(desk)[4], "Third, but otherwise")
    else:
        desk.parts.branches.branch_from(ids(desk)[3])
        desk.ask("Instead")
    assert has_summary(desk)
    assert divider(desk)
    check(desk)
    former = ids(desk)[5 if way == "regenerate" else 4]
    act(desk, former, "previous_version")
    assert said(desk) == before
    assert divider(desk)
    show_original(desk)
    assert said(desk) == before
    assert divider_count(desk) == 0
    check(desk)


def test_it_is_taken_back_in_all_branches_it_counts_in(summarised):
    desk = summarised
    act(desk, ids(desk)[5], "regenerate")
    act(desk, divider(desk).id, "undo_summary")
    desk.ask("A")
    assert asked(desk)[0] == QUESTIONS[0]
    act(desk, ids(desk)[5], "previous_version")
    assert divider_count(desk) == 0
    check(desk)
    notice = next(item for item in desk.items() if "redo_summary" in [action.id for action in item.actions])
    act(desk, notice.id, "redo_summary")
    desk.ask("B")
    assert has_summary(desk)
    check(desk)


def test_it_can_be_taken_back_from_the_bar_while_the_original_is_shown(summarised):
    desk = summarised
    show_original(desk)
    desk.parts.summaries.undo(session_of(desk).id, next(iter(session_of(desk).summaries)))
    check(desk)
    show_summarised(desk)
    assert divider_count(desk) == 0
    check(desk)


def test_a_message_that_a_summary_of_another_branch_ends_at_stays(summarised):
    desk = summarised
    end = session_of(desk).conversation.active_summary.covers_until
    show_original(desk)
    act(desk, end, "delete_message")
    assert end in ids(desk)
    assert "in another branch" in desk.window.notice_bar.sentence


def test_what_was_pinned_below_a_summary_is_seen_in_both_branches(summarised):
    desk = summarised
    pinned = session_of(desk).conversation.messages[0]
    desk.parts.branches.pin(pinned.id, True)
    desk.ask("A")
    assert asked(desk)[1] == pinned.content
    show_original(desk)
    desk.ask("B")
    assert asked(desk)[0] == pinned.content
    assert asked(desk).count(pinned.content) == 1
    check(desk)


def test_the_original_can_be_summarised_again_and_has_an_original_too(summarised):
    desk = summarised
    desk.ask("A")
    desk.engine.answers.appendleft(SUMMARY)
    show_original(desk)
    first = next(iter(session_of(desk).summaries))
    summarise(desk)
    second = divider(desk).id
    assert second != first
    check(desk)
    show_original(desk)
    assert divider_count(desk) == 0
    actions = [action.id for item in desk.items() for action in item.actions]
    assert actions.count("show_summarised") == 2
    act(desk, first, "show_summarised")
    assert divider(desk).id == first
    check(desk)


def test_what_is_deleted_after_a_summary_leaves_the_original_alone_and_comes_back(summarised):
    desk, before = summarised, said(summarised)
    desk.ask("A")
    desk.window.menu_actions["delete_turn"].trigger()
    assert said(desk) == before
    assert divider(desk)
    check(desk)
    show_original(desk)
    assert said(desk) == before
    desk.ask("B")
    show_summarised(desk)
    desk.window.menu_actions["undo"].trigger()
    assert said(desk) == [*before, "A", "One"]
    check(desk)


def test_what_a_summary_covers_can_be_deleted_in_both(summarised):
    desk, before = summarised, said(summarised)
    desk.parts.branches.delete(ids(desk)[:2])
    assert divider(desk)
    desk.ask("A")
    assert has_summary(desk)
    show_original(desk)
    assert said(desk) == before[2:]
    desk.ask("B")
    assert asked(desk) == [*before[2:], "B"]
    check(desk)


def test_a_conversation_that_is_opened_anew_while_it_is_summarised_gets_the_summary(open_desk):
    slow = Answer(pieces=("Goal: ", "First ferries"), prompt_tokens=200, delay_s=0.3)
    desk = open_desk(ScriptedEngine(*[LONG] * 3, slow, Answer(pieces=("One",))))
    for question in QUESTIONS:
        desk.ask(question)
    first = session_of(desk)
    desk.parts.summaries.start()
    desk.click("new_conversation_button")
    desk.parts.library.open(first.id)
    desk.qtbot.waitUntil(lambda: session_of(desk).id == first.id)
    assert session_of(desk) is not first
    assert desk.parts.summaries.is_running
    desk.qtbot.waitUntil(lambda: not desk.parts.summaries.is_running)
    assert divider(desk)
    desk.ask("A")
    assert has_summary(desk)
    check(desk)


def test_a_summary_that_is_carried_over_beside_its_own_place_is_shown_once(summarised):
    """The last question is deleted after the summary, so that what comes next follows the message before it."""
    desk = summarised
    desk.ask("A")
    desk.window.menu_actions["delete_turn"].trigger()
    desk.parts.branches.branch_from(ids(desk)[-1])
    assert [item.id for item in desk.items()].count(divider(desk).id) == 1
    assert not any(action.id == "show_summarised" for item in desk.items() for action in item.actions)
    check(desk)
