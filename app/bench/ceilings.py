"""What this machine can do at best: reading memory, measured here, and computing, from what benches have shown."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from app.bench.caches import last_level_cache_bytes
from app.bench.fingerprint import machine_key, usable_cpus
from app.engine.config import ModelConfig
from app.engine.gguf import read_header
from app.engine.model_file import check_model_file
from app.errors import BadInputError, EngineError, Sentence, TokometerError, UnknownArchitectureError
from app.telemetry.ceilings import Ceiling
from app.telemetry.model_work import model_work
from app.telemetry.system_state import battery

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.bench.row import BenchRow
    from app.engine.gguf import Header

CACHES_OVER = 4
"""Buffers are this many times the last-level cache, so that it cannot serve them."""

LARGEST_SHARE_OF_MEMORY = 0.25
LOW_BATTERY_PERCENT = 20
_SMALLEST_BYTES = 256 * 1024 * 1024
_ELEMENT_BYTES = 4
_BUDGET_S = 2.5
_LONGEST_PROMPT = 2048


def measure_memory_read(now: datetime | None = None, stop: threading.Event | None = None) -> Ceiling:
    """Return how fast all usable cores together read memory: bytes read over time, the best of several rounds.

    Takes about 3 s, so that a moment without other load is among the rounds. Each thread reads a buffer of its own;
    all of them together are four times the last-level cache, and at most a quarter of the memory that is available.
    Setting `stop` ends it within a round.

    Raises:
        BadInputError: the battery is low, or memory is too short to keep the cache out of it.
    """
    check_battery()
    threads = len(usable_cpus())
    size = _buffer_bytes(threads, last_level_cache_bytes(), psutil.virtual_memory().available)
    best = _Readers(threads, size, stop or threading.Event()).best()
    return Ceiling(
        kind="memory_read",
        machine=machine_key(),
        device="CPU",
        value=best,
        measured_at=now or datetime.now(UTC),
        source=f"{threads} threads reading {size // 2**20} MiB each, the best round in {_BUDGET_S:g} s",
    )


def check_battery() -> None:
    """Raise BadInputError when the machine runs on a battery that is low: it then saves power, not time."""
    found = battery()
    if found is not None and found.power_plugged is False and found.percent <= LOW_BATTERY_PERCENT:
        raise BadInputError(
            Sentence(
                "The machine runs on battery with {percent:.0f} % left, where it saves power: plug it in to measure "
                "what it can do.",
                percent=found.percent,
            )
        )


def _buffer_bytes(threads: int, cache_bytes: int, available_bytes: int) -> int:
    wanted = max(CACHES_OVER * cache_bytes, _SMALLEST_BYTES)
    if wanted > available_bytes * LARGEST_SHARE_OF_MEMORY:
        raise BadInputError(
            Sentence(
                "Measuring the memory needs {wanted:.1f} GiB and must leave three quarters of what is free, "
                "{available:.1f} GiB: close other programs.",
                wanted=wanted / 1024**3,
                available=available_bytes / 1024**3,
            )
        )
    return wanted // threads


class _Readers:
    """Threads that read buffers of their own at the same time; numpy lets go of the GIL meanwhile."""

    def __init__(self, threads: int, size: int, stop: threading.Event) -> None:
        self._size = size
        self._asked_to_stop = stop
        self._barrier = threading.Barrier(threads)
        self._stop = False
        self._spans: list[list[tuple[float, float]]] = [[] for _ in range(threads)]
        self._errors: list[BaseException] = []

    def best(self) -> float:
        """Return the bytes per second of the best round: all bytes from the first thread's start to the last's end."""
        deadline = time.perf_counter() + _BUDGET_S
        threads = [
            threading.Thread(target=self._read, args=(spans, deadline, index == 0), name="memory-read")
            for index, spans in enumerate(self._spans)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        rounds = list(zip(*self._spans, strict=False))
        if self._errors or not rounds:
            raise EngineError(Sentence("The memory could not be measured: there is not enough of it."))
        fastest: float = min(max(end for _, end in each) - min(start for start, _ in each) for each in rounds)
        return self._size // _ELEMENT_BYTES * _ELEMENT_BYTES * len(threads) / fastest

    def _read(self, spans: list[tuple[float, float]], deadline: float, leads: bool) -> None:
        import numpy as np  # heavy, and the window's first frame does without

        try:
            buffer = np.empty(self._size // _ELEMENT_BYTES, np.int32)
            buffer.fill(1)  # by the thread that reads it: the pages then lie in its own memory
            while True:
                if leads:
                    self._stop = bool(spans) and (time.perf_counter() > deadline or self._asked_to_stop.is_set())
                self._barrier.wait()
                if self._stop:
                    return
                started = time.perf_counter()
                buffer.max()
                spans.append((started, time.perf_counter()))
                self._barrier.wait()
        except (MemoryError, threading.BrokenBarrierError) as error:
            self._errors.append(error)
            self._barrier.abort()


def ceilings_from(row: BenchRow, header: Header) -> list[Ceiling]:
    """Return what a result says of the machine's ceilings: prefill of its FLOP/s, decode of a GPU of its bytes/s.

    A result that other load disturbed says nothing; neither does one deep in a context, where attention rules, or one
    of a model whose work is not known.
    """
    test, environment = row.test, row.subject.environment
    if row.method != "llama-bench" or test.n_depth or row.disturbance:
        return []
    try:
        config = ModelConfig(Path(row.subject.model_filename), n_ctx=max(test.n_prompt, test.n_gen))
        work = model_work(header, config)
    except UnknownArchitectureError:
        return []
    measured_at = datetime.fromisoformat(row.test_time)
    device = environment.backends
    source = f"{row.test.name} of {environment.model_type} with {environment.library}"
    if test.n_prompt and not test.n_gen and test.n_prompt <= _LONGEST_PROMPT:
        # llama-bench asks for the logits of each batch's last token.
        more_outputs = -(-test.n_prompt // test.n_batch) - 1
        flop = work.prefill_operations(0, test.n_prompt) + more_outputs * 2 * work.head_weights
        best = flop * 1e9 / min(row.samples_ns)
        return [Ceiling("prefill", row.subject.machine, device, best, measured_at, source)]
    if test.n_gen and not test.n_prompt and device != "CPU" and environment.n_gpu_layers < 0:
        read = work.weights_bytes() * max(row.samples_ts)
        return [Ceiling("device_read", row.subject.machine, device, read, measured_at, source)]
    return []


def ceilings_of(rows: Iterable[BenchRow]) -> list[Ceiling]:
    """Return what results say of the machine's ceilings; reads the models' headers."""
    found: list[Ceiling] = []
    for row in rows:
        try:
            header = read_header(check_model_file(Path(row.subject.model_filename)))
        except (TokometerError, OSError):
            continue  # it was moved away meanwhile
        found += ceilings_from(row, header)
    return found


def improved(known: Iterable[Ceiling], found: Sequence[Ceiling]) -> list[Ceiling]:
    """Return, of the ceilings found, the best of each kind and device that is higher than what is known."""
    best = {(ceiling.kind, ceiling.machine, ceiling.device): ceiling for ceiling in known}
    better: dict[tuple[str, str, str], Ceiling] = {}
    for ceiling in found:
        key = (ceiling.kind, ceiling.machine, ceiling.device)
        if key not in best or ceiling.value > best[key].value:
            best[key] = better[key] = ceiling
    return list(better.values())
