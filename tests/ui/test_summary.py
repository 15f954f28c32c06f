"""Summarise: a divider with a receipt, cancellable, undoable, the originals kept."""

import pytest

from app.engine.events import GenerationFinished, PromptTokenised
from tests.fakes import Answer, ScriptedEngine
from ui.chat.transcript import Kind

LONG = ("word ",) * 60
SUMMARY = Answer(pieces=("Goal: ", "First ferries"), prompt_tokens=200)


@pytest.fixture
def long_desk(open_desk):
    """A conversation of three turns; the engine's next answers are `summary`, then "After"."""

    def open_(*summary: Answer):
        engine = ScriptedEngine(*[Answer(pieces=LONG)] * 3, *(summary or (SUMMARY,)), Answer(pieces=("After",)))
        desk = open_desk(engine)
        for question in ("First ferries " * 10, "Second ferries " * 10, "Third ferries " * 10):
            desk.ask(question)
        return desk

    return open_


def wait_for_end(desk):
    desk.qtbot.waitUntil(lambda: not desk.parts.summaries.is_running)


def dividers(desk):
    return [item for item in desk.items() if item.kind is Kind.SUMMARY]


def conversation_of(desk):
    return desk.stored(lambda store: store.conversation(desk.parts.chat.session.id))


def test_the_summary_stands_as_a_divider_with_a_receipt(long_desk):
    desk = long_desk()
    before = desk.texts()
    desk.parts.summaries.start()
    assert desk.parts.summaries.is_running
    assert desk.window.status_line.activity.startswith("summarising")
    wait_for_end(desk)
    (divider,) = dividers(desk)
    assert divider.text.startswith("Goal: First ferries")
    assert [item.text for item in desk.items() if item.kind in (Kind.USER, Kind.ASSISTANT)] == before
    (summary,) = conversation_of(desk).summaries
    assert summary.tokens_after < summary.tokens_before
    assert f"{summary.tokens_before} → {summary.tokens_after} tokens" in divider.footer
    assert "KV " in divider.footer
    assert "TTFT " in divider.footer
    assert [message.content for message in conversation_of(desk).messages] == before


def test_the_model_then_gets_the_summary_in_place_of_the_older_turns(long_desk):
    desk = long_desk()
    desk.parts.summaries.start()
    wait_for_end(desk)
    desk.ask("And now?")
    messages = desk.engine.requests[-1].messages
    assert messages[0].role == "system"
    assert "Goal: First ferries" in messages[0].content
    assert "First" not in "".join(message.content for message in messages[1:])
    assert messages[-1].content == "And now?"


def test_the_question_is_a_cool_one_without_thinking(long_desk):
    desk = long_desk()
    desk.parts.summaries.start()
    wait_for_end(desk)
    request = desk.engine.requests[3]
    assert request.purpose == "summary"
    assert request.sampling.temperature < 0.5
    assert request.template_kwargs["enable_thinking"] is False
    assert request.max_tokens


def test_cancelling_changes_nothing(long_desk):
    desk = long_desk(Answer(pieces=("word ",) * 1000, delay_s=0.01))
    items = desk.items()
    desk.parts.summaries.start()
    desk.qtbot.waitUntil(lambda: desk.window.status_line.activity == "summarising: writing")
    desk.click("stop_button")
    assert not desk.parts.summaries.is_running
    assert desk.items() == items
    assert conversation_of(desk).summaries == ()
    desk.ask("Still there?")
    assert desk.items()[-1].text == "After"


def test_undo_brings_the_older_turns_back_and_can_itself_be_undone(long_desk):
    desk = long_desk()
    desk.parts.summaries.start()
    wait_for_end(desk)
    (divider,) = dividers(desk)
    desk.window.transcript.action_triggered.emit(divider.id, "undo_summary")
    assert dividers(desk) == []
    assert [summary.undone for summary in conversation_of(desk).summaries] == [True]
    assert desk.window.undo_bar.isVisible()
    desk.click("undo_bar_button")
    assert dividers(desk) == [divider]
    assert [summary.undone for summary in conversation_of(desk).summaries] == [False]


def test_a_summary_is_there_after_a_restart_and_can_still_be_undone(long_desk, open_desk):
    desk = long_desk()
    desk.parts.summaries.start()
    wait_for_end(desk)
    dividers_before, conversation_id = dividers(desk), desk.parts.chat.session.id
    desk.window.close()
    again = open_desk()
    again.parts.library.open(conversation_id)
    again.qtbot.waitUntil(lambda: dividers(again) == dividers_before)
    again.window.transcript.action_triggered.emit(dividers_before[0].id, "undo_summary")
    assert dividers(again) == []


