"""Several requests to an engine in its child process, on the real starter model: queued, together, stopped, killed."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.events import (
    Answered,
    GenerationFinished,
    ModelLoaded,
    PrefillProgressed,
    PromptTokenised,
    TokensGenerated,
)
from app.engine.process import EngineProcess
from app.engine.request import Foreseen, GenerationRequest
from app.engine.sampling import Sampling
from app.errors import EngineCrashedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.engine.self_test import SelfTests

pytestmark = pytest.mark.model


def request(text: str, **changes: object) -> GenerationRequest:
    base = GenerationRequest(
        (Message("user", text),), time.perf_counter_ns(), Sampling(temperature=0), max_tokens=4, conversation_id=text
    )
    return replace(base, **changes)


@pytest.fixture(params=[1, 2], ids=["one at a time", "two at once"])
def fresh(request: pytest.FixtureRequest, starter: Path, self_tests: SelfTests) -> Iterator[EngineProcess]:
    engine = EngineProcess(self_tests)
    assert isinstance(list(engine.load(ModelConfig(starter, n_ctx=512, n_parallel=request.param)))[-1], ModelLoaded)
    yield engine
    engine.close()


def ends(answered: list[Answered]) -> dict[str, GenerationFinished]:
    return {each.request_id: each.event for each in answered if isinstance(each.event, GenerationFinished)}


def until_written(events: Iterator[Answered], request_id: str) -> list[Answered]:
    seen = []
    for answered in events:
        seen.append(answered)
        if answered.request_id == request_id and isinstance(answered.event, TokensGenerated):
            return seen
    pytest.fail("nothing was written")


def ask_until_it_is_dead(engine: EngineProcess) -> None:
    while True:
        engine.count_tokens((Message("user", "x"),))


def test_two_conversations_are_answered_and_questions_between(fresh: EngineProcess) -> None:
    first, second = request("Tell me about the sea."), request("Name three animals.")
    fresh.submit(first)
    fresh.submit(second)
    events = fresh.serve()
    seen = until_written(events, first.id)
    assert fresh.count_tokens(first.messages) > 0
    assert fresh.devices()
    seen += list(events)
    found = ends(seen)
    assert {found[each.id].finish_reason for each in (first, second)} == {"length"}
    begun = {each.request_id: each.event for each in seen if isinstance(each.event, PromptTokenised)}
    assert fresh.model is not None
    if fresh.model.n_parallel == 1:
        assert begun[second.id].started_ns >= found[first.id].at_ns  # the wait is in the queue part of its TTFT
    else:
        assert begun[second.id].started_ns < found[first.id].at_ns


def test_what_a_request_finds_is_foreseen_also_between_the_events_of_another(fresh: EngineProcess) -> None:
    first, other = request("Tell me about the sea."), request("Name three animals.", max_tokens=200)
    (prompt,) = (event for event in fresh.generate(first) if isinstance(event, PromptTokenised))
    again = replace(first, messages=(*first.messages, Message("assistant", "It is"), Message("user", "Go on.")))
    foreseen = fresh.foresee(again)
    assert foreseen.prompt_tokens > prompt.prompt_tokens
    assert foreseen.cached_tokens >= prompt.prompt_tokens - 2
    (prompt,) = (event for event in fresh.generate(again) if isinstance(event, PromptTokenised))
    assert foreseen == Foreseen(prompt.prompt_tokens, prompt.cached_tokens)
    fresh.submit(other)
    events = fresh.serve()
    until_written(events, other.id)
    assert fresh.foresee(again).prompt_tokens == foreseen.prompt_tokens
    assert ends(list(events))[other.id].error == ""


def test_stop_of_one_lets_the_other_end(fresh: EngineProcess) -> None:
    first, second = request("Tell me about the sea.", max_tokens=200), request("Name three animals.")
    fresh.submit(first)
    fresh.submit(second)
    events = fresh.serve()
    seen = until_written(events, first.id)
    fresh.cancel(first.id)
    seen += list(events)
    found = ends(seen)
    assert found[first.id].finish_reason == "cancelled"
    assert found[second.id].finish_reason == "length"
    assert fresh.model is not None


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGKILL")
def test_a_killed_child_ends_all_with_a_sentence(fresh: EngineProcess) -> None:
    first, second = request("Tell me about the sea.", max_tokens=200), request("Name three animals.", max_tokens=200)
    fresh.submit(first)
    fresh.submit(second)
    events = fresh.serve()
    seen = until_written(events, first.id)
    assert fresh.pid is not None
    os.kill(fresh.pid, signal.SIGKILL)
    seen += list(events)
    for each in (first, second):
        end = ends(seen)[each.id]
        assert end.finish_reason == "crashed"
        assert "SIGKILL" in end.error
    assert fresh.model is None
    fresh.submit(third := request("Hello"))
    assert ends(list(fresh.serve()))[third.id].finish_reason == "failed"


def test_a_question_found_dead_between_answers_ends_them(fresh: EngineProcess) -> None:
    fresh.submit(asked := request("Tell me about the sea.", max_tokens=200))
    events = fresh.serve()
    seen = until_written(events, asked.id)
    fresh.kill()
    with pytest.raises(EngineCrashedError):
        ask_until_it_is_dead(fresh)
    assert ends(seen + list(events))[asked.id].finish_reason == "crashed"


def test_a_summary_gives_way_to_a_user_only_where_one_is_written_at_a_time(fresh: EngineProcess) -> None:
    background, user = request("Tell me about the sea. " * 15, purpose="summary"), request("Name three animals.")
    fresh.submit(background)
    events = fresh.serve()
    seen = []
    for answered in events:
        seen.append(answered)
        if isinstance(answered.event, PrefillProgressed):
            break
    fresh.submit(user)
    seen += list(events)
    order = [each.request_id for each in seen if isinstance(each.event, GenerationFinished)]
    assert sorted(order) == sorted([user.id, background.id])
    assert fresh.model is not None
    if fresh.model.n_parallel == 1:
        assert order == [user.id, background.id]
    assert {end.finish_reason for end in ends(seen).values()} == {"length"}
