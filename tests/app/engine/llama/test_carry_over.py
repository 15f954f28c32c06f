"""Every kind of memory goes on in a larger context as if it had always been that large; and what happens when not.

The tiny models have random weights here, so that what they compute depends on what they have read.
"""

from __future__ import annotations

import ctypes
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from app.engine.config import ModelConfig
from app.engine.gguf import read_header
from app.engine.llama.context import LlamaContext
from app.engine.llama.growth import ElasticContext, Step
from app.engine.llama.library import initialise, lib
from app.engine.llama.log_capture import LogCapture, parse_memory
from app.engine.llama.model import LlamaModel
from app.engine.llama.room import HOST, context_bytes
from app.errors import ContextFullError, EngineError
from tests.fakes import fake_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

START, LARGE = 512, 2048
UBATCH = 128
HELD = list(np.random.default_rng(1).integers(1, 120, START))
REST = list(np.random.default_rng(2).integers(1, 120, 64))


def randomise(path: Path) -> None:
    """Fill the weights, all of them f32."""
    header, random = read_header(path), np.random.default_rng(3)
    with path.open("r+b") as file:
        for tensor in header.tensors:
            size = int(np.prod(tensor.shape))
            values = random.normal(0, 1 / np.sqrt(tensor.shape[0]), size)
            if "norm" in tensor.name:
                values = 1 + 0.1 * values
            elif tensor.name.endswith("ssm_a"):
                values = -np.exp(values)
            file.seek(header.data_offset + tensor.offset)
            file.write(values.astype("<f4").tobytes())


