"""The fold of an engine's events into the stats of one turn."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from app.engine.events import (
    AnswerRestarted,
    ContextGrown,
    GenerationEvent,
    GenerationFinished,
    MemorySampled,
    PrefillProgressed,
    PromptTokenised,
    TokensGenerated,
)
from app.telemetry.timings import ContextGrowth, TurnStats
from app.units import NS_PER_S

_RECENT_NS = 2 * NS_PER_S
"""Long enough for a steady number at two tokens a second, short enough to follow answers that come and go."""


class TurnRecorder:
    """Observes one turn's events in order.

    Attributes:
        prefill_done_tokens, prefill_total_tokens: how far the uncached prompt has been read.
        process_bytes: the last measured memory of the model's process, None before the first sample; saved_bytes: of
            it, copies of KV caches.
    """

    def __init__(self, submitted_ns: int, n_ctx: int | None = None) -> None:
        self._stats = TurnStats(submitted_ns=submitted_ns, n_ctx=n_ctx)
        self._token_ns: list[int] = []
        self._progressed_ns = submitted_ns
        self.context_tokens = 0
        self.prefill_done_tokens = 0
        self.prefill_total_tokens = 0
        self.process_bytes: int | None = None
        self.saved_bytes = 0
        self._sequences = 1
        self._together_tokens: int | None = None
        self._together: deque[tuple[int, int]] = deque()

    def observe(self, event: GenerationEvent, received_ns: int | None = None) -> None:
        """Take one event; `received_ns` is when the caller had it, which says what its own way here took."""
        match event:
            case PromptTokenised():
                self._stats = replace(
                    self._stats,
                    started_ns=event.started_ns,
                    rendered_ns=event.rendered_ns,
                    tokenised_ns=event.tokenised_ns,
                    prompt_tokens=event.prompt_tokens,
                    cached_tokens=event.cached_tokens,
                    cache_miss=event.cache_miss,
                    restored_from=event.restored_from,
                    restored_tokens=event.restored_tokens,
                    restore_ns=event.restore_ns,
                )
                self.prefill_total_tokens = event.prompt_tokens - event.cached_tokens
                self.context_tokens = event.cached_tokens
            case ContextGrown():
                self._observe_growth(event)
            case PrefillProgressed():
                self._observe_prefill(event)
            case TokensGenerated():
                if not self._token_ns and event.sampled_ns:
                    self._stats = replace(self._stats, first_received_ns=received_ns)
                self._token_ns.extend(event.sampled_ns)
                self._sequences, self._together_tokens = event.sequences, event.together_tokens
                self._observe_together(event)
                self.context_tokens = event.context_tokens
            case AnswerRestarted():
                self._stats = TurnStats(submitted_ns=self._stats.submitted_ns, n_ctx=self._stats.n_ctx)
                self._token_ns.clear()
                self._together.clear()
                self._sequences, self._together_tokens = 1, None
                self.prefill_done_tokens = self.prefill_total_tokens = 0
            case MemorySampled():
                self.process_bytes, self.saved_bytes = event.process_bytes, event.saved_bytes
            case GenerationFinished():
                self.context_tokens = event.context_tokens
                self._stats = replace(
                    self._stats,
                    finished_ns=event.at_ns,
                    finish_reason=event.finish_reason,
                    error=event.error,
                    context_tokens=event.context_tokens,
                    seed=event.seed,
                    received_ns=received_ns,
                )

    def observe_shown(self, at_ns: int) -> None:
        """The window has drawn the end of the answer."""
        self._stats = replace(self._stats, shown_ns=at_ns)

    def _observe_growth(self, event: ContextGrown) -> None:
        growth = ContextGrowth(
            sampled_tokens=len(self._token_ns),
            context_tokens=max(self.context_tokens, event.carried_tokens),
            carried_tokens=event.carried_tokens,
            previous_n_ctx=event.previous_n_ctx,
            n_ctx=event.n_ctx,
            added_kv_bytes=event.added_kv_bytes,
            added_bytes=event.added_bytes,
            took_ns=event.took_ns,
        )
        self._stats = replace(self._stats, n_ctx=event.n_ctx, context_growths=(*self._stats.context_growths, growth))

    def _observe_prefill(self, event: PrefillProgressed) -> None:
        self._progressed_ns = event.at_ns
        self.prefill_done_tokens = event.done_tokens
        self.prefill_total_tokens = event.total_tokens
        self.context_tokens = (self._stats.cached_tokens or 0) + event.done_tokens
        if self._stats.prefill_started_ns is None:
            self._stats = replace(self._stats, prefill_started_ns=event.at_ns)
        if event.done_tokens == event.total_tokens:
            self._stats = replace(self._stats, prefill_done_ns=event.at_ns)

    def _observe_together(self, event: TokensGenerated) -> None:
        if event.together_tokens is None or not event.sampled_ns:
            return
        now = event.sampled_ns[-1]
        self._together.append((now, event.together_tokens))
        while now - self._together[0][0] > _RECENT_NS:
            self._together.popleft()

    @property
    def sequences(self) -> int:
        """The most answers that shared a step with this one so far."""
        return self._sequences

    @property
    def recent_aggregate_per_s(self) -> float | None:
        """Tokens of all answers per second in the last 2 s of this one; None where only one can be written at once."""
        if len(self._together) < 2:
            return None
        (first_ns, first), (last_ns, last) = self._together[0], self._together[-1]
        return (last - first) * NS_PER_S / (last_ns - first_ns) if last_ns > first_ns else None

    def token_ns_since(self, start: int) -> list[int]:
        """Return the instants of the tokens from number `start` (0-based) on: what a chart has not drawn yet."""
        return self._token_ns[start:]

    @property
    def context_growths(self) -> tuple[ContextGrowth, ...]:
        """When the context grew so far."""
        return self._stats.context_growths

    @property
    def is_begun(self) -> bool:
        """Whether the engine has taken it, or it has ended: it waits no more."""
        return self._stats.started_ns is not None or self.is_finished

    @property
    def prompt_tokens(self) -> int | None:
        """Tokens of the prompt, None before it was tokenised."""
        return self._stats.prompt_tokens

    @property
    def is_finished(self) -> bool:
        """Whether the answer ended, well or badly."""
        return self._stats.finish_reason is not None

    @property
    def completion_tokens(self) -> int:
        """Tokens sampled so far."""
        return len(self._token_ns)

    def prefill_left_s(self, now_ns: int) -> float | None:
        """Estimate the seconds of prefill left from the speed so far; None before the first chunk is done.

        Between two chunks it only falls.
        """
        start = self._stats.prefill_started_ns
        if start is None or not self.prefill_done_tokens:
            return None
        per_token_s = (self._progressed_ns - start) / 1e9 / self.prefill_done_tokens
        left_s = per_token_s * (self.prefill_total_tokens - self.prefill_done_tokens)
        return max(0.0, left_s - (now_ns - self._progressed_ns) / 1e9)

    def prefill_so_far(self) -> tuple[int, float]:
        """Return how many tokens of the uncached prompt were read and in how many seconds; 0 before the first chunk."""
        start = self._stats.prefill_started_ns
        return self.prefill_done_tokens, 0.0 if start is None else (self._progressed_ns - start) / NS_PER_S

    @property
    def stats(self) -> TurnStats:
        """The stats as they stand."""
        return replace(
            self._stats,
            token_ns=tuple(self._token_ns),
            sequences=self._sequences,
            together_tokens=self._together_tokens,
        )
