"""The memory chart's stack: what llama.cpp allocated, against the length of the conversation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from app.telemetry.series import ConversationSeries
    from app.telemetry.timings import ContextGrowth


@dataclass(frozen=True, slots=True)
class MemoryLayers:
    """Layers in bytes at rising lengths of the conversation; between two of them each layer is a straight line.

    Attributes:
        context_tokens, kv_used_bytes: shape (k,), from 0 to the cells in use now; a length where the context grew
            stands twice.
        past_kv_reserved_bytes, past_compute_output_bytes: shape (k,), what the context took when it was that long.
        weights_bytes, recurrent_bytes: the same at every length.
        compute_output_bytes, kv_reserved_bytes: what the context takes now; saved_bytes: what copies of KV caches do.
        expected_context_tokens, expected_kv_used_bytes: shape (m,), from now to the context's limit.
    """

    context_tokens: NDArray[np.float64]
    kv_used_bytes: NDArray[np.float64]
    past_kv_reserved_bytes: NDArray[np.float64]
    past_compute_output_bytes: NDArray[np.float64]
    weights_bytes: int
    recurrent_bytes: int
    compute_output_bytes: int
    kv_reserved_bytes: int
    expected_context_tokens: NDArray[np.float64]
    expected_kv_used_bytes: NDArray[np.float64]
    saved_bytes: int = 0

    @property
    def constant_bytes(self) -> int:
        """Everything llama.cpp allocated but the KV cache."""
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

    def context_bytes_at(self, context_tokens: float) -> tuple[float, float]:
        """Return KV reserved and compute and output buffers at a length of the conversation."""
        import numpy as np

        index = int(np.searchsorted(self.context_tokens, context_tokens, side="right"))
        if index == len(self.context_tokens):
            return self.kv_reserved_bytes, self.compute_output_bytes
        index = max(index - 1, 0)
        return float(self.past_kv_reserved_bytes[index]), float(self.past_compute_output_bytes[index])


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
    steps = series.context_growths
    grown_at = [step.context_tokens for step in steps]
    reached = sorted([*({tokens for tokens in bends if tokens <= now} | set(grown_at)), *grown_at])
    expected = sorted({tokens for tokens in bends if now <= tokens <= n_ctx} | {max(n_ctx, now)})
    kv_reserved, scratch = memory.total_bytes("kv"), memory.total_bytes("compute", "output")
    past_kv, past_scratch = _before_growths(reached, steps, kv_reserved, scratch)
    return MemoryLayers(
        context_tokens=np.array(reached, dtype=np.float64),
        kv_used_bytes=np.array([memory.kv_used_bytes(tokens) for tokens in reached], dtype=np.float64),
        past_kv_reserved_bytes=np.array(past_kv, dtype=np.float64),
        past_compute_output_bytes=np.array(past_scratch, dtype=np.float64),
        weights_bytes=memory.total_bytes("weights"),
        recurrent_bytes=memory.total_bytes("recurrent"),
        compute_output_bytes=scratch,
        kv_reserved_bytes=kv_reserved,
        expected_context_tokens=np.array(expected, dtype=np.float64),
        expected_kv_used_bytes=np.array([memory.kv_used_bytes(tokens) for tokens in expected], dtype=np.float64),
        saved_bytes=series.saved_bytes,
    )


def _before_growths(
    reached: Sequence[int], steps: Sequence[ContextGrowth], kv_reserved: int, scratch: int
) -> tuple[list[int], list[int]]:
    """Return KV reserved and scratch at each length: from the present back, every step takes off what it added."""
    kv, rest = [kv_reserved] * len(reached), [scratch] * len(reached)
    for step in reversed(steps):
        kv_reserved -= step.added_kv_bytes
        scratch -= step.added_bytes - step.added_kv_bytes
        # Its length stands twice: the first is before the step, the second after.
        until = reached.index(step.context_tokens) + 1
        kv[:until], rest[:until] = [kv_reserved] * until, [scratch] * until
    return kv, rest


def _of_points(series: ConversationSeries) -> MemoryLayers:
    import numpy as np

    last = series.memory[-1]
    points = list(series.memory)
    if points[0].context_tokens:
        points.insert(0, replace(points[0], context_tokens=0, kv_used_bytes=0))

    def column(name: str) -> NDArray[np.float64]:
        return np.array([getattr(point, name) for point in points], dtype=np.float64)

    return MemoryLayers(
        context_tokens=column("context_tokens"),
        kv_used_bytes=column("kv_used_bytes"),
        past_kv_reserved_bytes=column("kv_reserved_bytes"),
        past_compute_output_bytes=column("compute_output_bytes"),
        weights_bytes=last.weights_bytes,
        recurrent_bytes=last.recurrent_bytes,
        compute_output_bytes=last.compute_output_bytes,
        kv_reserved_bytes=last.kv_reserved_bytes,
        expected_context_tokens=np.empty(0),
        expected_kv_used_bytes=np.empty(0),
    )
