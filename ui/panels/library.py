"""Brings what the charts are drawn with into the process while the window stays quick.

Importing pyqtgraph takes a third of a second. Half of that is PySide making the Python classes of all of Qt, which it
does on first use and which is not safe in two threads at once: that is done here in the window's thread, a little at a
time. The rest, numpy and pyqtgraph's own modules, is imported in a thread.
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

SLICE_S = 0.004
POLL_MS = 10


class ChartLibrary(QObject):
    """Imports once; several at the same time wait for the same import.

    Signals:
        ready: `ui.panels.canvas` and all it needs is imported, or cannot be.
    """

    ready = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._classes: Iterator[object] = _qt_classes()
        self._thread = threading.Thread(target=_import, name="chart library")
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._go_on)

    def start(self) -> None:
        """Begin; nothing when it has begun."""
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


def _import() -> None:
    importlib.import_module("pyqtgraph")
    importlib.import_module("ui.panels.canvas")
