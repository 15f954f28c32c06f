"""Take pictures of the real window with a real model: python -m tests.take_screenshot FOLDER.

The window runs on whatever platform QT_QPA_PLATFORM says, in a TOKOMETER_HOME of its own.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QEventLoop, QTimer

from app.starter import starter_model
from ui.application import Parts, create

QUESTIONS = (
    "What is a KV cache? Answer in two short paragraphs.",
    "Write a small Python function that returns the n-th Fibonacci number, in a code block.",
    "Why is my second answer faster than the first?",
)
SIZES = ((1000, 700), (1600, 1000))
TIMEOUT_S = 120


def main() -> int:
    """Write window_<width>x<height>_<scheme>.png into a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-m", "--model", type=Path, default=starter_model())
    parser.add_argument("--language", default="en")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ["TOKOMETER_HOME"] = home
        _take(options)
    return 0


def _take(options: argparse.Namespace) -> None:
    _, window = create(["tokometer", "-m", str(options.model), "-c", "4096"])
    parts = window.findChild(Parts)
    settings = parts.settings
    window.resize(*SIZES[-1])
    window.show()
    _wait_until(lambda: parts.models.model is not None)
    sampling = replace(settings.value.sampling, seed=1)
    settings.set(replace(settings.value, language=options.language, sampling=sampling, max_tokens=220))
    for question in QUESTIONS:
        parts.chat.send(question)
        _wait_until(lambda: parts.chat.running is None)
    for scheme in ("light", "dark"):
        settings.set(replace(settings.value, theme=scheme))
        for size in SIZES:
            window.resize(*size)
            _pause(600)
            name = f"window_{size[0]}x{size[1]}_{scheme}.png"
            window.grab().save(str(options.folder / name))
            print(options.folder / name)
    window.close()


def _wait_until(condition) -> None:
    for _ in range(TIMEOUT_S * 20):
        if condition():
            return
        _pause(50)
    sys.exit("The window did not get there in time.")


def _pause(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


if __name__ == "__main__":
    sys.exit(main())
