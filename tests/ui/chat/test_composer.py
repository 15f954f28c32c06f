"""The box the user writes in."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QVBoxLayout, QWidget

from ui.chat.composer import Composer

PRIMARY = Qt.Key.Key_Return


@pytest.fixture
def composer(qtbot, theme):
    host = QWidget()
    layout = QVBoxLayout(host)
    composer = Composer(theme)
    layout.addStretch(1)
    layout.addWidget(composer)
    layout.addWidget(QLineEdit())
    qtbot.addWidget(host)
    host.resize(500, 400)
    host.show()
    host.activateWindow()
    with qtbot.waitActive(host):
        pass
    composer.focus_editor()
    yield composer
    host.close()


@pytest.fixture
def submitted(composer):
    texts: list[str] = []
    composer.submitted.connect(texts.append)
    return texts


def test_enter_sends_and_the_text_stays_until_it_is_cleared(qtbot, composer, submitted):
    qtbot.keyClicks(composer.editor, "Hello")
    qtbot.keyClick(composer.editor, PRIMARY)
    assert submitted == ["Hello"]
    assert composer.text() == "Hello"
    composer.clear()
    assert composer.text() == ""


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_shift_enter_breaks_the_line(qtbot, composer, submitted, key):
    qtbot.keyClicks(composer.editor, "a")
    qtbot.keyClick(composer.editor, key, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(composer.editor, "b")
    assert submitted == []
    qtbot.keyClick(composer.editor, key)
    assert submitted == ["a\nb"]


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\t \u3000"])
def test_blank_text_sends_nothing(qtbot, composer, submitted, text):
    composer.set_text(text)
    assert not composer.send_button.isEnabled()
    qtbot.keyClick(composer.editor, PRIMARY)
    assert submitted == []


def test_the_button_sends(qtbot, composer, submitted):
    composer.set_text("  Hello  ")
    qtbot.mouseClick(composer.send_button, Qt.MouseButton.LeftButton)
    assert submitted == ["  Hello  "]


def test_enter_during_composition_belongs_to_the_input_method(qtbot, composer, submitted):
    composer.set_text("x")
    QApplication.sendEvent(composer.editor, QInputMethodEvent("ni", []))
    qtbot.keyClick(composer.editor, PRIMARY)
    assert submitted == []
    commit = QInputMethodEvent("", [])
    commit.setCommitString("你")
    QApplication.sendEvent(composer.editor, commit)
    composer.editor.setPlainText("你好")
    qtbot.keyClick(composer.editor, PRIMARY)
    assert submitted == ["你好"]


def test_stop_takes_sends_place(qtbot, composer, submitted):
    composer.set_text("next")
    place = composer.send_button.parentWidget()
    qtbot.waitUntil(lambda: composer.send_button.geometry() == place.rect())
    composer.set_generating(True)
    assert not composer.send_button.isVisible()
    assert composer.stop_button.isVisible()
    # Not compared with where Send was: a change of size that still waited then would come in between.
    assert composer.stop_button.parentWidget() is place
    qtbot.waitUntil(lambda: composer.stop_button.geometry() == place.rect())
    qtbot.keyClick(composer.editor, PRIMARY)
    assert submitted == []
    with qtbot.waitSignal(composer.stop_requested):
        qtbot.mouseClick(composer.stop_button, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(composer.stop_requested):
        qtbot.keyClick(composer.editor, Qt.Key.Key_Escape)
    composer.set_generating(False)
    assert composer.send_button.isVisible()
    assert composer.text() == "next"


def test_escape_does_nothing_when_nothing_runs(qtbot, composer):
    stops = []
    composer.stop_requested.connect(lambda: stops.append(1))
    qtbot.keyClick(composer.editor, Qt.Key.Key_Escape)
    assert stops == []


def test_why_sending_is_not_possible(qtbot, composer, submitted):
    composer.set_text("Hello")
    composer.set_enabled_to_send(False, "No model <b>is</b> loaded.")
    assert not composer.send_button.isEnabled()
    assert "&lt;b&gt;" in composer.send_button.toolTip()
    qtbot.keyClick(composer.editor, PRIMARY)
    assert submitted == []
    assert composer.text() == "Hello"
    composer.set_enabled_to_send(True)
    assert composer.send_button.isEnabled()
    assert composer.send_button.toolTip() == ""


def test_it_grows_to_eight_lines(qtbot, composer):
    heights = []
    for lines in (1, 2, 8, 9, 50):
        composer.set_text("\n".join("x" for _ in range(lines)))
        qtbot.waitUntil(lambda: composer.editor.height() == composer.editor.sizeHint().height())
        heights.append(composer.editor.height())
    spacing = composer.editor.fontMetrics().lineSpacing()
    assert heights[1] - heights[0] == spacing
    assert heights[2] - heights[0] == 7 * spacing
    assert heights[2] == heights[3] == heights[4]
    composer.clear()
    qtbot.waitUntil(lambda: composer.editor.height() == heights[0])


def test_no_scroll_bar_before_it_is_needed(qtbot, composer):
    for lines in (1, 8):
        composer.set_text("\n".join("x" for _ in range(lines)))
        qtbot.waitUntil(lambda: composer.editor.height() == composer.editor.sizeHint().height())
        assert composer.editor.verticalScrollBar().maximum() == 0
    composer.set_text("x\n" * 20)
    qtbot.waitUntil(lambda: composer.editor.verticalScrollBar().isVisible())


def test_tab_leaves_it(qtbot, composer):
    composer.set_text("Hello")
    qtbot.keyClick(composer.editor, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is composer.send_button
    assert composer.text() == "Hello"


def test_backspace_on_an_empty_box_does_nothing(qtbot, composer, submitted):
    for key in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete):
        qtbot.keyClick(composer.editor, key)
    assert composer.text() == ""
    assert submitted == []


def test_drafts_are_told(qtbot, composer):
    drafts = []
    composer.draft_changed.connect(drafts.append)
    qtbot.keyClicks(composer.editor, "ab")
    composer.clear()
    assert drafts == ["a", "ab", ""]


def test_only_plain_text_is_pasted(composer):
    data = QMimeData()
    data.setHtml("<b>bold</b><img src='/etc/passwd'>")
    data.setText("plain <b>")
    composer.editor.insertFromMimeData(data)
    assert composer.text() == "plain <b>"


@pytest.mark.parametrize(
    "text", ["word " * 200_000, "x" * 1_000_000, "a line of text\n" * 70_000, "字" * 300_000], ids=len
)
def test_a_megabyte_can_be_pasted_and_sent(qtbot, composer, submitted, text):
    data = QMimeData()
    data.setText(text)
    begin = time.thread_time()
    composer.editor.insertFromMimeData(data)
    composer.grab()
    pasted = time.thread_time()
    assert pasted - begin < 3  # an unbroken line took minutes
    qtbot.keyClicks(composer.editor, "abc")
    composer.grab()
    print("paste", round(pasted - begin, 3), "three keys", round(time.thread_time() - pasted, 3))
    assert time.thread_time() - pasted < 3
    qtbot.keyClick(composer.editor, PRIMARY)
    assert submitted == [text + "abc"]


def test_a_long_line_is_whole_again_however_it_is_taken_out(qtbot, composer):
    text = "x" * 5000 + "\n" + "y" * 2000 + "\n"
    composer.set_text(text)
    assert composer.editor.document().blockCount() == 5
    assert composer.text() == text
    composer.editor.selectAll()
    assert composer.editor.createMimeDataFromSelection().text() == text
    cursor = composer.editor.textCursor()
    cursor.setPosition(2002)
    composer.editor.setTextCursor(cursor)
    qtbot.keyClick(composer.editor, Qt.Key.Key_Backspace)
    assert composer.text() == text


def test_names_for_assistive_technology(composer):
    assert composer.editor.objectName() == "composer"
    assert composer.editor.accessibleName() == "Message"
    for button in composer.findChildren(QPushButton):
        assert button.accessibleName()
        assert button.objectName() in ("send_button", "stop_button")


def test_a_click_anywhere_in_the_frame_writes(qtbot, composer):
    composer.send_button.setFocus()
    qtbot.mouseClick(composer, Qt.MouseButton.LeftButton, pos=QPoint(composer.width() // 2, 3))
    assert composer.editor.hasFocus()
