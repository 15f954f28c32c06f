"""Whole processes: a window that is killed, and a second start beside the first."""

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from app.paths import paths
from app.storage.store import Store
from ui.single_instance import SingleInstance

ROOT = Path(__file__).resolve().parents[2]

STREAMING_WINDOW = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from app.paths import paths
from tests.fakes import Answer, ScriptedEngine
from ui.parts import Parts, compose
from ui.arguments import Arguments

application = QApplication([])
engine = ScriptedEngine(Answer(pieces=tuple(f"w{n} " for n in range(5000)), delay_s=0.01))
window = compose(application, Arguments(Path("fake.gguf")), paths(), lambda: engine)
window.show()
chat = window.findChild(Parts).chat

def step():
    if chat.can_answer:
        chat.send("Tell me everything")
    elif chat.running is not None:
        print(chat.running.text.count("w"), flush=True)

timer = QTimer()
timer.timeout.connect(step)
timer.start(20)
application.exec()
"""


@pytest.fixture
def environment(tokometer_home):
    return {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}


def test_a_window_killed_while_streaming_loses_at_most_250_ms_of_text(environment):
    process = subprocess.Popen(
        [sys.executable, "-c", STREAMING_WINDOW], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    )
    shown = 0
    with process, closing(process.stdout):
        for line in process.stdout:
            shown = int(line)
            if shown >= 80:
                break
        process.kill()
    with closing(Store(paths().database_file)) as store:
        (recovered,) = store.recover()
        (row,) = store.conversations()
        user, answer = store.conversation(row.id).messages
    assert user.content == "Tell me everything"
    assert (answer.id, answer.state) == (recovered, "interrupted")
    words = answer.content.split()
    assert words == [f"w{number}" for number in range(len(words))]
    # 250 ms of 100 tokens/s, twice for a busy machine.
    assert len(words) >= shown - 50


def test_a_second_start_raises_the_first_window_and_ends_well(qtbot, environment):
    first = SingleInstance(paths().data)
    assert first.claim()
    first.listen()
    with qtbot.waitSignal(first.called, timeout=60_000) as called:
        process = subprocess.Popen([sys.executable, "-m", "app", "-m", "模型.gguf"], cwd=ROOT, env=environment)
    assert called.args == [{"model": str(ROOT / "模型.gguf")}]
    qtbot.waitUntil(lambda: process.poll() is not None, timeout=60_000)
    assert process.returncode == 0
    first.release()


UNKEPT_WINDOW = """
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.cli.options import parse
from tests.fakes import ScriptedEngine
from ui import application
from ui.main_window import MainWindow

def step():
    for window in QApplication.topLevelWidgets():
        if isinstance(window, MainWindow) and "Conversations" in window.notice_bar.sentence:
            timer.stop()
            print(window.notice_bar.sentence)
            window.close()

application._engine_factory = lambda *_: ScriptedEngine
qt = QApplication([])
timer = QTimer()
timer.timeout.connect(step)
timer.start(20)
print(application.run(parse(["-m", "fake.gguf"])))
"""


def test_a_home_that_cannot_be_written_is_said_in_the_window(environment, tokometer_home):
    tokometer_home.touch()  # a file in the place of the folder
    done = subprocess.run(
        [sys.executable, "-c", UNKEPT_WINDOW], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    sentence, status = done.stdout.splitlines()
    assert sentence.startswith("The settings")
    assert sentence.endswith("Conversations are not kept when the window is closed.")
    assert status == "0"
