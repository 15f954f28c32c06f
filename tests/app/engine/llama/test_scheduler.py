"""Several answers in the same steps, on the real starter model: the text of each is that of one alone, and all is fair.

Time is counted in steps: a machine may be slow.
"""

from __future__ import annotations

import ctypes
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.events import (
    Answered,
    AnswerRestarted,
    GenerationEvent,
    GenerationFinished,
    ModelLoaded,
    PrefillProgressed,
    PromptTokenised,
    TokensGenerated,
)
from app.engine.llama.engine import LlamaEngine
from app.engine.llama.library import lib
from app.engine.llama.scheduler import Scheduler
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from app.engine.llama.context import LlamaContext

pytestmark = pytest.mark.model
N_TOKENS = 64
QUESTIONS = (
    "Tell me about the sea.",
    "Name three animals and say why you like them.",
    "Write a short story about a dragon and a knight.",
)
LONG = "Tell me about the sea. " * 60


def request(text: str, max_tokens: int = N_TOKENS, **changes: object) -> GenerationRequest:
    base = GenerationRequest(
        (Message("user", text),), time.perf_counter_ns(), Sampling(temperature=0), max_tokens=max_tokens
    )
    return replace(base, conversation_id=text, **changes)


def load(starter: Path, n_parallel: int, n_ctx: int = 512) -> LlamaEngine:
    engine = LlamaEngine()
    config = ModelConfig(starter, n_ctx=n_ctx, n_parallel=n_parallel, n_gpu_layers=0, use_extra_bufts=False)
    assert isinstance(list(engine.load_settled(config))[-1], ModelLoaded)
    return engine


@pytest.fixture(scope="module")
def two(starter: Path) -> Iterator[LlamaEngine]:
    """Two sequences of 512 tokens."""
    engine = load(starter, 2)
    yield engine
    engine.close()


@pytest.fixture(autouse=True)
def empty_cache(request: pytest.FixtureRequest) -> None:
    """Every test begins with nothing cached."""
    if "two" in request.fixturenames:
        engine = request.getfixturevalue("two")
        engine.forget()
        assert not any(sequence.tokens for sequence in scheduler(engine).sequences)


def scheduler(engine: LlamaEngine) -> Scheduler:
    assert isinstance(engine._answers, Scheduler)
    return engine._answers


def serve(engine: LlamaEngine, *requests: GenerationRequest) -> dict[str, list[GenerationEvent]]:
    for each in requests:
        engine.submit(each)
    return collect(engine.serve())


def collect(answered: Iterator[Answered]) -> dict[str, list[GenerationEvent]]:
    found: dict[str, list[GenerationEvent]] = {}
    for each in answered:
        found.setdefault(each.request_id, []).append(each.event)
    return found


def text_of(events: list[GenerationEvent]) -> str:
    return "".join(piece.text for event in events if isinstance(event, TokensGenerated) for piece in event.pieces)


def end_of(events: list[GenerationEvent]) -> GenerationFinished:
    assert isinstance(events[-1], GenerationFinished)
    assert sum(isinstance(event, GenerationFinished) for event in events) == 1
    return events[-1]


def tokens_of(events: list[GenerationEvent]) -> list[int]:
    return [at for event in events if isinstance(event, TokensGenerated) for at in event.sampled_ns]


class Steps:
    """Counts decodes, and does something before the decode of a number; of prompts a step reads `chunk` tokens.

    Without that the size would follow the speed of the machine, and so would which steps hand tokens on: all do.
    """

    def __init__(self, engine: LlamaEngine, monkeypatch: pytest.MonkeyPatch, chunk: int = 512) -> None:
        assert engine._session is not None
        monkeypatch.setattr(engine._session.pace, "chunk", lambda longest_s=None: chunk)
        monkeypatch.setattr("app.engine.llama.shared_answer.BATCH_NS", 0)
        self.count = 0
        self.rows: list[list[int]] = []
        self.actions: dict[int, Callable[[], None]] = {}
        self._batch = scheduler(engine)._batch
        decode = self._batch.decode

        def counted(handle: int | None) -> int:
            self.count += 1
            batch = self._batch
            self.rows.append([batch._sequences[row].contents.value for row in range(len(batch))])
            if self.count in self.actions:
                self.actions[self.count]()
            return decode(handle)

        monkeypatch.setattr(self._batch, "decode", counted)


def logits_after(context: LlamaContext, tokens: list[int], chunk: int) -> list[float]:
    context.clear()
    for first in range(0, len(tokens), chunk):
        assert context.decode(tokens[first : first + chunk])
    n_vocab = lib.llama_vocab_n_tokens(lib.llama_model_get_vocab(lib.llama_get_model(context.handle)))
    row = lib.llama_get_logits_ith(context.handle, -1)
    return list(ctypes.cast(row, ctypes.POINTER(ctypes.c_float * n_vocab)).contents)


