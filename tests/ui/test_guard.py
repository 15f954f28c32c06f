"""The pair of Python and PySide6 that corrupts memory is refused, and this pair is none."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal

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


class Emitter(QObject):
    emitted = Signal(int)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None and True are immortal from Python 3.12 on")
def test_signals_and_timers_keep_reference_counts(qapp):
    def counts():
        return sys.getrefcount(True), sys.getrefcount(None)

    emitter = Emitter()
    fired = []
    emitter.emitted.connect(fired.append)
    before = counts()
    for number in range(2000):
        emitter.emitted.emit(number)
    for _ in range(200):
        QTimer.singleShot(0, lambda: None)
    QCoreApplication.processEvents()
    after = counts()
    assert len(fired) == 2000
    assert all(abs(a - b) <= 50 for a, b in zip(after, before, strict=True)), (before, after)
