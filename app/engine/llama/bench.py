"""A bench of the loaded model, by the methods of llama-bench and llama-batched-bench (llama.cpp's tools/).

As there: a context per test; a warm-up; per repetition an empty KV cache, then, outside the timing, `n_depth` tokens,
whose state is kept and put back as long as the depth stays the same; then the prompt in batches of n_batch and the
tokens one by one, waiting for each. Tokens are random; nothing is sampled. Unlike there a test can be cancelled.
"""

from __future__ import annotations

import ctypes
import time
from typing import TYPE_CHECKING, Any

import psutil

from app.engine.bench import BenchFinished, BenchMeasured, BenchProgressed, BenchRefused, BenchStarted
from app.engine.config import KV_TYPES
from app.engine.llama.bench_context import N_CTX_STEP, BenchCancelledError, BenchContext, n_ctx_of
from app.engine.llama.environment import bench_environment
from app.errors import BadInputError, EngineError, Sentence

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from app.engine.bench import BenchEvent, BenchFinishReason, BenchPhase, BenchRequest, BenchTest
    from app.engine.events import LoadedModel
    from app.engine.llama.model import LlamaModel
    from app.errors import TokometerError

_TYPE_BYTES = {
    "f32": 4, "f16": 2, "bf16": 2, "q8_0": 34 / 32, "q5_1": 24 / 32, "q5_0": 22 / 32, "q4_1": 20 / 32, "q4_0": 18 / 32,
    "iq4_nl": 18 / 32,
}  # fmt: skip
_SHORTEST_LOOK_S = 0.5


class LlamaBench:
    """One bench of one loaded model."""

    def __init__(self, model: LlamaModel, loaded: LoadedModel) -> None:
        self._model = model
        self._loaded = loaded
        self._cancel_flag = ctypes.create_string_buffer(2)
        self._depth = 0
        self._state: ctypes.Array[Any] | None = None

    def cancel(self) -> None:
        """End the bench soon. The only method another thread may call."""
        self._cancel_flag[0] = b"x"

    def run(self, request: BenchRequest) -> Iterator[BenchEvent]:
        """Run every test; the last event is `BenchFinished`."""
        reason: BenchFinishReason = "done"
        error = ""
        yield BenchStarted(bench_environment(self._model, self._loaded))
        try:
            for index, test in enumerate(request.tests):
                try:
                    yield from self._test(index, test, request)
                except (BadInputError, EngineError) as refused:
                    yield BenchRefused(index, str(refused))
        except BenchCancelledError:
            reason = "cancelled"
        except MemoryError:
            reason, error = "failed", Sentence("There is not enough memory for the bench: choose a smaller depth.")
        yield BenchFinished(reason, time.perf_counter_ns(), error)

    def _test(self, index: int, test: BenchTest, request: BenchRequest) -> Generator[BenchEvent, None, None]:
        self._stop_if_cancelled()
        self._check(test)
        n_threads = test.n_threads or self._loaded.n_threads
        context = BenchContext(self._model, test, n_threads, self._cancel_flag)
        samples: list[int] = []
        parts: list[tuple[int, int]] = []
        others = _Others()
        failure: TokometerError | None = None
        try:
            if request.warm_up:
                yield self._progress(index, "warm_up", 0)
                _warm_up(context, test)
            for repetition in range(1, request.repetitions + 1):
                context.clear()
                if test.n_depth and not self._put_back(context, test):
                    yield self._progress(index, "depth", repetition)
                    self._fill(context, test)
                self._stop_if_cancelled()
                yield self._progress(index, "run", repetition)
                with others:
                    if test.n_parallel:
                        parts.append(context.time_batched())
                        samples.append(sum(parts[-1]))
                    else:
                        samples.append(context.time_one(test.n_prompt, test.n_gen))
        except (BenchCancelledError, EngineError) as error:
            failure = error
        finally:
            n_ctx = context.n_ctx
            context.free()
        if samples:
            yield BenchMeasured(
                test=index,
                samples_ns=tuple(samples),
                prompt_ns=tuple(part[0] for part in parts),
                gen_ns=tuple(part[1] for part in parts),
                n_threads=n_threads,
                n_ctx=n_ctx,
                others_cpu=others.share(),
            )
        if failure is not None:
            raise failure

    def _progress(self, index: int, phase: BenchPhase, repetition: int) -> BenchProgressed:
        return BenchProgressed(index, phase, repetition, time.perf_counter_ns())

    def _stop_if_cancelled(self) -> None:
        if self._cancel_flag[0] != b"\0":
            raise BenchCancelledError

    def _put_back(self, context: BenchContext, test: BenchTest) -> bool:
        return self._state is not None and self._depth == test.n_depth and context.restore(self._state)

    def _fill(self, context: BenchContext, test: BenchTest) -> None:
        context.time_one(test.n_depth, 0)
        self._depth, self._state = test.n_depth, context.save()

    def _check(self, test: BenchTest) -> None:
        """Raise BadInputError for a test that llama.cpp would refuse, or that would end the process."""
        if unknown := {test.type_k, test.type_v} - set(KV_TYPES):
            raise BadInputError(
                Sentence(
                    "{value} is not a KV cache type: choose one of {choices}.",
                    value=min(unknown),
                    choices=", ".join(KV_TYPES),
                )
            )
        needed, free = self._kv_bytes(test), psutil.virtual_memory().available
        if needed > free and not self._loaded.layers_offloaded:
            raise BadInputError(
                Sentence(
                    "The KV cache of this test needs {needed:.1f} GiB and {free:.1f} GiB are free: choose a smaller "
                    "depth, fewer sequences or a smaller KV cache type.",
                    needed=needed / 1024**3,
                    free=free / 1024**3,
                )
            )

    def _kv_bytes(self, test: BenchTest) -> float:
        """The KV cache and the copy that is kept of a filled one, from what the loaded context's has per cell."""
        total = 0.0
        n_seq = max(test.n_parallel, 1)
        loaded = self._loaded
        per_element = (_TYPE_BYTES[test.type_k] + _TYPE_BYTES[test.type_v]) / (
            _TYPE_BYTES[loaded.type_k] + _TYPE_BYTES[loaded.type_v]
        )
        for number, cache in enumerate(loaded.memory.kv_caches):
            cells = n_ctx_of(test)
            if number and loaded.info.n_swa:  # llama.cpp makes the sliding window's cache last
                cells = min(cells, (loaded.info.n_swa + test.n_ubatch + N_CTX_STEP) * n_seq)
            total += cells / cache.tokens_per_cell * cache.bytes_per_cell * per_element
        return total * (2 if test.n_depth else 1)


