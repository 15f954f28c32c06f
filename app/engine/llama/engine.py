"""LlamaEngine: llama.cpp in this process, driven by one thread."""

from __future__ import annotations

import queue
import secrets
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import psutil

from app.engine.bench import BenchFinished
from app.engine.cores import usable_cores
from app.engine.events import (
    GenerationEvent,
    GenerationFinished,
    LoadedModel,
    LoadEvent,
    LoadFailed,
    LoadProgressed,
    MemorySampled,
    ModelLoaded,
    TextPiece,
    TokensGenerated,
)
from app.engine.llama.answer import AnswerWriter, read_prompt
from app.engine.llama.bench import LlamaBench
from app.engine.llama.devices import gpu_backends, list_devices
from app.engine.llama.growth import ElasticContext
from app.engine.llama.library import initialise, lib, register_rpc_servers
from app.engine.llama.log_capture import log_capture, parse_devices, parse_memory, parse_offloaded
from app.engine.llama.model import LlamaModel, LoadCancelledError
from app.engine.llama.opening import load_notes, make_context
from app.engine.llama.placement import layers_asked_for
from app.engine.llama.prompt import foresee, prepare, render
from app.engine.llama.room import free_memory, largest_n_ctx
from app.engine.llama.sampler import Sampler
from app.engine.llama.scheduler import Scheduler
from app.engine.llama.session import Session
from app.engine.one_at_a_time import OneAtATime
from app.engine.states import StateFolder
from app.errors import BadInputError, ContextFullError, EngineError, Sentence, TokometerError
from app.reasons import reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

    from app.chat.message import Message
    from app.engine.bench import BenchEvent, BenchRequest
    from app.engine.config import ModelConfig
    from app.engine.events import Answered, Device, FinishReason
    from app.engine.request import Foreseen, GenerationRequest
    from app.engine.states import StateBudget

_WARM_UP_TOKENS = 8
_MEMORY_SAMPLE_NS = 250_000_000


