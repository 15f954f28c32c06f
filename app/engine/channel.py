"""Framed messages between the window's process and another: a length, then a pickle of a known value type."""

from __future__ import annotations

import contextlib
import os
import pickle
import struct
import threading
from dataclasses import dataclass, is_dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from app.chat.message import Message
    from app.engine.bench import BenchRequest
    from app.engine.config import ModelConfig
    from app.engine.request import GenerationRequest
    from app.engine.states import StateBudget

_LENGTH = struct.Struct("<I")
ENGINE_ROOMS = ("app.engine.", "app.chat.")
_STANDARD = ("PosixPath", "WindowsPath", "datetime", "timezone", "timedelta")


@dataclass(frozen=True, slots=True)
class Load:
    """Ask for a load with settled settings, and for `choice` to be handed back in `LoadedModel`."""

    config: ModelConfig
    choice: str = ""


@dataclass(frozen=True, slots=True)
class Submit:
    """Ask for `Engine.submit`; `Answered` comes back until the answer is finished."""

    request: GenerationRequest


@dataclass(frozen=True, slots=True)
class Bench:
    """Ask for `Engine.bench`."""

    request: BenchRequest


@dataclass(frozen=True, slots=True)
class CountTokens:
    """Ask for `Engine.count_tokens`."""

    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Foresee:
    """Ask for `Engine.foresee`."""

    request: GenerationRequest


@dataclass(frozen=True, slots=True)
class Forget:
    """Ask for `Engine.forget`."""


@dataclass(frozen=True, slots=True)
class Discard:
    """Ask for `Engine.discard`."""

    conversation_id: str
    states: StateBudget


@dataclass(frozen=True, slots=True)
class ListDevices:
    """Ask for `Engine.devices`, those of RPC servers (`host:port`) among them."""

    rpc_servers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Measure:
    """Ask for a `Measured` for each, which differ in their contexts only, and a `Result` at the end."""

    configs: tuple[ModelConfig, ...]


@dataclass(frozen=True, slots=True)
class Cancel:
    """Ask for `Engine.cancel` of what was asked before `at_ns`, or of one request."""

    at_ns: int
    request_id: str = ""


@dataclass(frozen=True, slots=True)
class Close:
    """Ask the child to end."""


@dataclass(frozen=True, slots=True)
class Result:
    """The answer to a question that is not a stream; `error` is a sentence, with the name of its class."""

    value: Any = None
    error: str = ""
    error_class: str = ""


@dataclass(frozen=True, slots=True)
class WarmUpBegun:
    """The weights are loaded; the first multi-token decode comes next."""


class _ValueUnpickler(pickle.Unpickler):
    """Builds the program's own value types only: the process on the other side reads untrusted model files."""

    def __init__(self, data: BinaryIO, rooms: tuple[str, ...]) -> None:
        super().__init__(data)
        self._rooms = rooms

    def find_class(self, module: str, name: str) -> Any:
        if module.split(".")[0] in ("pathlib", "datetime") and name in _STANDARD:
            return super().find_class(module, name)
        if module.startswith(self._rooms) and "." not in name:
            try:
                found = super().find_class(module, name)
            except (ImportError, AttributeError):
                found = None
            if is_dataclass(found):
                return found
        if (module, name) == ("app.errors", "Sentence"):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is not a message between the processes")


class Channel:
    """Two byte streams as a stream of messages. `send` may be called from several threads, `receive` from one."""

    def __init__(self, source: BinaryIO, sink: BinaryIO, rooms: tuple[str, ...] = ENGINE_ROOMS) -> None:
        """`rooms` are the packages, each with its dot, whose value types may arrive."""
        self._source = source
        self._sink = sink
        self._rooms = rooms
        self._lock = threading.Lock()

    def send(self, message: object) -> None:
        """Write one message. Raises OSError (BrokenPipeError) when the other side has gone."""
        data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
        with self._lock:
            self._sink.write(_LENGTH.pack(len(data)) + data)
            self._sink.flush()

    def receive(self) -> object:
        """Wait for one message. Raises EOFError when the other side has gone."""
        header = self._read(_LENGTH.size)
        return _ValueUnpickler(BytesIO(self._read(_LENGTH.unpack(header)[0])), self._rooms).load()

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self._source.read(size - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def close(self) -> None:
        """Close both streams."""
        for stream in (self._sink, self._source):
            with contextlib.suppress(OSError):
                stream.close()


def take_standard_streams(rooms: tuple[str, ...] = ENGINE_ROOMS) -> Channel:
    """Keep a child's pipes for messages alone: native code that prints then goes to standard error."""
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return Channel(source, sink, rooms)
