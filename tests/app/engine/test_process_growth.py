"""A context that grows in the child process: the window's side knows it, may cancel it, and survives its death."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.engine.config import ModelConfig
from app.engine.events import ContextGrown, GenerationEvent, ModelLoaded, PromptTokenised, TokensGenerated
from app.engine.process import EngineProcess
from app.telemetry.recorder import TurnRecorder
from tests.app.engine.test_process import only, request, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.engine.self_test import SelfTests

pytestmark = pytest.mark.model


@pytest.fixture
def elastic(starter: Path, self_tests: SelfTests) -> Iterator[EngineProcess]:
    """A child whose context begins with 256 tokens and grows."""
    engine = EngineProcess(self_tests)
    assert isinstance(list(engine.load(ModelConfig(starter, n_ctx_start=256, n_threads=1)))[-1], ModelLoaded)
    yield engine
    engine.close()


def is_full(event: GenerationEvent) -> bool:
    """The context is full: what the child does next is to make a larger one."""
    return isinstance(event, TokensGenerated) and event.context_tokens == 256


STORY = {"max_tokens": None, "stop": ("\0",)}


def test_a_growing_context_is_the_models_new_state_until_it_is_forgotten(elastic: EngineProcess) -> None:
    before = elastic.model
    assert before is not None
    events = list(elastic.generate(request("Write a very long story.", max_tokens=300, stop=("\0",))))
    (grown,) = only(ContextGrown, events)
    after = elastic.model
    assert after == before.with_context(grown)
    assert after.info is before.info
    assert (before.n_ctx, after.n_ctx, after.n_ctx_max) == (256, 512, 8192)
    asked = request("Write a very long story.")
    recorder = TurnRecorder(asked.submitted_ns, before.n_ctx)
    for event in events:
        recorder.observe(event)
    (growth,) = recorder.stats.context_growths
    assert growth.context_tokens == growth.carried_tokens == 256
    assert recorder.stats.n_ctx == 512
    assert growth.took_ns / 1e9 < recorder.stats.itl_s[growth.sampled_tokens - 1]  # the pause is a part of that latency
    small = elastic.forget()
    assert small == elastic.model == replace(before, process_bytes=small.process_bytes)
    assert small.info is before.info
    assert list(elastic.generate(request("Hello")))[-1].finish_reason == "length"


def test_cancel_while_the_context_grows(elastic: EngineProcess) -> None:
    events = []
    for event in elastic.generate(request("Write a very long story.", **STORY)):
        if is_full(event):
            elastic.cancel()
        events.append(event)
    assert events[-1].finish_reason == "cancelled"
    after = list(elastic.generate(request("Write a very long story.", text_of(events), "Go on.")))
    assert only(PromptTokenised, after)[0].cached_tokens >= 256
    assert after[-1].finish_reason == "length"


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGKILL")
def test_the_child_may_die_while_the_context_grows(elastic: EngineProcess, starter: Path) -> None:
    events = []
    for event in elastic.generate(request("Write a very long story.", **STORY)):
        if is_full(event):
            assert elastic.pid is not None
            os.kill(elastic.pid, signal.SIGKILL)
        events.append(event)
    assert events[-1].finish_reason == "crashed"
    assert "SIGKILL" in events[-1].error
    assert text_of(events)
    assert elastic.model is None
    assert isinstance(list(elastic.load(ModelConfig(starter, n_ctx_start=256, n_threads=1)))[-1], ModelLoaded)
    assert list(elastic.generate(request("Hello")))[-1].finish_reason == "length"
