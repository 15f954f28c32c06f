"""`tokometer plan`: what llama.cpp will allocate for a file, before it is loaded."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.cli.options import load_config
from app.engine.config import KV_TYPES
from app.engine.dry_run import DryRuns
from app.errors import BadInputError
from app.paths import paths
from app.telemetry.planner import Planner

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path

    from app.engine.config import ModelConfig
    from app.engine.events import BufferKind
    from app.telemetry.plan import DevicePlan, Plan

_KINDS: tuple[BufferKind, ...] = ("weights", "kv", "recurrent", "compute", "output")
_HEADINGS = ("device", "weights", "KV", "recurrent", "compute", "output", "total", "free")


def run(options: argparse.Namespace) -> int:
    """Print a plan for every file. Raises TokometerError for the first that cannot be planned."""
    planner = Planner(DryRuns(paths().cache))
    try:
        configs = [load_config(options, path) for path in options.files]
        plans = [_plan(planner, config) for config in configs]
        for path, plan in zip(options.files, plans, strict=True):
            if plan.refused:
                raise BadInputError(f"{path.name}: {plan.refused}")
        largest = [_largest(planner, config) for config in configs] if options.max else []
    finally:
        planner.close()
    if options.json:
        reports = [_report(plan, path) for plan, path in zip(plans, options.files, strict=True)]
        for report, by_type in zip(reports, largest, strict=False):
            report["max_n_ctx_by_kv_type"] = by_type
        print(json.dumps(reports[0] if len(reports) == 1 else reports, ensure_ascii=False, indent=1))
    else:
        print(_text(options.files, plans, largest))
    return 0


def _plan(planner: Planner, config: ModelConfig) -> Plan:
    """Plan for the context asked for; without one, for the one the model was trained for, or the largest that fits."""
    if config.n_ctx is not None:
        return planner.plan(config)
    plan = planner.plan(config)
    n_ctx = plan.max_n_ctx_that_fits or plan.n_ctx
    return planner.plan(replace(config, n_ctx=n_ctx))


def _largest(planner: Planner, config: ModelConfig) -> dict[str, int | None]:
    """Return the largest context per type of K and V; None where none fits or llama.cpp refuses the type."""
    found: dict[str, int | None] = {}
    for kv_type in KV_TYPES:
        plan = planner.plan(replace(config, n_ctx=None, type_k=kv_type, type_v=kv_type))
        found[kv_type] = None if plan.refused else plan.max_n_ctx_that_fits
    return found


def _report(plan: Plan, path: Path) -> dict[str, Any]:
    return {
        "model": str(path),
        "arch": plan.architecture,
        "n_params": plan.n_params,
        "n_ctx": plan.n_ctx,
        "n_ctx_train": plan.n_ctx_train,
        "weights_bytes": plan.total_bytes("weights"),
        "kv_bytes": plan.total_bytes("kv"),
        "recurrent_bytes": plan.total_bytes("recurrent"),
        "compute_bytes": plan.total_bytes("compute"),
        "output_bytes": plan.total_bytes("output"),
        "total_bytes": plan.total_bytes(),
        "host_bytes": plan.host_bytes,
        "process_bytes": plan.process_bytes,
        "kv_bytes_per_token": plan.kv_bytes_per_token,
        "kv_class": plan.kv_class,
        "max_n_ctx_that_fits": plan.max_n_ctx_that_fits,
        "n_gpu_layers": plan.n_gpu_layers,
        "n_layers_total": plan.layers_total,
        "flash_attention": plan.flash_attention,
        "fits": plan.fits,
        "choice": plan.choice,
        "source": plan.source,
        "devices": [_device(device) for device in plan.devices],
    }


def _device(plan: DevicePlan) -> dict[str, Any]:
    return {
        "name": plan.device.name,
        "kind": plan.device.kind,
        "total_bytes": plan.device.total_bytes,
        "free_bytes": plan.device.free_bytes,
        "used_bytes": plan.used_bytes,
        **{f"{kind}_bytes": getattr(plan, f"{kind}_bytes") for kind in _KINDS},
    }


# -- for people -------------------------------------------------------------------------------------------------------


def _text(files: Sequence[Path], plans: Sequence[Plan], largest: Sequence[dict[str, int | None]]) -> str:
    blocks = [_one(files[0], plans[0])] if len(plans) == 1 else [_compared(files, plans)]
    if largest:
        blocks.append(_largest_text(files, largest))
    return "\n\n".join(blocks)


def _one(path: Path, plan: Plan) -> str:
    lines = [
        f"{path.name}: {plan.architecture}, {_millions(plan.n_params)} parameters, {plan.n_layer} layers",
        f"context {plan.n_ctx:,} tokens (trained for {plan.n_ctx_train:,}), {_attention(plan)}",
        f"memory  {plan.kv_class}, {plan.kv_bytes_per_token:,} bytes per token",
        "",
    ]
    rows: list[Sequence[str]] = [_HEADINGS]
    for device in plan.devices:
        sizes = [_size(getattr(device, f"{kind}_bytes")) for kind in _KINDS]
        rows.append((device.device.name, *sizes, _size(device.used_bytes), _size(device.device.free_bytes)))
    if len(plan.devices) > 1:
        rows.append(("all", *(_size(plan.total_bytes(kind)) for kind in _KINDS), _size(plan.total_bytes()), ""))
    lines += [*_table(rows), "", _verdict(plan)]
    if plan.choice:
        lines.append(plan.choice)
    lines.append(f"Largest context that fits: {_tokens(plan.max_n_ctx_that_fits)}.")
    if plan.process_bytes is not None:
        host, process = _size(plan.host_bytes), _size(plan.process_bytes)
        lines.append(
            f"The process grows by {process}: with vocabulary, graphs and scratch memory, {host} beside the buffers."
        )
    lines.append(_source(plan))
    return "\n".join(lines)


def _compared(files: Sequence[Path], plans: Sequence[Plan]) -> str:
    rows: list[Sequence[str]] = [("model", "context", *_HEADINGS[1:7], "bytes/token", "largest context", "fits")]
    for path, plan in zip(files, plans, strict=True):
        sizes = [_size(plan.total_bytes(kind)) for kind in _KINDS]
        verdict = "yes" if plan.fits else "no"
        per_token, largest = f"{plan.kv_bytes_per_token:,}", _tokens(plan.max_n_ctx_that_fits)
        rows.append((path.name, f"{plan.n_ctx:,}", *sizes, _size(plan.total_bytes()), per_token, largest, verdict))
    return "\n".join([*_table(rows), "", *dict.fromkeys(_source(plan) for plan in plans)])


def _largest_text(files: Sequence[Path], largest: Sequence[dict[str, int | None]]) -> str:
    rows = [("K and V", *(path.name for path in files))]
    for kv_type in KV_TYPES:
        rows.append((kv_type, *(_tokens(found[kv_type]) for found in largest)))
    return "\n".join(["Largest context that fits, in tokens", *_table(rows)])


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            text.ljust(width) if column == 0 else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _verdict(plan: Plan) -> str:
    short = [device for device in plan.devices if (device.left_bytes or 0) < 0]
    if short:
        lacks = " and ".join(f"{_size(-(device.left_bytes or 0))} on {device.device.name}" for device in short)
        return f"It does not fit: {lacks} are missing."
    left = [f"{_size(d.left_bytes)} of {d.device.name}" for d in plan.devices if d.left_bytes is not None]
    return f"It fits: {', '.join(left)} stay free." if left else "The devices do not say what is free."


def _source(plan: Plan) -> str:
    if plan.source == "dry run":
        return "Compute and output buffers: measured by a dry run."
    return f"Compute and output buffers: estimated. {plan.note}".rstrip()


def _attention(plan: Plan) -> str:
    return "flash attention" if plan.flash_attention else "no flash attention"


def _millions(count: int) -> str:
    return f"{count / 1e9:.3g} billion" if count >= 1e9 else f"{count / 1e6:.4g} million"


def _tokens(count: int | None) -> str:
    return "none" if count is None else f"{count:,}"


def _size(size_bytes: int | None) -> str:
    """MiB below one GiB, GiB above."""
    if size_bytes is None:
        return "n/a"
    if size_bytes >= 1024**3:
        return f"{size_bytes / 1024**3:.2f} GiB"
    return f"{size_bytes / 1024**2:.2f} MiB" if size_bytes else "0"
