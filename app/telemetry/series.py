"""What the charts draw: one conversation's turns, token latencies and memory, as numbers with units."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from app.telemetry.forecast import Forecast, forecast

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.engine.events import LoadedModel
    from app.telemetry.latencies import LiveLatencies, TokenLatencies
    from app.telemetry.recorder import TurnRecorder
    from app.telemetry.timings import ContextGrowth, TurnStats

MAX_MEMORY_SAMPLES = 600


@dataclass(frozen=True, slots=True)
class TurnPoint:
    """One finished turn: the answer it belongs to and its stats."""

    message_id: str
    stats: TurnStats


@dataclass(frozen=True, slots=True)
class MemoryPoint:
    """Memory at a length of the conversation, as llama.cpp's own account has it.

    Attributes:
        process_bytes: of the model's process, measured; saved_bytes: of it, copies of KV caches. None where not known.
    """

    context_tokens: int
    weights_bytes: int
    kv_used_bytes: int
    kv_reserved_bytes: int
    recurrent_bytes: int
    compute_output_bytes: int
    process_bytes: int | None
    saved_bytes: int | None = None

    @property
    def allocation(self) -> tuple[int, ...]:
        """What does not change while a model's context keeps its size."""
        return self.weights_bytes, self.kv_reserved_bytes, self.recurrent_bytes, self.compute_output_bytes


