"""Each rule fires on its cause, with numbers and a remedy's effect, and no rule fires on a healthy turn."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from app.engine.config import ModelConfig
from app.engine.events import Buffer, Device
from app.telemetry.ceilings import Ceilings
from app.telemetry.diagnosis import RULES, Case, Finding, Quantisation, compare, diagnose, measured
from app.telemetry.diagnosis.finding import Effect
from app.telemetry.speed import SpeedSample, fit_tpot, fit_ttft
from app.telemetry.system_state import SystemState
from app.telemetry.work import CacheRead, ModelWork
from tests.fakes import MIB, Answer, fake_model
from tests.turns import stats_of

GIB = 1024 * MIB
MODEL = fake_model()
CPU = Device("CPU", "Fake CPU", "cpu", "CPU", 16 * GIB, 9 * GIB)
FULL_CPU = replace(CPU, free_bytes=GIB)
GPU = Device("CUDA0", "Fake GPU", "gpu", "CUDA", 8 * GIB, 4 * GIB)
# 1 GB of weights, 50 kB of cache per token, on 10 GB/s and 100 GFLOP/s.
WORK = ModelWork(10**9, 0, 0, 0, 5 * 10**8, 0, 0, 0, 0, (CacheRead(4096, 50_000, 50_000),), (), 0)
CEILINGS = Ceilings(1e10, 1e11, datetime(2026, 3, 1, tzinfo=UTC), None)
# 50 ms + 2 ms per uncached token; 5 ms + 4 us per token of context.
SAMPLES = [
    SpeedSample(n, 0, 0.05 + 0.002 * n, float(n), 0.005 + 4e-6 * n, 50) for n in (20, 200, 500, 900, 1300, 1900, 2500)
]
TTFT, TPOT = fit_ttft(SAMPLES), fit_tpot(SAMPLES)
HEALTHY = Answer(pieces=("a",) * 20, prompt_tokens=300, cached_tokens=240, prefill_ms=120, itl_ms=6)


def case_of(answer: Answer = HEALTHY, model: dict[str, Any] | None = None, **known: Any) -> Case:
    circumstances: dict[str, Any] = {
        "config": ModelConfig(MODEL.info.path),
        "devices": (CPU,),
        "ceilings": CEILINGS,
        "system": SystemState(0.02, 0, False, 0.98),
        "ttft": TTFT,
        "tpot": TPOT,
        "previous_context_tokens": 240,
        "message_tokens": 40,
        "cores": 2,
        "quantisations": (Quantisation("Q2_K", "/models/q2.gguf", MODEL.info.file_bytes // 2),),
    }
    stats = known.pop("stats", None) or stats_of(answer)
    return Case(stats=stats, model=replace(MODEL, **(model or {})), **{**circumstances, **known})


def missing_prefix(reason: str = "The conversation's earlier text changed.") -> Any:
    return replace(stats_of(replace(HEALTHY, prompt_tokens=1300, cached_tokens=20, prefill_ms=2600)), cache_miss=reason)


SLOW = replace(HEALTHY, itl_ms=120)
FIRING: dict[str, Case] = {
    "long_prompt": case_of(replace(HEALTHY, prompt_tokens=2000, cached_tokens=240, prefill_ms=3600)),
    "prefix_lost": case_of(stats=missing_prefix(), previous_context_tokens=1240),
    "cpu_prefill": case_of(
        replace(HEALTHY, prompt_tokens=2000, prefill_ms=3600), devices=(CPU, GPU), gpu_layers_that_fit=31
    ),
    "cold_load": case_of(replace(HEALTHY, queue_ms=1200), turns_since_load=0),
    "small_batch": case_of(
        replace(HEALTHY, prompt_tokens=300, cached_tokens=0, prefill_ms=900), model={"n_ubatch": 8}, work=WORK
    ),
    "bandwidth_bound": case_of(replace(SLOW, itl_ms=130), work=WORK, tpot=None),
    "context_slowed": case_of(replace(HEALTHY, prompt_tokens=3000, cached_tokens=2950, itl_ms=17)),
    "layers_on_cpu": case_of(
        replace(SLOW, itl_ms=90),
        model={"layers_offloaded": 20},
        devices=(CPU, GPU),
        gpu_layers_that_fit=25,
        work=WORK,
        tpot=None,
    ),
    "kv_on_cpu": case_of(
        model={"layers_offloaded": 31},
        devices=(CPU, GPU),
        config=ModelConfig(MODEL.info.path, offload_kqv=False),
        work=WORK,
        tpot=None,
    ),
    "too_many_threads": case_of(model={"n_threads": 8}),
    "other_load": case_of(replace(HEALTHY, itl_ms=12), system=SystemState(0.45, 0, False, 0.98)),
    "paging": case_of(SLOW, system=SystemState(0.02, 200 * MIB, False, 0.98)),
    "battery": case_of(replace(HEALTHY, itl_ms=12), system=SystemState(0.02, 0, True, 0.98)),
    "throttled": case_of(replace(HEALTHY, itl_ms=12), system=SystemState(0.02, 0, False, 0.4)),
    "kv_share": case_of(model={"memory": replace(MODEL.memory, buffers=MODEL.memory.buffers[:2])}, devices=(FULL_CPU,)),
    "reserve_unused": case_of(devices=(FULL_CPU,)),
    "quantised_kv": case_of(devices=(FULL_CPU,)),
    "context_cut": case_of(replace(HEALTHY, finish_reason="context"), n_ctx_that_fits=6144),
    "batch": case_of(work=WORK, requests_waiting=3, tpot=None),
}
PROMISES = {  # key -> action, after: computed by hand from the models above
    "prefix_lost": ("new_conversation", 0.05 + 0.002 * 40),
    "context_slowed": ("new_conversation", 0.017 * (0.005 + 4e-6 * 50) / (0.005 + 4e-6 * 3010)),
    "bandwidth_bound": ("smaller_quant", 0.130 * (1.02565e9 - 0.5e9) / 1.02565e9),
    "reserve_unused": ("context", 92 * MIB + 17 * MIB + MIB // 5 + 768 * 23_040),
    "quantised_kv": ("kv_type", 92 * MIB + 17 * MIB + MIB // 5 + 4096 * 23_040 * 34 / 64),
    "context_cut": ("context", 92 * MIB + 17 * MIB + MIB // 5 + 6144 * 23_040),
}


def found(case: Case, key: str) -> Finding | None:
    return next((finding for finding in diagnose(case) if finding.key == key), None)


def test_every_rule_has_a_case_here() -> None:
    assert {rule.__name__ for rule in RULES} == FIRING.keys()


@pytest.mark.parametrize("key", FIRING)
def test_a_rule_fires_on_its_cause_with_evidence(key: str) -> None:
    finding = found(FIRING[key], key)
    assert finding is not None, diagnose(FIRING[key])
    assert finding.sentence.endswith((".", "}"))
    assert "{" not in finding.sentence
    assert finding.evidence
    assert all(evidence.name and evidence.value not in ("", None) for evidence in finding.evidence)
    for remedy in finding.remedies:
        assert remedy.expected.after is None or remedy.expected.after != remedy.expected.before


@pytest.mark.parametrize(
    "case",
    [
        case_of(),
        case_of(work=WORK, ttft=None, tpot=None),
        case_of(devices=(CPU, GPU), model={"layers_offloaded": 31}),
        case_of(system=None, cores=None, devices=()),
        case_of(Answer(pieces=("",)), turns_since_load=0),
        case_of(system=SystemState(0.45, 0, True, 0.4)),
    ],
    ids=["usual", "no forecast yet", "all on the GPU", "nothing known", "first of a session", "others busy, as fast"],
)
def test_no_rule_fires_on_a_healthy_turn(case: Case) -> None:
    assert diagnose(case) == ()


@pytest.mark.parametrize("key", [key for key in FIRING if key not in ("reserve_unused", "quantised_kv")])
def test_a_cause_is_not_mistaken_for_another(key: str) -> None:
    also = {"kv_share": {"quantised_kv", "reserve_unused"}, "cpu_prefill": {"long_prompt", "layers_on_cpu"}}
    keys = {finding.key for finding in diagnose(FIRING[key])}
    assert keys - also.get(key, set()) == {key}


@pytest.mark.parametrize("key", PROMISES)
def test_what_a_remedy_promises(key: str) -> None:
    action, after = PROMISES[key]
    finding = found(FIRING[key], key)
    assert finding is not None
    remedy = next(remedy for remedy in finding.remedies if remedy.action == action)
    assert remedy.expected.after == pytest.approx(after, rel=0.01)


def test_moved_layers_take_the_cpus_time_along() -> None:
    finding = found(FIRING["layers_on_cpu"], "layers_on_cpu")
    assert finding is not None
    (remedy,) = finding.remedies
    n_bytes = WORK.step_bytes(310)
    cpu_s = 11 / 31 * n_bytes / 1e10
    assert remedy.value == 25
    assert remedy.expected.after == pytest.approx(cpu_s * 6 / 11 + (0.09 - cpu_s) / 20 * 25)


def test_larger_micro_batches_promise_what_the_roofline_allows() -> None:
    finding = found(FIRING["small_batch"], "small_batch")
    assert finding is not None
    (remedy,) = finding.remedies
    now = WORK.prefill_bytes(0, 300, 8) / 1e10
    then = max(WORK.prefill_operations(0, 300) / 1e11, WORK.prefill_bytes(0, 300, 512) / 1e10)
    assert remedy.expected.after == pytest.approx(0.908 - 0.9 * (1 - then / now))


def test_without_curves_the_turns_own_rates_speak() -> None:
    finding = found(replace(FIRING["prefix_lost"], ttft=None), "prefix_lost")
    assert finding is not None
    assert finding.remedies[0].expected.after == pytest.approx(2.608 - 2.6 + 2.6 * 40 / 1280)


def test_the_reason_is_named_where_the_prefix_was_lost() -> None:
    finding = found(case_of(stats=missing_prefix("X changed."), previous_context_tokens=1240), "prefix_lost")
    assert finding is not None
    assert finding.sentence == "1,220 tokens that had been read were read again, about 2.5 of 2.6 s: X changed."
    assert finding.severity == "warning"


def test_worst_first() -> None:
    findings = diagnose(case_of(SLOW, model={"n_threads": 8}, devices=(FULL_CPU,), work=WORK, tpot=None))
    assert [finding.severity for finding in findings] == sorted(
        (finding.severity for finding in findings), key=["problem", "warning", "notice"].index
    )
    assert findings[0].key == "too_many_threads"


@pytest.mark.parametrize(
    ("expected", "after", "kept"),
    [
        (Effect("tpot_s", 0.020, 0.010), 0.012, 0.8),
        (Effect("tpot_s", 0.020, 0.010), 0.022, -0.2),
        (Effect("ttft_s", 3.0, None), 1.0, None),
        (Effect("memory_bytes", 4 * GIB, 3 * GIB), None, None),
    ],
)
def test_a_promise_is_held_against_what_was_measured(expected: Effect, after: float | None, kept: float | None) -> None:
    outcome = compare(expected, after)
    assert outcome.kept == (None if kept is None else pytest.approx(kept))
    assert "{" not in outcome.sentence


def test_the_promise_in_words() -> None:
    said = compare(Effect("tpot_s", 0.020, 0.010), 0.012).sentence
    assert said == "Promised 10 ms, measured 12 ms, before 20 ms: 80% of the promise."


def test_what_is_measured() -> None:
    turns = [stats_of(replace(HEALTHY, itl_ms=itl)) for itl in (6, 30, 8)]
    assert measured("tpot_s", turns) == pytest.approx(0.008)
    assert measured("ttft_s", []) is None
    assert measured("memory_bytes", [], MODEL) == MODEL.memory.total_bytes()


def test_a_cache_on_the_gpu_is_no_finding() -> None:
    buffers = (*MODEL.memory.buffers[:1], Buffer("CUDA0", "kv", 94_371_840))
    case = replace(
        FIRING["kv_on_cpu"],
        model=replace(MODEL, layers_offloaded=31, memory=replace(MODEL.memory, buffers=buffers)),
    )
    assert found(case, "kv_on_cpu") is None
