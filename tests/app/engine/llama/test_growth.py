"""A context that grows with its conversation: the text stays the same, and nothing is read twice."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.events import (
    ContextGrown,
    GenerationEvent,
    GenerationFinished,
    LoadedModel,
    ModelLoaded,
    PrefillProgressed,
    PromptTokenised,
    TokensGenerated,
)
from app.engine.llama.engine import LlamaEngine
from app.engine.llama.room import HOST, context_bytes, free_memory, largest_n_ctx
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.model
START = 256
STORY = "Write a very long story about a ferry."
MIB = 1024**2


def config(path: Path, **changes: object) -> ModelConfig:
    return replace(ModelConfig(path, n_gpu_layers=0, n_ctx_start=START, n_threads=1, use_extra_bufts=False), **changes)


def loaded(engine: LlamaEngine, wanted: ModelConfig) -> LoadedModel:
    last = list(engine.load_settled(wanted))[-1]
    assert isinstance(last, ModelLoaded), last
    return last.model


def request(*texts: str, **changes: object) -> GenerationRequest:
    roles = ("user", "assistant")
    messages = tuple(Message(roles[i % 2], text) for i, text in enumerate(texts))
    base = GenerationRequest(messages, time.perf_counter_ns(), Sampling(temperature=0), max_tokens=12, stop=("\0",))
    return replace(base, **changes)


def only(kind: type, events: Iterable[GenerationEvent]) -> list:
    return [event for event in events if isinstance(event, kind)]


def text_of(events: Iterable[GenerationEvent]) -> str:
    return "".join(piece.text for event in only(TokensGenerated, events) for piece in event.pieces)


@pytest.fixture(scope="module")
def fixed_story(starter: Path) -> str:
    """The story of 330 tokens as a context of 2,048 tokens tells it."""
    engine = LlamaEngine()
    model = loaded(engine, config(starter, n_ctx=2048))
    assert model.n_ctx_max == 2048
    events = list(engine.generate(request(STORY, max_tokens=330)))
    engine.close()
    assert not only(ContextGrown, events)
    return text_of(events)


@pytest.fixture
def engine() -> Iterator[LlamaEngine]:
    engine = LlamaEngine()
    yield engine
    engine.close()


def test_it_begins_small_and_knows_its_limit(engine: LlamaEngine, starter: Path) -> None:
    model = loaded(engine, config(starter, n_ctx_start=ModelConfig(starter).n_ctx_start))
    assert (model.n_ctx, model.n_ctx_max) == (4096, 8192)
    assert model.memory.total_bytes("kv") == 4096 * 23_040


@pytest.mark.parametrize(
    "changes",
    [{}, {"flash_attention": "off"}, {"type_k": "q8_0", "type_v": "q8_0"}],
    ids=["f16", "no flash attention", "q8_0"],
)
def test_an_answer_that_outgrows_its_context_reads_the_same(
    engine: LlamaEngine, starter: Path, fixed_story: str, changes: dict[str, object]
) -> None:
    loaded(engine, config(starter, **changes))
    events = list(engine.generate(request(STORY, max_tokens=330)))
    (grown,) = only(ContextGrown, events)
    assert (grown.previous_n_ctx, grown.n_ctx, grown.carried_tokens, grown.note) == (256, 512, 256, "")
    after = only(TokensGenerated, events[events.index(grown) :])
    assert sum(len(batch.sampled_ns) for batch in after) >= 64
    if changes:
        engine.unload()
        loaded(engine, config(starter, n_ctx=2048, **changes))
        fixed_story = text_of(engine.generate(request(STORY, max_tokens=330)))
    assert text_of(events) == fixed_story


def test_the_model_says_what_the_larger_context_takes(engine: LlamaEngine, starter: Path) -> None:
    before = loaded(engine, config(starter))
    events = list(engine.generate(request(STORY, max_tokens=300)))
    (grown,) = only(ContextGrown, events)
    after = engine.model
    assert after is not None
    assert (after.n_ctx, after.n_ctx_max, after.n_batch, after.n_ubatch) == (512, 8192, 512, 512)
    assert (before.n_batch, before.n_ubatch) == (256, 256)
    assert after.memory == grown.memory
    assert after.memory.total_bytes("kv") == 512 * 23_040
    assert after.memory.total_bytes("weights") == before.memory.total_bytes("weights")
    assert grown.added_bytes == after.memory.total_bytes() - before.memory.total_bytes() > 256 * 23_040
    assert 0 < grown.took_ns < grown.at_ns


def test_a_longer_prompt_grows_the_context_before_it_is_read(engine: LlamaEngine, starter: Path) -> None:
    loaded(engine, config(starter))
    first = list(engine.generate(request(STORY, max_tokens=40)))
    second = list(engine.generate(request(STORY, text_of(first), "Go on, please. " * 60)))
    held = first[-1].context_tokens
    (grown,), (prompt,) = only(ContextGrown, second), only(PromptTokenised, second)
    assert (grown.previous_n_ctx, grown.n_ctx, grown.carried_tokens) == (256, 512, held)
    assert (prompt.cached_tokens, prompt.cache_miss) == (held, "")
    assert only(PrefillProgressed, second)[-1].total_tokens == prompt.prompt_tokens - held
    engine.unload()
    loaded(engine, config(starter, n_ctx=2048))
    assert text_of(engine.generate(request(STORY, max_tokens=40))) == text_of(first)
    fixed = engine.generate(request(STORY, text_of(first), "Go on, please. " * 60))
    assert text_of(fixed) == text_of(second)


def test_the_next_turn_reads_only_what_is_new(engine: LlamaEngine, starter: Path) -> None:
    loaded(engine, config(starter))
    first = list(engine.generate(request(STORY, max_tokens=300)))
    assert only(ContextGrown, first)
    second = list(engine.generate(request(STORY, text_of(first), "And then?")))
    (prompt,) = only(PromptTokenised, second)
    assert prompt.cached_tokens == first[-1].context_tokens
    assert not only(ContextGrown, second)


def test_a_prompt_with_nothing_in_common_carries_nothing(engine: LlamaEngine, starter: Path) -> None:
    loaded(engine, config(starter))
    events = list(engine.generate(request("Count the words. " * 100)))
    (grown,) = only(ContextGrown, events)
    assert (grown.n_ctx, grown.carried_tokens, grown.note) == (512, 0, "")
    assert events[-1].finish_reason == "length"


def test_a_forgotten_conversation_gives_its_context_back(engine: LlamaEngine, starter: Path) -> None:
    before = loaded(engine, config(starter))
    first = list(engine.generate(request(STORY, max_tokens=300)))
    assert only(ContextGrown, first)
    after = engine.forget()
    assert after == engine.model == replace(before, process_bytes=after.process_bytes)
    again = list(engine.generate(request(STORY, max_tokens=300)))
    assert text_of(again) == text_of(first)
    assert only(PromptTokenised, again)[0].cached_tokens == 0


def test_the_limit_ends_an_answer_as_a_fixed_context_does(starter: Path) -> None:
    room = 40 * MIB
    engine = LlamaEngine(free=lambda _reserve: {HOST: room})
    model = loaded(engine, config(starter))
    assert START < model.n_ctx_max < 8192
    assert model.n_ctx_max % 256 == 0
    events = list(engine.generate(request(STORY, max_tokens=None)))
    assert [grown.n_ctx for grown in only(ContextGrown, events)][-1] == model.n_ctx_max
    assert events[-1].finish_reason == "context"
    assert events[-1].context_tokens == model.n_ctx_max
    refused = list(engine.generate(request("Too long. " * 1000)))
    engine.close()
    assert f"{model.n_ctx_max:,}" in refused[-1].error


def test_without_memory_the_answer_ends_with_a_sentence_and_nothing_is_lost(starter: Path) -> None:
    room = 1024 * MIB
    engine = LlamaEngine(free=lambda _reserve: {HOST: room})
    loaded(engine, config(starter))
    room = 0
    events = list(engine.generate(request(STORY, max_tokens=None)))
    finish = events[-1]
    assert isinstance(finish, GenerationFinished)
    assert (finish.finish_reason, finish.context_tokens) == ("context", 256)
    assert "256 tokens and cannot grow" in finish.error
    assert "summarise" in finish.error
    assert "smaller KV cache type" in finish.error
    assert not only(ContextGrown, events)

    refused = list(engine.generate(request(STORY, text_of(events), "Go on.")))
    assert (refused[-1].finish_reason, refused[-1].context_tokens) == ("context", 256)
    assert "cannot grow" in refused[-1].error

    room = 1024 * MIB
    after = list(engine.generate(request(STORY, text_of(events), "Go on.")))
    engine.close()
    assert only(PromptTokenised, after)[0].cached_tokens == 256
    assert after[-1].finish_reason == "length"


def test_cancel_during_growth_leaves_the_old_context(starter: Path) -> None:
    def stop_while_it_is_planned(reserve_bytes: int) -> dict[str, int]:
        if engine.model is not None:
            engine.cancel()
        return free_memory(reserve_bytes)

    engine = LlamaEngine(free=stop_while_it_is_planned)
    loaded(engine, config(starter))
    events = list(engine.generate(request(STORY, max_tokens=None)))
    assert events[-1].finish_reason == "cancelled"
    assert events[-1].context_tokens == 256
    assert not only(ContextGrown, events)
    after = list(engine.generate(request(STORY, max_tokens=12)))
    engine.close()
    assert after[-1].finish_reason == "length"
    assert text_of(after) == text_of(events)[: len(text_of(after))]


def test_the_estimate_is_what_llama_cpp_takes(engine: LlamaEngine, starter: Path) -> None:
    start = loaded(engine, config(starter, n_ctx_start=1024))
    estimate = context_bytes(start, 2048, {HOST: 0})[HOST]
    events = list(engine.generate(request("Count the words. " * 300, max_tokens=1)))
    (grown,) = only(ContextGrown, events)
    assert grown.n_ctx == 2048
    real = grown.memory.total_bytes("kv", "compute", "output")
    assert real <= estimate <= 1.05 * real


def test_a_limit_of_a_million_tokens_is_what_the_memory_holds(engine: LlamaEngine, starter: Path) -> None:
    model = loaded(engine, config(starter))
    n_ctx = largest_n_ctx(model, 2**20, {HOST: 2048 * MIB})
    assert 40_000 < n_ctx < 2048 * MIB // 23_040
    assert largest_n_ctx(model, 2**20, {HOST: 0}) == 256
    assert largest_n_ctx(model, 8192, {HOST: 2048 * MIB}) == 8192


def test_a_request_may_forbid_growing(engine: LlamaEngine, starter: Path) -> None:
    """Then what the context holds is its limit: for the prompt, which is refused, and for the answer, which ends."""
    model = loaded(engine, config(starter))
    events = list(engine.generate(request(STORY, max_tokens=None, may_grow=False)))
    assert not only(ContextGrown, events)
    end = events[-1]
    assert isinstance(end, GenerationFinished)
    assert (end.finish_reason, end.error, end.context_tokens) == ("context", "", START)
    assert text_of(events)
    refused = list(engine.generate(request("word " * 300, may_grow=False)))
    assert not only(TokensGenerated, refused)
    assert refused[-1].finish_reason == "context"
    assert f"the context holds {START}" in refused[-1].error
    assert engine.model is not None
    assert engine.model.n_ctx == model.n_ctx
    allowed = list(engine.generate(request("word " * 300)))
    assert only(ContextGrown, allowed)