def test_with_one_turn_there_is_nothing_to_summarise(desk):
    desk.ask("Only one")
    items = desk.items()
    desk.click("summarise_button")
    wait_for_end(desk)
    assert "nothing to summarise" in desk.window.notice_bar.sentence
    assert desk.items() == items


def test_a_failed_summary_says_why_and_changes_nothing(long_desk):
    desk = long_desk(Answer(pieces=(), finish_reason="failed", error="The template refuses this."))
    desk.parts.summaries.start()
    wait_for_end(desk)
    assert desk.window.notice_bar.sentence == "The template refuses this."
    assert dividers(desk) == []


def test_nothing_is_sent_while_it_is_made(long_desk):
    desk = long_desk(Answer(pieces=("word ",) * 1000, delay_s=0.01))
    desk.parts.summaries.start()
    desk.type_and_send("Too early")
    assert "Too early" not in desk.texts()
    assert desk.find("composer").toPlainText() == "Too early"
    desk.parts.commands.stop()


def test_a_user_elsewhere_goes_first_and_it_is_made_anew_afterwards(long_desk):
    slow = Answer(pieces=("word ",) * 1000, delay_s=0.01)
    desk = long_desk(slow, Answer(), SUMMARY)
    old = desk.parts.chat.session
    desk.parts.summaries.start()
    desk.qtbot.waitUntil(lambda: desk.window.status_line.activity == "summarising: writing")
    desk.click("new_conversation_button")
    assert desk.parts.summaries.is_running
    desk.ask("Hello")
    assert desk.texts() == ["Hello", "Hello world"]
    wait_for_end(desk)
    (summary,) = desk.stored(lambda store: store.conversation(old.id)).summaries
    assert summary.text.startswith("Goal: First ferries")  # nothing of the first attempt
    assert [request.purpose for request in desk.engine.requests[3:]] == ["summary", "answer", "summary"]


def test_closing_meanwhile_ends_in_time(long_desk):
    desk = long_desk(Answer(pieces=("word ",) * 1000, delay_s=0.01))
    desk.parts.summaries.start()
    desk.window.close()
    assert desk.parts.has_ended


def test_the_turn_after_it_says_why_all_was_read_anew(open_desk):
    miss = "The cache was empty."
    events = (PromptTokenised(1, 2, 10, 0, cache_miss=miss), GenerationFinished("stop", 3, 10))
    engine = ScriptedEngine(*[Answer(pieces=LONG)] * 3, SUMMARY, Answer(events=events))
    desk = open_desk(engine)
    for number in ("First", "Second", "Third"):
        desk.ask(f"{number} ferries " * 10)
    desk.parts.summaries.start()
    wait_for_end(desk)
    session = desk.parts.chat.session
    assert session.series.context_tokens == 0
    assert session.series.expected_tokens == session.conversation.summaries[-1].tokens_after
    assert desk.window.gauge.text.endswith(" expected")
    desk.ask("One")
    assert session.series.expected_tokens is None
    desk.ask("Two")
    turns = list(desk.parts.chat.session.turns.values())
    assert turns[-2].stats.cache_miss.startswith("A summary changed")
    assert turns[-1].stats.cache_miss == miss


def test_taken_back_before_an_answer_it_changed_nothing_of_what_was_read(long_desk):
    desk = long_desk()
    session, summaries = desk.parts.chat.session, desk.parts.summaries
    summaries.start()
    wait_for_end(desk)
    (summary,) = session.conversation.summaries
    summaries.undo(session.id, summary.id)
    assert session.cache_note == ""
    summaries.undo(session.id, summary.id, undone=False)
    assert session.cache_note
    desk.ask("With it")
    summaries.undo(session.id, summary.id)
    assert session.cache_note
    summaries.undo(session.id, summary.id, undone=False)
    assert session.cache_note == ""


def test_for_room_the_next_message_can_be_sent_at_once(long_desk):
    desk = long_desk()
    laid = []

    def then(is_laid):
        laid.append(is_laid)
        desk.parts.chat.send("And now?")

    desk.parts.summaries.start_for_room(then)
    desk.qtbot.waitUntil(lambda: bool(laid))
    assert laid == [True]
    desk.qtbot.waitUntil(lambda: len(desk.engine.requests) == 5)
    desk.wait_until_idle()
    assert "Goal: First ferries" in desk.engine.requests[-1].messages[0].content


