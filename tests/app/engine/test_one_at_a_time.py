"""The queue: a user's answers in the order of asking, the background gives way, one is cancelled alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.chat.message import Message
from app.engine.events import Answered, AnswerRestarted, GenerationFinished, PromptTokenised
from app.engine.request import GenerationRequest
from app.engine.waiting_line import WaitingLine
from tests.fakes import Answer, ScriptedEngine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.engine.request import Purpose


def request(text: str, purpose: Purpose = "answer", submitted_ns: int = 1) -> GenerationRequest:
    return GenerationRequest((Message("user", text),), submitted_ns, purpose=purpose)


def ends(answered: list[Answered]) -> list[tuple[str, str]]:
    return [
        (each.request_id, each.event.finish_reason) for each in answered if isinstance(each.event, GenerationFinished)
    ]


def until(events: Iterator[Answered], kind: type, request_id: str) -> list[Answered]:
    seen = []
    for answered in events:
        seen.append(answered)
        if answered.request_id == request_id and isinstance(answered.event, kind):
            return seen
    pytest.fail(f"no {kind.__name__}")


def test_a_user_goes_before_the_background_each_in_the_order_of_asking() -> None:
    line = WaitingLine()
    asked = [request("1", "summary"), request("2"), request("3", "summary"), request("4")]
    for each in asked:
        line.put(each)
    assert line.has_answer
    taken = [line.take() for _ in asked]
    assert taken == [asked[1], asked[3], asked[0], asked[2]]
    assert line.take() is None


def test_what_is_put_back_is_the_first_of_its_kind() -> None:
    line = WaitingLine()
    first, second, answer = request("1", "summary"), request("2", "summary"), request("3")
    line.put(second)
    line.put(answer)
    line.put_back(first)
    assert [line.take(), line.take(), line.take()] == [answer, first, second]


def test_equal_requests_are_taken_out_one_by_one() -> None:
    line = WaitingLine()
    first, second = request("same"), request("same")
    line.put(first)
    line.put(second)
    assert [each.id for each in line.remove(lambda waiting: waiting.id == second.id)] == [second.id]
    taken = line.take()
    assert taken is not None
    assert taken.id == first.id


def test_answers_come_in_the_order_of_asking_also_those_asked_meanwhile() -> None:
    engine = ScriptedEngine()
    first, second = request("1"), request("2")
    engine.submit(first)
    events = engine.serve()
    seen = until(events, PromptTokenised, first.id)
    engine.submit(second)
    seen += list(events)
    assert ends(seen) == [(first.id, "stop"), (second.id, "stop")]


def test_one_that_waits_is_cancelled_alone_and_at_once() -> None:
    engine = ScriptedEngine()
    first, second, third = request("1"), request("2"), request("3")
    for each in (first, second, third):
        engine.submit(each)
    events = engine.serve()
    seen = until(events, PromptTokenised, first.id)
    engine.cancel(second.id)
    seen += list(events)
    assert ends(seen) == [(second.id, "cancelled"), (first.id, "stop"), (third.id, "stop")]
    assert len(engine.requests) == 2


def test_the_running_one_is_cancelled_and_the_next_begins() -> None:
    engine = ScriptedEngine(Answer(pieces=("x",) * 1000))
    first, second = request("1"), request("2")
    engine.submit(first)
    engine.submit(second)
    events = engine.serve()
    seen = until(events, PromptTokenised, first.id)
    engine.cancel(first.id)
    engine.answers[0] = Answer()
    seen += list(events)
    assert ends(seen) == [(first.id, "cancelled"), (second.id, "stop")]


def test_cancelling_all_ends_those_that_wait_too() -> None:
    engine = ScriptedEngine(Answer(pieces=("x",) * 1000))
    first, second = request("1"), request("2")
    engine.submit(first)
    engine.submit(second)
    events = engine.serve()
    seen = until(events, PromptTokenised, first.id)
    engine.cancel()
    seen += list(events)
    assert sorted(ends(seen)) == sorted([(first.id, "cancelled"), (second.id, "cancelled")])
    assert len(engine.requests) == 1


def test_the_background_gives_way_at_its_next_event_and_begins_anew() -> None:
    engine = ScriptedEngine(Answer(pieces=("x",) * 1000), Answer(), Answer(pieces=("summary",)))
    background, answer = request("1", "summary"), request("2")
    engine.submit(background)
    events = engine.serve()
    until(events, PromptTokenised, background.id)
    engine.submit(answer)
    assert len(until(events, PromptTokenised, answer.id)) <= 4  # one step, the notice of the restart, the answer's own
    rest = list(events)
    assert ends(rest) == [(answer.id, "stop"), (background.id, "stop")]
    assert [each.purpose for each in engine.requests] == ["summary", "answer", "summary"]


def test_a_restart_is_said_before_the_answer_that_it_gave_way_to_begins() -> None:
    engine = ScriptedEngine(Answer(pieces=("x",) * 1000), Answer())
    background, answer = request("1", "summary"), request("2")
    engine.submit(background)
    events = engine.serve()
    until(events, PromptTokenised, background.id)
    engine.submit(answer)
    seen = until(events, PromptTokenised, answer.id)
    assert [type(each.event) for each in seen[-2:]] == [AnswerRestarted, PromptTokenised]
    list(events)


def test_background_does_not_give_way_to_background() -> None:
    engine = ScriptedEngine()
    first, second = request("1", "summary"), request("2", "summary")
    engine.submit(first)
    events = engine.serve()
    seen = until(events, PromptTokenised, first.id)
    engine.submit(second)
    seen += list(events)
    assert ends(seen) == [(first.id, "stop"), (second.id, "stop")]


def test_a_cancelled_background_run_does_not_come_back() -> None:
    engine = ScriptedEngine(Answer(pieces=("x",) * 1000), Answer())
    background, answer = request("1", "summary"), request("2")
    engine.submit(background)
    events = engine.serve()
    seen = until(events, PromptTokenised, background.id)
    engine.submit(answer)
    engine.cancel(background.id)
    seen += list(events)
    assert ends(seen) == [(background.id, "cancelled"), (answer.id, "stop")]