@dataclass(slots=True)
class ConversationSeries:
    """All that the three panels show for the open conversation. Written by the controller, read by the panels.

    Attributes:
        model: the loaded model, None without one; its memory is drawn even before the first turn.
        turns: finished turns, oldest first.
        memory: at most `MAX_MEMORY_SAMPLES` points by rising context, of the loaded model only.
        live_stats: the running turn as it stands, None when idle; `live_message_id` is its answer.
        context_tokens: cells the conversation takes now.
        expected_tokens: cells the next turn will take at least when the cache holds nothing of the conversation, else
            None.
        process_bytes: the last measured memory of the model's process, None before the first sample; saved_bytes: of
            it, copies of KV caches.
        machine_total_bytes: the machine's memory, a limit line; None when unknown.
        may_grow: whether the context is let grow; else what it holds now is its limit.
        revision: counts every change, so that a panel can tell whether it must draw.
        turns_revision: counts the changes of the finished turns only.
    """

    model: LoadedModel | None = None
    turns: list[TurnPoint] = field(default_factory=list)
    memory: list[MemoryPoint] = field(default_factory=list)
    live_message_id: str = ""
    live_recorder: TurnRecorder | None = None
    context_tokens: int = 0
    expected_tokens: int | None = None
    process_bytes: int | None = None
    saved_bytes: int = 0
    machine_total_bytes: int | None = None
    may_grow: bool = True
    revision: int = 0
    turns_revision: int = 0
    _latencies: list[TokenLatencies] = field(default_factory=list)
    _live: LiveLatencies | None = None

    def set_model(self, model: LoadedModel | None) -> None:
        """A model was loaded or unloaded, or its context has another size now.

        Points of an allocation that the context did not grow from say nothing about this one and go.
        """
        known = self.model
        is_other = known is None or model is None or model.info is not known.info
        if is_other or (model and known and model.process_bytes != known.process_bytes):
            self.process_bytes = model.process_bytes if model is not None else None
            self.saved_bytes = model.saved_bytes if model is not None else 0
        if is_other and self.context_tokens:
            self.lose_cache(self.context_tokens)
        self.model = model
        self.memory = self._of_this_model(self.memory)
        self.revision += 1

    def set_may_grow(self, may_grow: bool) -> None:
        """Another limit holds for the context from now on."""
        if may_grow != self.may_grow:
            self.may_grow = may_grow
            self.revision += 1

    def clear(self) -> None:
        """Start an empty conversation; the model stays."""
        self.turns.clear()
        self.memory.clear()
        self._latencies.clear()
        self.end_turn()
        self.context_tokens, self.expected_tokens = 0, None
        self.revision += 1
        self.turns_revision += 1

    def keep_turns(self, count: int) -> None:
        """Forget the finished turns after the first `count`, and the memory that was measured beyond them."""
        if not count:
            self.clear()
            return
        del self.turns[count:], self._latencies[count:]
        self.end_turn()
        self.context_tokens, self.expected_tokens = self.turns[-1].stats.context_tokens or 0, None
        while self.memory and self.memory[-1].context_tokens > self.context_tokens:
            self.memory.pop()
        self.turns_revision += 1

    def add_turn(self, message_id: str, stats: TurnStats) -> None:
        """Append a finished turn, read from the store or just ended."""
        from app.telemetry.latencies import token_latencies  # not above: numpy would come before the first frame

        self.turns.append(TurnPoint(message_id, stats))
        self._latencies.append(token_latencies(message_id, stats))
        if stats.context_tokens is not None:
            self.context_tokens, self.expected_tokens = stats.context_tokens, None
        self.revision += 1
        self.turns_revision += 1

    def add_memory(self, points: Iterable[MemoryPoint]) -> None:
        """Append a stored turn's points; those of another allocation than the loaded model's are left out."""
        for point in self._of_this_model(points):
            self._append_memory(point)
        self.revision += 1

    def begin_turn(self, message_id: str, recorder: TurnRecorder) -> None:
        """An answer has begun; `recorder` observes it."""
        from app.telemetry.latencies import LiveLatencies

        self.live_message_id, self.live_recorder = message_id, recorder
        self._live = LiveLatencies(message_id)
        self.revision += 1

    def observe(self) -> None:
        """Take over what the recorder has seen since the last call."""
        recorder = self.live_recorder
        if recorder is None or self._live is None:
            return
        self._live.take(recorder)
        if recorder.process_bytes is not None:
            self.process_bytes, self.saved_bytes = recorder.process_bytes, recorder.saved_bytes
        if recorder.prompt_tokens is None and not recorder.is_finished:
            self.revision += 1  # the cache still holds what it held before this turn
            return
        self.set_context_tokens(recorder.context_tokens)

    def end_turn(self) -> None:
        """The running answer ended; `add_turn` has its stats."""
        self.live_message_id, self.live_recorder, self._live = "", None, None
        self.revision += 1

    def set_context_tokens(self, context_tokens: int) -> None:
        """Cells in use changed; the memory series gets a point."""
        self.context_tokens, self.expected_tokens = context_tokens, None
        self.revision += 1
        point = self.memory_point()
        if point is not None:
            self._append_memory(point)

    def lose_cache(self, expected_tokens: int | None) -> None:
        """The cache holds nothing of the conversation any more; what was measured before stays."""
        self.context_tokens, self.expected_tokens = 0, expected_tokens
        self.revision += 1

    def cut_cache(self, held_tokens: int) -> None:
        """The conversation goes on elsewhere: of the cache only its first tokens will be used again."""
        expected = self.expected_tokens if self.expected_tokens is not None else self.context_tokens
        self.context_tokens, self.expected_tokens = held_tokens, max(expected, held_tokens)
        self.revision += 1

    def expect(self, tokens: int) -> None:
        """What the next turn will take at least was counted."""
        self.expected_tokens = tokens
        self.revision += 1

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
            saved_bytes=self.saved_bytes if self.process_bytes is not None else None,
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

    @property
    def n_ctx(self) -> int | None:
        """The tokens the context holds now: the loaded model's, else that of the last turn."""
        if self.model is not None:
            return self.model.n_ctx
        return self.turns[-1].stats.n_ctx if self.turns else None

    @property
    def n_ctx_max(self) -> int | None:
        """The context's limit: what the loaded model's can grow to, if it may, else what it holds."""
        return self.model.n_ctx_max if self.model is not None and self.may_grow else self.n_ctx

    @property
    def context_growths(self) -> list[ContextGrowth]:
        """The steps in which the context reached its present size, oldest first.

        Found from the present size back, in this conversation's turns; one beyond the cells in use now, because the
        cache was cut back since, is moved to them.
        """
        known = [growth for turn in self.turns for growth in turn.stats.context_growths]
        if self.live_recorder is not None:
            known.extend(self.live_recorder.context_growths)
        n_ctx, context_tokens = self.n_ctx, self.context_tokens
        steps: list[ContextGrowth] = []
        for growth in reversed(known):
            if growth.n_ctx == n_ctx:
                n_ctx, context_tokens = growth.previous_n_ctx, min(growth.context_tokens, context_tokens)
                steps.append(replace(growth, context_tokens=context_tokens))
        return steps[::-1]

    @property
    def forecast(self) -> Forecast | None:
        """When the context will be full at the recent growth; None with fewer than two turns."""
        return forecast([turn.stats.context_tokens for turn in self.turns], self.n_ctx_max)

    def _of_this_model(self, points: Iterable[MemoryPoint]) -> list[MemoryPoint]:
        present = self.memory_point()
        if present is None:
            return list(points)
        weights, kv, recurrent, scratch = present.allocation
        known = {present.allocation}
        for growth in reversed(self.context_growths):
            kv -= growth.added_kv_bytes
            scratch -= growth.added_bytes - growth.added_kv_bytes
            known.add((weights, kv, recurrent, scratch))
        return [point for point in points if point.allocation in known]

    def _append_memory(self, point: MemoryPoint) -> None:
        # The cache was cut back or measured again: what stood beyond is no longer so.
        while self.memory and self.memory[-1].context_tokens >= point.context_tokens:
            self.memory.pop()
        self.memory.append(point)
        if len(self.memory) > MAX_MEMORY_SAMPLES:
            del self.memory[1:-1:2]
