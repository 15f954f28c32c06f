"""Conversations: new, switch, reopen, rename, delete with undo, search, drafts."""

from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QListView

from app.chat.conversation import prompt_messages
from app.storage.store import ConversationRow
from tests.fakes import Answer, ScriptedEngine
from ui.chat.transcript import State
from ui.sidebar.conversation_model import ConversationModel

SLOW = Answer(pieces=("word ",) * 500, delay_s=0.01)


def list_view(desk) -> QListView:
    return desk.window.findChild(QListView, "conversation_list")


def listed(desk) -> list[str]:
    model = list_view(desk).model()
    return [
        model.index(row).data()
        for row in range(model.rowCount(QModelIndex()))
        if model.index(row).flags() & Qt.ItemFlag.ItemIsSelectable
    ]


def index_of(desk, title):
    model = list_view(desk).model()
    return next(model.index(row) for row in range(model.rowCount()) if model.index(row).data() == title)


def open_title(desk, title):
    desk.qtbot.waitUntil(lambda: title in listed(desk))
    list_view(desk).clicked.emit(index_of(desk, title))
    desk.qtbot.waitUntil(lambda: desk.parts.chat.session.conversation.title == title)


def test_new_is_immediate_and_the_old_one_stays_in_the_list(desk):
    desk.ask("First question")
    assert desk.parts.chat.session.series.context_tokens == 22
    desk.click("new_conversation_button")
    assert desk.items() == ()
    series = desk.parts.chat.session.series
    assert (series.context_tokens, series.turns) == (0, [])
    desk.qtbot.waitUntil(lambda: desk.engine.forgotten == 1)
    desk.qtbot.waitUntil(lambda: listed(desk) == ["First question"])


def test_an_empty_list_says_why(desk):
    empty = desk.find("conversation_list_empty")
    desk.qtbot.waitUntil(empty.isVisible)
    assert empty.text() == "Your conversations will be listed here."
    desk.ask("First question")
    desk.qtbot.waitUntil(empty.isHidden)
    desk.find("conversation_search").setText("second")
    desk.qtbot.waitUntil(empty.isVisible)
    assert empty.text() == "No conversation matches."


def test_new_while_streaming_lets_the_answer_go_on(open_desk):
    desk = open_desk(ScriptedEngine(Answer(pieces=("word ",) * 50, delay_s=0.01), Answer()))
    desk.type_and_send("Long one")
    desk.qtbot.waitUntil(lambda: "word" in desk.items()[-1].text)
    old = desk.parts.chat.session
    desk.click("new_conversation_button")
    assert desk.items() == ()
    desk.ask("Short one")
    assert desk.texts() == ["Short one", "Hello world"]
    answer = desk.stored(lambda store: store.conversation(old.id)).messages[-1]
    assert answer.content == "word " * 50
    (turn,) = desk.stored(lambda store: store.turns(old.id))
    assert turn.stats.finish_reason == "stop"
    assert desk.engine.forgotten == 0  # the next answer takes over what it can of the cache


def test_switching_shows_messages_footers_and_charts_again(desk):
    desk.ask("First question")
    items = desk.items()
    desk.click("new_conversation_button")
    desk.ask("Second question")
    open_title(desk, "First question")
    assert desk.items() == items
    series = desk.parts.chat.session.series
    assert [turn.message_id for turn in series.turns] == [items[-1].id]
    counted = desk.engine.count_tokens(prompt_messages(desk.parts.chat.session.conversation))
    desk.qtbot.waitUntil(lambda: desk.window.gauge.text == f"{counted} / 4,096 expected")
    assert (series.context_tokens, series.expected_tokens) == (0, counted)  # the cache holds the second conversation
    assert series.memory[-1].context_tokens == 22
    open_title(desk, "Second question")
    assert desk.parts.chat.session.series.context_tokens == 22
    assert desk.window.gauge.text == "22 / 4,096"


def test_a_model_loaded_again_holds_no_conversation(desk):
    desk.ask("First question")
    desk.parts.models.load(desk.parts.models.config.path)
    desk.qtbot.waitUntil(lambda: desk.parts.models.model is not None)
    session = desk.parts.chat.session
    counted = desk.engine.count_tokens(prompt_messages(session.conversation))
    desk.qtbot.waitUntil(lambda: session.series.expected_tokens == counted)
    assert session.series.context_tokens == 0
    assert not desk.parts.chat.is_cached(desk.parts.chat.session.id)


