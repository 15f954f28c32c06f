"""The preview of a summary: nothing changes before Accept, numbers follow the slider, all of it can be edited."""

import pytest
from PySide6.QtCore import Qt

from app.chat.conversation import prompt_messages
from app.chat.summary_text import split_summary
from tests.fakes import Answer, ScriptedEngine
from ui import summary_controller
from ui.chat.transcript import Kind
from ui.dialogs.summary.dialog import SummaryDialog
from ui.summary_run import SummaryRun

WISH = "Remember that Rex eats no nuts"
QUESTIONS = (f"First ferries. {WISH}. ", "Second ferries cost $3,400. ", "Third ferries. ", "Fourth ferries. ")
LONG = ("word ",) * 60
SUMMARY = Answer(pieces=("- First ", "ferries, ", "Second ferries."), prompt_tokens=200)
SLOW = Answer(pieces=("ferries ",) * 1000, delay_s=0.01, prompt_tokens=200)
UNUSABLE = Answer(pieces=("Nothing", " usable"), prompt_tokens=200)


@pytest.fixture
def long_desk(open_desk):
    """A conversation of four turns; the engine's next answers are these, the last again and again."""

    def open_(*answers: Answer):
        engine = ScriptedEngine(*[Answer(pieces=LONG)] * 4, *(answers or (SUMMARY,)))
        desk = open_desk(engine)
        for question in QUESTIONS:
            desk.ask(question * 5)
        return desk

    return open_


def open_preview(desk) -> SummaryDialog:
    desk.click("summarise_button")
    dialog = desk.window.findChild(SummaryDialog)
    assert dialog is not None
    assert dialog.isVisible()
    return dialog


def child(dialog, name):
    return dialog.findChild(object, name)


def wait_for_draft(desk, dialog):
    desk.qtbot.waitUntil(lambda: child(dialog, "summary_accept").isEnabled())


def wait_for_close(desk):
    desk.qtbot.waitUntil(lambda: not desk.parts.preview.is_open)


def wait_until_counted(desk, dialog):
    desk.qtbot.waitUntil(lambda: not child(dialog, "summary_tokens_after").text().startswith("≈"))


def summaries(desk):
    return desk.stored(lambda store: store.conversation(desk.parts.chat.session.id)).summaries


def number(dialog, name: str) -> int:
    return int("".join(filter(str.isdigit, child(dialog, name).text())))


def facts(dialog) -> dict[str, bool]:
    rows = child(dialog, "summary_facts")
    items = [rows.item(row) for row in range(rows.count())]
    return {item.text(): item.checkState() is Qt.CheckState.Checked for item in items}


def tick(dialog, text: str, is_kept: bool) -> None:
    (item,) = child(dialog, "summary_facts").findItems(text, Qt.MatchFlag.MatchExactly)
    item.setCheckState(Qt.CheckState.Checked if is_kept else Qt.CheckState.Unchecked)


def test_one_click_and_return_lay_a_summary(long_desk):
    desk = long_desk()
    before = desk.items()
    dialog = open_preview(desk)
    wait_for_draft(desk, dialog)
    assert child(dialog, "summary_text").toPlainText() == "- First ferries, Second ferries."
    assert desk.items() == before
    assert summaries(desk) == ()
    desk.qtbot.keyClick(dialog.focusWidget() or dialog, Qt.Key.Key_Return)
    wait_for_close(desk)
    (summary,) = summaries(desk)
    body, details = split_summary(summary.text)
    assert body == "- First ferries, Second ferries."
    assert details == [WISH, "$3,400"]
    assert not summary.is_edited
    assert summary.method == "model"
    assert [item.kind for item in desk.items()].count(Kind.SUMMARY) == 1


def test_the_numbers_are_what_the_engine_counts_at_every_position(long_desk):
    desk = long_desk()
    dialog = open_preview(desk)
    wait_for_draft(desk, dialog)
    wait_until_counted(desk, dialog)
    conversation = desk.parts.chat.session.conversation
    assert number(dialog, "summary_tokens_before") == desk.engine.count_tokens(prompt_messages(conversation))
    slider = child(dialog, "summary_keep")
    assert (slider.minimum(), slider.maximum()) == (0, 2)
    seen = []
    for position in range(3):
        slider.setValue(position)
        dialog._count()
        wait_until_counted(desk, dialog)
        seen.append(number(dialog, "summary_tokens_after"))
        outline = dialog._outline
        laid = outline.laid(outline.summary(dialog.keep.cut, dialog_text(dialog)))
        assert seen[-1] == desk.engine.count_tokens(prompt_messages(laid))
    assert seen == sorted(seen)
    assert len(set(seen)) == 3


