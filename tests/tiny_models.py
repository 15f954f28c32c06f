"""Tiny models with random weights, so that what they compute depends on what they have read."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from app.engine.gguf import read_header
from app.engine.llama.context import LlamaContext
from app.engine.llama.growth import ElasticContext
from app.engine.llama.library import initialise, lib
from app.engine.llama.log_capture import log_capture, parse_memory
from app.engine.llama.model import LlamaModel
from app.engine.llama.room import HOST
from tests.fakes import fake_model

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from app.engine.config import ModelConfig

START, LARGE = 512, 2048
UBATCH = 128
HELD = list(np.random.default_rng(1).integers(1, 120, START))
REST = list(np.random.default_rng(2).integers(1, 120, 64))

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


class Loaded:
    """A tiny model with an elastic context."""

    def __init__(self, config: ModelConfig, n_ctx: int, kind: type[LlamaContext] = LlamaContext) -> None:
        initialise()
        self.log = log_capture()
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


def closeness(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    """The largest difference, of the spread of the values."""
    return float(np.abs(a - b).max() / b.std())
