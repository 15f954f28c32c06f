"""The pair of Python and PySide6 that corrupts memory is refused, and this pair is none."""

from __future__ import annotations

import subprocess
import sys

import pytest

import ui.guard
from app.errors import BadInputError


@pytest.mark.parametrize(
    ("python", "pyside"), [((3, 11), (6, 11)), ((3, 11, 2), (6, 10, 3)), ((3, 12), (6, 12)), ((3, 14), (7, 0))]
)
def test_good_pair_passes(python, pyside):
    assert ui.guard.refusal(python, pyside) == ""


@pytest.mark.parametrize(("python", "pyside"), [((3, 11, 7), (6, 12, 0)), ((3, 10), (6, 12)), ((3, 11), (7, 0))])
def test_bad_pair_is_refused_in_one_sentence(python, pyside):
    text = ui.guard.refusal(python, pyside)
    assert "PySide6_Essentials<6.12" in text
    assert text.count(". ") == 0
    assert text.endswith(".")


def test_check_raises_what_the_terminal_prints(monkeypatch):
    monkeypatch.setattr(ui.guard, "FIRST_SAFE_PYTHON", (99, 0))
    monkeypatch.setattr(ui.guard, "FIRST_BAD_PYSIDE", (0, 0))
    with pytest.raises(BadInputError, match="corrupts memory on Python"):
        ui.guard.check()


COUNT = """
import sys
from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal

class Emitter(QObject):
    emitted = Signal(int)

application = QCoreApplication([])
emitter = Emitter()
fired = []
emitter.emitted.connect(fired.append)
before = sys.getrefcount(True), sys.getrefcount(None)
for number in range(2000):
    emitter.emitted.emit(number)
for _ in range(2000):
    QTimer.singleShot(0, lambda: fired.append(0))
while len(fired) < 4000:
    application.processEvents()
print(sys.getrefcount(True) - before[0], sys.getrefcount(None) - before[1])
"""


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None and True are immortal from Python 3.12 on")
def test_signals_and_timers_keep_reference_counts():
    """In a process of its own, since what earlier tests left here goes whenever it likes, and a crash comes at exit."""
    done = subprocess.run([sys.executable, "-c", COUNT], capture_output=True, text=True, check=True)
    assert all(abs(int(lost)) <= 50 for lost in done.stdout.split()), done.stdout
