"""A saved state as a file: checked as a whole before any of it reaches native code.

    16 bytes  the format's name        8 bytes  size of the whole file      4 bytes  size of the description
    the description (JSON)   token ids (int32)   the state   the checkpoints   32 bytes  keyed BLAKE2b of all before

Numbers are little-endian. The key of the check is a secret of the folder, so that a file made elsewhere, or by
something else than this program, is refused like a damaged one.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import struct
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import psutil

from app.engine.kv_state import Bytes, Checkpoint, KvState, Origin, StateKey, key_from, origin_from
from app.errors import Sentence, StorageDamagedError, StorageError
from app.files import make_folder, write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Any, BinaryIO

_NAME = b"TOKOMETER-KV-1\r\n"
_HEAD = struct.Struct("<16sQI")
_MAC_BYTES = 32
_SECRET_FILE = "secret"
_SECRET_BYTES = 32
_MOST_DESCRIPTION_BYTES = 1 << 22
_MOST_TOKENS = 1 << 27
_CHUNK = 1 << 22
"""Read and written at once: Stop is asked for in between."""
_PART = ".part"


class StateWorkStoppedError(StorageError):
    """Reading or writing was given up because something more urgent came."""


@dataclass(frozen=True, slots=True)
class Description:
    """What a file says of itself; not to be trusted before the whole was checked."""

    key: StateKey
    conversation_id: str
    tokens: int
    undecoded: int | None
    origin: Origin
    state_bytes: int
    checkpoints: tuple[tuple[int, int], ...]


def write_state(
    path: Path, state: KvState, key: StateKey, conversation_id: str, should_stop: Callable[[], bool]
) -> int:
    """Write a state so that it is there whole or not at all; return its size in bytes.

    Raises:
        OSError: it cannot be written; a file that was there is as it was.
        StateWorkStoppedError: `should_stop` said so in time.
    """
    secret = _secret(path.parent)
    description = {
        "key": asdict(key),
        "conversation_id": conversation_id,
        "tokens": len(state.tokens),
        "undecoded": state.undecoded,
        "origin": asdict(state.origin),
        "state_bytes": len(state.data),
        "checkpoints": [(point.tokens, point.size_bytes) for point in state.checkpoints],
    }
    text = json.dumps(description).encode()
    parts: list[bytes | Bytes] = [text, _ids(state.tokens), state.data, *(point.data for point in state.checkpoints)]
    total = _HEAD.size + sum(len(part) for part in parts) + _MAC_BYTES
    mac = hashlib.blake2b(digest_size=_MAC_BYTES, key=secret)
    temporary = path.with_name(f"{path.name}.{os.getpid()}{_PART}")
    try:
        temporary.touch(mode=0o600)  # token ids are the conversation's text
        with temporary.open("wb") as file:
            for piece in _pieces([_HEAD.pack(_NAME, total, len(text)), *parts]):
                if should_stop():
                    raise StateWorkStoppedError(Sentence("Writing the KV cache was stopped."))
                mac.update(piece)
                file.write(piece)
            file.write(mac.digest())
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    return total


def read_description(path: Path) -> tuple[Description, tuple[int, ...]]:
    """Return what a file says of itself and its token ids, neither checked yet.

    Raises:
        StorageDamagedError: it is cut off, or another kind of file.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        description, tokens, _ = _read_front(file)
    return description, tokens


