"""The planner's thread: of a channel only the newest question counts, and errors are sentences."""

import threading
from pathlib import Path

import pytest

from app.engine.config import ModelConfig
from tests.planners import CPU, ScriptedPlanner
from ui.planner_worker import NoAnswer, PlannerThread, PlannerWorker

CONFIG = ModelConfig(Path("fake.gguf"))


@pytest.fixture
def planner():
    return ScriptedPlanner()


@pytest.fixture
def worker(qtbot, planner):
    worker = PlannerThread("planner", lambda: planner)
    yield worker
    planner.gate.set()
    assert worker.shutdown(2000)


def plan_of(n_ctx):
    return lambda planner: planner.plan(ModelConfig(Path("fake.gguf"), n_ctx=n_ctx))


def test_answers_come_in_the_gui_thread_and_the_planner_is_closed_in_its_own(qtbot, worker, planner):
    answers = []
    worker.ask("a", plan_of(512), lambda plan: answers.append((plan.n_ctx, threading.current_thread())))
    qtbot.waitUntil(lambda: bool(answers))
    assert answers == [(512, threading.main_thread())]
    worker.shutdown(2000)
    assert planner.is_closed


def test_only_the_newest_question_of_a_channel_is_answered(qtbot, worker, planner):
    planner.gate.clear()
    answers = []
    for n_ctx in (512, 1024, 2048):
        worker.ask("a", plan_of(n_ctx), lambda plan: answers.append(plan.n_ctx))
    worker.ask("b", plan_of(256), lambda plan: answers.append(plan.n_ctx))
    planner.gate.set()
    qtbot.waitUntil(lambda: 256 in answers)
    assert answers == [2048, 256]
    assert [config.n_ctx for config, _ in planner.asked] in ([512, 2048, 256], [2048, 256])


def test_nobody_is_told_after_a_channel_was_forgotten(qtbot, worker, planner):
    planner.gate.clear()
    answers = []
    worker.ask("a", plan_of(512), answers.append)
    worker.forget("a")
    worker.ask("b", plan_of(1024), lambda plan: answers.append(plan.n_ctx))
    planner.gate.set()
    qtbot.waitUntil(lambda: bool(answers))
    assert answers == [1024]


def test_an_error_is_a_sentence(qtbot, worker, planner):
    planner.error = "fake.gguf is damaged: download it again."
    answers = []
    worker.ask("a", plan_of(512), answers.append)
    qtbot.waitUntil(lambda: bool(answers))
    assert answers == [NoAnswer(planner.error)]


def test_nothing_runs_before_the_first_question(worker):
    assert not worker.isRunning()
    assert worker.shutdown(2000)


def test_a_question_after_the_end_does_not_start_the_thread_again(qtbot, worker, planner):
    answers = []
    worker.ask("a", plan_of(512), answers.append)
    qtbot.waitUntil(lambda: bool(answers))
    assert worker.shutdown(2000)
    worker.ask("a", plan_of(1024), answers.append)
    assert not worker.isRunning()
    assert len(answers) == 1


def test_a_measurement_under_way_does_not_hold_up_an_estimate(qtbot):
    quick, slow = ScriptedPlanner(), ScriptedPlanner()
    worker = PlannerWorker(lambda: (quick, slow))
    slow.gate.clear()
    measured, estimated = [], []
    worker.measure("a", CONFIG, (CPU,), measured.append)
    qtbot.waitUntil(lambda: bool(slow.asked))
    worker.estimate("a", CONFIG, (CPU,), estimated.append)
    qtbot.waitUntil(lambda: bool(estimated))
    assert measured == []
    # closing does not wait for what is being measured
    assert worker.shutdown()
    assert quick.is_closed
    assert slow.is_closed
