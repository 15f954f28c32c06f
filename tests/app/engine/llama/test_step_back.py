"""Whole turns on models that cannot step back: what a new answer, another answer and another question read again."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.events import ModelLoaded, PromptTokenised
from app.engine.llama.engine import LlamaEngine
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

QUESTION, ANSWER, NEXT = "hello there " * 40, "one of them " * 200, "and then what " * 20
OPENING = 13
"""Tokens of ChatML's `<|im_start|>assistant` and line break in a vocabulary of single characters and marks."""


@pytest.fixture(params=["gemma3-dense", "mamba-dense", "jamba-dense", "lfm2-dense"])
def engine(random_models: Callable[[str], Path], request: pytest.FixtureRequest) -> Iterator[LlamaEngine]:
    engine = LlamaEngine()
    config = ModelConfig(random_models(request.param), 2048, n_gpu_layers=0, n_threads=1, use_extra_bufts=False)
    (*_, last) = engine.load_settled(config)
    assert isinstance(last, ModelLoaded), last
    yield engine
    engine.close()


def read(engine: LlamaEngine, *texts: str) -> PromptTokenised:
    """Answer four tokens; texts alternate from the user's on."""
    messages = tuple(Message(("user", "assistant")[number % 2], text) for number, text in enumerate(texts))
    events = engine.generate(GenerationRequest(messages, time.perf_counter_ns(), Sampling(temperature=0), 4))
    (prompt,) = (event for event in list(events) if isinstance(event, PromptTokenised))
    return prompt


def test_what_is_read_again(engine: LlamaEngine) -> None:
    first = read(engine, QUESTION)
    body = first.prompt_tokens - OPENING
    again = read(engine, QUESTION)
    if again.cached_tokens != first.prompt_tokens - 1:  # a window steps back by itself while it holds all
        assert again.cached_tokens == body
        assert "checkpoints" in again.cache_miss

    # The window shows an answer without its thinking, so templates write another one than the model did.
    second = read(engine, QUESTION, ANSWER, NEXT)
    assert body <= second.cached_tokens < first.prompt_tokens + 4
    assert second.cache_miss.startswith(
        "An answer differs from what the KV cache held, so everything from there on was read again."
    )

    other = read(engine, QUESTION, ANSWER, NEXT.upper())
    assert second.cached_tokens < other.cached_tokens < second.prompt_tokens - OPENING
    assert "A message differs" in other.cache_miss

    edited = read(engine, QUESTION.upper(), ANSWER, NEXT)
    assert edited.cached_tokens < 10
    assert "A message differs" in edited.cache_miss
    if not edited.cached_tokens:
        assert "sliding window" in edited.cache_miss or "cannot step back" in edited.cache_miss
