"""What downloads left half done below a folder: looked for at every start, so with nothing but the file system."""

from __future__ import annotations

import os

PART = ".part"
"""Ends the name of a file that is not yet whole."""
NOTE = ".part.json"
"""Ends the name of what says whose bytes those are."""
_MOST = 10_000


def notes_below(folder: str | os.PathLike[str]) -> list[str]:
    """Return the paths of all notes, in order. Never raises; links to folders are not followed."""
    found = [
        os.path.join(inner, name)  # noqa: PTH118 - Path.walk is newer than Python 3.11
        for inner, _, names in os.walk(folder)
        for name in names
        if name.endswith(NOTE)
    ]
    return sorted(found)[:_MOST]