@pytest.mark.parametrize("end", ["failed", "cancelled", "nothing", "running already"])
def test_for_room_it_is_said_that_none_could_be_made(long_desk, desk, end):
    laid = []
    if end == "failed":
        desk = long_desk(Answer(pieces=(), finish_reason="failed", error="The template refuses this."))
    elif end != "nothing":
        desk = long_desk(Answer(pieces=("word ",) * 1000, delay_s=0.01))
    desk.parts.summaries.start_for_room(laid.append)
    if end == "cancelled":
        desk.parts.summaries.cancel()
    elif end == "running already":
        desk.parts.summaries.start_for_room(laid.append)
        assert laid == [False]
        desk.parts.summaries.cancel()
    desk.qtbot.waitUntil(lambda: bool(laid))
    wait_for_end(desk)
    assert set(laid) == {False}
    assert desk.parts.chat.session.conversation.summaries == ()


def test_what_was_interrupted_is_asked_again(long_desk):
    desk = long_desk(Answer(pieces=("Goal: ",), finish_reason="cancelled"), SUMMARY)
    desk.parts.summaries.start()
    wait_for_end(desk)
    assert len(desk.engine.requests) == 5
    assert desk.engine.requests[4].messages == desk.engine.requests[3].messages
    assert dividers(desk)[0].text.startswith("Goal: First ferries")


def test_what_is_interrupted_without_end_is_given_up(long_desk):
    desk = long_desk(*[Answer(pieces=("Goal: ",), finish_reason="cancelled")] * 40)
    desk.parts.summaries.start()
    wait_for_end(desk)
    assert "too often" in desk.window.notice_bar.sentence
    assert dividers(desk) == []


def test_another_model_ends_it(long_desk):
    desk = long_desk(Answer(pieces=("word ",) * 1000, delay_s=0.01))
    desk.parts.summaries.start()
    desk.qtbot.waitUntil(lambda: len(desk.engine.requests) == 4)
    desk.parts.models.reload()
    wait_for_end(desk)
    assert dividers(desk) == []


def test_the_receipt_is_measured_by_the_next_answer_and_kept(long_desk, open_desk):
    after = Answer(pieces=("After", " all"), prompt_tokens=150, queue_ms=1, tokenise_ms=2, prefill_ms=300, itl_ms=7)
    desk = long_desk(SUMMARY, after)
    desk.parts.summaries.start()
    wait_for_end(desk)
    (summary,) = conversation_of(desk).summaries
    assert summary.receipt.measured is None
    assert "expected" in dividers(desk)[0].footer
    desk.ask("And now?")
    (summary,) = conversation_of(desk).summaries
    measured = summary.receipt.measured
    assert (measured.tokens, measured.kv_bytes) == (150, 150 * 23_040)
    assert measured.ttft_s == pytest.approx(0.307)
    assert measured.tpot_s == pytest.approx(0.007)
    desk.qtbot.waitUntil(lambda: "307 ms measured" in dividers(desk)[0].footer)
    desk.ask("And then?")
    assert conversation_of(desk).summaries == (summary,)


def test_one_that_was_taken_back_can_be_used_again_later(long_desk, open_desk):
    desk = long_desk()
    desk.parts.summaries.start()
    wait_for_end(desk)
    (divider,) = dividers(desk)
    conversation_id = desk.parts.chat.session.id
    desk.window.transcript.action_triggered.emit(divider.id, "undo_summary")
    desk.window.close()
    again = open_desk()
    again.parts.library.open(conversation_id)
    again.qtbot.waitUntil(lambda: again.parts.chat.session.id == conversation_id)
    item = next(item for item in again.items() if item.id == divider.id)
    assert [action.id for action in item.actions] == ["redo_summary"]
    again.window.transcript.action_triggered.emit(divider.id, "redo_summary")
    assert [item.id for item in dividers(again)] == [divider.id]


def test_a_receipt_says_where_nothing_can_be_foretold(desk):
    items = desk.parts.chat._items
    assert items._change(0.0169, None, None) == "16.9 ms → not known yet"
    assert items._change(0.9, 0.6, None) == "900 ms → 600 ms expected"
    assert items._change(0.9, None, 0.5) == "900 ms → 500 ms measured"
