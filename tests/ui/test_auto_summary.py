"""Summaries by themselves: only where they were turned on, only when the user does nothing, said and undone."""

from dataclasses import replace

import pytest

from tests.fakes import Answer, ScriptedEngine
from ui.chat.transcript import Kind

LONG = ("word ",) * 60
SUMMARY = Answer(pieces=("- First ferries, ", "Second ferries."), prompt_tokens=200)
SLOW = Answer(pieces=("ferries ",) * 1000, delay_s=0.01, prompt_tokens=200)


@pytest.fixture
def full_desk(open_desk):
    """Four turns that fill more than a tenth of the context; the engine's next answers are these."""

    def open_(percent: int, *answers: Answer):
        long = Answer(pieces=LONG, prompt_tokens=500)
        engine = ScriptedEngine(*[long] * 4, *(answers or (SUMMARY,)), Answer(pieces=("After",)))
        desk = open_desk(engine)
        desk.parts.settings.set(replace(desk.parts.settings.value, summarise_at=percent))
        for number in ("First", "Second", "Third", "Fourth"):
            desk.ask(f"{number} ferries " * 10)
        return desk

    return open_


def idle(desk) -> None:
    """The time without a key has passed."""
    auto = desk.parts.auto_summary
    if auto._pause.isActive():
        auto._pause.stop()
        auto._try()


def dividers(desk):
    return [item for item in desk.items() if item.kind is Kind.SUMMARY]


def test_it_is_off_unless_it_was_turned_on(full_desk):
    desk = full_desk(0)
    assert not desk.parts.auto_summary.is_waiting
    assert len(desk.engine.requests) == 4


def test_below_the_threshold_nothing_happens(full_desk):
    desk = full_desk(80)
    idle(desk)
    assert not desk.parts.summaries.is_running


def test_above_it_the_older_turns_are_summarised_said_and_undone(full_desk):
    desk = full_desk(10)
    assert desk.parts.auto_summary.is_waiting
    idle(desk)
    desk.qtbot.waitUntil(lambda: bool(dividers(desk)))
    assert desk.window.undo_bar.sentence == "The older turns were summarised."
    desk.click("undo_bar_button")
    assert dividers(desk) == []
    idle(desk)
    assert not desk.parts.summaries.is_running


def test_it_is_not_tried_again_before_the_conversation_has_grown(full_desk):
    desk = full_desk(10, Answer(pieces=(), finish_reason="failed", error="No."), SUMMARY)
    idle(desk)
    desk.qtbot.waitUntil(lambda: not desk.parts.summaries.is_running)
    assert desk.window.notice_bar.sentence == ""
    desk.parts.auto_summary._wait()
    idle(desk)
    assert not desk.parts.summaries.is_running
    assert dividers(desk) == []


def test_the_first_key_ends_it_and_it_is_made_up_for_later(full_desk):
    desk = full_desk(10, SLOW, SUMMARY)
    idle(desk)
    desk.qtbot.waitUntil(lambda: len(desk.engine.requests) == 5)
    desk.find("composer").setPlainText("A")
    assert not desk.parts.summaries.is_running
    assert desk.parts.chat.can_answer
    idle(desk)
    assert not desk.parts.summaries.is_running
    desk.find("composer").setPlainText("")
    idle(desk)
    desk.qtbot.waitUntil(lambda: bool(dividers(desk)))


def test_it_never_keeps_the_user_from_sending(full_desk):
    desk = full_desk(10, SLOW)
    idle(desk)
    desk.qtbot.waitUntil(lambda: len(desk.engine.requests) == 5)
    assert desk.parts.chat.can_answer
    desk.ask("And now?")
    assert desk.items()[-1].text == "After"
    assert dividers(desk) == []


def test_an_open_preview_goes_before_it(full_desk):
    desk = full_desk(10, SLOW)
    desk.click("summarise_button")
    desk.parts.auto_summary._wait()
    idle(desk)
    assert len(desk.engine.requests) <= 5
    desk.parts.commands.stop()
