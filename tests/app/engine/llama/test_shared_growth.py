"""Several answers at once in a context that grows, on the real starter model: nothing is read twice, the text stays."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.engine.config import ModelConfig
from app.engine.events import ContextGrown, GenerationFinished, ModelLoaded, PromptTokenised, TokensGenerated
from app.engine.llama.engine import LlamaEngine
from app.engine.llama.room import HOST
from tests.app.engine.llama.test_scheduler import (
    LONG,
    QUESTIONS,
    Steps,
    assert_only_rounding,
    end_of,
    load,
    request,
    scheduler,
    serve,
    text_of,
    tokens_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from app.engine.events import GenerationEvent
    from app.engine.request import GenerationRequest

pytestmark = pytest.mark.model
START = 256
STORIES = ("Write a very long story about a ferry.", "Write a very long story about a dragon and a knight.")


def story(text: str, max_tokens: int = 330, **changes: object) -> GenerationRequest:
    return request(text, max_tokens, stop=("\0",), **changes)


def grown_in(events: list[GenerationEvent]) -> list[ContextGrown]:
    return [event for event in events if isinstance(event, ContextGrown)]


@pytest.fixture
def open_engine(starter: Path) -> Iterator[Callable[..., LlamaEngine]]:
    made: list[LlamaEngine] = []

    def open_(free: int = 2**40, **changes: object) -> LlamaEngine:
        engine = LlamaEngine(free=lambda _reserve: {HOST: free})
        made.append(engine)
        config = ModelConfig(starter, n_ctx_start=START, n_parallel=2, n_gpu_layers=0, use_extra_bufts=False)
        assert isinstance(list(engine.load_settled(replace(config, **changes)))[-1], ModelLoaded)
        return engine

    yield open_
    for engine in made:
        engine.close()


@pytest.fixture
def fresh(starter: Path) -> Iterator[LlamaEngine]:
    engine = load(starter, 1, 2048)
    yield engine
    engine.close()


def assert_as_alone(fresh: LlamaEngine, engine: LlamaEngine, asked: GenerationRequest, events: list) -> None:
    """The text is that of a fresh context, or parts from it by rounding."""
    session = fresh._session
    assert session is not None
    fresh.forget()
    alone = list(fresh.generate(asked))
    if text_of(alone) != text_of(events):
        (held,) = (each.tokens for each in scheduler(engine).sequences if each.conversation_id == asked.conversation_id)
        prompt = next(event.prompt_tokens for event in alone if isinstance(event, PromptTokenised))
        assert_only_rounding(fresh, list(session.context.tokens), held, prompt)


def test_answers_that_outgrow_their_context_together_read_as_alone(
    open_engine: Callable[..., LlamaEngine], fresh: LlamaEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = open_engine()
    assert engine.model is not None
    assert (engine.model.n_ctx, engine.model.n_ctx_max) == (START, 8192)
    steps = Steps(engine, monkeypatch)
    monkeypatch.setattr(scheduler(engine), "_new_batch", lambda: steps._batch)
    asked = [story(text) for text in STORIES]
    found = serve(engine, *asked)
    held = {each.conversation_id: each for each in scheduler(engine).sequences}
    for each in asked:
        events = found[each.id]
        (grown,) = grown_in(events)  # the first that was full made room for both
        assert (grown.previous_n_ctx, grown.n_ctx, grown.note) == (START, 2 * START, "")
        before = [event for event in events[: events.index(grown)] if isinstance(event, TokensGenerated)]
        assert grown.carried_tokens == before[-1].context_tokens
        after = [event for event in events[events.index(grown) :] if isinstance(event, TokensGenerated)]
        assert sum(len(batch.sampled_ns) for batch in after) >= 64
        assert end_of(events).finish_reason == "length"
        assert len(tokens_of(events)) == 330
        sequence = held[each.conversation_id]
        assert sum(rows.count(sequence.number) for rows in steps.rows) == len(sequence.tokens)  # each read once
        assert_as_alone(fresh, engine, each, events)
    assert engine.model.n_ctx == 2 * START
    assert engine.model.memory.total_bytes("kv") == 2 * 2 * START * 23_040


@pytest.mark.parametrize("is_taken", [True, False], ids=["carried", "refused"])
def test_a_long_prompt_makes_room_beside_an_answer_under_way(
    open_engine: Callable[..., LlamaEngine], fresh: LlamaEngine, monkeypatch: pytest.MonkeyPatch, is_taken: bool
) -> None:
    engine = open_engine()
    if not is_taken:
        monkeypatch.setattr("app.engine.llama.growth.put_state", lambda *_: False)
    writer, reader = request(QUESTIONS[0], 40), request(LONG, 12)
    engine.submit(writer)
    events = engine.serve()
    found: dict[str, list[GenerationEvent]] = {writer.id: [], reader.id: []}
    for answered in events:
        found[answered.request_id].append(answered.event)
        if isinstance(answered.event, TokensGenerated):
            break
    engine.submit(reader)
    for answered in events:
        found[answered.request_id].append(answered.event)
    (own,), (others,) = grown_in(found[reader.id]), grown_in(found[writer.id])
    assert found[reader.id].index(own) < next(
        at for at, event in enumerate(found[reader.id]) if isinstance(event, PromptTokenised)
    )
    assert own.n_ctx == others.n_ctx == 2 * START
    assert own.carried_tokens == 0
    assert bool(others.carried_tokens) is (others.note == "") is is_taken
    for each in (writer, reader):
        assert end_of(found[each.id]).finish_reason == "length"
        assert_as_alone(fresh, engine, each, found[each.id])


def test_one_that_may_not_grow_ends_where_it_is_full_and_the_other_goes_on(
    open_engine: Callable[..., LlamaEngine],
) -> None:
    engine = open_engine()
    free, bounded = story(STORIES[0]), story(STORIES[1], may_grow=False)  # its prompt is longer: it is full first
    found = serve(engine, free, bounded)
    full = end_of(found[bounded.id])
    assert (full.finish_reason, full.context_tokens, full.error) == ("context", START, "")
    assert grown_in(found[bounded.id]) == []
    assert len(grown_in(found[free.id])) == 1
    assert end_of(found[free.id]).finish_reason == "length"
    refused = request(LONG * 2, may_grow=False)
    assert "512" in end_of(serve(engine, refused)[refused.id]).error


def test_where_memory_is_short_the_full_one_ends_and_says_so(open_engine: Callable[..., LlamaEngine]) -> None:
    engine = open_engine()
    assert engine._session is not None
    engine._session.elastic.free_bytes = lambda: {HOST: 1024**2}
    engine._free = lambda _reserve: {HOST: 1024**2}
    asked = [story(text) for text in STORIES]
    found = serve(engine, *asked)
    for each in asked:
        end = end_of(found[each.id])
        assert end.finish_reason == "context"
        assert "cannot grow" in end.error
        assert len(tokens_of(found[each.id])) > 200
    follow = request(QUESTIONS[0], 4)
    assert end_of(serve(engine, follow)[follow.id]).finish_reason == "length"


def test_what_was_forgotten_makes_it_small_again(open_engine: Callable[..., LlamaEngine]) -> None:
    engine = open_engine()
    reader = request(LONG, 4)
    serve(engine, reader)
    assert engine.model is not None
    assert engine.model.n_ctx > START
    small = engine.forget()
    assert small is not None
    assert small.n_ctx == START
    assert [each.tokens for each in scheduler(engine).sequences] == [[], []]
    again = request(QUESTIONS[0], 4)
    assert isinstance(serve(engine, again)[again.id][-1], GenerationFinished)
