"""Folders and files that may not be read or written, also where the tests run as root."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NOBODY = 65534
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root gives up its rights for the time being; anybody else has few enough."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(_NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """The folder may not be written meanwhile."""
    folder.chmod(0o555)
    try:
        with as_nobody():
            yield
    finally:
        folder.chmod(0o755)
