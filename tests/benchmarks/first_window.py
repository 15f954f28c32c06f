"""A window that tells when it could be used, then closes: python -m tests.benchmarks.first_window app|empty.

`app` is `python -m app`; `empty` is a QMainWindow with a QPlainTextEdit. Both are watched from outside, in one way.
Prints one JSON object; instants are `time.perf_counter_ns()`, one clock for every process of a machine.
"""

from __future__ import annotations

import json
import runpy
import sys
import time

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QPlainTextEdit

from tests.benchmarks.loop import Gaps

LATE_LIBRARIES = ("pyqtgraph", "llama_cpp", "huggingface_hub")
SLOW_LIBRARIES = ("numpy", "markdown_it", "pygments")
WATCHED_MS = 2000
"""How long the loop is watched after the first key: the charts' library comes in this time."""


class Watcher(QObject):
    """Notes the first paint, types one key at once, then looks for stalls of the event loop."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__()
        self._window = window
        self._editor = window.findChild(QPlainTextEdit)
        self._is_painted = False
        self._report: dict[str, object] = {}
        self._gaps = Gaps()
        self._editor.textChanged.connect(self._on_text_changed)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(0, self._on_painted)  # this event is the window's own; its children are painted after it
        return super().eventFilter(watched, event)

    def _on_painted(self) -> None:
        self._window.removeEventFilter(self)
        self._report["painted_ns"] = time.perf_counter_ns()
        self._report["imported"] = [name for name in (*LATE_LIBRARIES, *SLOW_LIBRARIES) if name in sys.modules]
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            key = QKeyEvent(kind, Qt.Key.Key_A, Qt.KeyboardModifier.NoModifier, "a")
            QCoreApplication.postEvent(self._editor, key)

    def _on_text_changed(self) -> None:
        self._editor.textChanged.disconnect(self._on_text_changed)
        self._report["usable_ns"] = time.perf_counter_ns()
        self._report["cpu_s"] = time.process_time()
        self._gaps.start()
        QTimer.singleShot(WATCHED_MS, self._on_watched)

    def _on_watched(self) -> None:
        self._gaps.stop()
        self._report["stall_ms"] = max(self._gaps.late_ms)
        self._report["stall_cpu_ms"] = max(self._gaps.busy_ms)
        self._report["late_imported"] = [name for name in LATE_LIBRARIES if name in sys.modules]
        print(json.dumps(self._report), flush=True)
        self._window.close()


def watch_first_window() -> None:
    """Let a `Watcher` see the application's window as soon as its event loop starts."""
    run = QApplication.exec
    watchers: list[Watcher] = []

    def watched_run(_application: QApplication) -> int:
        (window,) = (widget for widget in QApplication.topLevelWidgets() if isinstance(widget, QMainWindow))
        watchers.append(Watcher(window))
        return run()

    QApplication.exec = watched_run


def run_empty() -> None:
    """The least that could be called a window to type in."""
    application = QApplication([])
    window = QMainWindow()
    editor = QPlainTextEdit()
    window.setCentralWidget(editor)
    window.resize(1360, 860)
    editor.setFocus()
    window.show()
    application.exec()


if __name__ == "__main__":
    kind = sys.argv.pop()
    watch_first_window()
    if kind == "app":
        runpy.run_module("app", run_name="__main__", alter_sys=True)
    else:
        run_empty()