def assert_only_rounding(engine: LlamaEngine, alone: list[int], together: list[int], prompt: int) -> None:
    """Where two greedy texts part, the two best logits are closer than re-chunking the same tokens moves them."""
    parting = next((at for at in range(min(len(alone), len(together))) if alone[at] != together[at]), None)
    if parting is None:
        assert len(alone) == len(together)
        return
    assert parting >= prompt
    context = engine._session.context  # type: ignore[union-attr]
    whole, parts = (logits_after(context, alone[:parting], chunk) for chunk in (512, 7))
    best, second = sorted(whole)[-1], sorted(whole)[-2]
    moved = max(abs(a - b) for a, b in zip(whole, parts, strict=True))
    assert best - second <= 2 * moved


def test_answers_written_together_are_those_of_a_fresh_context(starter: Path, two: LlamaEngine) -> None:
    single = load(starter, 1)
    session = single._session
    assert session is not None
    alone: dict[str, tuple[str, list[int], int]] = {}
    for question in QUESTIONS[:2]:
        single.forget()
        events = list(single.generate(request(question)))
        prompt = next(event.prompt_tokens for event in events if isinstance(event, PromptTokenised))
        alone[question] = text_of(events), list(session.context.tokens), prompt
    asked = [request(question) for question in QUESTIONS[:2]]
    found = serve(two, *asked)
    for each, held in zip(asked, scheduler(two).sequences, strict=True):
        text, tokens, prompt = alone[each.conversation_id]
        end = end_of(found[each.id])
        assert end.finish_reason in ("length", "stop")
        assert end.context_tokens == len(held.tokens)
        if text_of(found[each.id]) != text:
            assert_only_rounding(single, tokens, held.tokens, prompt)
    single.close()


