"""What tells one model file from another."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from app.engine.model_file import split_parts

if TYPE_CHECKING:
    from pathlib import Path

_SAMPLE_BYTES = 1024 * 1024
_SAMPLES = 8


def model_fingerprint(path: Path) -> str:
    """Return 16 hex digits over the size and eight spread samples of 1 MiB of each part: milliseconds, not minutes.

    Another model, quantisation or download has another one; a file changed in a few bytes may not.

    Raises:
        OSError: it cannot be read.
    """
    digest = hashlib.sha256()
    for part in split_parts(path):
        size = part.stat().st_size
        digest.update(size.to_bytes(8, "little"))
        last = max(size - _SAMPLE_BYTES, 0)
        with part.open("rb") as file:
            for number in range(_SAMPLES):
                file.seek(last * number // (_SAMPLES - 1))
                digest.update(file.read(_SAMPLE_BYTES))
    return digest.hexdigest()[:16]
