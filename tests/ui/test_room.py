"""A message that does not fit: room is made for it as the policy says, seen and undoable, or the user is asked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QComboBox

from tests.fakes import Answer, ScriptedEngine, fake_model
from ui.chat.transcript import Kind
from ui.dialogs.preferences import PreferencesDialog
from ui.on_full import OnFullMenu
from ui.sidebar.conversation_model import ON_FULL_ROLE

N_CTX = 512
"""The scripted engine counts four tokens for a message and one for each word; the answer's room is 128."""
ANSWER = Answer(pieces=("word ",) * 40)
SUMMARY = Answer(pieces=("Goal: ", "ferries"), prompt_tokens=200)


def question(number: int, words: int = 40) -> str:
    """A question of so many tokens; as few words as bytes would make the fast way certain."""
    return f"Question {number} " + "about-the-ferries-to-the-islands " * (words - 2)


@pytest.fixture
def full_desk(open_desk):
    """A conversation of four turns of 88 tokens: the next one does not fit."""

    def open_(on_full: str, *answers: Answer, n_ctx_max: int | None = None, turns: int = 4):
        engine = ScriptedEngine(*[ANSWER] * turns, *(answers or (Answer(pieces=("After",)),)))
        engine._model = engine._next_model = fake_model(n_ctx=N_CTX, n_ctx_max=n_ctx_max)
        desk = open_desk(engine)
        settings = desk.parts.settings
        settings.set(replace(settings.value, on_full="drop"))
        for number in range(1, turns + 1):
            send(desk, question(number))
        settings.set(replace(settings.value, on_full=on_full))
        return desk

    return open_


def send(desk, text: str) -> None:
    """Send, and wait until it is answered."""
    before = len(desk.engine.requests)
    desk.type_and_send(text)
    desk.qtbot.waitUntil(lambda: len(desk.engine.requests) > before)
    desk.wait_until_idle()


def conversation_of(desk):
    return desk.stored(lambda store: store.conversation(desk.parts.chat.session.id))


def edges(desk):
    return [item for item in desk.items() if item.kind is Kind.EDGE]


def out_of_view(desk) -> list[str]:
    return [item.text for item in desk.items() if item.is_out_of_view]


def asked(desk, index: int = -1) -> str:
    return " ".join(message.content for message in desk.engine.requests[index].messages)


def held(desk, text: str) -> None:
    """Send what does not fit, and wait until that is said."""
    desk.type_and_send(text)
    desk.qtbot.waitUntil(lambda: bool(desk.window.room_bar.sentence))


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


def test_where_no_summary_can_be_made_the_other_ways_are_offered(full_desk):
    desk = full_desk("summarise", Answer(pieces=(), finish_reason="failed", error="The template refuses this."))
    held(desk, question(5, 200))
    assert desk.window.room_bar.ways == ["drop", "shorten"]
    assert desk.find("composer").toPlainText() == question(5, 200)
    assert desk.window.notice_bar.sentence == "The template refuses this."


def test_grow_lets_the_engine_grow(full_desk):
    desk = full_desk("grow", n_ctx_max=4096)
    send(desk, question(5))
    assert desk.engine.requests[-1].may_grow
    assert edges(desk) == []


def test_ask_offers_the_ways_and_sends_nothing_before(full_desk):
    desk = full_desk("ask", n_ctx_max=4096)
    texts = desk.texts()
    held(desk, question(5, 150))
    bar = desk.window.room_bar
    assert bar.isVisible()
    assert bar.ways == ["grow", "summarise", "drop", "shorten"]
    assert "and the context holds 512" in bar.sentence
    assert desk.find("room_drop").text() == "Take the oldest out of view: 2 turns"
    assert desk.find("room_shorten").text().startswith("Shorten by 1")
    assert all(desk.find(f"room_{way}").accessibleName() for way in bar.ways)
    assert desk.texts() == texts
    assert desk.find("composer").toPlainText() == question(5, 150)


@pytest.mark.parametrize("way", ["grow", "drop", "summarise"])
def test_a_choice_is_carried_out_for_this_message_alone(full_desk, way):
    after = Answer(pieces=("After",))
    desk = full_desk("ask", *((SUMMARY, after) if way == "summarise" else (after,)), n_ctx_max=4096)
    held(desk, question(5))
    desk.click(f"room_{way}")
    desk.qtbot.waitUntil(lambda: desk.texts()[-1] == "After")
    desk.wait_until_idle()
    assert not desk.window.room_bar.isVisible()
    assert desk.engine.requests[-1].may_grow is (way == "grow")
    assert ("Question 1 " in asked(desk)) is (way == "grow")
    assert desk.find("composer").toPlainText() == ""
    assert desk.parts.settings.value.on_full == "ask"


def test_shorten_leads_back_to_the_message(full_desk):
    desk = full_desk("ask")
    held(desk, question(5, 150))
    desk.click("room_shorten")
    assert not desk.window.room_bar.isVisible()
    assert desk.find("composer").toPlainText() == question(5, 150)
    send(desk, "Shorter")
    assert desk.texts()[-1] == "After"


