"""What the charts draw: one conversation's turns, token latencies and memory, as numbers with units."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.engine.events import LoadedModel
    from app.telemetry.recorder import TurnRecorder
    from app.telemetry.timings import TurnStats

MAX_MEMORY_SAMPLES = 600


@dataclass(frozen=True, slots=True)
class TurnPoint:
    """One finished turn: the answer it belongs to and its stats."""

    message_id: str
    stats: TurnStats


@dataclass(frozen=True, slots=True)
class MemoryPoint:
    """Memory at a length of the conversation; `process_bytes` is measured, the rest is llama.cpp's own account."""

    context_tokens: int
    weights_bytes: int
    kv_used_bytes: int
    kv_reserved_bytes: int
    recurrent_bytes: int
    compute_output_bytes: int
    process_bytes: int | None


@dataclass(slots=True)
class TokenLatencies:
    """ITL of one turn against the context length at that token. Shapes (n-1,), units tokens and seconds."""

    message_id: str
    context_tokens: NDArray[np.int64]
    itl_s: NDArray[np.float64]


def token_latencies(message_id: str, stats: TurnStats) -> TokenLatencies:
    """Return the ITL of a finished turn; token k stands at prompt_tokens + k - 1 cells of context."""
    itl = np.asarray(stats.itl_s, dtype=np.float64)
    first = (stats.prompt_tokens or 0) + 1
    return TokenLatencies(message_id, np.arange(first, first + len(itl), dtype=np.int64), itl)


class _LiveLatencies:
    """Grows with the answer being written; doubling arrays, so that one token costs O(1)."""

    def __init__(self, message_id: str) -> None:
        self.message_id = message_id
        self._itl = np.empty(256, dtype=np.float64)
        self._count = 0
        self._taken = 0
        self._last_ns: int | None = None
        self._first_context = 0

    def take(self, recorder: TurnRecorder) -> None:
        new = recorder.token_ns_since(self._taken)
        self._taken += len(new)
        for instant in new:
            if self._last_ns is not None:
                if self._count == len(self._itl):
                    self._itl = np.concatenate([self._itl, np.empty_like(self._itl)])
                self._itl[self._count] = (instant - self._last_ns) / 1e9
                self._count += 1
            self._last_ns = instant
        self._first_context = (recorder.prompt_tokens or 0) + 1

    def view(self) -> TokenLatencies:
        contexts = np.arange(self._first_context, self._first_context + self._count, dtype=np.int64)
        return TokenLatencies(self.message_id, contexts, self._itl[: self._count])


@dataclass(slots=True)
class ConversationSeries:
    """All that the three panels show for the open conversation. Written by the controller, read by the panels.

    Attributes:
        model: the loaded model, None without one; its memory is drawn even before the first turn.
        turns: finished turns, oldest first.
        live_stats: the running turn as it stands, None when idle; `live_message_id` is its answer.
        context_tokens: cells in use now.
        machine_total_bytes: the machine's memory, a limit line; None when unknown.
        revision: counts every change, so that a panel can tell whether it must draw.
    """

    model: LoadedModel | None = None
    turns: list[TurnPoint] = field(default_factory=list)
    memory: list[MemoryPoint] = field(default_factory=list)
    live_message_id: str = ""
    live_recorder: TurnRecorder | None = None
    context_tokens: int = 0
    process_bytes: int | None = None
    machine_total_bytes: int | None = None
    revision: int = 0
    _latencies: list[TokenLatencies] = field(default_factory=list)
    _live: _LiveLatencies | None = None

    def set_model(self, model: LoadedModel | None) -> None:
        """A model was loaded or unloaded."""
        self.model = model
        self.revision += 1

    def clear(self) -> None:
        """Start an empty conversation; the model stays."""
        self.turns.clear()
        self.memory.clear()
        self._latencies.clear()
        self.end_turn()
        self.context_tokens = 0
        self.revision += 1

    def add_turn(self, message_id: str, stats: TurnStats) -> None:
        """Append a finished turn, read from the store or just ended."""
        self.turns.append(TurnPoint(message_id, stats))
        self._latencies.append(token_latencies(message_id, stats))
        self.revision += 1

    def begin_turn(self, message_id: str, recorder: TurnRecorder) -> None:
        """An answer has begun; `recorder` observes it."""
        self.live_message_id, self.live_recorder = message_id, recorder
        self._live = _LiveLatencies(message_id)
        self.revision += 1

    def observe(self) -> None:
        """Take over what the recorder has seen since the last call."""
        recorder = self.live_recorder
        if recorder is None or self._live is None:
            return
        self._live.take(recorder)
        if recorder.process_bytes is not None:
            self.process_bytes = recorder.process_bytes
        self.set_context_tokens(recorder.context_tokens)

    def end_turn(self) -> None:
        """The running answer ended; `add_turn` has its stats."""
        self.live_message_id, self.live_recorder, self._live = "", None, None
        self.revision += 1

    def set_context_tokens(self, context_tokens: int) -> None:
        """Cells in use changed; the memory series gets a point."""
        self.context_tokens = context_tokens
        self.revision += 1
        point = self.memory_point()
        if point is None:
            return
        if self.memory and self.memory[-1].context_tokens >= context_tokens:
            while self.memory and self.memory[-1].context_tokens >= context_tokens:
                self.memory.pop()
        self.memory.append(point)
        if len(self.memory) > MAX_MEMORY_SAMPLES:
            del self.memory[1:-1:2]

    def memory_point(self) -> MemoryPoint | None:
        """Memory as it stands; None without a model."""
        if self.model is None:
            return None
        memory = self.model.memory
        return MemoryPoint(
            context_tokens=self.context_tokens,
            weights_bytes=memory.total_bytes("weights"),
            kv_used_bytes=memory.kv_used_bytes(self.context_tokens),
            kv_reserved_bytes=memory.total_bytes("kv"),
            recurrent_bytes=memory.total_bytes("recurrent"),
            compute_output_bytes=memory.total_bytes("compute", "output"),
            process_bytes=self.process_bytes,
        )

    @property
    def live_stats(self) -> TurnStats | None:
        """The running turn as it stands."""
        return self.live_recorder.stats if self.live_recorder else None

    @property
    def live_latencies(self) -> TokenLatencies | None:
        """ITL of the running answer."""
        return self._live.view() if self._live else None

    @property
    def past_latencies(self) -> list[TokenLatencies]:
        """ITL of the finished turns, oldest first."""
        return self._latencies
