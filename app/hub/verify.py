"""The sha256 of a model's files, against the one its store knows it by."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.errors import ModelFileError, Sentence

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from app.hub.library import LibraryModel

_PIECE_BYTES = 4 * 1024 * 1024
_SHA256 = re.compile(r"(sha256-)?(?P<digest>[0-9a-f]{64})")
_STORES = ("Hugging Face", "Ollama")
"""They name a blob by the sha256 of what belongs in it."""


@dataclass(frozen=True, slots=True)
class Verified:
    """One file: its sha256 in hex, and the one it should have, empty when no one says."""

    path: Path
    digest: str
    expected: str

    @property
    def is_right(self) -> bool | None:
        """Whether they are the same; None when nothing was expected."""
        return self.digest == self.expected if self.expected else None


def verify(
    model: LibraryModel, cancelled: threading.Event, progress: Callable[[int, int], None]
) -> tuple[Verified, ...] | None:
    """Read every byte of a model; None when cancelled.

    Args:
        progress: called with the bytes read and the bytes of all parts.

    Raises:
        ModelFileError: a file cannot be read.
    """
    done, verified = 0, []
    for part in model.parts or (model.path,):
        digest = hashlib.sha256()
        try:
            with part.open("rb") as file:
                while piece := file.read(_PIECE_BYTES):
                    if cancelled.is_set():
                        return None
                    digest.update(piece)
                    done += len(piece)
                    progress(done, max(done, model.file_bytes))
        except OSError as error:
            raise ModelFileError(
                Sentence("{path} cannot be read: {strerror}.", path=part, strerror=error.strerror or error)
            ) from None
        verified.append(Verified(part, digest.hexdigest(), _expected(model, part)))
    return tuple(verified)


def _expected(model: LibraryModel, part: Path) -> str:
    if model.source not in _STORES:
        return ""
    match = _SHA256.fullmatch(Path(os.path.realpath(part)).name)
    return match["digest"] if match else ""