@pytest.fixture(scope="module")
def random_models(architectures: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("random")

    def make(arch: str) -> Path:
        path = folder / f"{arch}.gguf"
        if not path.exists():
            shutil.copy(architectures / path.name, path)
            randomise(path)
        return path

    return make


class Loaded:
    """A tiny model with an elastic context."""

    def __init__(self, config: ModelConfig, n_ctx: int, kind: type[LlamaContext] = LlamaContext) -> None:
        initialise()
        self.log = LogCapture()
        with self.log.record() as lines:
            self.model = LlamaModel(config, use_extra_bufts=False, on_progress=lambda _: True, errors=self.log.errors)
            self.context = kind(self.model, config, n_ctx, 1)
        flash = any("Flash Attention enabled" in line for line in lines)
        described = replace(
            fake_model(n_ctx=n_ctx, n_ctx_max=LARGE),
            info=self.model.info(),
            memory=parse_memory(lines, n_ctx),
            n_ubatch=self.context.n_ubatch,
            flash_attention=flash,
        )
        self.elastic = ElasticContext(self.context, described, self.log, lambda: {HOST: 2**34})

    def read(self, tokens: list[int]) -> None:
        for first in range(0, len(tokens), UBATCH):
            assert self.context.decode(tokens[first : first + UBATCH])

    def logits(self, tokens: list[int]) -> NDArray[np.float32]:
        """Shape (len(tokens), 128): what follows each token, one decoded after the other."""
        rows = []
        for token in tokens:
            assert self.context.decode_one(int(token))
            row = lib.llama_get_logits_ith(self.context.handle, -1)
            rows.append(np.ctypeslib.as_array(ctypes.cast(row, ctypes.POINTER(ctypes.c_float)), (128,)).copy())
        return np.array(rows)

    def free(self) -> None:
        self.context.free()
        self.model.free()


@pytest.fixture
def load(random_models: Callable[[str], Path]) -> Iterator[Callable[..., Loaded]]:
    made: list[Loaded] = []

    def make(arch: str, n_ctx: int = START, kind: type[LlamaContext] = LlamaContext, **changes: object) -> Loaded:
        made.append(
            Loaded(replace(ModelConfig(random_models(arch), n_gpu_layers=0, n_ubatch=UBATCH), **changes), n_ctx, kind)
        )
        return made[-1]

    yield make
    for one in made:
        one.free()


def closeness(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    """The largest difference, of the spread of the values."""
    return float(np.abs(a - b).max() / b.std())


ROUNDING = 1e-3
ORDER_MATTERS = 0.02
"""Flash attention on the CPU adds up in f16 in the order of the cells, which a window's are in another one after."""
WINDOWS = ("gemma3-dense", "gpt-oss-moe", "lfm2-dense")
CASES = [
    ("llama-dense", {}),
    ("llama-dense", {"flash_attention": "off"}),
    ("llama-dense", {"flash_attention": "on", "type_k": "q8_0", "type_v": "q8_0"}),
    ("gemma3-dense", {}),
    ("gemma3-dense", {"flash_attention": "off"}),
    ("gemma3-dense", {"swa_full": True}),
    ("gpt-oss-moe", {}),
    ("gpt-oss-moe", {"flash_attention": "off"}),
    ("mamba-dense", {}),
    ("jamba-dense", {}),
    ("falcon-h1-dense", {}),
    ("lfm2-dense", {}),
    ("lfm2-dense", {"flash_attention": "off"}),
    ("qwen3next-moe", {}),
    ("deepseek2-moe", {}),
    ("deepseek4-moe", {"flash_attention": "off"}),
]


@pytest.mark.parametrize("beside", [True, False], ids=["beside", "instead"])
@pytest.mark.parametrize(("arch", "changes"), CASES, ids=lambda value: str(value))
def test_what_was_read_goes_on_in_the_larger_context(
    load: Callable[..., Loaded], arch: str, changes: dict[str, object], beside: bool
) -> None:
    small, large = load(arch, **changes), load(arch, LARGE, **changes)
    small.read(HELD)
    large.read(HELD)
    grown = small.elastic.grow(Step(2 * START, beside))
    assert grown is not None
    assert (grown.n_ctx, grown.previous_n_ctx, grown.carried_tokens, grown.note) == (1024, START, START, "")
    assert small.context.tokens == HELD
    after, always = small.logits(REST), large.logits(REST)
    assert np.isfinite(always).all()
    has_new_order = arch in WINDOWS and not changes
    assert closeness(after, always) < (ORDER_MATTERS if has_new_order else ROUNDING)
    assert (after.argmax(1) == always.argmax(1)).all()

    large.context.clear()
    assert closeness(large.logits(REST), always) > 10 * ORDER_MATTERS  # what was read before does count


@pytest.mark.parametrize(("arch", "changes"), CASES, ids=lambda value: str(value))
def test_the_estimate_is_never_less_than_what_is_taken(
    load: Callable[..., Loaded], arch: str, changes: dict[str, object]
) -> None:
    small = load(arch, **changes)
    estimate = context_bytes(small.elastic.model, 4 * START, {HOST: 0})[HOST]
    grown = small.elastic.grow(Step(4 * START, beside=True))
    assert grown is not None
    rounded = 0.01 * 1024**2
    assert grown.memory.total_bytes("kv", "recurrent", "compute", "output") <= estimate + rounded


def test_only_the_window_itself_is_carried_so_a_step_back_is_noticed(load: Callable[..., Loaded]) -> None:
    small = load("gemma3-dense")
    small.read(HELD)
    assert small.elastic.grow(Step(2 * START, beside=True)) is not None
    assert small.context.reuse_prefix([*HELD, 7]) == (START, "")
    kept, reason = small.context.reuse_prefix([*HELD[:-4], 7])
    assert kept == 0
    assert "sliding window" in reason


class OtherTypes(LlamaContext):
    """llama.cpp refuses the state of an f16 cache for a q8_0 one."""

    def make(self, n_ctx: int) -> int:
        if n_ctx > START:
            self._config = replace(self._config, type_k="q8_0", type_v="q8_0")
        return super().make(n_ctx)


@pytest.mark.parametrize("read_again", [False, True])
def test_a_state_that_is_refused_is_said_and_never_taken_for_granted(
    load: Callable[..., Loaded], read_again: bool
) -> None:
    small = load("llama-dense", kind=OtherTypes)
    small.read(HELD)
    grown = small.elastic.grow(Step(2 * START, beside=True), read_again=read_again)
    assert grown is not None
    assert grown.carried_tokens == 0
    assert "could not carry over the 512 tokens" in grown.note
    assert small.context.tokens == (HELD if read_again else [])
    small.read([] if read_again else HELD)
    large = load("llama-dense", LARGE, type_k="q8_0", type_v="q8_0")
    large.read(HELD)
    assert closeness(small.logits(REST), large.logits(REST)) < ROUNDING


class NoRoom(LlamaContext):
    """llama.cpp cannot allocate more than the context has."""

    def make(self, n_ctx: int) -> int:
        if n_ctx > START:
            raise EngineError("llama.cpp could not make a context.")
        return super().make(n_ctx)


@pytest.mark.parametrize("beside", [True, False], ids=["beside", "instead"])
@pytest.mark.parametrize("arch", ["llama-dense", "gemma3-dense", "jamba-dense"])
def test_a_context_that_cannot_be_made_leaves_the_old_one(load: Callable[..., Loaded], arch: str, beside: bool) -> None:
    small, large = load(arch, kind=NoRoom), load(arch, LARGE)
    held = HELD[: START - len(REST)]
    small.read(held)
    large.read(held)
    with pytest.raises(ContextFullError, match="could not make a context of 1,024 tokens"):
        small.elastic.grow(Step(2 * START, beside))
    assert (small.context.n_ctx, small.context.tokens) == (START, held)
    assert small.elastic.model.n_ctx == START
    assert closeness(small.logits(REST), large.logits(REST)) < ROUNDING


def test_cancelled_it_stays_as_it_is(load: Callable[..., Loaded]) -> None:
    small = load("llama-dense")
    small.read(HELD)
    small.context.cancel()
    assert small.elastic.grow(Step(2 * START, beside=False)) is None
    assert (small.context.n_ctx, small.context.tokens) == (START, HELD)


def test_a_new_context_can_be_cancelled_too(load: Callable[..., Loaded]) -> None:
    small = load("llama-dense")
    small.read(HELD)
    assert small.elastic.grow(Step(2 * START, beside=True)) is not None
    small.context.cancel()
    assert not small.context.decode(REST)
    assert small.context.tokens == HELD
    small.context.clear_cancel()
    assert small.context.decode(REST)


def test_the_old_context_is_freed_first_where_both_do_not_fit(load: Callable[..., Loaded]) -> None:
    small = load("llama-dense")
    small.read(HELD)
    free = {HOST: 2**34}
    elastic = ElasticContext(small.context, small.elastic.model, small.log, lambda: free)
    assert elastic.plan(START + 1) == Step(2 * START, beside=True)
    takes = elastic.model.memory.total_bytes("kv", "compute", "output")
    free[HOST] = 2 * takes
    assert elastic.plan(START + 1) == Step(2 * START, beside=False)
    free[HOST] = takes // 3
    with pytest.raises(ContextFullError, match="cannot grow"):
        elastic.plan(START + 1)
    assert elastic.plan(START, START + 1) is None  # what is only wanted is done without
