"""`tokometer`: the window, when there is something to show it on. The one place where app needs it."""

from __future__ import annotations

import gc
import importlib.util
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from app.errors import BadInputError, Sentence

if TYPE_CHECKING:
    import argparse

_NEEDS_A_DISPLAY = ("xcb", "wayland")


def run(options: argparse.Namespace) -> int:
    """Open the window and return its exit status. Raises BadInputError without PySide6 or a display."""
    if importlib.util.find_spec("PySide6") is None:
        raise BadInputError(
            Sentence(
                "The window needs PySide6, which is not installed: install it, or use “tokometer chat” in this "
                "terminal."
            )
        )
    if not display_is_reachable():
        raise BadInputError(
            Sentence(
                "There is no display to open a window on: use “tokometer chat” in this terminal, or “tokometer "
                "doctor” to see what this machine has."
            )
        )
    # Until the window is up and allows it again: what is made till then stays, and to look for garbage in it would take
    # a tenth of the start.
    gc.disable()
    from ui.application import run as run_window

    return int(run_window(options))


def show_complaint(sentence: str) -> None:
    """Say in a box why there is no window, as far as one can be shown."""
    if importlib.util.find_spec("PySide6") is None or not display_is_reachable():
        return
    with suppress(BadInputError):  # the pair of PySide6 and Python may be what is wrong
        from ui.application import complain

        complain(sentence)


def display_is_reachable() -> bool:
    """Whether Qt would find a display; it aborts the process when it does not."""
    platform = os.environ.get("QT_QPA_PLATFORM", "xcb").split(":")[0].split(";")[0]
    if sys.platform in ("win32", "darwin") or platform not in _NEEDS_A_DISPLAY:
        return True
    if os.environ.get("WAYLAND_DISPLAY"):
        return True
    host, _, rest = os.environ.get("DISPLAY", "").rpartition(":")
    number = rest.split(".")[0]
    if not number.isdigit():
        return False
    if host not in ("", "unix"):
        return True  # on another machine or tunnelled; only Qt can tell
    return any(_answers(address) for address in (f"\0/tmp/.X11-unix/X{number}", f"/tmp/.X11-unix/X{number}"))


def _answers(address: str) -> bool:
    import socket  # not above: nothing slow is imported before the first frame

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(address)
        except OSError:
            return False
    return True