def test_an_answer_goes_on_while_another_conversation_is_looked_at(open_desk):
    desk = open_desk(ScriptedEngine(Answer(), Answer(pieces=("word ",) * 50, delay_s=0.01)))
    desk.ask("First question")
    desk.click("new_conversation_button")
    desk.type_and_send("Second question")
    open_title(desk, "First question")
    assert desk.texts() == ["First question", "Hello world"]
    assert desk.find("send_button").isVisible()
    open_title(desk, "Second question")
    assert desk.find("stop_button").isVisible()
    assert desk.items()[-1].state is State.STREAMING
    desk.wait_until_idle()
    assert desk.items()[-1].text == "word " * 50
    assert desk.items()[-1].state is State.COMPLETE


def test_everything_is_there_after_a_restart(open_desk):
    first = open_desk()
    first.ask("Remember me")
    items = first.items()
    first.window.close()
    second = open_desk()
    open_title(second, "Remember me")
    assert second.items() == items
    assert [turn.stats.ttft_s for turn in second.parts.chat.session.series.turns] == [0.108]


def test_renaming_is_stored(desk):
    desk.ask("First question")
    desk.qtbot.waitUntil(lambda: bool(listed(desk)))
    assert list_view(desk).model().setData(index_of(desk, "First question"), "  A better\n title ")
    assert desk.titles() == ["A better title"]
    desk.ask("And more")
    assert desk.titles() == ["A better title"]


def test_a_title_is_never_markup(desk):
    desk.ask("<img src=/etc/passwd> <b>bold</b>")
    desk.qtbot.waitUntil(lambda: bool(listed(desk)))
    assert listed(desk) == ["<img src=/etc/passwd> <b>bold</b>"]
    assert "<img" not in index_of(desk, listed(desk)[0]).data(Qt.ItemDataRole.ToolTipRole)


def test_delete_can_be_undone(desk):
    desk.ask("First question")
    items = desk.items()
    desk.qtbot.waitUntil(lambda: bool(listed(desk)))
    list_view(desk).setCurrentIndex(index_of(desk, "First question"))
    desk.qtbot.keyClick(list_view(desk), Qt.Key.Key_Delete)
    assert desk.items() == ()
    desk.qtbot.waitUntil(lambda: listed(desk) == [])
    desk.qtbot.waitUntil(lambda: desk.window.undo_bar.isVisible())
    assert desk.window.undo_bar.sentence == "Deleted “First question”."
    desk.click("undo_bar_button")
    desk.qtbot.waitUntil(lambda: listed(desk) == ["First question"])
    desk.qtbot.waitUntil(lambda: desk.items() == items)


def test_backspace_deletes_nothing(desk):
    desk.ask("First question")
    desk.qtbot.waitUntil(lambda: bool(listed(desk)))
    list_view(desk).setCurrentIndex(index_of(desk, "First question"))
    desk.qtbot.keyClick(list_view(desk), Qt.Key.Key_Backspace)
    assert desk.titles() == ["First question"]


def test_deleting_the_conversation_that_is_answered_stops_it(open_desk):
    desk = open_desk(ScriptedEngine(SLOW))
    desk.type_and_send("Long one")
    desk.qtbot.waitUntil(lambda: "word" in desk.items()[-1].text)
    desk.parts.library.delete(desk.parts.chat.session.id)
    desk.wait_until_idle()
    assert desk.titles() == []
    assert desk.items() == ()


def test_search_narrows_the_list(desk):
    desk.ask("About ferries")
    desk.click("new_conversation_button")
    desk.ask("About trains")
    desk.qtbot.waitUntil(lambda: len(listed(desk)) == 2)
    desk.qtbot.keyClicks(desk.find("conversation_search"), "FERR")
    desk.qtbot.waitUntil(lambda: listed(desk) == ["About ferries"])
    desk.find("conversation_search").clear()
    desk.qtbot.waitUntil(lambda: listed(desk) == ["About trains", "About ferries"])


