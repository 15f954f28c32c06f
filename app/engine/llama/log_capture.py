"""llama.cpp's log: kept for reports, parsed for what was allocated, handed to `logging`."""

from __future__ import annotations

import ctypes
import logging
import re
from collections import deque
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from app.engine.events import Buffer, BufferKind, KvCache, MemoryBreakdown
from app.engine.llama.library import lib

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

logger = logging.getLogger(__name__)

_KEPT_LINES = 400
_MIB = 1024 * 1024
_LEVELS = {1: logging.DEBUG, 2: logging.DEBUG, 3: logging.WARNING, 4: logging.ERROR}
_DEBUG = 1
_CONTINUED = 5
_WARNING = 3

_OF_A_CANCEL = (
    "failed with error 1",
    "compute status: 1",
    "removing memory module entries",
    "failed to decode, ret = 2",
)
"""What llama.cpp says of a decode that was aborted on purpose (GGML_STATUS_ABORTED), as if it were an error."""

_BUFFER = re.compile(r"(\S+)\s+(?:DSV4 \w+ )?(model|KV|RS|state|output|compute) buffer size\s*=\s*([\d.]+) MiB")
_KINDS: dict[str, BufferKind] = {
    "model": "weights",
    "KV": "kv",
    "RS": "recurrent",
    "state": "recurrent",
    "output": "output",
    "compute": "compute",
}
_CACHE = re.compile(r"llama_kv_cache: size\s*=\s*([\d.]+) MiB \(\s*(\d+) cells,\s*(\d+) layers,\s*\d+/(\d+) seqs\)")
_COMPRESSED = re.compile(
    r"creating DSV4 (?:CSA compressed|HCA compressed|lightning-indexer) KV cache, size\s*=\s*(\d+)"
)
_DEVICE = re.compile(r"using device (\S+) \(")
_OFFLOADED = re.compile(r"offloaded (\d+)/(\d+) layers to GPU")


class LogCapture:
    """Receives llama.cpp's log. A process has one, that of `log_capture`.

    The callback may come on any thread; appending to a deque is atomic.
    """

    def __init__(self) -> None:
        self._pending = ""
        self._level = 0
        self._lines: deque[tuple[int, str]] = deque(maxlen=_KEPT_LINES)
        self._recording: list[str] | None = None
        self._callback = lib.llama_log_callback(self._receive)
        lib.llama_log_set(self._callback, ctypes.c_void_p(None))

    def _receive(self, level: int, text: bytes, _data: ctypes.c_void_p) -> None:
        if level != _CONTINUED:
            self._level = level
        self._pending += text.decode("utf-8", "replace")
        while "\n" in self._pending:
            line, self._pending = self._pending.split("\n", 1)
            if any(mark in line for mark in _OF_A_CANCEL):
                self._level = _DEBUG
            if self._level != _DEBUG:  # a thousand lines per context
                self._lines.append((self._level, line))
                if self._recording is not None:
                    self._recording.append(line)
            logger.log(_LEVELS.get(self._level, logging.DEBUG), "%s", line)

    @contextmanager
    def record(self) -> Iterator[list[str]]:
        """Collect the lines written while the block runs."""
        outer, self._recording = self._recording, []
        try:
            yield self._recording
        finally:
            if outer is not None:
                outer.extend(self._recording)
            self._recording = outer

    def errors(self) -> list[str]:
        """Return the warnings and errors among the last lines, oldest first, and forget them."""
        found = [line for level, line in self._lines if level >= _WARNING]
        self._lines.clear()
        return found


@cache
def log_capture() -> LogCapture:
    """Return the process's one, installed at the first call, in place of `llama_cpp`'s own.

    llama.cpp keeps the callback's address and logs also while it frees a model, so it must outlive every engine.
    """
    return LogCapture()


def parse_memory(lines: Sequence[str], n_ctx: int) -> MemoryBreakdown:
    """Return what llama.cpp says it allocated.

    The log rounds to 0.01 MiB. KV sizes are made exact again: every layer of a cache holds a whole number of bytes
    per cell, so the nearest multiple of (cells x layers) is the true size (llama-kv-cache.cpp, "size = ... cells").
    Buffers of one kind and device are added up.
    """
    sizes: dict[tuple[str, BufferKind], int] = {}
    caches: list[KvCache] = []
    pending: list[tuple[str, float]] = []
    tokens_per_cell = 1
    for line in (line for line in lines if "size" in line):
        if match := _COMPRESSED.search(line):
            tokens_per_cell = max(1, n_ctx // int(match[1]))
        elif match := _CACHE.search(line):
            cells, layers, streams = int(match[2]), int(match[3]), int(match[4])
            all_cells = cells * streams
            per_layer = round(float(match[1]) * _MIB / (all_cells * layers)) if all_cells and layers else 0
            if per_layer:
                caches.append(KvCache(cells, layers, per_layer * layers, tokens_per_cell, streams))
            for device, mib in pending:
                step = all_cells * per_layer
                exact = round(mib * _MIB / step) * step if step else 0
                sizes[device, "kv"] = sizes.get((device, "kv"), 0) + exact
            pending, tokens_per_cell = [], 1
        elif match := _BUFFER.search(line):
            device, kind = match[1], _KINDS[match[2]]
            if kind == "kv":
                pending.append((device, float(match[3])))
            else:
                sizes[device, kind] = sizes.get((device, kind), 0) + round(float(match[3]) * _MIB)
    buffers = tuple(Buffer(device, kind, size) for (device, kind), size in sizes.items() if size)
    return MemoryBreakdown(buffers, tuple(caches))


def parse_devices(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the devices the model was given, besides the CPU."""
    return tuple(match[1] for line in lines if (match := _DEVICE.search(line)))


def parse_offloaded(lines: Sequence[str]) -> tuple[int, int]:
    """Return (layers on a GPU, all layers), the output layer included; without a device nothing is offloaded.

    A build with an RPC backend logs "offloaded" even when no server is known, so the devices decide.
    """
    for line in lines:
        if match := _OFFLOADED.search(line):
            offloaded, total = int(match[1]), int(match[2])
            return (offloaded if parse_devices(lines) else 0), total
    return 0, 0