def dialog_text(dialog) -> str:
    from app.chat.summary_text import join_summary

    return join_summary(child(dialog, "summary_text").toPlainText(), dialog.facts.facts())


def test_sliding_asks_neither_the_model_nor_the_tokenizer(long_desk, monkeypatch):
    desk = long_desk()
    dialog = open_preview(desk)
    wait_for_draft(desk, dialog)
    wait_until_counted(desk, dialog)
    asked = []
    monkeypatch.setattr(desk.parts.engine, "ask", lambda *arguments: asked.append(arguments))
    requests = len(desk.engine.requests)
    texts = set()
    for position in (0, 1, 2, 1, 0):
        child(dialog, "summary_keep").setValue(position)
        texts.add(child(dialog, "summary_tokens_after").text())
    assert len(texts) == 3
    assert asked == []
    assert len(desk.engine.requests) == requests


def test_what_is_kept_is_what_the_slider_says(long_desk):
    desk = long_desk()
    dialog = open_preview(desk)
    wait_for_draft(desk, dialog)
    child(dialog, "summary_keep").setValue(2)
    assert facts(dialog) == {WISH: True}
    child(dialog, "summary_accept").click()
    wait_for_close(desk)
    conversation = desk.parts.chat.session.conversation
    assert conversation.in_view() == conversation.messages[2:]


def test_the_text_can_be_edited_and_is_counted_again(long_desk):
    desk = long_desk()
    dialog = open_preview(desk)
    wait_for_draft(desk, dialog)
    wait_until_counted(desk, dialog)
    before = number(dialog, "summary_tokens_after")
    editor = child(dialog, "summary_text")
    editor.setPlainText(editor.toPlainText() + " one two three")
    wait_until_counted(desk, dialog)
    assert number(dialog, "summary_tokens_after") == before + 3
    dialog.activateWindow()
    with desk.qtbot.waitActive(dialog):
        pass
    desk.qtbot.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    wait_for_close(desk)
    (summary,) = summaries(desk)
    assert summary.is_edited
    assert summary.text.startswith("- First ferries, Second ferries. one two three")
    assert summary.tokens_after == before + 3
    assert "edited" in next(item.author for item in desk.items() if item.kind is Kind.SUMMARY)


def test_details_can_be_left_out_and_added(long_desk):
    desk = long_desk()
    dialog = open_preview(desk)
    wait_for_draft(desk, dialog)
    assert facts(dialog) == {WISH: True, "$3,400": True}
    tick(dialog, "$3,400", False)
    editor = child(dialog, "summary_fact_editor")
    desk.qtbot.keyClicks(editor, "Deck 7")
    desk.qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert facts(dialog) == {WISH: True, "$3,400": False, "Deck 7": True}
    child(dialog, "summary_keep").setValue(0)
    assert facts(dialog)["$3,400"] is False
    assert facts(dialog)["Deck 7"] is True
    child(dialog, "summary_accept").click()
    wait_for_close(desk)
    assert split_summary(summaries(desk)[0].text)[1] == [WISH, "Deck 7"]


@pytest.mark.parametrize("moment", ["while it is written", "when it is there"])
def test_escape_cancels_and_changes_nothing(long_desk, moment):
    desk = long_desk(SLOW if moment == "while it is written" else SUMMARY)
    before = desk.items()
    dialog = open_preview(desk)
    if moment == "while it is written":
        desk.qtbot.waitUntil(lambda: bool(child(dialog, "summary_text").toPlainText()))
    else:
        wait_for_draft(desk, dialog)
    desk.qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    wait_for_close(desk)
    assert not desk.parts.summaries.is_running
    assert desk.items() == before
    assert summaries(desk) == ()
    assert desk.parts.chat.can_answer


def test_the_text_comes_as_it_is_written_and_cannot_be_accepted_before(long_desk):
    desk = long_desk(SLOW)
    dialog = open_preview(desk)
    editor = child(dialog, "summary_text")
    desk.qtbot.waitUntil(lambda: editor.toPlainText().count("ferries") > 2)
    first = number(dialog, "summary_tokens_after")
    desk.qtbot.waitUntil(lambda: editor.toPlainText().count("ferries") > 9)
    assert number(dialog, "summary_tokens_after") > first
    assert child(dialog, "summary_tokens_after").text().startswith("≈")
    assert editor.isReadOnly()
    assert not child(dialog, "summary_accept").isEnabled()
    assert child(dialog, "summary_status").text() == "writing"
    desk.click("stop_button")
    desk.qtbot.waitUntil(lambda: child(dialog, "summary_status").text().startswith("Stopped"))
    assert child(dialog, "summary_again").isEnabled()
    dialog.reject()


