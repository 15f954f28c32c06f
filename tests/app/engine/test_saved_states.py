"""Conversations that change places and engines that start anew, on the starter model in its own process."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.events import (
    GenerationFinished,
    MemorySampled,
    ModelLoaded,
    PrefillProgressed,
    PromptTokenised,
    TokensGenerated,
)
from app.engine.process import EngineProcess
from app.engine.request import Foreseen, GenerationRequest
from app.engine.sampling import Sampling
from app.engine.states import StateBudget, StateFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from app.engine.events import GenerationEvent
    from app.engine.self_test import SelfTests

MIB = 1024**2
LONG = "The ferry leaves the island every morning at half past six and takes forty minutes. " * 14
"""About 250 tokens."""


@pytest.fixture
def make_engine(starter: Path, self_tests: SelfTests) -> Iterator[Callable[..., EngineProcess]]:
    made: list[EngineProcess] = []

    def make(**changes: Any) -> EngineProcess:
        engine = EngineProcess(self_tests)
        made.append(engine)
        # Chunks of one size: repacked weights round differently in others, and a slow machine takes smaller ones.
        events = list(engine.load(ModelConfig(starter, **{"n_ctx": 2048, "n_ubatch": 32, **changes})))
        assert isinstance(events[-1], ModelLoaded), events[-1]
        return engine

    yield make
    for engine in made:
        engine.close()


def ask(
    engine: EngineProcess, conversation: str, budget: StateBudget, *texts: str, max_tokens: int = 24
) -> tuple[PromptTokenised, str]:
    """Answer greedily, as it was foreseen; texts alternate from the user's on."""
    roles = ("user", "assistant")
    request = GenerationRequest(
        tuple(Message(roles[number % 2], text) for number, text in enumerate(texts)),
        time.perf_counter_ns(),
        Sampling(temperature=0),
        max_tokens,
        conversation_id=conversation,
        states=budget,
    )
    foreseen = engine.foresee(request)
    events: list[GenerationEvent] = list(engine.generate(request))
    assert isinstance(events[-1], GenerationFinished)
    assert events[-1].error == ""
    (prompt,) = (event for event in events if isinstance(event, PromptTokenised))
    assert foreseen == Foreseen(prompt.prompt_tokens, prompt.cached_tokens)
    pieces = (piece for event in events if isinstance(event, TokensGenerated) for piece in event.pieces)
    return prompt, "".join(piece.text for piece in pieces)


def test_it_goes_on_the_same_after_another_conversation(
    make_engine: Callable[..., EngineProcess], tmp_path: Path
) -> None:
    budget = StateBudget(tmp_path, 512 * MIB)
    engine = make_engine()
    first, answer = ask(engine, "uninterrupted", StateBudget(), LONG)
    turns = (LONG, answer, "Say that again in other words.")
    uninterrupted, expected = ask(engine, "uninterrupted", StateBudget(), *turns, max_tokens=64)
    held = uninterrupted.cached_tokens
    assert held >= first.prompt_tokens
    assert uninterrupted.restored_from == ""

    engine.forget()
    assert ask(engine, "a", budget, LONG)[1] == answer
    other, _ = ask(engine, "b", budget, "Name three rivers.", max_tokens=2)
    assert other.cache_miss == ""
    switched, text = ask(engine, "a", budget, *turns, max_tokens=64)
    assert (switched.restored_from, switched.restored_tokens) == ("memory", held)
    assert (switched.cached_tokens, switched.cache_miss) == (held, "")
    assert text == expected


def memory_after(
    engine: EngineProcess, conversation: str, budget: StateBudget, most_tokens: int
) -> tuple[MemorySampled, int]:
    """Answer, and return the memory then and what the context has allocated."""
    request = GenerationRequest(
        (Message("user", f"{conversation} {LONG}"),),
        time.perf_counter_ns(),
        Sampling(temperature=0),
        most_tokens,
        conversation_id=conversation,
        states=budget,
    )
    last = [event for event in engine.generate(request) if isinstance(event, MemorySampled)][-1]
    assert engine.model is not None
    return last, engine.model.memory.total_bytes()


def test_the_process_is_larger_by_its_saved_states_only_and_gives_them_back(
    make_engine: Callable[..., EngineProcess],
) -> None:
    """A context that grows and becomes small again leaves no holes, nor do states that come and go."""
    engine, budget = make_engine(n_ctx=None, n_ctx_start=256, n_ubatch=512), StateBudget(None, 512 * MIB)
    for _ in range(3):  # until the buffers were used
        memory_after(engine, "first", StateBudget(), 2)
        engine.forget()
    first, allocated = memory_after(engine, "first", StateBudget(), 2)
    for number in range(8):
        memory_after(engine, f"conversation {number}", budget, 100 * (number % 3) + 2)
        engine.forget()
    full, now = memory_after(engine, "last", budget, 2)
    assert (first.saved_bytes, now) == (0, allocated)
    assert full.saved_bytes > 50 * MIB
    assert full.process_bytes - first.process_bytes == pytest.approx(full.saved_bytes, abs=8 * MIB)
    empty, _ = memory_after(engine, "last", StateBudget(), 2)
    assert empty.saved_bytes == 0
    assert empty.process_bytes == pytest.approx(first.process_bytes, abs=8 * MIB)


