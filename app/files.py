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
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
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
