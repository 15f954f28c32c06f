"""Contexts measured on a model that is loaded without its weights: nothing is allocated (`no_alloc`).

Only ever in a process of its own: llama.cpp aborts on what it does not expect here. Recurrent state is allocated all
the same (llama-memory-recurrent.cpp), so the asking side bounds it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import psutil

from app.engine.events import MemoryBreakdown
from app.engine.llama.context import LlamaContext
from app.engine.llama.library import register_rpc_servers
from app.engine.llama.log_capture import parse_memory
from app.engine.llama.model import LlamaModel
from app.engine.measured import Measured
from app.errors import EngineError, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.engine.config import ModelConfig
    from app.engine.llama.log_capture import LogCapture

_MARKS = ("llama_init_from_model: ", "llama_context: ", "llama_kv_cache: ", "failed to initialize the context: ")


class DryRunner:
    """Keeps the last model between questions: a context on it takes milliseconds, loading its vocabulary far more."""

    def __init__(self, log: LogCapture) -> None:
        self._log = log
        self._model: LlamaModel | None = None
        self._of: ModelConfig | None = None
        self._process = psutil.Process()
        self._before_bytes = 0
        self._host_bytes: int | None = None

    def measure(self, configs: Sequence[ModelConfig]) -> Iterator[Measured]:
        """Yield one `Measured` per config. Raises TokometerError when the model cannot be loaded."""
        for config in configs:
            model = self._open(config)
            with self._log.record() as lines:
                measured = self._measured(model, config, lines)
            yield measured

    def _open(self, config: ModelConfig) -> LlamaModel:
        of = model_settings(config)
        if self._model is not None and self._of == of:
            return self._model
        is_another = self._of is None or self._of.path != config.path
        self.free()
        register_rpc_servers(config.rpc_servers)
        if is_another:
            self._host_bytes, self._before_bytes = None, self._process.memory_info().rss
        self._model = LlamaModel(
            config, use_extra_bufts=False, on_progress=lambda _fraction: True, errors=self._log.errors, no_alloc=True
        )
        self._of = of
        return self._model

    def _measured(self, model: LlamaModel, config: ModelConfig, lines: Sequence[str]) -> Measured:
        self._log.errors()
        try:
            context = LlamaContext(model, config, config.n_ctx or 0, n_threads=1)
        except EngineError:
            return Measured(0, False, MemoryBreakdown((), ()), refused=_refusal(self._log.errors()))
        n_ctx = context.n_ctx
        memory = parse_memory(lines, n_ctx)
        if self._host_bytes is None:  # what a process has once taken serves the next model of the same file too
            grown = self._process.memory_info().rss - self._before_bytes
            self._host_bytes = max(0, grown - memory.total_bytes("recurrent"))
        context.free()
        fixed = tuple(buffer for buffer in memory.buffers if buffer.kind in ("recurrent", "compute", "output"))
        flash_attention = config.flash_attention == "on" or any("Flash Attention enabled" in line for line in lines)
        return Measured(n_ctx, flash_attention, replace(memory, buffers=fixed), host_bytes=self._host_bytes)

    def free(self) -> None:
        """Free the model's metadata."""
        if self._model is not None:
            self._model.free()
        self._model = self._of = None


def model_settings(config: ModelConfig) -> ModelConfig:
    """Return the config with all that only a context asks for taken out."""
    return type(config)(
        config.path,
        n_gpu_layers=config.n_gpu_layers,
        devices=config.devices,
        tensor_split=config.tensor_split,
        n_cpu_moe=config.n_cpu_moe,
        rpc_servers=config.rpc_servers,
    )


def _refusal(errors: Sequence[str]) -> str:
    """Return llama.cpp's first complaint as a sentence."""
    for line in errors:
        text = line
        for mark in _MARKS:
            text = text.split(mark)[-1]
        if text.strip():
            return Sentence("llama.cpp refuses this context: {reason}.", reason=text.strip().rstrip("."))
    return Sentence("llama.cpp refuses this context and does not say why.")
