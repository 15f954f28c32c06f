"""What every window test needs: no display, no leaked thread, and a window on a scripted engine."""

from __future__ import annotations

import gc
import os
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["LC_ALL"] = "C.UTF-8"  # the tests read English

from PySide6.QtCore import QCoreApplication, QEvent, QLocale, Qt, QThread
from PySide6.QtWidgets import QApplication, QWidget

from app.engine.factory import make_engine
from app.paths import paths
from tests.fakes import ScriptedEngine
from tests.planners import scripted_planners
from ui.arguments import Arguments
from ui.parts import Parts, compose

MODEL = Path("fake.gguf").absolute()


@pytest.fixture(autouse=True)
def no_leaked_thread(monkeypatch):
    """Fail when a QThread started by the test still runs after it."""
    started: list[QThread] = []
    start = QThread.start

    def record(thread, *arguments):
        started.append(thread)
        start(thread, *arguments)

    monkeypatch.setattr(QThread, "start", record)
    yield
    leaked = [thread.objectName() for thread in started if thread.isRunning()]
    for thread in started:
        thread.wait(5000)
    assert not leaked, f"threads left running: {leaked}"


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """A window without a model asks the hub what would suit; tests of that bring a hub of their own."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(autouse=True)
def no_garbage_collected_while_painting():
    """A widget that only a finished test knew would be collected while it is painted, or by another thread."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(autouse=True)
def locale_afterwards():
    """Put back the locale of numbers; words go with their window."""
    before = QLocale()
    yield
    QLocale.setDefault(before)


class Desk:
    """A window with its parts, and hands that use it as a person would."""

    def __init__(self, qtbot, window, engine):
        self.qtbot = qtbot
        self.window = window
        self.engine = engine
        self.parts = window.findChild(Parts)

    def find(self, name: str) -> QWidget:
        return self.window.findChild(QWidget, name)

    def activate(self) -> None:
        """Give the window the keyboard, without which shortcuts and the focus go nowhere."""
        self.window.activateWindow()
        with self.qtbot.waitActive(self.window):
            pass

    def type_and_send(self, text: str) -> None:
        editor = self.find("composer")
        editor.setPlainText(text)
        self.qtbot.keyClick(editor, Qt.Key.Key_Return)

    def click(self, name: str) -> None:
        self.qtbot.mouseClick(self.find(name), Qt.MouseButton.LeftButton)

    def wait_until_idle(self) -> None:
        self.qtbot.waitUntil(lambda: self.parts.chat.running is None)

    def ask(self, text: str) -> None:
        """Send, and wait for the whole answer; near the edge of the context it is counted first."""
        before = len(self.engine.requests)
        self.type_and_send(text)
        self.qtbot.waitUntil(lambda: len(self.engine.requests) > before)
        self.wait_until_idle()

    def set_language(self, name: str) -> None:
        """Choose another language and let the window take it up."""
        self.parts.settings.set(replace(self.parts.settings.value, language=name))
        QCoreApplication.sendPostedEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)  # the messages' former widgets

    def items(self):
        """What is shown, without what is counted in the background afterwards."""
        return tuple(replace(item, cost="", frees="", wait=None) for item in self.window.transcript.items())

    def texts(self) -> list[str]:
        return [item.text for item in self.items()]

    def stored(self, read):
        """Return what `read(store)` finds, after all writes so far."""
        found = []
        self.parts.store.read(read, found.append)
        self.qtbot.waitUntil(lambda: bool(found))
        return found[0]

    def titles(self) -> list[str]:
        return [row.title for row in self.stored(lambda store: store.conversations())]


@pytest.fixture
def open_desk(qtbot):
    """Open windows on the test's TOKOMETER_HOME; all are closed at the end."""
    desks: list[Desk] = []

    def open_(engine: ScriptedEngine | None = None, model: Path | None = MODEL, load: bool = True) -> Desk:
        engine = engine or ScriptedEngine()
        window = compose(QApplication.instance(), Arguments(model), paths(), lambda: engine, scripted_planners)
        desk = Desk(qtbot, window, engine)
        desks.append(desk)
        window.show()
        if load:
            qtbot.waitUntil(lambda: desk.parts.models.model is not None)
            window.panels.ensure_plots()
        return desk

    yield open_
    for desk in desks:
        desk.window.close()
        desk.window.deleteLater()


@pytest.fixture
def desk(open_desk):
    return open_desk()


@pytest.fixture
def desk_without_home(open_desk):
    """A window that can keep nothing, and has said so."""
    paths().data.parent.parent.mkdir(parents=True, exist_ok=True)
    paths().data.parent.touch()  # a file in the place of the home
    desk = open_desk()
    desk.window.menu_actions["zoom_in"].trigger()
    desk.qtbot.waitUntil(lambda: "The settings cannot be written" in desk.window.notice_bar.sentence)
    return desk


@pytest.fixture(scope="session")
def self_test_verdict(tmp_path_factory) -> Path:
    """Where the engine keeps what it found out about this CPU, so that only the first window finds it out."""
    return tmp_path_factory.mktemp("verdict")


@pytest.fixture
def open_real_window(qtbot, self_test_verdict):
    """Open a window on the real engine; at the end it must leave nothing behind."""
    windows = []

    def open_(arguments: Arguments) -> Parts:
        window = compose(QApplication.instance(), arguments, paths(), lambda: make_engine(self_test_verdict))
        windows.append(window)
        window.show()
        return window.findChild(Parts)

    yield open_
    for window in windows:
        parts = window.findChild(Parts)
        window.close()
        window.deleteLater()
        assert parts.has_ended
    assert psutil.Process().children(recursive=True) == []