def read_state(path: Path, should_stop: Callable[[], bool]) -> tuple[Description, KvState]:
    """Return a state whose every byte was checked.

    Raises:
        StorageDamagedError: it is cut off, was changed, comes from elsewhere, or is another kind of file.
        StateWorkStoppedError: `should_stop` said so in time.
        OSError: it cannot be read.
        MemoryError: it does not fit into memory.
    """
    mac = hashlib.blake2b(digest_size=_MAC_BYTES, key=_secret(path.parent))
    with path.open("rb") as file:
        description, tokens, front = _read_front(file)
        mac.update(front)
        parts = [bytearray(size) for size in (description.state_bytes, *(size for _, size in description.checkpoints))]
        for part in parts:
            view = memoryview(part)
            for first in range(0, len(part), _CHUNK):
                if should_stop():
                    raise StateWorkStoppedError(Sentence("Reading the KV cache was stopped."))
                piece = view[first : first + _CHUNK]
                if file.readinto(piece) != len(piece):
                    raise _damaged(path)
                mac.update(piece)
        if not hmac.compare_digest(file.read(), mac.digest()):
            raise _damaged(path)
    points = (Checkpoint(n, data) for (n, _), data in zip(description.checkpoints, parts[1:], strict=True))
    return description, KvState(tokens, description.undecoded, description.origin, parts[0], tuple(points))


def remove_leftovers(folder: Path) -> None:
    """Delete half-written files whose writer is gone."""
    for path in folder.glob(f"*{_PART}"):
        writer = path.name.removesuffix(_PART).rpartition(".")[2]
        if not (writer.isdigit() and psutil.pid_exists(int(writer)) and int(writer) != os.getpid()):
            with suppress(OSError):
                path.unlink()


def _read_front(file: BinaryIO) -> tuple[Description, tuple[int, ...], bytes]:
    """Return the description, the token ids and the bytes of both; every size is checked before it counts."""
    path = file.name
    head = file.read(_HEAD.size)
    if len(head) != _HEAD.size:
        raise _damaged(path)
    name, total, text_bytes = _HEAD.unpack(head)
    if name != _NAME or total != os.fstat(file.fileno()).st_size or text_bytes > _MOST_DESCRIPTION_BYTES:
        raise _damaged(path)
    text = file.read(text_bytes)
    try:
        description = _parse(json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise _damaged(path) from None
    state_sizes = (description.state_bytes, *(size for _, size in description.checkpoints))
    ids_bytes = 4 * description.tokens
    if min(state_sizes) < 0 or total != _HEAD.size + len(text) + ids_bytes + sum(state_sizes) + _MAC_BYTES:
        raise _damaged(path)
    ids = file.read(ids_bytes)
    return description, tuple(struct.unpack(f"<{description.tokens}i", ids)), head + text + ids


def _parse(values: dict[str, Any]) -> Description:
    tokens, undecoded = values["tokens"], values["undecoded"]
    if not isinstance(tokens, int) or not isinstance(undecoded, int | None) or not 0 < tokens <= _MOST_TOKENS:
        raise ValueError("tokens")
    return Description(
        key=key_from(values["key"]),
        conversation_id=str(values["conversation_id"]),
        tokens=tokens,
        undecoded=undecoded,
        origin=origin_from(values["origin"]),
        state_bytes=int(values["state_bytes"]),
        checkpoints=tuple((int(n), int(size)) for n, size in values["checkpoints"]),
    )


def _ids(tokens: tuple[int, ...]) -> bytes:
    return struct.pack(f"<{len(tokens)}i", *tokens)


def _pieces(parts: list[bytes | Bytes]) -> Iterator[memoryview]:
    for part in parts:
        view = memoryview(part)
        for first in range(0, len(view), _CHUNK):
            yield view[first : first + _CHUNK]


def _secret(folder: Path) -> bytes:
    """Return the folder's secret, made when there is none; files checked with another one are refused."""
    path = folder / _SECRET_FILE
    with suppress(OSError):
        secret = path.read_bytes()
        if len(secret) == _SECRET_BYTES:
            return secret
    secret = secrets.token_bytes(_SECRET_BYTES)
    make_folder(folder)
    write_atomically(path, secret)
    return secret


def _damaged(path: object) -> StorageDamagedError:
    return StorageDamagedError(
        Sentence("The saved KV cache in {file} is damaged or comes from elsewhere.", file=str(path))
    )
