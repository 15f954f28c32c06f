"""A file that is no chat model, opened while one is loaded: that one stays, with what its KV cache holds."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.events import LoadFailed, ModelLoaded, PromptTokenised
from app.engine.llama.in_process import InProcessEngine
from app.engine.process import EngineProcess
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling

if TYPE_CHECKING:
    from pathlib import Path

    from app.engine.self_test import SelfTests

pytestmark = pytest.mark.model

QUESTION = Message("user", "Here is a story about a ferry that crosses the sea at night. What is it about?")


@pytest.mark.parametrize("kind", [EngineProcess, InProcessEngine])
def test_the_loaded_model_stays(
    kind: type[EngineProcess | InProcessEngine], self_tests: SelfTests, starter: Path, tmp_path: Path
) -> None:
    engine = kind(self_tests)
    notes, cut = tmp_path / "notes.gguf", tmp_path / "cut.gguf"
    notes.write_text("I am no model.")
    cut.write_bytes(starter.read_bytes()[:2_000_000])
    try:
        (first,) = engine.load(ModelConfig(notes))
        assert isinstance(first, LoadFailed)
        assert (first.kind, first.keeps_model) == ("bad_input", False)
        assert isinstance(list(engine.load(ModelConfig(starter, n_ctx=512)))[-1], ModelLoaded)
        model = engine.model
        for _ in range(2):
            request = GenerationRequest((QUESTION,), time.perf_counter_ns(), Sampling(0), max_tokens=4)
            read = next(event for event in list(engine.generate(request)) if isinstance(event, PromptTokenised))
            for path in (notes, cut, tmp_path / "none.gguf"):
                (failed,) = engine.load(ModelConfig(path))
                assert isinstance(failed, LoadFailed)
                assert (failed.kind, failed.keeps_model) == ("bad_input", True)
                assert path.name in failed.reason
            assert engine.model is model
        assert read.cached_tokens == read.prompt_tokens - 1
    finally:
        engine.close()
