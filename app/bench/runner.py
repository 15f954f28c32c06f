"""Drives an engine through a plan: loads, tests, answers; an iterator like the engine's own."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Literal

from app.bench.chat import ChatTest
from app.bench.fingerprint import machine_key
from app.bench.row import BenchRow, Subject
from app.bench.time_left import TimeLeft, Work
from app.engine.bench import (
    BenchFinished,
    BenchMeasured,
    BenchProgressed,
    BenchRefused,
    BenchRequest,
    BenchStarted,
)
from app.engine.config import ModelConfig
from app.engine.events import LoadFailed
from app.engine.fingerprint import model_fingerprint
from app.engine.model_file import split_parts

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

    from app.bench.plan import BenchGroup
    from app.engine.base import Engine
    from app.engine.bench import BenchTest

_SMALLEST_N_CTX = 256
_CHAT_MARGIN = 64
"""Tokens a chat's context has beyond prompt and answer."""

Step = Literal["load", "warm_up", "depth", "run", "answer"]
Fault = Literal["bad_input", "failed", "crashed"]


@dataclass(frozen=True, slots=True)
class RunProgressed:
    """A step begins.

    Attributes:
        done, total: tests, over all models.
        test: the one under way; None while a model is loaded.
        seconds_left: for all that is left of the run, None when not known yet; of models that were not measured yet
            by the size of their files.
    """

    done: int
    total: int
    model: Path
    step: Step
    test: BenchTest | None = None
    repetition: int = 0
    seconds_left: float | None = None


@dataclass(frozen=True, slots=True)
class RowMeasured:
    """A test is done."""

    row: BenchRow


@dataclass(frozen=True, slots=True)
class RunRefused:
    """Tests that could not be run, with one sentence; the others go on. `test` is None for a whole model."""

    model: Path
    test: BenchTest | None
    reason: str
    fault: Fault


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The last event; tests may have been refused. `error` is one sentence when the run itself broke off."""

    cancelled: bool
    error: str = ""


RunEvent = RunProgressed | RowMeasured | RunRefused | RunFinished


class BenchRun:
    """One run of a plan, driven by the engine's thread; only `cancel` may be called from another."""

    def __init__(self, engine: Engine, plan: Sequence[BenchGroup], repetitions: int, warm_up: bool = True) -> None:
        self._engine = engine
        self._plan = plan
        self._repetitions = repetitions
        self._warm_up = warm_up
        self._cancelled = threading.Event()
        self._machine = machine_key()
        self._total = sum(len(group.tests) + len(group.chats) for group in plan)
        self._done = 0
        self._time_left = TimeLeft(repetitions, warm_up)
        self._later: tuple[Work, ...] = ()
        self._first = 0

    def cancel(self) -> None:
        """End the run soon; what was measured stays measured."""
        self._cancelled.set()
        self._engine.cancel()

    def run(self) -> Iterator[RunEvent]:
        """Measure; the last event is `RunFinished`. To be run to its end."""
        done = 0
        works = [replace(_work(group), model_bytes=_file_bytes(group.model)) for group in self._plan]
        for number, group in enumerate(self._plan):
            self._time_left.begin(works[number].model_bytes)
            self._later = tuple(works[number + 1 :])
            self._first = done
            refused = yield from self._tests(group)
            for alike in () if refused else _alike(group.chats):
                yield from self._chats(group, alike)
            done += len(group.tests) + len(group.chats)
            self._done = done
        yield RunFinished(cancelled=self._cancelled.is_set())

    # -- one load -----------------------------------------------------------------------------------------------------

    def _load(self, group: BenchGroup, config: ModelConfig) -> Generator[RunEvent, None, Subject | None]:
        """Load and return what is measured; None when the model was refused or the run cancelled."""
        if self._cancelled.is_set():
            return None
        yield self._progress(group, "load")
        if self._cancelled.is_set():
            return None
        for event in self._engine.load(config):
            if self._cancelled.is_set():
                self._engine.cancel()  # once more: the first may have come before the load listened
            if isinstance(event, LoadFailed) and event.kind != "cancelled":
                yield RunRefused(group.model, None, event.reason, event.kind)
        loaded = self._engine.model
        if loaded is None or self._cancelled.is_set():
            return None
        self._time_left.observe_load(loaded.load_ns)
        environment = None
        for answer in self._engine.bench(BenchRequest((), time.perf_counter_ns())):
            if isinstance(answer, BenchStarted):
                environment = answer.environment
        if environment is None:
            return None
        return Subject(
            environment=environment,
            model_filename=str(group.model),
            fingerprint=model_fingerprint(loaded.info.path),
            quantisation=loaded.info.quantisation,
            machine=self._machine,
        )

    # -- llama-bench and llama-batched-bench --------------------------------------------------------------------------

    def _tests(self, group: BenchGroup) -> Generator[RunEvent, None, bool]:
        """Returns True when the model could not be loaded."""
        if not group.tests:
            return False
        config = ModelConfig(group.model, n_ctx=_SMALLEST_N_CTX, n_gpu_layers=group.n_gpu_layers)
        subject = yield from self._load(group, config)
        if subject is None:
            return True
        request = BenchRequest(group.tests, time.perf_counter_ns(), self._repetitions, self._warm_up)
        if self._cancelled.is_set():  # a later cancel finds a request that is older than it
            return True
        first = self._done
        before: BenchProgressed | None = None
        began = _now()
        for event in self._engine.bench(request):
            if before is not None and isinstance(event, BenchProgressed | BenchMeasured) and event.test == before.test:
                now_ns = event.at_ns if isinstance(event, BenchProgressed) else before.at_ns + event.samples_ns[-1]
                self._time_left.observe(group.tests[before.test], before.phase, now_ns - before.at_ns)
            match event:
                case BenchProgressed():
                    if before is None or before.test != event.test:
                        began = _now()
                    before = event
                    self._done = first + event.test
                    yield self._progress(group, event.phase, group.tests[event.test], event.repetition)
                case BenchMeasured():
                    yield RowMeasured(_row(subject, group.tests[event.test], event, began))
                case BenchRefused():
                    yield RunRefused(group.model, group.tests[event.test], event.reason, "bad_input")
                case BenchFinished(reason, _, error) if reason in ("failed", "crashed"):
                    test = group.tests[before.test] if before else None
                    yield RunRefused(group.model, test, error, "crashed" if reason == "crashed" else "failed")
        self._done = first + len(group.tests)
        return False

    def _progress(
        self, group: BenchGroup, step: Step, test: BenchTest | None = None, repetition: int = 0
    ) -> RunProgressed:
        """Say that a step of the test after those that are done begins."""
        runs_done = max(repetition - 1, 0) + (1 if self._warm_up and repetition else 0)
        rest = _work(group, self._done - self._first, is_loaded=step != "load")
        left = self._time_left.seconds((rest, *self._later), runs_done)
        return RunProgressed(self._done, self._total, group.model, step, test, repetition, left)

    # -- end to end ---------------------------------------------------------------------------------------------------

    def _chats(self, group: BenchGroup, alike: Sequence[BenchTest]) -> Generator[RunEvent, None, None]:
        subject = yield from self._load(group, _chat_config(group, alike))
        loaded = self._engine.model
        if subject is None or loaded is None:
            return
        for test in alike:
            if self._cancelled.is_set():
                return
            chat = ChatTest(self._engine, test, self._cancelled.is_set)
            began = _now()
            for repetition in range(0 if self._warm_up else 1, self._repetitions + 1):
                if self._cancelled.is_set() or chat.error:
                    break
                yield self._progress(group, "answer", test, repetition)
                if (stats := chat.answer(keep=repetition > 0)) is not None:
                    self._time_left.observe_answer(stats)
            if chat.answers:
                yield RowMeasured(chat.row(subject, loaded, began))
            if chat.error:
                yield RunRefused(group.model, test, chat.error, "failed")
            self._done += 1
            if self._engine.model is None:
                return  # it died