@pytest.mark.parametrize("change", ["typing", "closing it", "another conversation"])
def test_the_choices_go_when_they_hold_no_longer(full_desk, change):
    desk = full_desk("ask")
    held(desk, question(5))
    if change == "typing":
        desk.find("composer").setPlainText("Something else")
    elif change == "closing it":
        desk.click("room_bar_close")
    else:
        desk.click("new_conversation_button")
    assert not desk.window.room_bar.isVisible()
    send(desk, "Short")
    assert desk.texts()[-1] == "After"


def test_stop_refuses_what_cannot_be_sent_and_nothing_else(full_desk):
    desk = full_desk("stop")
    send(desk, question(5, 100))  # leaves the answer less than its usual room, but some
    held(desk, question(6, 100))
    assert "drop" in desk.window.room_bar.ways


@pytest.mark.parametrize("on_full", ["grow", "summarise", "drop", "ask", "stop"])
def test_a_message_longer_than_any_context_is_refused_with_what_to_cut(full_desk, on_full):
    desk = full_desk(on_full, turns=1)
    held(desk, question(2, 2000))
    assert desk.window.room_bar.sentence.startswith(
        "This message is too long: with what must stay it needs 2,004 tokens and the context holds 512; cut at least "
        "1,493 tokens of it, about "
    )
    assert desk.window.room_bar.ways == ["shorten"] or on_full != "stop"
    assert len(desk.engine.requests) == 1


def test_the_policy_can_be_changed_midway_for_one_conversation(full_desk):
    desk = full_desk("ask")
    held(desk, question(5))
    desk.click("room_bar_close")
    with desk.qtbot.waitSignal(desk.window.gauge.menu_requested):
        desk.qtbot.mouseClick(desk.window.gauge, Qt.MouseButton.LeftButton)
    menu = desk.window.findChild(OnFullMenu)
    checked = [action.objectName() for action in menu.actions() if action.isChecked()]
    assert checked == ["on_full_default"]
    next(action for action in menu.actions() if action.objectName() == "on_full_drop").trigger()
    menu.close()
    assert conversation_of(desk).on_full == "drop"
    send(desk, question(5))
    assert len(edges(desk)) == 1
    assert desk.parts.settings.value.on_full == "ask"
    desk.click("new_conversation_button")
    assert desk.parts.chat.on_full(desk.parts.chat.session) == "ask"


def test_the_policy_of_a_conversation_in_the_list(full_desk):
    desk = full_desk("ask", turns=1)
    conversation_id = desk.parts.chat.session.id
    desk.click("new_conversation_button")
    desk.window.conversation_list.on_full_chosen.emit(conversation_id, "stop")
    (row,) = desk.stored(lambda store: store.conversations())
    assert row.on_full == "stop"
    desk.parts.library.open(conversation_id)
    desk.qtbot.waitUntil(lambda: desk.parts.chat.session.id == conversation_id)
    assert desk.parts.chat.on_full(desk.parts.chat.session) == "stop"
    desk.window.conversation_list.on_full_chosen.emit(conversation_id, None)
    assert conversation_of(desk).on_full is None


def test_the_lists_menu_offers_the_ways(full_desk):
    desk = full_desk("ask", turns=1)
    desk.parts.view.set_on_full(desk.parts.chat.session.id, "summarise")
    desk.qtbot.waitUntil(lambda: desk.stored(lambda store: store.conversations())[0].on_full == "summarise")
    desk.parts.library.refresh()
    view = desk.find("conversation_list")
    desk.qtbot.waitUntil(lambda: view.model().index(1, 0).data(ON_FULL_ROLE) == "summarise")
    checked: list[str] = []

    def choose() -> None:
        menu = QApplication.activePopupWidget()
        (ways,) = menu.findChildren(OnFullMenu)
        checked.extend(action.objectName() for action in ways.actions() if action.isChecked())
        next(action for action in ways.actions() if action.objectName() == "on_full_stop").trigger()
        menu.close()

    QTimer.singleShot(0, choose)
    view.customContextMenuRequested.emit(view.visualRect(view.model().index(1, 0)).center())
    assert checked == ["on_full_summarise"]
    assert conversation_of(desk).on_full == "stop"


def test_a_choice_made_before_the_first_message_is_kept(open_desk):
    desk = open_desk()
    desk.parts.view.set_on_full(desk.parts.chat.session.id, "stop")
    send(desk, "Hello")
    assert conversation_of(desk).on_full == "stop"


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


def test_the_preferences_default(full_desk):
    desk = full_desk("ask", turns=1)
    desk.parts.dialogs.edit_preferences()
    dialog = desk.window.findChild(PreferencesDialog)
    box = dialog.findChild(QComboBox, "on_full")
    assert box.currentData() == "ask"
    box.setCurrentIndex(box.findData("drop"))
    assert desk.parts.settings.value.on_full == "drop"
    dialog.close()


def test_the_menu_opens_from_the_keyboard(full_desk):
    desk = full_desk("ask", turns=1)
    with desk.qtbot.waitSignal(desk.window.gauge.menu_requested):
        desk.qtbot.keyClick(desk.window.gauge, Qt.Key.Key_Space)
    desk.window.findChild(OnFullMenu).close()
