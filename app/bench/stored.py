"""Results that were kept, as values again: the way back from `report.fields`, and what they tell of a plan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.bench.plan import BenchGrid
from app.bench.row import BenchRow, Subject, phase_speeds
from app.bench.time_left import TimeLeft, Work
from app.engine.bench import BenchEnvironment, BenchTest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from app.bench.plan import BenchGroup
    from app.engine.config import FlashAttention

_FLASH_ATTENTION: dict[int, FlashAttention] = {-1: "auto", 0: "off", 1: "on"}
"""`report.FLASH_ATTENTION`, read backwards."""
_ENVIRONMENT = ("build_commit", "library", "cpu_info", "gpu_info", "backends", "model_type", "model_size",
                "model_n_params", "n_gpu_layers", "repack")  # fmt: skip


def row_from(values: Mapping[str, Any]) -> BenchRow:
    """Return the result whose `report.fields` these are.

    Raises:
        KeyError, TypeError: it has not all of them.
    """
    method = values["method"]
    test = BenchTest(
        n_prompt=values["n_prompt"],
        n_gen=values["n_gen"],
        n_depth=values["n_depth"],
        n_parallel=values.get("pl", 0),
        n_batch=values["n_batch"],
        n_ubatch=values["n_ubatch"],
        n_threads=values["n_threads"],
        type_k=values["type_k"],
        type_v=values["type_v"],
        flash_attention=_FLASH_ATTENTION[values["flash_attn"]],
    )
    samples_ns = tuple(values["samples_ns"])
    return BenchRow(
        method=method,
        subject=Subject(
            environment=BenchEnvironment(**{name: values[name] for name in _ENVIRONMENT}),
            model_filename=values["model_filename"],
            fingerprint=values["model_fingerprint"],
            quantisation=values["quantisation"],
            machine=values["machine"],
        ),
        test=test,
        samples_ns=samples_ns,
        sample_tokens=tuple(values.get("samples_tokens") or (test.tokens,) * len(samples_ns)),
        n_threads=values["n_threads"],
        n_ctx=values["n_ctx"],
        test_time=values["test_time"],
        prompt_ns=tuple(values.get("samples_pp_ns", ())),
        gen_ns=tuple(values.get("samples_tg_ns", ())),
        ttft_s=tuple(values.get("samples_ttft_s", ())),
        tpot_s=tuple(values.get("samples_tpot_s", ())),
        others_cpu=values["others_cpu"],
    )


def grid_of(rows: Iterable[BenchRow]) -> BenchGrid:
    """Return a grid with the settings these results have, for the columns of a table; it is not to be run."""
    rows = tuple(rows)
    return BenchGrid(
        models=(),
        n_batch=_distinct(row.test.n_batch for row in rows),
        n_ubatch=_distinct(row.test.n_ubatch for row in rows),
        n_gpu_layers=_distinct(row.subject.environment.n_gpu_layers for row in rows),
        type_k=_distinct(row.test.type_k for row in rows),
        type_v=_distinct(row.test.type_v for row in rows),
        flash_attention=_distinct(row.test.flash_attention for row in rows),
    )


def batch_sweep(results: Iterable[tuple[str, BenchRow]], model: Path) -> dict[int, float]:
    """Return sequences in a step -> tokens per second of all together, of the model's last run with several sizes.

    Empty without one. Results that other load disturbed do not count.

    Args:
        results: each with the id of its run, oldest first.
    """
    sweeps: dict[object, dict[int, float]] = {}
    for run_id, row in results:
        if row.method != "llama-batched-bench" or row.disturbance or Path(row.subject.model_filename) != model:
            continue
        settings = (run_id, replace(row.test, n_parallel=0), row.subject.environment.n_gpu_layers)
        speed = phase_speeds(row).get("tg")
        if speed is not None:
            sweeps.setdefault(settings, {})[row.test.n_parallel] = speed[0]
    return next((sweep for sweep in reversed(sweeps.values()) if len(sweep) > 1), {})


def _distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(values))


def expected_seconds(
    plan: Sequence[BenchGroup], repetitions: int, warm_up: bool, known: Iterable[BenchRow]
) -> float | None:
    """Return about how long a plan takes without its loads, from earlier results of the same models on this machine.

    None while a model of the plan has none.
    """
    by_model: dict[str, TimeLeft] = {}
    for row in known:
        if row.method == "llama-bench" and row.samples_ns:
            time_left = by_model.setdefault(row.subject.model_filename, TimeLeft(repetitions, warm_up))
            time_left.observe(row.test, "run", int(row.avg_ns))
    total = 0.0
    for group in plan:
        time_left_of_model = by_model.get(str(group.model))
        seconds = time_left_of_model.seconds([Work((*group.tests, *group.chats))]) if time_left_of_model else None
        if seconds is None:
            return None
        total += seconds
    return total