def _warm_up(context: BenchContext, test: BenchTest) -> None:
    if test.n_parallel:
        context.warm_up_batched()
    else:
        context.time_one(test.n_prompt, min(test.n_gen, 1))


class _Others:
    """How much of the machine's CPU time went to other processes while its block ran, over all its runs."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._wall = self._busy = self._own = 0.0

    def __enter__(self) -> None:
        self._wall -= time.perf_counter()
        self._busy -= _busy_s()
        self._own -= self._own_s()

    def __exit__(self, *_: object) -> None:
        self._wall += time.perf_counter()
        self._busy += _busy_s()
        self._own += self._own_s()

    def share(self) -> float | None:
        """Return it as a share of the time of all CPUs, None when the clock ticks too coarsely to tell."""
        if self._wall < _SHORTEST_LOOK_S:
            return None
        cpus: int = psutil.cpu_count() or 1
        return max(self._busy - self._own, 0.0) / (self._wall * cpus)

    def _own_s(self) -> float:
        times = self._process.cpu_times()
        return float(times.user + times.system)


def _busy_s() -> float:
    """CPU seconds of all processes since the start, time that the hypervisor took away included.

    Linux counts guests in user and nice too, Windows interrupts in system.
    """
    times: dict[str, float] = psutil.cpu_times()._asdict()
    idle = sum(times.get(name, 0.0) for name in ("idle", "iowait"))
    counted_twice = sum(times.get(name, 0.0) for name in ("guest", "guest_nice", "interrupt", "dpc"))
    return sum(times.values()) - idle - counted_twice
