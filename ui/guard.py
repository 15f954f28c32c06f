"""Refuses the pair of Python and PySide6 that corrupts memory, before anything of Qt is used."""

from __future__ import annotations

import sys

from app.errors import BadInputError

# PySide6 6.12 is built for the Python in which None and True are immortal, and takes references to them
# away in older ones: each Signal.emit() and timer call loses one, and the process dies after a few thousand.
FIRST_BAD_PYSIDE = (6, 12)
FIRST_SAFE_PYTHON = (3, 12)


def refusal(python_version: tuple[int, ...], pyside_version: tuple[int, ...]) -> str:
    """Why this pair cannot be used and what to do, in one sentence; empty when it can."""
    if python_version[:2] >= FIRST_SAFE_PYTHON or pyside_version[:2] < FIRST_BAD_PYSIDE:
        return ""
    pyside, python = (".".join(map(str, version[:2])) for version in (pyside_version, python_version))
    return (
        f"PySide6 {pyside} corrupts memory on Python {python}: "
        "run pip install 'PySide6_Essentials<6.12', or use Python 3.12 or newer."
    )


def check() -> None:
    """Let a good pair pass.

    Raises:
        BadInputError: PySide6 6.12 or newer on a Python older than 3.12.
    """
    if sys.version_info < FIRST_SAFE_PYTHON:
        import PySide6

        if text := refusal(sys.version_info[:2], PySide6.__version_info__[:2]):
            raise BadInputError(text)