def test_each_conversation_keeps_its_draft(open_desk):
    desk = open_desk()
    desk.ask("First question")
    desk.find("composer").setPlainText("half a thought")
    desk.click("new_conversation_button")
    assert desk.find("composer").toPlainText() == ""
    open_title(desk, "First question")
    assert desk.find("composer").toPlainText() == "half a thought"
    desk.window.close()
    again = open_desk()
    open_title(again, "First question")
    assert again.find("composer").toPlainText() == "half a thought"


def test_a_draft_alone_makes_a_conversation_and_its_end_takes_it_away(desk):
    desk.find("composer").setPlainText("Not sent yet")
    desk.click("new_conversation_button")
    open_title(desk, "Not sent yet")
    assert desk.find("composer").toPlainText() == "Not sent yet"
    desk.find("composer").clear()
    desk.click("new_conversation_button")
    assert desk.titles() == []


def test_sending_empties_the_draft(desk):
    desk.find("composer").setPlainText("Hello")
    desk.ask("Hello")
    desk.click("new_conversation_button")
    (row,) = desk.stored(lambda store: store.conversations())
    assert desk.stored(lambda store: store.conversation(row.id)).draft == ""


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_a_conversation_is_opened_with_the_keyboard(desk, key):
    desk.ask("First question")
    desk.click("new_conversation_button")
    desk.qtbot.waitUntil(lambda: bool(listed(desk)))
    list_view(desk).setCurrentIndex(index_of(desk, "First question"))
    desk.qtbot.keyClick(list_view(desk), key)
    desk.qtbot.waitUntil(lambda: len(desk.items()) == 2)


def test_renaming_in_place_with_the_keyboard(desk):
    desk.ask("First question")
    desk.qtbot.waitUntil(lambda: bool(listed(desk)))
    view = list_view(desk)
    view.setFocus()
    view.setCurrentIndex(index_of(desk, "First question"))
    view.edit(view.currentIndex())
    editor = view.findChild(QLineEdit)
    editor.setText("Better")
    desk.qtbot.keyClick(editor, Qt.Key.Key_Return)
    desk.qtbot.waitUntil(lambda: listed(desk) == ["Better"])
    assert desk.titles() == ["Better"]


def test_a_refresh_does_not_end_the_edit_of_a_title(desk):
    desk.ask("First question")
    desk.qtbot.waitUntil(lambda: bool(listed(desk)))
    view = list_view(desk)
    view.edit(index_of(desk, "First question"))
    editor = view.findChild(QLineEdit)
    editor.setText("Better")
    desk.window.conversation_list.set_rows([])
    desk.qtbot.keyClick(editor, Qt.Key.Key_Return)
    desk.qtbot.waitUntil(lambda: listed(desk) == ["Better"])


def test_days_are_headings_that_cannot_be_chosen(qtbot):
    now = datetime(2026, 11, 29, 12, tzinfo=UTC)
    ages = (0, 1, 3, 60)
    rows = [ConversationRow(str(age), f"{age} days old", now - timedelta(days=age), 2) for age in ages]
    model = ConversationModel()
    model.set_rows(rows, today=now.date())
    texts = [model.index(row).data() for row in range(model.rowCount())]
    assert texts[::2] == ["Today", "Yesterday", "Previous 7 days", "September 2026"]
    assert texts[1::2] == [row.title for row in rows]
    assert not model.flags(model.index(0)) & Qt.ItemFlag.ItemIsEnabled


def test_the_details_say_when_without_doubt(qtbot):
    at = datetime(2026, 1, 2, 15, 4).astimezone()
    model = ConversationModel()
    model.set_rows([ConversationRow("a", "A", at, 2)], today=at.date())
    assert model.index(1).data(Qt.ItemDataRole.AccessibleDescriptionRole) == "2026-01-02 15:04, 2 messages"
    assert "2026-01-02 15:04, 2 messages" in model.index(1).data(Qt.ItemDataRole.ToolTipRole)


def test_undo_leaves_the_sentence_the_width_of_the_narrow_column(desk):
    desk.window.resize(900, 600)
    desk.window.undo_bar.offer("Out of the model's view now: 1 turn, up to “Question”.", "Undo", lambda: None)
    QApplication.processEvents()
    bar = desk.window.undo_bar
    label, button, close = bar._label, desk.find("undo_bar_button"), desk.find("undo_bar_close")
    assert button.geometry().top() > label.geometry().bottom()
    assert label.width() > bar.width() - close.width() - 40
    assert label.height() >= label.heightForWidth(label.width())
