"""What is slow comes after the first frame: the whole window in a process of its own, with the real model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.model

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("pyqtgraph", "llama_cpp", "huggingface_hub")
SLOW = ("numpy", "markdown_it", "pygments.lexers", "PySide6.QtNetwork", "ui.chat.message_view", "app.chat.summary")
BEHIND = ("ui.parts", "ui.chat_controller", "app.engine.events", "importlib.metadata")

WINDOW = """
import json, sys
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
from app.cli import main

class FirstPaint(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and not seen:
            seen["at first paint"] = list(sys.modules)
        return False

def look():
    from ui.parts import Parts
    parts = window.findChild(Parts)
    plots = [panel.canvas for panel in (window.ttft_panel, window.tpot_panel, window.memory_panel)]
    if parts is not None and parts.models.model is not None and None not in plots:
        seen["afterwards"] = list(sys.modules)
        seen["model"] = parts.models.model.info.architecture
        window.close()

def watched_run(application):
    global window
    (window,) = (widget for widget in QApplication.topLevelWidgets() if isinstance(widget, QMainWindow))
    window.installEventFilter(watcher)
    timer.start(200)
    return run()

seen = {}
watcher, timer = FirstPaint(), QTimer()
timer.timeout.connect(look)
run, QApplication.exec = QApplication.exec, watched_run
status = main(["-m", sys.argv[1], "-c", "256"])
print(json.dumps({**seen, "status": status}))
"""


@pytest.fixture(scope="module")
def seen(starter, tmp_path_factory) -> dict:
    """What the window's process had imported at its first paint, and when model and charts were there."""
    home = tmp_path_factory.mktemp("home")
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT), "TOKOMETER_HOME": str(home)}
    command = [sys.executable, "-c", WINDOW, str(starter)]
    done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("library", [*HEAVY, *SLOW, *BEHIND])
def test_the_first_frame_does_without(seen, library):
    assert library not in seen["at first paint"]


@pytest.mark.parametrize("library", BEHIND)
def test_what_stands_behind_the_window_comes_afterwards(seen, library):
    assert library in seen["afterwards"]


@pytest.mark.parametrize("library", ["pyqtgraph", "numpy", "markdown_it", "pygments.lexers", "ui.chat.message_view"])
def test_the_libraries_come_by_themselves_afterwards(seen, library):
    assert library in seen["afterwards"]


def test_the_model_is_loaded_afterwards_in_a_process_of_its_own(seen):
    assert seen["model"] == "llama"
    assert seen["status"] == 0
    assert "llama_cpp" not in seen["afterwards"]