class LlamaEngine:
    """The `Engine` on llama.cpp's low-level API.

    Args:
        before_warm_up: called when the weights are loaded and the first multi-token decode is about to run; a parent
            process then knows what killed this one.
        free: how many bytes a growing context may take, per device, beside a reserve, as `free_memory` says.
    """

    def __init__(
        self,
        before_warm_up: Callable[[], None] | None = None,
        free: Callable[[int], Mapping[str, int]] = free_memory,
    ) -> None:
        initialise()
        self.log = log_capture()
        self._before_warm_up = before_warm_up
        self._free = free
        self._session: Session | None = None
        self._bench: LlamaBench | None = None
        self._load_cancelled = threading.Event()
        self._cancelled_at_ns = 0
        self._submitted_ns = 0
        self._process = psutil.Process()
        self._sampled_at_ns = 0
        self._answers: OneAtATime | Scheduler = OneAtATime(self.generate, self._interrupt)

    @property
    def model(self) -> LoadedModel | None:
        """The loaded model."""
        return self._session.loaded if self._session else None

    # -- load ---------------------------------------------------------------------------------------------------------

    def load_settled(self, config: ModelConfig, choice: str = "") -> Iterator[LoadEvent]:
        """Unload what is loaded, load this, whose settings were made numbers by `settle`. See `Engine.load`.

        llama.cpp loads in one call, so that call has a thread of its own while this one relays its progress; only one
        of the two is ever in llama.cpp.
        """
        self.unload()
        self._load_cancelled.clear()
        events: queue.SimpleQueue[LoadEvent] = queue.SimpleQueue()
        thread = threading.Thread(target=self._load, args=(config, choice, events.put), name="load")
        thread.start()
        while True:
            event = events.get()
            if not isinstance(event, LoadProgressed):
                thread.join()
                yield event
                return
            yield event

    def _load(self, config: ModelConfig, choice: str, emit: Callable[[LoadEvent], None]) -> None:
        try:
            loaded = self._open(config, choice, lambda fraction: emit(LoadProgressed(fraction)))
        except LoadCancelledError as error:
            emit(LoadFailed(str(error), "cancelled"))
        except BadInputError as error:
            emit(LoadFailed(str(error), "bad_input"))
        except TokometerError as error:
            emit(LoadFailed(str(error), "failed"))
        except (RuntimeError, OSError, MemoryError) as error:
            why = Sentence("{file} cannot be loaded: {detail}.", file=config.path.name, detail=reason_of(error))
            emit(LoadFailed(why, "failed"))
        else:
            emit(ModelLoaded(loaded))

    def _open(self, config: ModelConfig, choice: str, progressed: Callable[[float], None]) -> LoadedModel:
        started, before_bytes = time.perf_counter_ns(), self._process.memory_info().rss
        path = config.path
        register_rpc_servers(config.rpc_servers)
        use_extra_bufts = config.use_extra_bufts is not False
        shown = -1

        def report(fraction: float) -> bool:
            nonlocal shown
            if int(fraction * 100) > shown:
                shown = int(fraction * 100)
                progressed(fraction)
            return not self._load_cancelled.is_set()

        with self.log.record() as lines:
            model = LlamaModel(config, use_extra_bufts=use_extra_bufts, on_progress=report, errors=self.log.errors)
            try:
                model.check_can_chat()
                info = model.info()
                n_ctx = config.n_ctx or min(info.n_ctx_train or config.n_ctx_start, config.n_ctx_start)
                n_threads = config.n_threads or usable_cores()
                context = make_context(model, config, n_ctx, n_threads, self.log)
            except BaseException:
                model.free()
                raise
        offloaded, total = parse_offloaded(lines)
        loaded = LoadedModel(
            info=info,
            memory=parse_memory(lines, context.n_ctx),
            n_ctx=context.n_ctx,
            n_ctx_max=context.n_ctx,
            n_batch=context.n_batch,
            n_ubatch=context.n_ubatch,
            n_threads=n_threads,
            n_gpu_layers=layers_asked_for(config),
            layers_offloaded=offloaded,
            layers_total=total or info.n_layer + 1,
            flash_attention=any("Flash Attention enabled" in line for line in lines) or config.flash_attention == "on",
            type_k=config.type_k,
            type_v=config.type_v,
            backend=", ".join(parse_devices(lines)) if offloaded else "CPU",
            use_extra_bufts=use_extra_bufts,
            load_ns=0,
            choice=choice,
            notes=load_notes(config, info),
            gpu_backends=gpu_backends(),
            n_parallel=config.n_parallel,
        )
        if config.n_ctx is None:
            n_ctx_max = largest_n_ctx(loaded, info.n_ctx_train, self._free(config.reserve_bytes))
            loaded = replace(loaded, n_ctx_max=n_ctx_max)
        elastic = ElasticContext(context, loaded, self.log, lambda: self._free(config.reserve_bytes))
        session = Session(model, elastic)
        self._warm_up(session)
        if self._load_cancelled.is_set():
            session.free()
            raise LoadCancelledError(Sentence("Loading {file} was cancelled.", file=path.name))
        process_bytes = self._process.memory_info().rss
        elastic.model = replace(
            loaded,
            load_ns=time.perf_counter_ns() - started,
            process_bytes=process_bytes,
            grown_bytes=process_bytes - before_bytes,
        )
        self._session = session
        if config.n_parallel > 1:
            self._answers = Scheduler(session, self._memory_if_due)
        else:
            self._answers = OneAtATime(self.generate, self._interrupt)
        return session.loaded

    def _warm_up(self, session: Session) -> None:
        if self._before_warm_up is not None:
            self._before_warm_up()
        token = max(lib.llama_vocab_bos(session.model.vocab), 0)
        session.context.decode([token] * min(_WARM_UP_TOKENS, session.context.n_batch))
        session.context.clear()

    # -- answer -------------------------------------------------------------------------------------------------------

    def generate(self, request: GenerationRequest) -> Iterator[GenerationEvent]:
        """Write one answer. See `Engine.generate`."""
        if isinstance(self._answers, Scheduler) and self._session is not None:
            self._answers.submit(request)
            yield from (answered.event for answered in self.serve())
            return
        started_ns = time.perf_counter_ns()
        session = self._session
        if session is None:
            yield GenerationFinished("failed", started_ns, 0, Sentence("No model is loaded: open one first."))
            return
        self._submitted_ns = request.submitted_ns
        session.context.clear_cancel()
        if request.submitted_ns <= self._cancelled_at_ns:
            yield GenerationFinished("cancelled", started_ns, len(session.context.tokens))
            return
        seed = request.sampling.seed if request.sampling.seed is not None else secrets.randbits(31)
        reason: FinishReason
        try:
            reason, error = yield from self._answer(session, request, started_ns, seed)
        except ContextFullError as full:
            reason, error = "context", str(full)
        except TokometerError as failed:
            reason, error = "failed", str(failed)
            if session.context.handle is None:
                self.unload()
        yield self._sample_memory()
        yield GenerationFinished(reason, time.perf_counter_ns(), len(session.context.tokens), error, seed)

    def submit(self, request: GenerationRequest) -> None:
        """Ask for one more answer. See `Engine.submit`."""
        self._answers.submit(request)

    def serve(self) -> Iterator[Answered]:
        """Write all that was submitted. See `Engine.serve`."""
        yield from self._answers.serve()
        if self._session is not None and self._session.context.handle is None:
            self.unload()

    def _interrupt(self) -> None:
        session = self._session
        if session is not None:
            session.context.cancel()

    def _answer(
        self, session: Session, request: GenerationRequest, started_ns: int, seed: int
    ) -> Generator[GenerationEvent, None, tuple[FinishReason, str]]:
        context, tokenizer = session.context, session.tokenizer
        (keeper,) = session.keepers
        prompt = yield from prepare(session, request, render(session, request, started_ns), keeper)
        yield self._sample_memory()
        done = False
        for progress in read_prompt(context, prompt.uncached, session.pace, prompt.checkpoints):
            done = progress.done_tokens == progress.total_tokens
            yield progress
            yield from self._memory_if_due()
        if not done:
            return "cancelled", ""
        sampler = Sampler(request.sampling, session.loaded.info.n_vocab, seed)
        for token in prompt.tokens[-request.sampling.penalty_last_n :] if request.sampling.penalty_last_n > 0 else ():
            sampler.accept(token)
        writer = AnswerWriter(
            context,
            sampler,
            tokenizer,
            splitter=prompt.splitter,
            stop=request.stop,
            max_tokens=request.max_tokens,
            make_room=session.make_room if request.may_grow else _no_room,
        )
        pieces: list[TextPiece] = []
        try:
            for event in writer.write():
                if isinstance(event, TokensGenerated):
                    pieces.extend(event.pieces)
                yield event
                yield from self._memory_if_due()
        finally:
            sampler.free()
        keeper.after_answer(pieces, request.continues)
        return writer.finish_reason, writer.error

    def _sample_memory(self) -> MemorySampled:
        self._sampled_at_ns = time.perf_counter_ns()
        saved_bytes = self._session.held_bytes if self._session is not None else 0
        return MemorySampled(self._process.memory_info().rss, self._sampled_at_ns, saved_bytes)

    def _memory_if_due(self) -> Iterator[MemorySampled]:
        if time.perf_counter_ns() - self._sampled_at_ns >= _MEMORY_SAMPLE_NS:
            yield self._sample_memory()

    def bench(self, request: BenchRequest) -> Iterator[BenchEvent]:
        """Measure the loaded model. See `Engine.bench`."""
        session = self._session
        if session is None:
            yield BenchFinished("failed", time.perf_counter_ns(), Sentence("No model is loaded: open one first."))
            return
        self._submitted_ns = request.submitted_ns
        self._bench = LlamaBench(session.model, session.loaded)
        if request.submitted_ns <= self._cancelled_at_ns:
            self._bench.cancel()
        yield from self._bench.run(request)
        self._bench = None

    # -- the rest of the protocol -------------------------------------------------------------------------------------

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Return the size in tokens of the rendered prompt."""
        if self._session is None:
            raise EngineError(Sentence("No model is loaded: open one first."))
        return len(self._session.tokenizer.encode(self._session.template.render_prompt(messages).text))

    def foresee(self, request: GenerationRequest) -> Foreseen:
        """Return what a request would find. See `Engine.foresee`."""
        if self._session is None:
            raise EngineError(Sentence("No model is loaded: open one first."))
        if isinstance(self._answers, Scheduler):
            return self._answers.foresee(request)
        rendered = render(self._session, request, time.perf_counter_ns())
        return foresee(self._session, request, rendered, self._session.keepers[0])

    def while_idle(self) -> None:
        """Nothing was asked for a while: what the end would have to wait for can be done now."""
        if self._session is not None:
            for keeper in self._session.keepers:
                keeper.while_idle()

    def discard(self, conversation_id: str, states: StateBudget) -> None:
        """Delete what is kept of a conversation's KV cache."""
        if self._session is not None:
            for keeper in self._session.keepers:
                keeper.discard(conversation_id)
        if states.folder is not None:
            StateFolder(states.folder).remove(conversation_id)

    def forget(self) -> LoadedModel | None:
        """Save the conversations' KV caches and empty them; a context that has grown becomes small again."""
        session = self._session
        if session is not None:
            try:
                if session.shrink():
                    elastic, now = session.elastic, self._sample_memory()
                    elastic.model = replace(elastic.model, process_bytes=now.process_bytes, saved_bytes=now.saved_bytes)
            except EngineError:
                self.unload()
        return self.model

    def devices(self, rpc_servers: tuple[str, ...] = ()) -> tuple[Device, ...]:
        """Return the devices ggml knows, with their memory now. Raises EngineError when an RPC server is not there."""
        register_rpc_servers(rpc_servers)
        return list_devices()

    def cancel(self, request_id: str = "", at_ns: int | None = None) -> None:
        """End one answer, or what runs unless it was asked for after `at_ns` (default: now). See `Engine.cancel`."""
        if request_id:
            self._answers.cancel(request_id)
            return
        self._cancelled_at_ns = time.perf_counter_ns() if at_ns is None else at_ns
        self._answers.cancel_all(self._cancelled_at_ns)
        self._load_cancelled.set()
        session = self._session
        if session is not None and self._submitted_ns <= self._cancelled_at_ns:
            session.context.cancel()
        bench = self._bench
        if bench is not None and self._submitted_ns <= self._cancelled_at_ns:
            bench.cancel()

    def unload(self) -> None:
        """Free the model and everything it allocated."""
        session, self._session = self._session, None
        if session is not None:
            self._answers = OneAtATime(self.generate, self._interrupt)
            session.free()

    def close(self) -> None:
        """Unload; the engine cannot be used again."""
        self.unload()


def _no_room() -> None:
    """An answer for which the context may not grow ends where it is full."""
