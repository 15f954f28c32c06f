"""Between the first frame and the parts behind it nothing is lost, and the window can go again."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QThread
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from app.paths import paths
from tests.fakes import ScriptedEngine
from ui.arguments import Arguments
from ui.opening import Opening
from ui.shell import Shell


@pytest.fixture
def opening(qtbot, model_file):
    """A window of which only the shell is there."""
    shell = Shell(QApplication.instance(), paths())
    opening = Opening(shell, Arguments(model_file), ScriptedEngine)
    yield opening
    shell.window.close()
    if opening.parts is None:
        shell.close()
    shell.window.deleteLater()


@pytest.fixture
def model_file(tmp_path):
    return tmp_path / "fake.gguf"


def test_what_is_typed_before_the_parts_are_there_stays(qtbot, opening):
    window = opening.parent()
    window.show()
    editor = window.findChild(QPlainTextEdit, "composer")
    qtbot.keyClicks(editor, "Hello")
    qtbot.keyClick(editor, "!")
    assert opening.parts is None
    with qtbot.waitSignal(opening.done):
        pass
    assert window.composer.text() == "Hello!"
    qtbot.keyClicks(editor, "?")
    assert window.composer.text() == "Hello!?"
    qtbot.waitUntil(lambda: opening.parts.models.model is not None)


def test_a_window_that_is_not_shown_gets_its_parts_too(qtbot, opening):
    with qtbot.waitSignal(opening.done):
        pass
    qtbot.waitUntil(lambda: opening.parts.models.model is not None)


def test_a_window_that_is_closed_before_has_none(qtbot, opening):
    window = opening.parent()
    window.show()
    with qtbot.waitSignal(window.first_painted):
        pass
    window.close()
    qtbot.wait(700)
    assert opening.parts is None
    assert not [thread for thread in opening.findChildren(QThread) if thread.isRunning()]


def test_the_parts_are_made_once(qtbot, opening):
    window = opening.parent()
    with qtbot.waitSignal(opening.done):
        pass
    first = opening.parts
    window.show()
    with qtbot.waitSignal(window.first_painted):
        pass
    qtbot.wait(100)
    assert opening.parts is first