def test_try_again_writes_another_one(long_desk):
    other = Answer(pieces=("- Second ", "ferries cost $3,400."), prompt_tokens=200)
    desk = long_desk(SUMMARY, other)
    dialog = open_preview(desk)
    wait_for_draft(desk, dialog)
    child(dialog, "summary_again").click()
    desk.qtbot.waitUntil(lambda: child(dialog, "summary_text").toPlainText() == "- Second ferries cost $3,400.")
    dialog.reject()


def test_when_the_model_gives_nothing_usable_the_first_sentences_follow_the_slider(long_desk):
    desk = long_desk(Answer(pieces=("",), prompt_tokens=200))
    dialog = open_preview(desk)
    wait_for_draft(desk, dialog)
    assert "first sentences" in child(dialog, "summary_status").text()
    text = child(dialog, "summary_text").toPlainText()
    assert text.startswith("User: First ferries.")
    child(dialog, "summary_keep").setValue(2)
    assert child(dialog, "summary_text").toPlainText() in text
    assert child(dialog, "summary_text").toPlainText() != text
    child(dialog, "summary_accept").click()
    wait_for_close(desk)
    assert summaries(desk)[0].method == "extracted"


def test_a_failure_is_said_where_the_user_looks(long_desk):
    desk = long_desk(Answer(pieces=(), finish_reason="failed", error="The template refuses this."), SUMMARY)
    dialog = open_preview(desk)
    desk.qtbot.waitUntil(lambda: child(dialog, "summary_status").text() == "The template refuses this.")
    assert child(dialog, "summary_status").property("role") == "error"
    assert not child(dialog, "summary_accept").isEnabled()
    child(dialog, "summary_again").click()
    wait_for_draft(desk, dialog)
    dialog.reject()


def test_a_text_that_saves_nothing_cannot_be_accepted(long_desk):
    desk = long_desk()
    dialog = open_preview(desk)
    wait_for_draft(desk, dialog)
    child(dialog, "summary_text").setPlainText("word " * 2000)
    assert not child(dialog, "summary_accept").isEnabled()
    assert "no shorter" in child(dialog, "summary_status").text()
    dialog.reject()


def test_a_text_of_less_than_is_to_be_covered_must_be_written_again(open_desk, monkeypatch):
    desk = open_desk(ScriptedEngine(*[Answer(pieces=LONG)] * 7, SUMMARY, SUMMARY))
    for number in range(7):
        desk.ask(f"Ferries of day {number} " * 3)
    # In this context seven turns and the instruction do not fit, without the last two they do.
    monkeypatch.setattr(
        summary_controller, "SummaryRun", lambda session, _, **values: SummaryRun(session, 720, **values)
    )
    dialog = open_preview(desk)
    wait_for_draft(desk, dialog)
    slider = child(dialog, "summary_keep")
    usual = slider.value()
    assert usual > 0
    slider.setValue(0)
    assert not child(dialog, "summary_accept").isEnabled()
    assert "write it again" in child(dialog, "summary_status").text()
    slider.setValue(usual)
    assert child(dialog, "summary_accept").isEnabled()
    slider.setValue(0)
    child(dialog, "summary_again").click()
    desk.qtbot.waitUntil(lambda: not desk.parts.summaries.is_running)
    wait_for_draft(desk, dialog)
    assert slider.value() == 0
    dialog.reject()


def test_another_conversation_closes_it(long_desk):
    desk = long_desk()
    dialog = open_preview(desk)
    wait_for_draft(desk, dialog)
    desk.click("new_conversation_button")
    wait_for_close(desk)


def test_the_conversation_may_go_on_meanwhile(long_desk):
    desk = long_desk(SUMMARY, Answer(pieces=("After",)))
    dialog = open_preview(desk)
    wait_for_draft(desk, dialog)
    desk.ask("And now?")
    child(dialog, "summary_accept").click()
    wait_for_close(desk)
    (summary,) = summaries(desk)
    conversation = desk.parts.chat.session.conversation
    assert conversation.in_view()[-1].content == "After"
    assert summary.tokens_after == desk.engine.count_tokens(prompt_messages(conversation))


def test_a_second_click_raises_the_one_that_is_open(long_desk):
    desk = long_desk(SLOW)
    dialog = open_preview(desk)
    desk.parts.preview.open()
    assert desk.window.findChildren(SummaryDialog) == [dialog]
    dialog.reject()


def test_closing_the_window_meanwhile_ends_in_time(long_desk):
    desk = long_desk(SLOW)
    open_preview(desk)
    desk.window.close()
    assert desk.parts.has_ended
