"""The KV ledger in the window: what each message takes, and what an action frees before it is done."""

from PySide6.QtCore import QPoint, QPointF, QTimer
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication, QListView

from app.chat.conversation import Summary
from tests.fakes import Answer, ScriptedEngine
from ui import formatting
from ui.chat.controls import PlainLabel


def ledger(desk):
    return desk.parts.chat.session.ledger


def wait_for_ledger(desk, messages):
    desk.qtbot.waitUntil(lambda: ledger(desk) is not None and len(ledger(desk).entries) == messages)
    return ledger(desk)


def costs(desk):
    return [item.cost for item in desk.window.transcript.items()]


def test_every_message_says_what_it_takes(desk):
    desk.ask("Why is the sky blue")
    found = wait_for_ledger(desk, 2)
    # the scripted engine counts words + 4
    assert [entry.tokens for entry in found.entries] == [5 + 4, 2 + 4]
    assert costs(desk) == ["9 tokens, 202 KiB of the KV cache", "6 tokens, 135 KiB of the KV cache"]
    assert "frees 6 tokens, 135 KiB" in desk.window.transcript.items()[-1].frees


def test_the_cost_is_shown_where_the_pointer_is(desk):
    desk.ask("Why is the sky blue")
    wait_for_ledger(desk, 2)
    user = desk.window.transcript._entries[0].view
    label = next(label for label in user.findChildren(PlainLabel) if "KV cache" in label.text())
    assert not label.isVisible()
    user.enterEvent(QEnterEvent(QPointF(5, 5), QPointF(5, 5), QPointF(user.mapToGlobal(QPoint(5, 5)))))
    assert label.isVisible()
    assert user.accessibleDescription() == label.text()
    answer = desk.window.transcript._entries[1].view
    tips = [label.toolTip() for label in answer.findChildren(PlainLabel)]
    assert any("6 tokens, 135 KiB" in tip for tip in tips)


def test_only_what_is_new_is_counted(desk):
    counted = []
    count = desk.engine.count_tokens
    desk.engine.count_tokens = lambda messages: (counted.append([message.id for message in messages]), count(messages))[
        1
    ]
    desk.ask("First")
    wait_for_ledger(desk, 2)
    first = len(counted)
    desk.ask("Second")
    wait_for_ledger(desk, 4)
    # two messages, each with and without, and the prompt
    assert first == len(counted) - first == 5


def test_a_button_says_what_it_frees_before_it_is_pressed(desk):
    desk.ask("Hello")
    found = wait_for_ledger(desk, 2)
    size = f"{found.total_tokens} tokens"
    assert size in desk.window.new_button.toolTip()
    regenerate = desk.window.transcript._entries[1].view.findChild(object, "regenerate")
    assert "frees 6 tokens" in regenerate.toolTip()


def test_summarise_says_what_it_will_condense(open_desk):
    desk = open_desk(ScriptedEngine(Answer(pieces=("word ",) * 30)))
    for text in ("One", "Two", "Three"):
        desk.ask(text)
    found = wait_for_ledger(desk, 6)
    covered = sum(entry.tokens for entry in found.entries[:4])
    desk.qtbot.waitUntil(lambda: f"{covered} tokens" in desk.window.summarise_button.toolTip())


def test_what_is_behind_a_summary_takes_nothing(desk):
    desk.ask("One")
    desk.ask("Two")
    wait_for_ledger(desk, 4)
    session = desk.parts.chat.session
    session.add_summary(Summary("Said one.", session.conversation.messages[1].id))
    desk.parts.chat.show_again()
    wait_for_ledger(desk, 2)
    assert ["takes nothing" in cost for cost in costs(desk) if cost] == [True, True, False, False]


def test_without_a_model_nothing_is_counted(open_desk, monkeypatch):
    monkeypatch.setattr("ui.parts.starter_model", lambda: None)
    desk = open_desk(model=None, load=False)
    desk.parts.ledger.refresh()
    assert ledger(desk) is None


def test_a_template_that_fails_leaves_the_costs_out(desk):
    from app.errors import TemplateError

    def fail(_messages):
        raise TemplateError("The template refuses this.")

    desk.engine.count_tokens = fail
    with desk.qtbot.waitSignal(desk.parts.ledger.changed):
        desk.type_and_send("Hello")
    assert ledger(desk) is None
    assert costs(desk) == ["", ""]
    assert desk.find("composer").isEnabled()


def test_deleting_the_open_conversation_says_what_it_frees(desk):
    desk.ask("Hello")
    found = wait_for_ledger(desk, 2)
    view = desk.window.findChild(QListView, "conversation_list")
    desk.qtbot.waitUntil(lambda: view.model().rowCount() == 2)
    row = view.model().index(1, 0)
    told = []

    def look_and_close() -> None:
        menu = QApplication.activePopupWidget()
        told.extend(action.toolTip() for action in menu.actions())
        menu.close()

    QTimer.singleShot(0, view, look_and_close)
    view.customContextMenuRequested.emit(view.visualRect(row).center())
    size = formatting.memory(desk.parts.models.model.memory.kv_used_bytes(found.total_tokens))
    assert told == ["Rename", "When the context is full", f"Frees {found.total_tokens} tokens, {size} of the KV cache."]
