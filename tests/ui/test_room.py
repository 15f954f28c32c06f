"""A message that does not fit: room is made for it as the policy says, seen and undoable."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from tests.fakes import Answer
from tests.ui.full_context import (
    N_CTX,
    SUMMARY,
    asked,
    conversation_of,
    edges,
    full_context,
    out_of_view,
    question,
    send,
)
from ui.chat.transcript import Kind


@pytest.fixture
def full_desk(open_desk):
    """A window on a conversation whose next turn does not fit; see `full_context`."""
    return partial(full_context, open_desk)


def test_what_fits_is_sent_at_once(full_desk):
    desk = full_desk("ask", turns=2)
    desk.qtbot.waitUntil(lambda: desk.parts.chat.session.ledger is not None)
    desk.ask("Short")
    assert not desk.window.room_bar.isVisible()
    assert edges(desk) == []


def test_drop_takes_whole_turns_out_of_view_and_says_which(full_desk):
    desk = full_desk("drop")
    texts = desk.texts()
    send(desk, question(5))
    assert "Question 1 " not in asked(desk)
    assert "Question 2 " in asked(desk)
    (edge,) = edges(desk)
    assert edge.author == "The model sees from here on. Out of its view above: 1 turn"
    assert out_of_view(desk) == texts[:2]
    assert [item.kind for item in desk.items()][:4] == [Kind.USER, Kind.ASSISTANT, Kind.EDGE, Kind.USER]
    assert "1 turn, up to “Question 1" in desk.window.undo_bar.sentence
    stored = conversation_of(desk)
    assert stored.dropped_until == desk.items()[1].id
    assert len(stored.messages) == 10
    assert desk.parts.chat.session.cache_note == ""
    assert not desk.engine.requests[-1].may_grow


def test_the_line_moves_on_and_a_drop_can_be_undone(full_desk):
    desk = full_desk("drop")
    send(desk, question(5))
    first = conversation_of(desk).dropped_until
    send(desk, question(6, 120))
    assert edges(desk)[0].author.endswith("view above: 2 turns")
    desk.click("undo_bar_button")
    assert conversation_of(desk).dropped_until == first
    assert edges(desk)[0].author.endswith("view above: 1 turn")
    desk.window.transcript.action_triggered.emit(edges(desk)[0].id, "bring_back")
    assert edges(desk) == []
    assert out_of_view(desk) == []
    assert conversation_of(desk).dropped_until == ""
    desk.click("undo_bar_button")
    assert conversation_of(desk).dropped_until == first


def test_the_line_is_there_after_a_restart(full_desk, open_desk):
    desk = full_desk("drop")
    send(desk, question(5))
    items, conversation_id = desk.items(), desk.parts.chat.session.id
    desk.window.close()
    again = open_desk()
    again.parts.library.open(conversation_id)
    again.qtbot.waitUntil(lambda: len(again.items()) == len(items))
    assert [item.is_out_of_view for item in again.items()] == [item.is_out_of_view for item in items]
    assert edges(again) == edges(desk)


def test_pinned_messages_stay_in_view(full_desk):
    desk = full_desk("drop")
    session = desk.parts.chat.session
    pinned = replace(session.conversation.messages[0], pinned=True)
    session.put(pinned)
    send(desk, question(5))
    assert "Question 1 " in asked(desk)
    assert pinned.content not in out_of_view(desk)


@pytest.mark.parametrize("on_full", ["summarise", "grow"])
def test_the_older_turns_are_summarised_where_it_cannot_grow(full_desk, on_full):
    desk = full_desk(on_full, SUMMARY, Answer(pieces=("After",)))
    send(desk, question(5))
    desk.qtbot.waitUntil(lambda: desk.texts()[-1] == "After")
    assert "Goal: ferries" in asked(desk)
    assert "Question 1 " not in asked(desk)
    (edge,) = edges(desk)
    assert edge.author.startswith("The model sees from here on. Summarised above: ")
    assert edge.actions == ()
    assert desk.find("composer").toPlainText() == ""
    assert [message.content for message in conversation_of(desk).messages][-2] == question(5)


def test_what_is_written_while_it_summarises_stays(full_desk):
    desk = full_desk("summarise", Answer(pieces=("Goal: ", "ferries"), delay_s=0.05), Answer(pieces=("After",)))
    desk.type_and_send(question(5))
    desk.qtbot.waitUntil(lambda: desk.parts.summaries.is_running)
    desk.find("composer").setPlainText("The next one")
    desk.qtbot.waitUntil(lambda: desk.texts()[-1] == "After")
    assert desk.find("composer").toPlainText() == "The next one"


def test_stop_while_it_summarises_sends_nothing(full_desk):
    desk = full_desk("summarise", Answer(pieces=("word ",) * 500, delay_s=0.01))
    texts = desk.texts()
    desk.type_and_send(question(5))
    desk.qtbot.waitUntil(lambda: desk.window.status_line.activity == "summarising: writing")
    desk.click("stop_button")
    assert not desk.parts.summaries.is_running
    assert desk.texts() == texts
    assert desk.find("composer").toPlainText() == question(5)
    assert not desk.window.room_bar.isVisible()
    assert desk.parts.chat.can_answer


def test_grow_lets_the_engine_grow(full_desk):
    desk = full_desk("grow", n_ctx_max=4096)
    send(desk, question(5))
    assert desk.engine.requests[-1].may_grow
    assert edges(desk) == []


def test_where_the_engine_finds_no_memory_to_grow_it_summarises(full_desk):
    refused = Answer(pieces=(), finish_reason="context", error="The context cannot grow.")
    desk = full_desk("grow", refused, SUMMARY, Answer(pieces=("After",)), n_ctx_max=4096)
    desk.type_and_send(question(5))
    desk.qtbot.waitUntil(lambda: desk.texts()[-1] == "After")
    assert desk.engine.requests[4].may_grow
    assert not desk.engine.requests[-1].may_grow
    assert [message.content for message in conversation_of(desk).messages][-2:] == [question(5), "After"]


def test_an_answer_that_reaches_the_edge_is_given_room_and_goes_on(full_desk):
    cut, rest = Answer(pieces=("Cut ", "off"), finish_reason="context"), Answer(pieces=(" no more",))
    desk = full_desk("stop", cut, rest)
    send(desk, question(5, 100))
    item = desk.items()[-1]
    assert "full" in item.error
    assert [action.id for action in item.actions][:2] == ["summarise", "drop"]
    desk.window.transcript.action_triggered.emit(item.id, "drop")
    desk.qtbot.waitUntil(lambda: len(edges(desk)) == 1)
    desk.wait_until_idle()
    assert desk.texts()[-1] == "Cut off no more"


def test_the_gauge_and_the_chart_say_how_much_room_there_is(full_desk):
    desk = full_desk("stop", n_ctx_max=4096, turns=2)
    desk.qtbot.waitUntil(lambda: desk.parts.chat.session.ledger is not None)
    used = desk.parts.chat.session.ledger.total_tokens
    room = N_CTX - used
    size = f"{room * 23_040 / 1024**2:.3g} MiB"
    assert desk.window.gauge.room_text == f"room {room} · {size}"
    assert f"room for {room} tokens" in desk.window.gauge.accessibleDescription()
    assert not desk.window.gauge.can_grow
    assert f"Room for the next answer: {room} tokens, {size}." in desk.window.memory_panel.summary()
    entry = next(entry for entry in desk.window.memory_panel.legend.entries if entry.label == "room")
    assert entry.value == f"{room} tokens, {size}"
    desk.parts.view.set_on_full(desk.parts.chat.session.id, "grow")
    assert desk.window.gauge.room_text.startswith(f"room {4096 - used:,} · ")
    assert desk.window.gauge.can_grow


@pytest.mark.parametrize(
    ("on_full", "said"),
    [
        ("grow", "the older turns will be summarised first"),
        ("drop", "the oldest turns will leave the model's view"),
        ("ask", "you will be asked what is to be done"),
        ("stop", ""),
    ],
)
def test_beside_send_it_is_said_what_sending_will_lead_to(full_desk, on_full, said):
    desk = full_desk(on_full)
    label = desk.window.composer.forecast
    desk.find("composer").setPlainText("Short")
    desk.qtbot.waitUntil(lambda: bool(label.text()))
    assert "; " not in label.text()
    desk.find("composer").setPlainText("")
    assert label.text() == ""
    desk.find("composer").setPlainText(question(5))
    desk.qtbot.waitUntil(lambda: bool(label.text()))
    assert label.text().endswith(said)
    assert ("; " in label.text()) is bool(said)
