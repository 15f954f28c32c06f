"""Writing a file so that it is there whole or not at all, and putting a damaged one aside."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from datetime import datetime
from pathlib import Path


def make_folder(path: Path) -> None:
    """Make a folder with those above it; a new one is for the user alone. Raises OSError."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file in one step; its folder is made when missing. A link keeps pointing to its target.

    Raises:
        OSError: it could not be written; the old file is as it was.
    """
    target = Path(os.path.realpath(path))
    make_folder(target.parent)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=_temporary(target))
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def remove_written(path: Path) -> None:
    """Delete a file that was written atomically, and what a kill may have left of writing it. Never raises."""
    with suppress(OSError):
        path.unlink(missing_ok=True)
    with suppress(OSError), os.scandir(path.parent) as entries:
        for entry in entries:
            if entry.name.startswith(_temporary(path)):
                Path(entry.path).unlink(missing_ok=True)


def _temporary(path: Path) -> str:
    """How the name of a file begins that is to replace this one."""
    return f".{path.name}."


def set_aside(path: Path) -> Path:
    """Rename `name.ext` to `name.damaged-YYYYMMDD-HHMMSS.ext`, never over another file; return the new path.

    Raises:
        OSError: it could not be renamed.
    """
    stem = f"{path.stem}.damaged-{datetime.now():%Y%m%d-%H%M%S}"
    aside = path.with_name(stem + path.suffix)
    number = 2
    while os.path.lexists(aside):
        aside = path.with_name(f"{stem}-{number}{path.suffix}")
        number += 1
    path.rename(aside)
    return aside
