"""The engine's thread: order, cancel at any moment, bounded end."""

import threading
import time
from pathlib import Path

import pytest

from app.bench.runner import RunFinished
from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.events import GenerationFinished, LoadFailed, ModelLoaded, TokensGenerated
from app.engine.request import GenerationRequest
from app.errors import EngineError
from tests.fakes import Answer, ScriptedEngine
from ui.engine_worker import EngineWorker

CONFIG = ModelConfig(Path("fake.gguf"))


def request(submitted_ns: int = 0) -> GenerationRequest:
    return GenerationRequest((Message("user", "Hi"),), submitted_ns)


class Recording:
    """Every event with its ticket, and the thread the engine was made in."""

    def __init__(self, engine):
        self.engine = engine
        self.made_in: list[threading.Thread] = []
        self.events: list[tuple[int, object]] = []
        self.worker = EngineWorker(self._make)
        self.worker.event_emitted.connect(lambda ticket, event: self.events.append((ticket, event)))
        self.observed: list[object] = []
        self.worker.start()

    def _make(self):
        self.made_in.append(threading.current_thread())
        return self.engine

    def ended(self, ticket: int):
        ends = (GenerationFinished, LoadFailed, ModelLoaded)
        return [event for number, event in self.events if number == ticket and isinstance(event, ends)]


@pytest.fixture
def recording(qtbot):
    engine = ScriptedEngine()
    recording = Recording(engine)
    yield recording
    assert recording.worker.shutdown()
    assert engine.closed or not recording.made_in


def test_the_engine_is_made_in_its_thread_and_answers_in_order(qtbot, recording):
    load = recording.worker.load(CONFIG, recording.observed.append)
    first = recording.worker.generate(request(), recording.observed.append)
    second = recording.worker.generate(request(), recording.observed.append)
    qtbot.waitUntil(lambda: bool(recording.ended(second)))
    assert recording.made_in[0] is not threading.main_thread()
    assert len(recording.made_in) == 1
    assert [ticket for ticket, _ in recording.events] == sorted(ticket for ticket, _ in recording.events)
    assert isinstance(recording.ended(load)[0], ModelLoaded)
    assert recording.ended(first)[0].finish_reason == "stop"
    assert recording.observed == [event for _, event in recording.events]


def test_cancel_ends_a_running_answer_within_150_ms(qtbot, recording):
    recording.engine.answers[0] = Answer(pieces=("x",) * 10_000, delay_s=0.01)
    ticket = recording.worker.generate(request(), recording.observed.append)
    qtbot.waitUntil(lambda: any(isinstance(event, TokensGenerated) for _, event in recording.events))
    before = time.monotonic()
    recording.worker.cancel()
    qtbot.waitUntil(lambda: bool(recording.ended(ticket)))
    assert time.monotonic() - before < 0.15
    assert recording.ended(ticket)[0].finish_reason == "cancelled"


def test_a_cancel_before_the_answer_began_is_not_lost(qtbot, recording):
    recording.engine.answers[0] = Answer(pieces=("x",) * 10_000, delay_s=0.01)
    running = recording.worker.generate(request(), recording.observed.append)
    waiting = recording.worker.generate(request(), recording.observed.append)
    recording.worker.cancel()
    qtbot.waitUntil(lambda: bool(recording.ended(waiting)))
    assert recording.ended(running)[0].finish_reason == "cancelled"
    assert recording.ended(waiting)[0].finish_reason == "cancelled"
    assert len(recording.engine.requests) <= 1


def test_a_second_load_cancels_the_first(qtbot, recording):
    recording.engine.load_delay_s = 30
    first = recording.worker.load(CONFIG, recording.observed.append)
    qtbot.waitUntil(lambda: bool(recording.events))
    recording.engine.load_delay_s = 0
    second = recording.worker.load(CONFIG, recording.observed.append)
    qtbot.waitUntil(lambda: bool(recording.ended(second)))
    assert recording.ended(first)[0].kind == "cancelled"
    assert isinstance(recording.ended(second)[0], ModelLoaded)


@pytest.mark.parametrize("work", ["load", "generate"])
def test_shutdown_during_work_ends_in_time(qtbot, work):
    engine = ScriptedEngine(Answer(pieces=("x",) * 10_000, delay_s=0.01))
    engine.load_delay_s = 60
    recording = Recording(engine)
    if work == "load":
        recording.worker.load(CONFIG, recording.observed.append)
    else:
        recording.worker.generate(request(), recording.observed.append)
    qtbot.waitUntil(lambda: bool(recording.events))
    before = time.monotonic()
    assert recording.worker.shutdown()
    assert time.monotonic() - before < 3
    assert engine.closed


def test_an_engine_that_cannot_be_made_fails_the_load_in_one_sentence(qtbot):
    def broken():
        raise EngineError("The llama.cpp library is missing.")

    worker = EngineWorker(broken)
    worker.start()
    with qtbot.waitSignal(worker.event_emitted) as emitted:
        worker.load(CONFIG, lambda event: None)
    assert emitted.args[1] == LoadFailed("The llama.cpp library is missing.", "failed")
    assert worker.shutdown()


def test_ask_answers_in_the_gui_thread_and_none_on_error(qtbot, recording):
    answers = []

    def done(result):
        answers.append((result, threading.current_thread() is threading.main_thread()))

    def fail(engine):
        raise EngineError("no model")

    recording.worker.ask(lambda engine: engine.devices()[0].name, done)
    recording.worker.ask(fail, done)
    qtbot.waitUntil(lambda: len(answers) == 2)
    assert answers == [("CPU", True), (None, True)]


def test_forget_empties_the_cache(qtbot, recording):
    recording.worker.forget(lambda _model: None)
    qtbot.waitUntil(lambda: recording.engine.forgotten == 1)


class Measuring:
    """A run that goes on until it is cancelled."""

    def __init__(self) -> None:
        self.cancelled = threading.Event()

    def run(self):
        yield "begun"
        self.cancelled.wait()
        yield RunFinished(cancelled=True)

    def cancel(self) -> None:
        self.cancelled.set()


def test_a_run_keeps_the_engine_until_it_is_cancelled(qtbot, recording):
    run = Measuring()
    recording.worker.measure(lambda _engine: run, recording.observed.append)
    answer = recording.worker.generate(request(), recording.observed.append)
    qtbot.waitUntil(lambda: recording.observed == ["begun"])
    assert not recording.ended(answer)
    recording.worker.cancel()
    qtbot.waitUntil(lambda: bool(recording.ended(answer)))
    assert recording.observed[1] == RunFinished(cancelled=True)
    assert recording.ended(answer)[-1].finish_reason == "cancelled"
    assert recording.engine.requests == []


def test_a_run_that_was_cancelled_before_its_turn_never_begins(qtbot, recording):
    made = []
    first = Measuring()
    recording.worker.measure(lambda _engine: first, recording.observed.append)
    recording.worker.measure(made.append, recording.observed.append)
    recording.worker.cancel()
    qtbot.waitUntil(lambda: recording.observed.count(RunFinished(cancelled=True)) == 2)
    assert made == []


def test_shutdown_ends_a_run(qtbot, recording):
    run = Measuring()
    recording.worker.measure(lambda _engine: run, recording.observed.append)
    qtbot.waitUntil(lambda: recording.observed == ["begun"])
    assert recording.worker.shutdown()
    assert run.cancelled.is_set()
