"""The raw instants of one turn and everything derived from them.

    t0 Send pressed  t1 worker took it  t2 template + tokens ready  t3 first prefill decode
    t4 prompt done (synchronised)
    t5 token 1 sampled   tk token k sampled   tn last token (the end-of-generation token included)
    TTFT     = t5 - t0      shown with its parts: queue t1-t0, tokenise t2-t1, prefill t4-t3
                            and the rest (t3-t2) + (t5-t4): preparing the cache, sampling token 1
    ITL_k    = tk - t(k-1)  k = 2..n        p50, p95, p99, max
    TPOT     = (tn - t5)/(n - 1)            None for n < 2, never 0
    E2E      = tn - t0 = TTFT + (n-1) x TPOT
    prefill tokens/s = (prompt_tokens - cached_tokens)/(t4 - t3)      decode tokens/s = 1/TPOT
    aggregate tokens/s = tokens that all answers under way sampled in (t5, tn] / (tn - t5)

TPOT is that of `vllm bench serve` (calculate_metrics): the first token is excluded. Unknown is None, never 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.units import NS_PER_S

if TYPE_CHECKING:
    from app.engine.events import FinishReason, RestoredFrom


def _seconds(start_ns: int | None, end_ns: int | None) -> float | None:
    return None if start_ns is None or end_ns is None else (end_ns - start_ns) / NS_PER_S


@dataclass(frozen=True, slots=True)
class TtftParts:
    """The parts of one wait, in ns; they sum to TTFT exactly, or to the wait so far."""

    queue_ns: int
    tokenise_ns: int
    prefill_ns: int
    rest_ns: int

    @property
    def total_ns(self) -> int:
        """The whole wait."""
        return self.queue_ns + self.tokenise_ns + self.prefill_ns + self.rest_ns


@dataclass(frozen=True, slots=True)
class ContextGrowth:
    """A larger context took over during a turn.

    Attributes:
        sampled_tokens: of the answer before it; 0: before the prompt was read, so it is part of TTFT. Later it is part
            of the ITL of the token that follows.
        context_tokens: cells in use then; carried_tokens: of these, taken over without being read again.
        added_kv_bytes: what the KV cache takes more; added_bytes: what all buffers of the context do.
    """

    sampled_tokens: int
    context_tokens: int
    carried_tokens: int
    previous_n_ctx: int
    n_ctx: int
    added_kv_bytes: int
    added_bytes: int
    took_ns: int


@dataclass(frozen=True, slots=True)
class TurnStats:
    """One turn: instants in ns of `perf_counter_ns`, counts in tokens; every metric is a property.

    Attributes:
        rendered_ns: between t1 and t2, the template was rendered.
        token_ns: t5..tn, one per sampled token.
        finished_ns: the engine was done with the answer.
        first_received_ns, received_ns: the window had the first token, and the end of the answer.
        shown_ns: the window had drawn the end of the answer.
        context_tokens: KV cells in use when the turn ended; n_ctx: how many there were then.
        context_growths: when the context grew during the turn, in order.
        restored_from: where the conversation's saved KV cache was brought back from; empty when it was not.
        restored_tokens: tokens in it; restore_ns: what bringing it back took, a part of t3 - t2.
        sequences: the most answers that shared a step with this one; 1 when it was alone all the time.
        together_tokens: tokens that all answers sampled in (t5, tn], this one's among them; None where only one can be
            written at once.
    """

    submitted_ns: int
    started_ns: int | None = None
    tokenised_ns: int | None = None
    prefill_started_ns: int | None = None
    prefill_done_ns: int | None = None
    token_ns: tuple[int, ...] = ()
    finished_ns: int | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    cache_miss: str = ""
    context_tokens: int | None = None
    n_ctx: int | None = None
    finish_reason: FinishReason | None = None
    error: str = ""
    seed: int | None = None
    rendered_ns: int | None = None
    first_received_ns: int | None = None
    received_ns: int | None = None
    shown_ns: int | None = None
    context_growths: tuple[ContextGrowth, ...] = ()
    restored_from: RestoredFrom = ""
    restored_tokens: int = 0
    restore_ns: int = 0
    sequences: int = 1
    together_tokens: int | None = None

    @property
    def growth_ns(self) -> int:
        """How long this turn waited for larger contexts, in ns."""
        return sum(growth.took_ns for growth in self.context_growths)

    def growth_before(self, token: int) -> ContextGrowth | None:
        """Return the growth that the token of this number, counted from 1, waited for; None when it did not."""
        return next((growth for growth in self.context_growths if growth.sampled_tokens == token - 1), None)

    @property
    def completion_tokens(self) -> int:
        """n, every sampled token, the end-of-generation token included."""
        return len(self.token_ns)

    @property
    def queue_s(self) -> float | None:
        """t1 - t0."""
        return _seconds(self.submitted_ns, self.started_ns)

    @property
    def tokenise_s(self) -> float | None:
        """t2 - t1: rendering the template and tokenising."""
        return _seconds(self.started_ns, self.tokenised_ns)

    @property
    def template_s(self) -> float | None:
        """The part of `tokenise_s` that rendering the template took."""
        return _seconds(self.started_ns, self.rendered_ns)

    @property
    def prefill_s(self) -> float | None:
        """t4 - t3."""
        return _seconds(self.prefill_started_ns, self.prefill_done_ns)

    @property
    def ttft_s(self) -> float | None:
        """t5 - t0; None without a first token."""
        return _seconds(self.submitted_ns, self.token_ns[0]) if self.token_ns else None

    @property
    def itl_s(self) -> tuple[float, ...]:
        """ITL_k = tk - t(k-1), k = 2..n."""
        return tuple((b - a) / NS_PER_S for a, b in zip(self.token_ns, self.token_ns[1:], strict=False))

    def itl_percentile_s(self, percent: float) -> float | None:
        """Linear percentile of the inter-token latencies; None for n < 2."""
        import numpy as np  # not above: it would come before the window's first frame

        gaps = self.itl_s
        return float(np.percentile(gaps, percent)) if gaps else None

    @property
    def tpot_s(self) -> float | None:
        """(tn - t5)/(n - 1); None for n < 2."""
        n = len(self.token_ns)
        return (self.token_ns[-1] - self.token_ns[0]) / (n - 1) / NS_PER_S if n >= 2 else None

    @property
    def e2e_s(self) -> float | None:
        """tn - t0; None without a token."""
        return _seconds(self.submitted_ns, self.token_ns[-1]) if self.token_ns else None

    @property
    def prefill_tokens_per_s(self) -> float | None:
        """(prompt_tokens - cached_tokens)/(t4 - t3)."""
        if self.prompt_tokens is None or self.cached_tokens is None or not self.prefill_s:
            return None
        return (self.prompt_tokens - self.cached_tokens) / self.prefill_s

    @property
    def decode_tokens_per_s(self) -> float | None:
        """1/TPOT."""
        return 1 / self.tpot_s if self.tpot_s else None

    @property
    def aggregate_tokens_per_s(self) -> float | None:
        """Tokens of all answers under way while this one was written, per second; alone it is `decode_tokens_per_s`."""
        n = len(self.token_ns)
        together = n - 1 if self.together_tokens is None else self.together_tokens
        return together * NS_PER_S / (self.token_ns[-1] - self.token_ns[0]) if n >= 2 else None

    def ttft_parts(self, now_ns: int | None = None) -> TtftParts | None:
        """Split TTFT; without a first token the wait until `now_ns`, and None when that is not given either."""
        end_ns = self.token_ns[0] if self.token_ns else now_ns
        if end_ns is None:
            return None
        queue_ns = (self.started_ns or end_ns) - self.submitted_ns
        tokenise_ns = prefill_ns = 0
        if self.started_ns is not None:
            tokenise_ns = (self.tokenised_ns or end_ns) - self.started_ns
        if self.prefill_started_ns is not None:
            prefill_ns = (self.prefill_done_ns or end_ns) - self.prefill_started_ns
        rest_ns = end_ns - self.submitted_ns - queue_ns - tokenise_ns - prefill_ns
        return TtftParts(queue_ns, tokenise_ns, prefill_ns, rest_ns)
