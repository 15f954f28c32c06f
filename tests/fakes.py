"""A scripted engine: tests enqueue what it shall answer and when, and assert numbers, text and rows exactly."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.engine.bench import (
    BenchEnvironment,
    BenchEvent,
    BenchFinished,
    BenchMeasured,
    BenchProgressed,
    BenchRefused,
    BenchStarted,
)
from app.engine.events import (
    Buffer,
    ContextGrown,
    Device,
    GenerationEvent,
    GenerationFinished,
    KvCache,
    LoadedModel,
    LoadEvent,
    LoadFailed,
    LoadProgressed,
    MemoryBreakdown,
    ModelInfo,
    ModelLoaded,
    PrefillProgressed,
    PromptTokenised,
    TextPiece,
    TokensGenerated,
)
from app.engine.one_at_a_time import OneAtATime
from app.engine.request import Foreseen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.chat.message import Message
    from app.engine.bench import BenchRequest, BenchTest
    from app.engine.config import ModelConfig
    from app.engine.events import Answered
    from app.engine.request import GenerationRequest
    from app.engine.states import StateBudget

MIB = 1024 * 1024
MS = 1_000_000


def fake_model(path: Path = Path("fake.gguf"), n_ctx: int = 4096, n_ctx_max: int | None = None) -> LoadedModel:
    """A loaded model with SmolLM2-135M's true shape and memory at f16; it grows when `n_ctx_max` is given."""
    info = ModelInfo(
        path=path,
        name="Fake 135M",
        architecture="llama",
        quantisation="Q4_1",
        n_params=134_515_008,
        n_layer=30,
        n_embd=576,
        n_vocab=49_152,
        n_head=9,
        n_head_kv=3,
        head_dim_k=64,
        head_dim_v=64,
        n_ctx_train=8192,
        n_swa=0,
        is_recurrent=False,
        is_hybrid=False,
        file_bytes=98_362_432,
        chat_template="",
        has_chat_template=True,
    )
    kv_bytes = 23_040 * n_ctx
    memory = MemoryBreakdown(
        buffers=(
            Buffer("CPU", "weights", 92 * MIB),
            Buffer("CPU", "kv", kv_bytes),
            Buffer("CPU", "compute", 17 * MIB),
            Buffer("CPU", "output", MIB // 5),
        ),
        kv_caches=(KvCache(n_ctx, 30, 23_040),),
    )
    return LoadedModel(
        info=info,
        memory=memory,
        n_ctx=n_ctx,
        n_ctx_max=n_ctx_max or n_ctx,
        n_batch=2048,
        n_ubatch=512,
        n_threads=2,
        n_gpu_layers=0,
        layers_offloaded=0,
        layers_total=31,
        flash_attention=True,
        type_k="f16",
        type_v="f16",
        backend="CPU",
        use_extra_bufts=False,
        load_ns=250 * MS,
    )


def grown(model: LoadedModel, context_tokens: int, took_ms: int = 100) -> ContextGrown:
    """The model's context doubles while it holds so many tokens; its compute buffer takes 4 MiB more."""
    larger = fake_model(n_ctx=2 * model.n_ctx).memory
    compute = model.memory.total_bytes("compute") + 4 * MIB
    buffers = tuple(replace(one, size_bytes=compute) if one.kind == "compute" else one for one in larger.buffers)
    added = 23_040 * model.n_ctx
    return ContextGrown(
        n_ctx=2 * model.n_ctx,
        previous_n_ctx=model.n_ctx,
        carried_tokens=context_tokens,
        memory=MemoryBreakdown(buffers, larger.kv_caches),
        took_ns=took_ms * MS,
        at_ns=time.perf_counter_ns(),
        n_batch=2048,
        n_ubatch=512,
        added_kv_bytes=added,
        added_bytes=added + 4 * MIB,
    )


FAKE_ENVIRONMENT = BenchEnvironment(
    build_commit="0c1e570",
    library="llama-cpp-python 0.3.36",
    cpu_info="Fake CPU",
    gpu_info="",
    backends="CPU",
    model_type="llama 135M Q4_1",
    model_size=96_576_768,
    model_n_params=134_515_008,
    n_gpu_layers=0,
    repack=True,
)


@dataclass(frozen=True)
class Timing:
    """How long a scripted bench takes: per token read, per step decoded, and what is added to each repetition in turn.

    Attributes:
        others_cpu: what other programs are said to have taken.
        refused: tests that are refused with this sentence.
        crash_at: the process dies when this test (an index) begins.
        hold_at: in this test (an index) each repetition goes on until it is cancelled.
    """

    read_ms: int = 1
    step_ms: int = 10
    extra_ms: tuple[int, ...] = (0,)
    others_cpu: float | None = None
    refused: dict[BenchTest, str] = field(default_factory=dict)
    crash_at: int | None = None
    hold_at: int | None = None


@dataclass(frozen=True)
class Answer:
    """One scripted answer: text pieces, one per token; instants are relative to `submitted_ns`.

    Attributes:
        delay_s: real time the engine waits before each token, for tests of streaming.
        events: when given, these are emitted as they are instead.
    """

    pieces: tuple[str, ...] = ("Hello", " world", "")
    thinking: tuple[str, ...] = ()
    queue_ms: int = 1
    tokenise_ms: int = 2
    prefill_ms: int = 100
    first_ms: int = 5
    itl_ms: int = 10
    prompt_tokens: int = 20
    cached_tokens: int = 0
    finish_reason: str = "stop"
    error: str = ""
    delay_s: float = 0.0
    events: tuple[GenerationEvent, ...] = ()


class ScriptedEngine:
    """Plays `Answer`s in order; the last one is repeated. `loads` may hold LoadFailed events for the next loads.

    `held_tokens`: what it foresees to find in its cache of every prompt.
    """

    def __init__(self, *answers: Answer, model: LoadedModel | None = None) -> None:
        self.answers = deque(answers or (Answer(),))
        self.loads: deque[LoadFailed] = deque()
        self.requests: list[GenerationRequest] = []
        self.load_configs: list[ModelConfig] = []
        self.bench_requests: list[BenchRequest] = []
        self.timing = Timing()
        self.forgotten = 0
        self.held_tokens = 0
        self.discarded: list[str] = []
        self.closed = False
        self.load_delay_s = 0.0
        self._model = model
        self._next_model = model or fake_model()
        self._cancelled = threading.Event()
        self._one_at_a_time = OneAtATime(self.generate, self._cancelled.set)

    @property
    def model(self) -> LoadedModel | None:
        return self._model

    def load(self, config: ModelConfig) -> Iterator[LoadEvent]:
        self.load_configs.append(config)
        self._cancelled.clear()
        if self.loads and isinstance(self.loads[0], LoadFailed) and self.loads[0].keeps_model:
            yield self.loads.popleft()
            return
        self._model = None
        for step in range(5):
            yield LoadProgressed(step / 4)
            if self._cancelled.wait(self.load_delay_s / 5):
                yield LoadFailed("The load was cancelled.", "cancelled")
                return
        if self.loads:
            yield self.loads.popleft()
            return
        self._model = self._next_model
        yield ModelLoaded(self._model)

    def generate(self, request: GenerationRequest) -> Iterator[GenerationEvent]:
        self.requests.append(request)
        self._cancelled.clear()
        answer = self.answers.popleft() if len(self.answers) > 1 else self.answers[0]
        if answer.events:
            for event in answer.events:
                if isinstance(event, ContextGrown) and self._model is not None:
                    self._model = self._model.with_context(event)
                yield event
            return
        now = request.submitted_ns + answer.queue_ms * MS
        started, now = now, now + answer.tokenise_ms * MS
        yield PromptTokenised(started, now, answer.prompt_tokens, answer.cached_tokens)
        total = answer.prompt_tokens - answer.cached_tokens
        yield PrefillProgressed(0, total, now)
        now += answer.prefill_ms * MS
        yield PrefillProgressed(total, total, now)
        now += answer.first_ms * MS
        context = answer.prompt_tokens
        reason = answer.finish_reason
        steps = [("thinking", text) for text in answer.thinking] + [("answer", text) for text in answer.pieces]
        for number, (channel, text) in enumerate(steps):
            if self._cancelled.wait(answer.delay_s):
                reason = "cancelled"
                break
            context = answer.prompt_tokens + number
            pieces = (TextPiece(channel, text),) if text else ()
            yield TokensGenerated((now + number * answer.itl_ms * MS,), pieces, context)
        yield GenerationFinished(reason, time.perf_counter_ns(), context, answer.error)

    def submit(self, request: GenerationRequest) -> None:
        self._one_at_a_time.submit(request)

    def serve(self) -> Iterator[Answered]:
        yield from self._one_at_a_time.serve()

    def bench(self, request: BenchRequest) -> Iterator[BenchEvent]:
        if request.tests:
            self.bench_requests.append(request)
        self._cancelled.clear()
        now = request.submitted_ns
        yield BenchStarted(FAKE_ENVIRONMENT)
        for index, test in enumerate(request.tests):
            if index == self.timing.crash_at:
                self._model = None
                yield BenchFinished("crashed", now, "The engine's process ended.")
                return
            if test in self.timing.refused:
                yield BenchRefused(index, self.timing.refused[test])
                continue
            parts = []
            prompt = test.n_prompt * max(test.n_parallel, 1) * self.timing.read_ms * MS
            if request.warm_up:
                yield BenchProgressed(index, "warm_up", 0, now)
                now += prompt + self.timing.step_ms * MS * min(test.n_gen, 1)
            for number in range(request.repetitions):
                if self._cancelled.is_set():
                    break
                yield BenchProgressed(index, "run", number + 1, now)
                if index == self.timing.hold_at:
                    self._cancelled.wait()
                    break
                extra = self.timing.extra_ms[number % len(self.timing.extra_ms)] * MS
                parts.append((prompt, test.n_gen * self.timing.step_ms * MS + extra))
                now += sum(parts[-1])
            prompt_ns, gen_ns = (tuple(part[i] for part in parts) if test.n_parallel else () for i in range(2))
            samples = tuple(map(sum, parts))
            if samples:
                others = self.timing.others_cpu
                yield BenchMeasured(index, samples, prompt_ns, gen_ns, test.n_threads or 2, 256, others)
            if self._cancelled.is_set():
                yield BenchFinished("cancelled", now)
                return
        yield BenchFinished("done", now)

    def count_tokens(self, messages: Sequence[Message]) -> int:
        return sum(len(message.content.split()) + 4 for message in messages)

    def foresee(self, request: GenerationRequest) -> Foreseen:
        counted = self.count_tokens(request.messages)
        return Foreseen(counted, min(self.held_tokens, counted - 1))

    def forget(self) -> LoadedModel | None:
        self.forgotten += 1
        if self._model is not None:
            self._model = self._model.with_context(self._next_model)
        return self._model

    def discard(self, conversation_id: str, states: StateBudget) -> None:
        self.discarded.append(conversation_id)

    def devices(self) -> tuple[Device, ...]:
        return (Device("CPU", "Fake CPU", "cpu", "CPU", 8 * 1024 * MIB, 4 * 1024 * MIB),)

    def cancel(self, request_id: str = "") -> None:
        if request_id:
            self._one_at_a_time.cancel(request_id)
        else:
            self._one_at_a_time.cancel_all(time.perf_counter_ns())
            self._cancelled.set()

    def unload(self) -> None:
        self._model = None

    def close(self) -> None:
        self.closed = True
        self._model = None
