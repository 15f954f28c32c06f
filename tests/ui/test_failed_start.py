"""A start that ends before there is a window says why, with a terminal and without."""

import sys
from contextlib import contextmanager

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from app.cli import main
from app.cli.models_download import model_from_hub
from app.paths import paths
from tests.downloads import DATA
from ui.single_instance import SingleInstance

BAD_CONTEXT = "argument -c/--ctx-size: x is not a positive whole number; “tokometer window --help” lists what it takes."


@contextmanager
def no_console():
    """As a program of the desktop is started on Windows."""
    streams = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = None
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


@pytest.fixture
def boxes(qtbot):
    """The boxes that are shown, each closed as soon as it is there."""
    shown: list[tuple[str, str]] = []

    def close() -> None:
        box = QApplication.activeModalWidget()
        if isinstance(box, QMessageBox):
            shown.append((box.windowTitle(), box.text()))
            box.close()

    timer = QTimer(interval=10)
    timer.timeout.connect(close)
    timer.start()
    yield shown
    timer.stop()


def test_a_mistake_on_the_command_line_is_said_in_a_box(boxes):
    with no_console(), pytest.raises(SystemExit) as ended:
        main(["-c", "x"])
    assert ended.value.code == 2
    ((title, text),) = boxes
    assert text == BAD_CONTEXT
    assert title == "Tokometer"


def test_another_window_that_does_not_answer_is_said_in_a_box(boxes, monkeypatch):
    monkeypatch.setattr("ui.single_instance.REPLY_TIMEOUT_MS", 50)
    first = SingleInstance(paths().data)
    assert first.claim()
    with no_console():
        assert main([]) == 2
    first.release()
    ((_, text),) = boxes
    assert text.startswith("Tokometer is running already but does not answer")


def test_a_mistake_of_the_program_is_said_in_a_box(boxes, monkeypatch):
    monkeypatch.setattr("app.cli.window.run", lambda _: 1 / 0)
    with no_console():
        assert main([]) == 3
    ((_, text),) = boxes
    assert text == f"Something unexpected went wrong; {paths().logs / 'tokometer.log'} has it."


def test_a_model_from_the_hub_is_fetched_without_a_console(hub):
    hub.add("maker/model-GGUF", "model-Q4_K_M.gguf", DATA)
    hub.bytes_per_s = len(DATA) / 0.4  # longer than the progress is waited for
    with no_console():
        path = model_from_hub("maker/model-GGUF:Q4_K_M")
    assert path.read_bytes() == DATA


def test_a_terminal_has_it_in_one_line_and_no_box(boxes, capsys):
    with pytest.raises(SystemExit):
        main(["-c", "x"])
    assert capsys.readouterr() == ("", f"tokometer window: {BAD_CONTEXT}\n")
    assert boxes == []
