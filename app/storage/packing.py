"""Values as SQLite columns: text that is not valid Unicode, instants, memory samples, wall-clock times."""

from __future__ import annotations

import unicodedata
import zlib
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from app.errors import Sentence, StorageError
from app.telemetry.series import MemoryPoint
from app.telemetry.timings import ContextGrowth

if TYPE_CHECKING:
    from collections.abc import Sequence

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

MEMORY_COLUMNS = (
    "context_tokens",
    "weights_bytes",
    "kv_used_bytes",
    "kv_reserved_bytes",
    "recurrent_bytes",
    "compute_output_bytes",
    "process_bytes",
    "saved_bytes",
)
"""The packed columns: the fields of `MemoryPoint` in order. They are the file's format: a change needs a migration."""

GROWTH_COLUMNS = (
    "sampled_tokens",
    "context_tokens",
    "carried_tokens",
    "previous_n_ctx",
    "n_ctx",
    "added_kv_bytes",
    "added_bytes",
    "took_ns",
)
"""The fields of `ContextGrowth` in order, likewise the file's format."""

UNKNOWN = -1
"""Stands for None in a packed column, whose values are sizes and so never negative."""


def pack_text(text: str) -> str | bytes:
    """Return text as SQLite can hold it: as it is, or as bytes when lone surrogates (a model's or a paste's) are in it.

    SQLite's own encoder raises on them, and a message must not be lost for half a character.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def unpack_text(value: str | bytes) -> str:
    """Return what `pack_text` was given. Bytes that a failing disk changed become replacement characters."""
    if isinstance(value, str):
        return value
    try:
        return value.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return value.decode("utf-8", "replace")


def fold(text: str) -> str:
    """Return text for comparison that ignores case and composition in every script; always valid Unicode."""
    normalised = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return normalised.encode("utf-8", "replace").decode()


def pack_time(time: datetime) -> int:
    """Return an aware time as whole microseconds since 1970 in UTC."""
    return (time - EPOCH) // MICROSECOND


def unpack_time(microseconds: int) -> datetime:
    """Return the time in UTC; exact, which `datetime.fromtimestamp` with its float is not."""
    return EPOCH + microseconds * MICROSECOND


def pack_integers(values: Sequence[int]) -> bytes:
    """Return 64-bit integers as compressed differences: about 3 bytes for the instant of a token.

    The bytes are laid out plane by plane (all lowest bytes first), so that the many zero bytes stand together.
    """
    import numpy as np  # not above: it would come before the window's first frame

    deltas = np.diff(np.asarray(values, dtype="<i8"), prepend=np.int64(0))
    planes = deltas.astype("<i8").view(np.uint8).reshape(-1, 8).T
    return zlib.compress(planes.tobytes(), 1)


def unpack_integers(packed: bytes) -> list[int]:
    """Return what `pack_integers` was given. Raises StorageError when the bytes are damaged."""
    import numpy as np

    try:
        planes = np.frombuffer(zlib.decompress(packed), dtype=np.uint8).reshape(8, -1)
    except (zlib.error, ValueError) as error:
        raise StorageError(
            Sentence("The measurements of an answer are damaged in the database and cannot be read.")
        ) from error
    deltas = np.ascontiguousarray(planes.T).view("<i8").reshape(-1)
    values: list[int] = np.cumsum(deltas).tolist()
    return values


def pack_memory(points: Sequence[MemoryPoint]) -> bytes:
    """Return memory samples column by column."""
    columns = ([getattr(point, name) for point in points] for name in MEMORY_COLUMNS)
    return pack_integers([UNKNOWN if value is None else value for column in columns for value in column])


def unpack_memory(packed: bytes) -> tuple[MemoryPoint, ...]:
    """Return what `pack_memory` was given."""
    values = [None if value == UNKNOWN else value for value in unpack_integers(packed)]
    count = len(values) // len(MEMORY_COLUMNS)
    columns = [values[start : start + count] for start in range(0, len(values), count or 1)]
    return tuple(MemoryPoint(*row) for row in zip(*columns, strict=True))


def pack_growths(growths: Sequence[ContextGrowth]) -> bytes:
    """Return growths of a context row by row; no bytes for the usual turn, which has none."""
    if not growths:
        return b""
    return pack_integers([getattr(growth, name) for growth in growths for name in GROWTH_COLUMNS])


def unpack_growths(packed: bytes) -> tuple[ContextGrowth, ...]:
    """Return what `pack_growths` was given."""
    if not packed:
        return ()
    values, width = unpack_integers(packed), len(GROWTH_COLUMNS)
    return tuple(ContextGrowth(*values[start : start + width]) for start in range(0, len(values), width))
