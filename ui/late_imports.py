"""Imports what the first frame does without, while the window stays quick.

Half of what is slow about the charts' library is PySide making the Python classes of all of Qt. It does so on first
use, and not safely in two threads at once: that is done here in the window's thread, a little at a time. The rest is
then imported in a thread.
"""

from __future__ import annotations

import importlib
import threading
import time
from typing import TYPE_CHECKING

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, QTimer, Signal, Slot

if TYPE_CHECKING:
    from collections.abc import Iterator

SLICE_S = 0.005
POLL_MS = 10


class LateImports(QObject):
    """Imports some modules once it is started. Whoever needs them before imports them itself, and waits.

    Signals:
        ready: they are imported, or cannot be.
    """

    ready = Signal()

    def __init__(self, parent: QObject, *modules: str) -> None:
        super().__init__(parent)
        self._classes = _qt_classes()
        self._thread = threading.Thread(target=_import, args=modules, name="imports")
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._go_on)

    def start(self) -> None:
        """Begin, unless that has been done."""
        if not self._timer.isActive():
            self._timer.start(0)

    @Slot()
    def _go_on(self) -> None:
        if self._thread.ident is None:
            end = time.perf_counter() + SLICE_S
            for _ in self._classes:
                if time.perf_counter() > end:
                    return
            self._thread.start()
            self._timer.setInterval(POLL_MS)
        elif not self._thread.is_alive():
            self._timer.stop()
            self.ready.emit()


def _qt_classes() -> Iterator[object]:
    for module in (QtCore, QtGui, QtWidgets):
        for name in dir(module):
            yield getattr(module, name)


def _import(*modules: str) -> None:
    for module in modules:
        importlib.import_module(module)