def test_it_goes_on_the_same_after_a_restart_in_a_context_of_another_size(
    make_engine: Callable[..., EngineProcess], tmp_path: Path
) -> None:
    budget = StateBudget(tmp_path / "kv", 0, 512 * MIB)
    engine = make_engine()
    _, answer = ask(engine, "uninterrupted", StateBudget(), LONG)
    turns = (LONG, answer, "Say that again in other words.")
    uninterrupted, expected = ask(engine, "uninterrupted", StateBudget(), *turns, max_tokens=64)
    held = uninterrupted.cached_tokens
    engine.forget()
    assert ask(engine, "a", budget, LONG)[1] == answer
    engine.close()
    assert StateFolder(tmp_path / "kv").total_bytes("a") == pytest.approx(held * 23_040, rel=0.02)
    again = make_engine(n_ctx=1024)
    restarted, text = ask(again, "a", budget, *turns, max_tokens=64)
    assert (restarted.restored_from, restarted.restored_tokens) == ("disk", held)
    assert (restarted.cached_tokens, restarted.cache_miss) == (held, "")
    assert restarted.restore_ns > 0
    assert text == expected


def test_a_context_grows_for_a_state_it_is_too_small_for(
    make_engine: Callable[..., EngineProcess], tmp_path: Path
) -> None:
    budget = StateBudget(tmp_path, 0, 512 * MIB)
    engine = make_engine()
    _, answer = ask(engine, "a", budget, LONG)
    turns = (LONG, answer, "And then?")
    _, expected = ask(engine, "a", StateBudget(), *turns)
    engine.forget()
    ask(engine, "a", budget, LONG)
    engine.close()
    elastic = make_engine(n_ctx=None, n_ctx_start=256)
    prompt, text = ask(elastic, "a", budget, *turns)
    assert prompt.restored_from == "disk"
    assert prompt.cached_tokens == prompt.restored_tokens > 256
    assert elastic.model is not None
    assert elastic.model.n_ctx > 256
    assert text == expected


def test_another_kv_type_ignores_the_state_and_says_so(
    make_engine: Callable[..., EngineProcess], tmp_path: Path
) -> None:
    budget = StateBudget(tmp_path, 0, 512 * MIB)
    engine = make_engine()
    _, answer = ask(engine, "a", budget, LONG)
    engine.close()
    quantised = make_engine(type_k="q8_0", type_v="q8_0")
    prompt, _ = ask(quantised, "a", budget, LONG, answer, "And then?")
    assert (prompt.cached_tokens, prompt.restored_from) == (0, "")
    assert "other types (K f16, V f16; now q8_0, q8_0)" in prompt.cache_miss


def test_a_killed_child_leaves_no_file_that_is_loaded(
    make_engine: Callable[..., EngineProcess], tmp_path: Path
) -> None:
    """It is killed as soon as the first bytes of the file are there."""
    budget = StateBudget(tmp_path, 0, 512 * MIB)
    engine = make_engine()
    _, answer = ask(engine, "a", budget, LONG)
    child = psutil.Process(engine.pid)
    events = engine.generate(
        GenerationRequest((Message("user", LONG),), time.perf_counter_ns(), conversation_id="b", states=budget)
    )
    for event in events:
        if isinstance(event, PromptTokenised):
            child.kill()
    assert isinstance(event, GenerationFinished)
    assert event.finish_reason == "crashed"
    again = make_engine()
    prompt, _ = ask(again, "a", budget, LONG, answer, "And then?", max_tokens=4)
    if StateFolder(tmp_path).states("a"):  # it was written whole before the end came
        assert prompt.restored_from == "disk"
    else:
        assert prompt.cached_tokens == 0
    again.forget()
    again.close()
    assert list(tmp_path.glob("*.part")) == []


def test_stop_is_not_held_up_by_saving(make_engine: Callable[..., EngineProcess], tmp_path: Path) -> None:
    budget = StateBudget(tmp_path, 512 * MIB, 512 * MIB)
    engine = make_engine()
    ask(engine, "a", budget, LONG)
    request = GenerationRequest((Message("user", LONG),), time.perf_counter_ns(), conversation_id="b", states=budget)
    for event in engine.generate(request):
        if isinstance(event, PrefillProgressed):
            engine.cancel()
    assert isinstance(event, GenerationFinished)
    assert event.finish_reason == "cancelled"
    assert ask(engine, "a", budget, LONG, max_tokens=2)[0].restored_from == "memory"