def test_each_step_holds_one_token_of_every_answer(two: LlamaEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = Steps(two, monkeypatch)
    asked = [request(question, max_tokens=6) for question in QUESTIONS[:2]]
    found = serve(two, *asked)
    assert steps.count == 1 + 5  # both prompts in one step, the first tokens from it, five more of each
    assert [sorted(rows) for rows in steps.rows[1:]] == [[0, 1]] * 5
    for each in asked:
        events = found[each.id]
        assert len(tokens_of(events)) == 6
        last = [event for event in events if isinstance(event, TokensGenerated)][-1]
        assert last.sequences == 2
        assert last.together_tokens in (10, 11)  # its own five, and those of the other between its first and last


def test_a_long_prompt_delays_no_token_by_more_than_a_step(two: LlamaEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = Steps(two, monkeypatch, chunk=64)
    writer, reader = request(QUESTIONS[0], max_tokens=40), request(LONG, max_tokens=1)
    two.submit(writer)
    events = two.serve()
    for answered in events:
        if isinstance(answered.event, TokensGenerated):
            break
    first = steps.count
    two.submit(reader)
    found = collect(events)
    reading = steps.rows[first:]
    chunks = [rows.count(1) for rows in reading if rows.count(1) > 0]
    assert len(chunks) > 1  # the prompt was read in parts
    assert max(chunks) == 64
    for rows in reading[: len(chunks)]:
        assert rows.count(0) == 1  # and the writer had its token in every one of these steps
    progress = [event.done_tokens for event in found[reader.id] if isinstance(event, PrefillProgressed)]
    assert progress == sorted(progress)
    assert len(progress) == len(chunks) + 1
    assert end_of(found[writer.id]).finish_reason in ("length", "stop")


def test_two_prompts_are_read_side_by_side(two: LlamaEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = Steps(two, monkeypatch, chunk=64)
    long, short = request(LONG, max_tokens=1), request(QUESTIONS[0], max_tokens=1)
    found = serve(two, long, short)
    assert steps.rows[0].count(0) == steps.rows[0].count(1) == 32
    assert tokens_of(found[short.id])[0] < tokens_of(found[long.id])[0]


def test_stop_of_one_leaves_the_other_going(two: LlamaEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = Steps(two, monkeypatch)
    stopped, other = request(QUESTIONS[0], max_tokens=40), request(QUESTIONS[1], max_tokens=12)
    steps.actions[5] = lambda: two.cancel(stopped.id)  # in the middle of a step, as the window would
    found = serve(two, stopped, other)
    assert end_of(found[stopped.id]).finish_reason == "cancelled"
    assert 0 < len(tokens_of(found[stopped.id])) < 12
    assert end_of(found[other.id]).finish_reason == "length"
    assert len(tokens_of(found[other.id])) == 12
    two.forget()
    again = serve(two, alone := request(QUESTIONS[1], max_tokens=12))
    assert text_of(again[alone.id]) == text_of(found[other.id])  # the step that was broken off left no trace


def test_a_third_waits_until_a_sequence_is_free(two: LlamaEngine) -> None:
    asked = [request(question, max_tokens=n) for question, n in zip(QUESTIONS, (12, 4, 4), strict=True)]
    found = serve(two, *asked)
    third = next(event for event in found[asked[2].id] if isinstance(event, PromptTokenised))
    assert third.started_ns > end_of(found[asked[1].id]).at_ns
    assert third.started_ns < end_of(found[asked[0].id]).at_ns
    assert all(end_of(events).finish_reason == "length" for events in found.values())


def test_one_that_waits_can_be_cancelled(two: LlamaEngine) -> None:
    asked = [request(question, max_tokens=4) for question in QUESTIONS]
    two.cancel(asked[2].id)
    found = serve(two, *asked)
    assert [type(event) for event in found[asked[2].id]] == [GenerationFinished]
    assert end_of(found[asked[2].id]).finish_reason == "cancelled"
    assert all(end_of(found[each.id]).finish_reason == "length" for each in asked[:2])


def test_cancelling_all_ends_all(two: LlamaEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = Steps(two, monkeypatch)
    asked = [request(question, max_tokens=40) for question in QUESTIONS]
    steps.actions[3] = two.cancel
    found = serve(two, *asked)
    assert {end_of(events).finish_reason for events in found.values()} == {"cancelled"}
    assert len(found) == 3


def test_a_conversation_goes_on_in_its_own_cache_also_when_others_came_between(two: LlamaEngine) -> None:
    first, second = request(QUESTIONS[0], max_tokens=4), request(QUESTIONS[1], max_tokens=4)
    found = serve(two, first, second)
    answer = text_of(found[first.id])
    messages = (*first.messages, Message("assistant", answer), Message("user", "Go on."))
    follow = replace(first, messages=messages, id="follow", submitted_ns=time.perf_counter_ns())
    prompt = next(event for event in serve(two, follow)["follow"] if isinstance(event, PromptTokenised))
    assert prompt.cached_tokens >= end_of(found[first.id]).context_tokens
    assert prompt.cache_miss == ""


def test_a_full_context_ends_its_own_answer_and_takes_nothing_of_another(starter: Path) -> None:
    engine = load(starter, 2, n_ctx=256)
    full = request("word " * 200, max_tokens=None)
    other = request(QUESTIONS[0], max_tokens=40)
    found = serve(engine, full, other)
    assert end_of(found[full.id]).finish_reason in ("context", "stop")
    assert end_of(found[full.id]).context_tokens <= 256
    assert end_of(found[other.id]).finish_reason in ("length", "stop")
    assert len(tokens_of(found[other.id])) == 40 or end_of(found[other.id]).finish_reason == "stop"
    refused = request("word " * 400)
    end = end_of(serve(engine, refused)[refused.id])
    assert end.finish_reason == "context"
    assert "256" in end.error
    engine.close()


def test_a_user_takes_the_place_of_the_background_within_a_step(
    two: LlamaEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = Steps(two, monkeypatch)
    user, background = request(QUESTIONS[0], max_tokens=20), request(QUESTIONS[1], max_tokens=6, purpose="summary")
    two.submit(user)
    two.submit(background)
    events = two.serve()
    seen: list[Answered] = []
    for answered in events:
        seen.append(answered)
        if steps.count == 3:
            break
    second = request(QUESTIONS[2], max_tokens=3)
    two.submit(second)
    before = steps.count
    for answered in events:
        seen.append(answered)
        if isinstance(answered.event, PromptTokenised) and answered.request_id == second.id:
            break
    assert steps.count <= before + 1
    assert any(isinstance(each.event, AnswerRestarted) and each.request_id == background.id for each in seen)
    found = collect(events)
    assert end_of(found[second.id]).finish_reason == "length"
    assert end_of(found[background.id]).finish_reason == "length"
    assert len(tokens_of(found[background.id])) == 6  # from the start


def test_a_prompt_of_the_background_is_read_after_those_of_users(
    two: LlamaEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = Steps(two, monkeypatch, chunk=64)
    background, user = request(LONG, max_tokens=1, purpose="summary"), request(LONG + "Really?", max_tokens=1)
    serve(two, background, user)
    numbers = [set(rows) for rows in steps.rows]
    (of_user,) = numbers[0]
    until = next(at for at, rows in enumerate(numbers) if rows != {of_user})
    assert sum(len(rows) for rows in steps.rows[:until]) > 300  # all of the user's, but for a last part


def test_one_request_is_answered_as_by_an_engine_for_one(two: LlamaEngine) -> None:
    events = list(two.generate(request(QUESTIONS[0], max_tokens=5)))
    assert end_of(events).finish_reason == "length"
    last = [event for event in events if isinstance(event, TokensGenerated)][-1]
    assert (last.sequences, last.together_tokens) == (1, 4)


def test_what_is_reserved_is_a_cache_for_each(two: LlamaEngine) -> None:
    model = two.model
    assert model is not None
    assert (model.n_ctx, model.n_ctx_max, model.n_parallel) == (512, 512, 2)
    assert model.memory.total_bytes("kv") == 2 * 512 * 23_040
    assert model.memory.kv_used_bytes(100) == 100 * 23_040
    assert [(cache.cells, cache.streams) for cache in model.memory.kv_caches] == [(512, 2)]