def _now() -> str:
    """RFC 3339, as llama-bench writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _row(subject: Subject, test: BenchTest, event: BenchMeasured, began: str) -> BenchRow:
    return BenchRow(
        method="llama-batched-bench" if test.n_parallel else "llama-bench",
        subject=subject,
        test=test,
        samples_ns=event.samples_ns,
        sample_tokens=(test.tokens,) * len(event.samples_ns),
        n_threads=event.n_threads,
        n_ctx=event.n_ctx,
        test_time=began,
        prompt_ns=event.prompt_ns,
        gen_ns=event.gen_ns,
        others_cpu=event.others_cpu,
    )


def _alike(chats: Sequence[BenchTest]) -> list[list[BenchTest]]:
    """Group chats that one loaded model can answer: the same settings."""
    groups: dict[BenchTest, list[BenchTest]] = {}
    for test in chats:
        groups.setdefault(replace(test, n_prompt=0, n_gen=0), []).append(test)
    return list(groups.values())


def _work(group: BenchGroup, first: int = 0, *, is_loaded: bool = False) -> Work:
    """Return what is left of a group from its `first` test on, for which the model may be loaded already."""
    batches = [*([group.tests] if group.tests else []), *_alike(group.chats)]
    starts = list(accumulate((len(batch) for batch in batches), initial=0))[:-1]
    loads = sum(start > first or (start == first and not is_loaded) for start in starts)
    return Work(tuple(chain.from_iterable(batches))[first:], loads)


def _file_bytes(model: Path) -> int:
    """The size of all parts; 0 when one cannot be found, which the load will say."""
    try:
        return sum(part.stat().st_size for part in split_parts(model))
    except OSError:
        return 0


def _chat_config(group: BenchGroup, alike: Sequence[BenchTest]) -> ModelConfig:
    settings = alike[0]
    return ModelConfig(
        group.model,
        n_ctx=max(test.n_prompt + test.n_gen for test in alike) + _CHAT_MARGIN,
        n_batch=settings.n_batch,
        n_ubatch=settings.n_ubatch,
        n_threads=settings.n_threads,
        n_gpu_layers=group.n_gpu_layers,
        type_k=settings.type_k,
        type_v=settings.type_v,
        flash_attention=settings.flash_attention,
    )
