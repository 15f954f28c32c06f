"""The memory chart's stack: what llama.cpp allocated, against the length of the conversation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from app.telemetry.series import ConversationSeries


@dataclass(frozen=True, slots=True)
class MemoryLayers:
    """Layers in bytes at rising lengths of the conversation; between two of them each layer is a straight line.

    Attributes:
        context_tokens, kv_used_bytes: shape (k,), from 0 to the cells in use now.
        weights_bytes, recurrent_bytes, compute_output_bytes, kv_reserved_bytes: the same at every length.
        expected_context_tokens, expected_kv_used_bytes: shape (m,), from now to the context's limit.
    """

    context_tokens: NDArray[np.float64]
    kv_used_bytes: NDArray[np.float64]
    weights_bytes: int
    recurrent_bytes: int
    compute_output_bytes: int
    kv_reserved_bytes: int
    expected_context_tokens: NDArray[np.float64]
    expected_kv_used_bytes: NDArray[np.float64]

    @property
    def constant_bytes(self) -> int:
        """Everything but the KV cache."""
        return self.weights_bytes + self.recurrent_bytes + self.compute_output_bytes

    @property
    def total_bytes(self) -> int:
        """Everything llama.cpp allocated."""
        return self.constant_bytes + self.kv_reserved_bytes

    def kv_used_at(self, context_tokens: float) -> float:
        """KV in use at a length of the conversation, reached or still to come."""
        import numpy as np  # not above: it would come before the window's first frame

        contexts = np.concatenate([self.context_tokens, self.expected_context_tokens])
        used = np.concatenate([self.kv_used_bytes, self.expected_kv_used_bytes])
        return float(np.interp(context_tokens, contexts, used))


def memory_layers(series: ConversationSeries) -> MemoryLayers | None:
    """Return the stack of the loaded model, else that of the stored measurements, else None."""
    if series.model is not None:
        return _of_model(series)
    return _of_points(series) if series.memory else None


def _of_model(series: ConversationSeries) -> MemoryLayers:
    import numpy as np

    assert series.model is not None
    memory, n_ctx, now = series.model.memory, series.model.n_ctx, series.context_tokens
    # A sliding-window cache is full before the context is: its limit is a bend of the line.
    bends = {0, now, *(cache.cells for cache in memory.kv_caches)}
    reached = sorted(tokens for tokens in bends if tokens <= now)
    expected = sorted({tokens for tokens in bends if now <= tokens <= n_ctx} | {max(n_ctx, now)})
    return MemoryLayers(
        context_tokens=np.array(reached, dtype=np.float64),
        kv_used_bytes=np.array([memory.kv_used_bytes(tokens) for tokens in reached], dtype=np.float64),
        weights_bytes=memory.total_bytes("weights"),
        recurrent_bytes=memory.total_bytes("recurrent"),
        compute_output_bytes=memory.total_bytes("compute", "output"),
        kv_reserved_bytes=memory.total_bytes("kv"),
        expected_context_tokens=np.array(expected, dtype=np.float64),
        expected_kv_used_bytes=np.array([memory.kv_used_bytes(tokens) for tokens in expected], dtype=np.float64),
    )


def _of_points(series: ConversationSeries) -> MemoryLayers:
    import numpy as np

    last = series.memory[-1]
    points = [(0, 0)] if series.memory[0].context_tokens else []
    points += [(point.context_tokens, point.kv_used_bytes) for point in series.memory]
    contexts, used = np.array(points, dtype=np.float64).T
    return MemoryLayers(
        context_tokens=contexts,
        kv_used_bytes=used,
        weights_bytes=last.weights_bytes,
        recurrent_bytes=last.recurrent_bytes,
        compute_output_bytes=last.compute_output_bytes,
        kv_reserved_bytes=last.kv_reserved_bytes,
        expected_context_tokens=np.empty(0),
        expected_kv_used_bytes=np.empty(0),
    )
