"""Take pictures of the real window with a real model; without arguments the one in the README.

It runs on whatever platform QT_QPA_PLATFORM says (offscreen unless it says otherwise), in a TOKOMETER_HOME of its own.
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
from ui.application import create
from ui.parts import Parts

QUESTIONS = (
    "What is a KV cache? Answer in two short paragraphs.",
    "Write a small Python function that returns the n-th Fibonacci number, in a code block.",
    "Why is my second answer faster than the first?",
)
SIZES = ((1360, 860), (1000, 700), (1600, 1000))
TIMEOUT_S = 300


def main() -> int:
    """Write window.png, or with --all one picture for each size and scheme."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path(__file__).parent / "screenshots")
    parser.add_argument("-m", "--model", type=Path, default=starter_model())
    parser.add_argument("-t", "--threads", default="", help="CPU threads; fewer help on a busy machine")
    parser.add_argument("--language", default="en")
    parser.add_argument("--all", action="store_true", help="every size, light and dark")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as home:
        os.environ["TOKOMETER_HOME"] = home
        _take(options)
    return 0


def _take(options: argparse.Namespace) -> None:
    threads = ["-t", options.threads] if options.threads else []
    _, window = create(["tokometer", "-m", str(options.model), "-c", "4096", *threads])
    parts = window.findChild(Parts)
    settings = parts.settings
    window.resize(*SIZES[0])
    window.show()
    _wait_until(lambda: parts.models.model is not None)
    sampling = replace(settings.value.sampling, temperature=0.3, seed=4)
    settings.set(replace(settings.value, language=options.language, sampling=sampling, max_tokens=160))
    for question in QUESTIONS:
        parts.chat.send(question)
        _wait_until(lambda: parts.chat.running is None)
    window.status_line.set_notice("")  # what this machine's llama.cpp had to say
    for scheme in ("light", "dark") if options.all else ("light",):
        settings.set(replace(settings.value, theme=scheme))
        for size in SIZES if options.all else SIZES[:1]:
            window.resize(*size)
            _pause(800)
            name = f"window_{size[0]}x{size[1]}_{scheme}.png" if options.all else "window.png"
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
