"""llama.cpp's log outlives the engine that first asked for it."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from app.engine.config import ModelConfig
from app.engine.events import ModelLoaded
from app.engine.llama.engine import LlamaEngine

if TYPE_CHECKING:
    from pathlib import Path


def test_the_log_goes_on_when_an_engine_made_later_is_gone(architectures: Path) -> None:
    first = LlamaEngine()
    config = ModelConfig(architectures / "llama-dense.gguf", n_ctx=256, n_gpu_layers=0, use_extra_bufts=False)
    assert isinstance(list(first.load_settled(config))[-1], ModelLoaded)
    LlamaEngine().close()
    gc.collect()
    with first.log.record() as lines:
        assert isinstance(list(first.load_settled(config))[-1], ModelLoaded)
        first.close()  # llama.cpp logs while it frees, too
    assert any("KV buffer size" in line for line in lines)
