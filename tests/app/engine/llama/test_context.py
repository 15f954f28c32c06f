"""How much of the KV cache a new prompt may keep, per kind of memory; and cancel, which keeps the cache true."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.engine.config import ModelConfig
from app.engine.llama.context import LlamaContext
from app.engine.llama.library import initialise
from app.engine.llama.log_capture import log_capture
from app.engine.llama.model import LlamaModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MakeContext = "Callable[[str, int], LlamaContext]"


@pytest.fixture
def make_context(architectures: Path) -> Iterator[Callable[..., LlamaContext]]:
    initialise()
    log = log_capture()
    made: list[LlamaContext | LlamaModel] = []

    def make(arch: str, n_ctx: int = 2048, *, swa_full: bool = False) -> LlamaContext:
        config = ModelConfig(architectures / f"{arch}.gguf", n_ubatch=128, n_gpu_layers=0, swa_full=swa_full)
        model = LlamaModel(config, use_extra_bufts=False, on_progress=lambda _: True, errors=log.errors)
        context = LlamaContext(model, config, n_ctx, 1)
        made.extend((model, context))
        return context

    yield make
    for one in reversed(made):
        one.free()


def prompt(length: int, start: int = 1) -> list[int]:
    return [start + i % 100 for i in range(length)]


def read(context: LlamaContext, tokens: list[int]) -> None:
    for first in range(0, len(tokens), 128):
        assert context.decode(tokens[first : first + 128])


def test_a_longer_prompt_keeps_all(make_context: Callable[..., LlamaContext]) -> None:
    context = make_context("llama-dense")
    read(context, prompt(300))
    assert context.reuse_prefix(prompt(350)) == (300, "")
    assert context.tokens == prompt(300)


def test_a_change_keeps_what_stands_before_it(make_context: Callable[..., LlamaContext]) -> None:
    context = make_context("llama-dense")
    read(context, prompt(300))
    changed = [*prompt(200), 101, *prompt(99)]
    kept, reason = context.reuse_prefix(changed)
    assert kept == 200
    assert "changed" in reason
    read(context, changed[kept:])
    assert context.tokens == changed


def test_the_same_prompt_leaves_one_token_to_decode(make_context: Callable[..., LlamaContext]) -> None:
    context = make_context("llama-dense")
    read(context, prompt(300))
    assert context.reuse_prefix(prompt(300)) == (299, "")


@pytest.mark.parametrize("arch", ["mamba-dense", "jamba-dense"])
def test_recurrent_state_goes_on_but_never_back(make_context: Callable[..., LlamaContext], arch: str) -> None:
    context = make_context(arch)
    read(context, prompt(300))
    assert context.reuse_prefix(prompt(350)) == (300, "")
    kept, reason = context.reuse_prefix([*prompt(200), 101])
    assert kept == 0
    assert "recurrent" in reason
    assert context.tokens == []


def test_a_sliding_window_goes_back_only_within_what_it_keeps(make_context: Callable[..., LlamaContext]) -> None:
    context = make_context("gemma3-dense", 4096)
    read(context, prompt(3000))
    assert context.reuse_prefix(prompt(3050)) == (3000, "")
    kept, reason = context.reuse_prefix([*prompt(100), 101])
    assert kept == 0
    assert "sliding window" in reason


def test_a_full_window_may_go_back_anywhere(make_context: Callable[..., LlamaContext]) -> None:
    context = make_context("gemma3-dense", 4096, swa_full=True)
    read(context, prompt(3000))
    assert context.reuse_prefix([*prompt(100), 101])[0] == 100


def test_cancel_leaves_a_cache_that_knows_what_it_holds(make_context: Callable[..., LlamaContext]) -> None:
    context = make_context("llama-dense")
    read(context, prompt(128))
    context.cancel()
    assert context.cancelled
    assert not context.decode(prompt(128, start=2))
    assert context.tokens[:128] == prompt(128)
    context.clear_cancel()
    kept, _ = context.reuse_prefix(prompt(256))
    assert kept == 128
    assert context.decode(prompt(256)[kept:])
