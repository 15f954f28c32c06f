"""One message: thinking, the user's bubble, summaries, notices, errors and buttons."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton

from tests.ui.chat.documents import texts
from tests.ui.chat.test_transcript import bar, conversation, settle, view_of
from ui.chat.code_block import Code
from ui.chat.controls import Fold
from ui.chat.transcript import Action, Item, Kind, State
from ui.chat.user_view import folded


def click(qtbot, button: QPushButton) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def button(widget, text: str) -> QPushButton:
    return next(b for b in widget.findChildren(QPushButton) if text in (b.text(), b.accessibleName()))


def labels(widget) -> list[str]:
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible() and label.text()]


THOUGHT = Item("a", Kind.ASSISTANT, "Model", "The answer.", thinking="First I think.\nThen **more**.")


def test_thinking_is_folded_and_opens(qtbot, transcript):
    transcript.set_items([THOUGHT])
    view = view_of(transcript, "a")
    assert "First I think." not in texts(view)
    height = view.height()
    click(qtbot, view.findChild(Fold).button)
    assert "First I think.\nThen **more**." in texts(view)
    assert view.height() > height
    click(qtbot, view.findChild(Fold).button)
    assert view.height() == height


def test_an_open_fold_is_found_open_again_after_its_widget_was_gone(qtbot, transcript):
    transcript.set_items([THOUGHT, *conversation(40)])
    bar(transcript).setValue(0)
    click(qtbot, view_of(transcript, "a").findChild(Fold).button)
    transcript.setFocus()
    transcript.jump_to_latest()
    settle(qtbot, transcript)
    assert transcript._entries[0].view is None
    bar(transcript).setValue(0)
    assert "First I think." in texts(view_of(transcript, "a"))


def test_an_open_fold_stays_open_when_the_items_are_set_again(qtbot, transcript):
    transcript.set_items([THOUGHT])
    click(qtbot, view_of(transcript, "a").findChild(Fold).button)
    transcript.set_items([Item("u", Kind.USER, "You", "Hi"), THOUGHT])
    assert "First I think." in texts(view_of(transcript, "a"))


def test_a_fold_opens_in_place(qtbot, transcript):
    transcript.set_items([*conversation(2), THOUGHT, *conversation(0)])
    settle(qtbot, transcript)
    view = view_of(transcript, "a")
    y = view.y()
    click(qtbot, view.findChild(Fold).button)
    assert abs(view.y() - y) <= max(0, y + view.height() - transcript.viewport().height()) + 1


def test_thinking_streams(qtbot, transcript):
    transcript.append_item(Item("s", Kind.ASSISTANT, "Model", state=State.STREAMING))
    transcript.append_text("s", "thinking", "Let me ")
    view = view_of(transcript, "s")
    fold = view.findChild(Fold)
    assert fold.button.text() == "Thinking…"
    click(qtbot, fold.button)
    transcript.append_text("s", "thinking", "see.")
    transcript.append_text("s", "answer", "Yes.")
    qtbot.waitUntil(lambda: "Yes." in texts(view))
    assert "Let me see." in texts(view)
    assert fold.button.text() == "Thinking"
    assert transcript.items()[0].thinking == "Let me see."
    settle(qtbot, transcript)


def test_the_footer_and_its_tooltip(transcript):
    transcript.set_items([Item("a", Kind.ASSISTANT, "Model", "Hi", footer="TTFT 0.24 s", footer_tooltip="a < b\nc")])
    view = view_of(transcript, "a")
    assert labels(view) == ["Model", "TTFT 0.24 s"]
    label = next(label for label in view.findChildren(QLabel) if label.text() == "TTFT 0.24 s")
    assert label.toolTip() == "<qt>a &lt; b<br>c</qt>"


def test_a_narrow_footer_moves_the_buttons_below(qtbot, transcript):
    item = Item("a", Kind.ASSISTANT, "M", "Hi", footer="word " * 30, actions=(Action("regenerate", "Regenerate"),))
    transcript.resize(300, 600)
    transcript.set_items([item])
    view = view_of(transcript, "a")
    label = next(label for label in view.findChildren(QLabel) if label.text() == item.footer)
    for one in view.foot_stops():
        assert one.y() >= label.geometry().bottom()
        assert one.geometry().right() <= one.parentWidget().width()


def test_an_error_stands_in_its_frame_with_its_buttons(qtbot, transcript):
    actions = (Action("reload_model", "Reload the model"), Action("retry", "Retry && more"))
    transcript.set_items(
        [Item("a", Kind.ASSISTANT, "M", "So far", state=State.FAILED, error="The engine died.", actions=actions)]
    )
    view = view_of(transcript, "a")
    assert "The engine died." in labels(view)
    assert "The engine died." not in texts(view)
    reload_button = transcript.findChild(QPushButton, "reload_model")
    assert reload_button.parentWidget().accessibleDescription() == "The engine died."
    assert transcript.findChild(QPushButton, "retry").accessibleName() == "Retry && more"
    with qtbot.waitSignal(transcript.action_triggered) as caught:
        click(qtbot, reload_button)
    assert caught.args == ["a", "reload_model"]
    transcript.update_item(Item("a", Kind.ASSISTANT, "M", "So far", state=State.STOPPED))
    assert "The engine died." not in labels(view_of(transcript, "a"))


def test_an_error_without_text_is_no_empty_answer(transcript):
    transcript.set_items([Item("a", Kind.ASSISTANT, "M", state=State.FAILED, error="The prompt does not fit.")])
    view = view_of(transcript, "a")
    assert "The prompt does not fit." in labels(view)
    assert not any(b.accessibleName() == "Copy message" for b in view.foot_stops())


def test_the_users_words_are_no_markdown(transcript):
    text = "# not a heading\n- *no* list\n\n    `x`  <b>"
    transcript.set_items([Item("u", Kind.USER, "You", text)])
    assert texts(view_of(transcript, "u")) == text


def test_a_bubble_is_as_wide_as_its_text(transcript):
    transcript.set_items([Item("u", Kind.USER, "You", "Hi"), Item("v", Kind.USER, "You", "word " * 100)])
    short, long = view_of(transcript, "u")._bubble, view_of(transcript, "v")._bubble
    assert short.width() < 100 < long.width() < transcript.viewport().width() * 0.9
    assert short.right() == long.right()
    assert short.height() < 60 < long.height()


def test_copy_of_a_bubble_appears_with_the_keyboard(qtbot, transcript):
    transcript.set_items([Item("u", Kind.USER, "You", "Hi **there**")])
    view = view_of(transcript, "u")
    copy = button(view, "Copy message")
    assert not copy.isVisible()
    view.set_current(True)
    click(qtbot, copy)
    assert QGuiApplication.clipboard().text() == "Hi **there**"
    assert copy.text() == "Copied"
    qtbot.waitUntil(lambda: copy.text() == "Copy")


def test_long_user_messages_are_folded(qtbot, transcript):
    text = "\n".join(f"line {i}" for i in range(1000))
    transcript.set_items([Item("u", Kind.USER, "You", text)])
    view = view_of(transcript, "u")
    assert "line 39" in texts(view)
    assert "line 40" not in texts(view)
    more = button(view, f"Show all {QLocale().toString(1000)} lines")
    click(qtbot, more)
    whole = view.findChild(QPlainTextEdit)
    assert whole.toPlainText() == text
    assert whole.isReadOnly()
    assert view.height() < 1000
    click(qtbot, button(view, "Show less"))
    assert view.findChild(QPlainTextEdit) is None or not view.findChild(QPlainTextEdit).isVisible()
    assert "line 39" in texts(view)
    click(qtbot, button(view, "Copy message"))
    assert QGuiApplication.clipboard().text() == text


@pytest.mark.parametrize("text", ["word " * 200_000, "x" * 1_000_000, "a line of text\n" * 70_000], ids=len)
def test_a_megabyte_from_the_user_is_shown_at_once(qtbot, transcript, text):
    begin = time.thread_time()
    transcript.append_item(Item("u", Kind.USER, "You", text))
    settle(qtbot, transcript)
    transcript.grab()
    assert time.thread_time() - begin < 3
    begin = time.thread_time()
    click(qtbot, next(b for b in view_of(transcript, "u").stops() if isinstance(b, QPushButton)))
    transcript.grab()
    assert time.thread_time() - begin < 3


def test_what_is_folded():
    assert folded("short") is None
    assert folded("line\n" * 150) is None
    assert folded("x" * 20_000) == "x" * 4_000
    assert folded("line\n" * 500).count("line") == 40


def test_a_summary_is_a_divider_that_opens(qtbot, transcript):
    actions = (Action("undo_summary", "Undo"),)
    transcript.set_items([Item("s", Kind.SUMMARY, text="They spoke of **caching**.", actions=actions)])
    view = view_of(transcript, "s")
    fold = view.findChild(Fold)
    assert fold.button.text() == "Summary of the messages above"
    assert texts(view) == ""
    click(qtbot, fold.button)
    assert texts(view) == "They spoke of caching."
    with qtbot.waitSignal(transcript.action_triggered) as caught:
        click(qtbot, transcript.findChild(QPushButton, "undo_summary"))
    assert caught.args == ["s", "undo_summary"]


def test_a_notice_is_plain_and_has_no_copy(transcript):
    transcript.set_items([Item("n", Kind.NOTICE, text="<b>Loaded</b>")])
    view = view_of(transcript, "n")
    assert labels(view) == ["<b>Loaded</b>"]
    assert view.foot_stops() == []


def test_code_has_its_language_and_copies_its_source(qtbot, transcript):
    transcript.set_items([Item("a", Kind.ASSISTANT, "M", "```python\nx = 1\n\ny = 2\n```\n\n```\nplain\n```")])
    blocks = view_of(transcript, "a").findChildren(Code)
    assert [labels(block) for block in blocks] == [["python"], ["text"]]
    click(qtbot, button(blocks[0], "Copy code"))
    assert QGuiApplication.clipboard().text() == "x = 1\n\ny = 2"


def test_long_code_lines_scroll_by_themselves(qtbot, transcript):
    transcript.set_items([Item("a", Kind.ASSISTANT, "M", "```\n" + "x" * 400 + "\nshort\n```")])
    settle(qtbot, transcript)
    browser = view_of(transcript, "a").findChild(Code).browser
    assert browser.horizontalScrollBar().maximum() > 0
    assert browser.verticalScrollBar().maximum() == 0
    assert browser.document().blockCount() == 2


def test_everything_has_room_for_its_text(qtbot, transcript):
    for width in (300, 500, 900):
        transcript.resize(width, 800)
        transcript.set_items(conversation(2))
        settle(qtbot, transcript)
        for browser in view_of(transcript, "a1").stops():
            if hasattr(browser, "verticalScrollBar"):
                assert browser.verticalScrollBar().maximum() == 0
