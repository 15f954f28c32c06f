"""Contexts smaller than a batch: llama.cpp then takes no more tokens at once than were asked for."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.events import GenerationFinished, ModelLoaded
from app.engine.process import EngineProcess
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling

if TYPE_CHECKING:
    from pathlib import Path

    from app.engine.self_test import SelfTests


@pytest.mark.parametrize("n_ctx", [1, 5, 300])
def test_a_small_context_loads_and_answers(starter: Path, self_tests: SelfTests, n_ctx: int) -> None:
    engine = EngineProcess(self_tests)
    loaded = list(engine.load(ModelConfig(starter, n_ctx=n_ctx)))[-1]
    assert isinstance(loaded, ModelLoaded), loaded
    assert (loaded.model.n_ctx, loaded.model.n_batch) == (-(-n_ctx // 256) * 256, n_ctx)
    asked = GenerationRequest((Message("user", "Hello"),), time.perf_counter_ns(), Sampling(0), max_tokens=4)
    last = list(engine.generate(asked))[-1]
    engine.close()
    assert isinstance(last, GenerationFinished)
    assert last.finish_reason == "length"
