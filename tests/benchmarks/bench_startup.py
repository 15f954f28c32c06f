"""Time from start to the first painted window, against an empty PySide6 window: at most twice as long.

`python tests/benchmarks/bench_startup.py` starts each several times in turn and compares the medians.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REPEATS = 7
LIMIT = 2.0

EMPTY = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
class Window(QMainWindow):
    def paintEvent(self, event):
        QTimer.singleShot(0, QApplication.quit)
application = QApplication([])
window = Window()
window.resize(1360, 860)
window.show()
application.exec()
"""
OURS = """
import os, sys
from PySide6.QtWidgets import QApplication
from ui.application import create
application, window = create(["tokometer"])
window.first_painted.disconnect()
def painted():
    os._exit(1 if {"pyqtgraph", "llama_cpp"} & set(sys.modules) else 0)
window.first_painted.connect(painted)
window.show()
application.exec()
"""


def seconds(code: str) -> float:
    """Run a program to its first paint."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "TOKOMETER_HOME": home, "PYTHONPATH": str(ROOT)}
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, env=environment, cwd=ROOT)
        return time.perf_counter() - started


def main() -> int:
    """Print the medians and their ratio; status 1 above the limit."""
    seconds(EMPTY), seconds(OURS)  # the first reading comes from the disk
    pairs = [(seconds(EMPTY), seconds(OURS)) for _ in range(REPEATS)]
    empty, ours = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"empty window {empty:.2f} s   Tokometer {ours:.2f} s   ratio {ours / empty:.2f} (limit {LIMIT})")
    return int(ours / empty > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
