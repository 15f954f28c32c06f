"""Tiny models of every kind of memory, loaded."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.engine.config import ModelConfig
from app.engine.llama.context import LlamaContext
from tests.tiny_models import START, UBATCH, Loaded, randomise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


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