def test_a_deleted_conversation_has_no_state(make_engine: Callable[..., EngineProcess], tmp_path: Path) -> None:
    budget = StateBudget(tmp_path, 512 * MIB, 512 * MIB)
    engine = make_engine()
    ask(engine, "a", budget, LONG)
    ask(engine, "b", budget, "Name three rivers.")
    engine.discard("a", budget)
    assert ask(engine, "a", budget, LONG, max_tokens=2)[0].restored_from == ""
    engine.discard("a", budget)
    engine.close()
    assert StateFolder(tmp_path).states("a") == []


def test_the_original_of_a_summary_goes_on_and_so_does_the_summarised_branch_also_after_a_restart(
    make_engine: Callable[..., EngineProcess], tmp_path: Path
) -> None:
    budget = StateBudget(tmp_path, 512 * MIB, 512 * MIB)
    engine = make_engine()
    _, answer = ask(engine, "a", budget, LONG)
    asked, again = ask(engine, "a", budget, LONG, answer, "Say that again in other words.")
    original = (LONG, answer, "Say that again in other words.", again, "And then?")
    texts = (*original[:4], "Summarise all that.")
    messages = tuple(Message(("user", "assistant")[number % 2], text) for number, text in enumerate(texts))
    question = GenerationRequest(
        messages, time.perf_counter_ns(), max_tokens=8, purpose="summary", conversation_id="a", states=budget
    )
    list(engine.generate(question))
    engine.forget()
    summarised = ["A summary: " + "the ferry takes forty minutes, and the sea is calm. " * 8]
    read, short = ask(engine, "a", budget, *summarised)
    assert read.restored_from == ""
    whole, _ = ask(engine, "a", budget, *original, max_tokens=4)
    assert (whole.restored_from, whole.cache_miss) == ("memory", "")
    assert whole.cached_tokens > asked.prompt_tokens
    back, _ = ask(engine, "a", budget, *summarised, short, "Why?", max_tokens=4)
    assert (back.restored_from, back.cache_miss) == ("memory", "")
    assert back.cached_tokens >= read.prompt_tokens
    engine.close()
    engine = make_engine()
    whole, _ = ask(engine, "a", budget, *original, max_tokens=4)
    assert (whole.restored_from, whole.cache_miss) == ("disk", "")
    assert whole.cached_tokens > asked.prompt_tokens


def test_more_conversations_than_are_written_at_once_change_places(
    make_engine: Callable[..., EngineProcess], tmp_path: Path
) -> None:
    budget = StateBudget(tmp_path, 512 * MIB)
    engine = make_engine(n_parallel=2)
    _, answer = ask(engine, "uninterrupted", StateBudget(), LONG)
    turns = (LONG, answer, "Say that again in other words.")
    uninterrupted, expected = ask(engine, "uninterrupted", StateBudget(), *turns, max_tokens=64)
    engine.forget()
    assert ask(engine, "a", budget, LONG)[1] == answer
    ask(engine, "b", budget, "Name three rivers. " * 40, max_tokens=2)
    own, _ = ask(engine, "a", budget, *turns[:2], "And?", max_tokens=2)
    assert own.restored_from == ""  # both are held, each in its sequence
    engine.forget()
    ask(engine, "a", budget, LONG)
    ask(engine, "b", budget, "Name three rivers. " * 40, max_tokens=2)
    ask(engine, "c", budget, "Name three mountains. " * 40, max_tokens=2)  # a was used longest ago
    back, text = ask(engine, "a", budget, *turns, max_tokens=64)
    assert (back.restored_from, back.restored_tokens) == ("memory", uninterrupted.cached_tokens)
    assert (back.cached_tokens, back.cache_miss) == (uninterrupted.cached_tokens, "")
    assert text == expected
    assert ask(engine, "c", budget, "Name three mountains. " * 40, "", "More.", max_tokens=2)[0].restored_from == ""


def test_all_that_are_written_at_once_go_on_after_a_restart(
    make_engine: Callable[..., EngineProcess], tmp_path: Path
) -> None:
    budget = StateBudget(tmp_path / "kv", 0, 512 * MIB)
    engine = make_engine(n_parallel=2)
    asked = {"a": LONG, "b": "Name three rivers, and say where they flow. " * 20}
    found = {}
    for conversation, text in asked.items():
        _, answer = ask(engine, conversation, StateBudget(), text)
        turns = (text, answer, "Say that again in other words.")
        found[conversation] = turns, *ask(engine, conversation, StateBudget(), *turns, max_tokens=64)
    engine.forget()
    for conversation, text in asked.items():
        ask(engine, conversation, budget, text)
    engine.close()
    again = make_engine(n_parallel=2, n_ctx=1024)
    for conversation, (turns, uninterrupted, expected) in found.items():
        prompt, text = ask(again, conversation, budget, *turns, max_tokens=64)
        assert (prompt.restored_from, prompt.restored_tokens) == ("disk", uninterrupted.cached_tokens)
        assert text == expected
    again.close()
    alone = make_engine()
    prompt, _ = ask(alone, "a", budget, *found["a"][0], max_tokens=2)
    assert prompt.restored_from == ""
    assert "made with other settings" in prompt.cache_miss
