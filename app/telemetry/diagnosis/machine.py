"""Why writing is slow: what the machine was doing besides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.errors import Sentence
from app.telemetry.diagnosis.expect import SMALLER_KV, kv_memory_effect, smaller_kv_ratio, weights_memory_effect
from app.telemetry.diagnosis.finding import Effect, Evidence, Finding, Remedy

if TYPE_CHECKING:
    from app.telemetry.diagnosis.case import Case

_OTHERS_THAT_COUNT = 0.15
_SWAPPED_BYTES = 32 * 1024 * 1024
_SLOW_CLOCK = 0.7


def too_many_threads(case: Case) -> Finding | None:
    """More threads than cores: they wait for each other at every one of a model's some hundred steps."""
    threads, cores = case.model.n_threads, case.cores
    if cores is None or threads <= cores or case.model.layers_offloaded >= case.model.layers_total:
        return None
    before = case.stats.tpot_s or 0.0
    return Finding(
        "too_many_threads",
        "problem",
        Sentence(
            "{threads} threads share {cores} physical cores and wait for each other at every step.",
            threads=threads,
            cores=cores,
        ),
        (
            Evidence(Sentence("threads"), threads, "count"),
            Evidence(Sentence("physical cores"), cores, "count"),
            Evidence(Sentence("time per token"), before, "s"),
        ),
        (
            Remedy(
                "threads",
                Sentence("Use {cores} threads, one per core.", cores=cores),
                Effect("tpot_s", before, _at_the_ceiling(case, before)),
                cores,
            ),
        ),
    )


def _at_the_ceiling(case: Case, before: float) -> float | None:
    """What the bytes of a token take when the cores only read; None when that is not what bounds this model."""
    point, rate = case.decode, case.ceilings.read_bytes_per_s
    if point is None or point.share is None or not rate:
        return None
    return min(point.n_bytes / point.tokens / rate / _SHARE_OF_THE_CEILING, before)


_SHARE_OF_THE_CEILING = 0.65
"""Decode loops on CPUs reach 50 to 80 % of the bandwidth of plain reading."""


def other_load(case: Case) -> Finding | None:
    """Other programs took CPU time that the engine's threads then lacked."""
    others = case.system.others_cpu if case.system is not None else None
    if others is None or others < _OTHERS_THAT_COUNT or not _is_slowed(case):
        return None
    return Finding(
        "other_load",
        "warning",
        Sentence(
            "Other programs took {others:.0%} of the processor while this answer was written{beyond}.",
            others=others,
            beyond=_beyond(case),
        ),
        (Evidence(Sentence("processor time of other programs"), others, "share"), *_speed(case)),
    )


def paging(case: Case) -> Finding | None:
    """Memory is short: parts of it went to disk and back."""
    swapped = case.system.swapped_bytes if case.system is not None else None
    if swapped is None or swapped < _SWAPPED_BYTES or not (case.writing_is_slow or case.first_token_is_slow):
        return None
    reserved = case.model.memory.total_bytes("kv")
    remedies = []
    ratio = smaller_kv_ratio(case)
    if ratio is not None and reserved:
        sentence = Sentence("Keep K and V as {type}: {share:.0%} of the bytes.", type=SMALLER_KV, share=ratio)
        remedies.append(Remedy("kv_type", sentence, kv_memory_effect(case, ratio), SMALLER_KV))
    for smaller in case.quantisations:
        share = smaller.file_bytes / case.model.info.file_bytes
        if share < 1:
            sentence = Sentence("Use {name}: {share:.0%} of the bytes.", name=smaller.name, share=share)
            remedies.append(Remedy("smaller_quant", sentence, weights_memory_effect(case, share), smaller.path))
    return Finding(
        "paging",
        "problem",
        Sentence(
            "{size:,.0f} MiB went to swap space and back during this answer: memory is short.",
            size=swapped / 1024**2,
        ),
        (
            Evidence(Sentence("swapped"), swapped, "bytes"),
            Evidence(Sentence("memory of the model"), case.model.memory.total_bytes(), "bytes"),
            *_speed(case),
        ),
        tuple(remedies),
    )


def battery(case: Case) -> Finding | None:
    """On battery the system holds the processor back."""
    if case.system is None or not case.system.on_battery or not _is_slowed(case):
        return None
    return Finding(
        "battery",
        "notice",
        Sentence(
            "The machine runs on its battery, which holds the processor back{beyond}: plug it in.",
            beyond=_beyond(case),
        ),
        _speed(case),
    )


def throttled(case: Case) -> Finding | None:
    """The processor's clock is far below its maximum although it is busy."""
    share = case.system.frequency_share if case.system is not None else None
    if share is None or share >= _SLOW_CLOCK or not _is_slowed(case):
        return None
    return Finding(
        "throttled",
        "warning",
        Sentence(
            "The processor runs at {share:.0%} of its highest clock although it is busy{beyond}: it is hot, or the "
            "system saves power.",
            share=share,
            beyond=_beyond(case),
        ),
        (Evidence(Sentence("clock against its maximum"), share, "share"), *_speed(case)),
    )


def _is_slowed(case: Case) -> bool:
    """The engine's threads run on the CPU and came slower than they used to."""
    return case.model.layers_offloaded < case.model.layers_total and case.writing_is_slower_than_expected


def _beyond(case: Case) -> str:
    times = case.times_slower
    if times is None or times <= 1:
        return ""
    return Sentence(", {times:.1f} times as long per token as usual", times=times)


def _speed(case: Case) -> tuple[Evidence, ...]:
    evidence = [Evidence(Sentence("time per token"), case.stats.tpot_s or 0.0, "s")]
    if case.line is not None:
        evidence.append(Evidence(Sentence("usual at this context"), case.line.at(case.context_tokens).value, "s"))
    return tuple(evidence)
