"""Answers whose layers lie on a second device: the same words, and one sentence when the device goes away."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import psutil
import pytest

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.events import GenerationFinished, ModelLoaded, TokensGenerated
from app.engine.process import EngineProcess
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling
from tests.rpc_server import running_rpc_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.engine.events import GenerationEvent
    from app.engine.self_test import SelfTests


@pytest.fixture
def rpc_server() -> Iterator[str]:
    with running_rpc_server() as endpoint:
        yield endpoint


@pytest.fixture
def engine(self_tests: SelfTests) -> Iterator[EngineProcess]:
    engine = EngineProcess(self_tests)
    yield engine
    engine.close()


def load(engine: EngineProcess, config: ModelConfig) -> None:
    loaded = list(engine.load(config))[-1]
    assert isinstance(loaded, ModelLoaded), loaded


def answer(engine: EngineProcess, max_tokens: int) -> Iterator[GenerationEvent]:
    story = (Message("user", "Write a long story about a ferry."),)
    return engine.generate(GenerationRequest(story, time.perf_counter_ns(), Sampling(0), max_tokens=max_tokens))


def test_the_words_do_not_depend_on_where_layers_lie(starter: Path, engine: EngineProcess, rpc_server: str) -> None:
    texts = {}
    for layers in (0, 12, "all"):
        # Repacked weights would be multiplied by other kernels than the server's.
        load(
            engine,
            ModelConfig(
                starter,
                n_ctx=512,
                n_threads=1,
                n_gpu_layers=layers,
                rpc_servers=(rpc_server,),
                use_extra_bufts=False,
            ),
        )
        events = list(answer(engine, 64))
        texts[layers] = "".join(
            piece.text for event in events if isinstance(event, TokensGenerated) for piece in event.pieces
        )
    assert len(texts[0]) > 100
    assert texts[12] == texts[0]
    assert texts["all"] == texts[0]


def test_a_server_that_dies_in_the_middle_of_an_answer_is_one_sentence(
    starter: Path, engine: EngineProcess, rpc_server: str
) -> None:
    load(engine, ModelConfig(starter, n_ctx=2048, n_gpu_layers="all", rpc_servers=(rpc_server,)))
    server = next(child for child in psutil.Process().children() if rpc_server in child.cmdline())
    events = []
    for event in answer(engine, 1000):
        events.append(event)
        if isinstance(event, TokensGenerated) and server.is_running():
            server.kill()
            server.wait()
    last = events[-1]
    assert isinstance(last, GenerationFinished)
    assert last.finish_reason == "crashed"
    assert last.error.startswith("The engine's process ended while it answered")
    assert "\n" not in last.error
    assert any(isinstance(event, TokensGenerated) and event.pieces for event in events)
    assert engine.model is None
    load(engine, ModelConfig(starter, n_ctx=512))
    assert list(answer(engine, 4))[-1].finish_reason == "length"
