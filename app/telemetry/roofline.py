"""How near a turn came to what the machine can do: MBU in decode, MFU in prefill, and the roofline they lie under.

    MBU = (W + KVr) / (TPOT x best read rate)        MFU = operations of the prefill / (prefill time x best rate)
    intensity = operations / bytes                   attainable operations/s = min(peak, intensity x read rate)
    B* = the batch whose operations take as long as its bytes: W(B) + B x KV moved / read rate = B x operations / peak

With more sequences in a step the weights are read once for all of them, the KV cache for each: below B* memory is the
limit, above it arithmetic. A long context may have no B* at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from app.errors import Sentence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.telemetry.ceilings import Ceilings
    from app.telemetry.recorder import TurnRecorder
    from app.telemetry.timings import TurnStats
    from app.telemetry.work import ModelWork

BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_LARGEST_BATCH = 65_536.0
_STILL_IN_STEP = 0.9


@dataclass(frozen=True, slots=True)
class PhasePoint:
    """One phase of a turn on the roofline.

    Attributes:
        seconds, n_bytes, operations: of the whole phase; for decode all steps after the first token.
        share: MBU or MFU, 0 to 1; None where it means nothing.
        note: why there is no share, one sentence; else empty.
    """

    phase: Literal["prefill", "decode"]
    tokens: int
    seconds: float
    n_bytes: float
    operations: float
    share: float | None = None
    note: str = ""

    @property
    def intensity(self) -> float:
        """Operations per byte moved."""
        return self.operations / self.n_bytes

    @property
    def flops_per_s(self) -> float:
        """Operations per second achieved."""
        return self.operations / self.seconds

    @property
    def bytes_per_s(self) -> float:
        """Bytes moved per second, cache hits included."""
        return self.n_bytes / self.seconds


@dataclass(frozen=True, slots=True)
class BatchPoint:
    """A decode step of several sequences at the ceilings.

    Attributes:
        flops_per_s: attainable.
        tokens_per_s: of all sequences together.
        bound: what limits it.
    """

    batch: int
    intensity: float
    flops_per_s: float
    tokens_per_s: float
    bound: Literal["memory", "arithmetic"]


@dataclass(frozen=True, slots=True)
class Roofline:
    """All that the panel draws.

    Attributes:
        phases: of the turn, prefill first; without those that did not happen.
        ridge: intensity at which the roof bends, operations per byte; None without both ceilings.
        line: the batch sizes at this context; empty without both ceilings.
        crossover_batch: B* from the ceilings; None without them, or when memory stays the limit at every batch.
        measured_crossover_batch: from a sweep, None without one.
        weights_bytes, sequence_bytes, token_operations: of a step of B* sequences, or of one: read for all, moved for
            each, computed for each.
    """

    ceilings: Ceilings
    context_tokens: int
    phases: tuple[PhasePoint, ...]
    ridge: float | None
    line: tuple[BatchPoint, ...]
    crossover_batch: float | None
    measured_crossover_batch: float | None
    weights_bytes: float
    sequence_bytes: float
    token_operations: float


def roofline(
    work: ModelWork,
    ceilings: Ceilings,
    stats: TurnStats,
    n_ubatch: int,
    *,
    recorder: TurnRecorder | None = None,
    sweep: Mapping[int, float] | None = None,
) -> Roofline:
    """Return a turn's picture, live when the recorder of the running turn is given.

    Args:
        sweep: batch size -> measured tokens per second of all sequences together.
    """
    prefill = prefill_point(work, ceilings, stats, n_ubatch, recorder)
    decode = decode_point(work, ceilings, stats)
    context_tokens = (stats.prompt_tokens or 0) + max(stats.completion_tokens - 1, 0)
    crossover = crossover_batch(work, ceilings, context_tokens)
    ridge = None
    if ceilings.flops_per_s and ceilings.read_bytes_per_s:
        ridge = ceilings.flops_per_s / ceilings.read_bytes_per_s
    return Roofline(
        ceilings=ceilings,
        context_tokens=context_tokens,
        phases=tuple(point for point in (prefill, decode) if point is not None),
        ridge=ridge,
        line=batch_line(work, ceilings, context_tokens),
        crossover_batch=crossover,
        measured_crossover_batch=measured_crossover_batch(sweep) if sweep else None,
        weights_bytes=work.weights_bytes(crossover or 1),
        sequence_bytes=work.sequence_bytes(context_tokens),
        token_operations=work.token_operations(context_tokens),
    )


def decode_point(work: ModelWork, ceilings: Ceilings, stats: TurnStats) -> PhasePoint | None:
    """Return the decode of a turn, running or finished; None before its second token."""
    if stats.tpot_s is None or stats.prompt_tokens is None:
        return None
    steps = stats.completion_tokens - 1
    middle = stats.prompt_tokens + (steps + 1) / 2
    n_bytes = work.step_bytes(middle)
    share, note = memory_share(n_bytes, stats.tpot_s, ceilings)
    operations = steps * work.token_operations(middle)
    return PhasePoint("decode", steps, steps * stats.tpot_s, steps * n_bytes, operations, share, note)


def prefill_point(
    work: ModelWork, ceilings: Ceilings, stats: TurnStats, n_ubatch: int, recorder: TurnRecorder | None = None
) -> PhasePoint | None:
    """Return the prefill of a turn, or as far as the recorder has seen it; None when nothing was read."""
    if stats.prompt_tokens is None or stats.cached_tokens is None:
        return None
    tokens, seconds = stats.prompt_tokens - stats.cached_tokens, stats.prefill_s
    if seconds is None and recorder is not None:
        tokens, seconds = recorder.prefill_so_far()
    if not seconds or tokens < 1:
        return None
    operations = work.prefill_operations(stats.cached_tokens, tokens)
    share, note = None, ""
    if ceilings.flops_per_s:
        share = operations / seconds / ceilings.flops_per_s
        if share > 1:
            share, note = 1.0, Sentence("This prefill is the fastest seen on this machine.")
    n_bytes = work.prefill_bytes(stats.cached_tokens, tokens, max(n_ubatch, 1))
    return PhasePoint("prefill", tokens, seconds, n_bytes, operations, share, note)


def memory_share(step_bytes: float, step_s: float, ceilings: Ceilings) -> tuple[float | None, str]:
    """Return MBU, or None and why: a working set that lives in the cache is not read from memory at all."""
    mib = 1024 * 1024
    if ceilings.cache_bytes is not None and step_bytes <= ceilings.cache_bytes:
        return None, Sentence(
            "The {need:,.0f} MiB that a token needs fit into the processor's cache of {cache:,.0f} MiB: memory is not "
            "the limit.",
            need=step_bytes / mib,
            cache=ceilings.cache_bytes / mib,
        )
    if not ceilings.read_bytes_per_s:
        return None, Sentence("The machine's memory bandwidth has not been measured yet.")
    share = step_bytes / step_s / ceilings.read_bytes_per_s
    if share > 1:
        return None, Sentence(
            "A part of the {need:,.0f} MiB that a token needs comes out of the processor's cache: {rate:,.1f} GB/s is "
            "more than memory delivers.",
            need=step_bytes / mib,
            rate=step_bytes / step_s / 1e9,
        )
    return share, ""


def batch_line(
    work: ModelWork, ceilings: Ceilings, context_tokens: int, batches: Sequence[int] = BATCHES
) -> tuple[BatchPoint, ...]:
    """Return decode steps of these sizes at the ceilings; empty without both of them."""
    peak, rate = ceilings.flops_per_s, ceilings.read_bytes_per_s
    if not peak or not rate:
        return ()
    line = []
    for batch in batches:
        operations = batch * work.token_operations(context_tokens)
        n_bytes = work.step_bytes(context_tokens, batch)
        step_s = max(operations / peak, n_bytes / rate)
        bound: Literal["memory", "arithmetic"] = "memory" if n_bytes / rate > operations / peak else "arithmetic"
        line.append(BatchPoint(batch, operations / n_bytes, operations / step_s, batch / step_s, bound))
    return tuple(line)


def crossover_batch(work: ModelWork, ceilings: Ceilings, context_tokens: int) -> float | None:
    """Return B*, a real number, 1 at least; None without both ceilings, or when memory is the limit at every batch."""
    peak, rate = ceilings.flops_per_s, ceilings.read_bytes_per_s
    if not peak or not rate:
        return None

    def is_memory_bound(batch: float) -> bool:
        arithmetic_s = batch * work.token_operations(context_tokens) / peak
        return work.step_bytes(context_tokens, batch) / rate > arithmetic_s

    low, high = 1.0, _LARGEST_BATCH
    if not is_memory_bound(low):
        return low
    if is_memory_bound(high):
        return None
    while high - low > 1e-6 * low:
        middle = (low + high) / 2
        low, high = (middle, high) if is_memory_bound(middle) else (low, middle)
    return high


def measured_crossover_batch(sweep: Mapping[int, float]) -> float | None:
    """Return where the two lines of a sweep meet: speed rising with the batch as from its smallest, and its best.

    None with fewer than two sizes, or while speed still rises in step with the largest: then it lies beyond.
    """
    if len(sweep) < 2:
        return None
    smallest, largest = min(sweep), max(sweep)
    best = max(sweep.values())
    in_step = sweep[smallest] / smallest * largest
    if sweep[largest] == best and best > _STILL_IN_STEP * in_step:
        return None
    return best / (sweep[smallest] / smallest)
