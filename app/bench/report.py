"""Results as JSON objects and CSV: llama-bench's own field names and order, then those it has no name for."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from app.bench.row import mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from app.bench.row import BenchRow

FLASH_ATTENTION = {"auto": -1, "off": 0, "on": 1}
"""How llama-bench writes it: enum llama_flash_attn_type."""


def fields(row: BenchRow) -> dict[str, Any]:
    """Return all fields of a result.

    Those up to `stddev_ts` are llama-bench's (llama-bench.cpp, `test::get_fields`), then come its two lists of samples,
    then our own; a batch has those of llama-batched-bench's jsonl besides. `build_number`, which the library does not
    tell, is None. What cannot be set here has llama-bench's default.
    """
    subject, test, environment = row.subject, row.test, row.subject.environment
    values: dict[str, Any] = {
        "build_commit": environment.build_commit,
        "build_number": None,
        "cpu_info": environment.cpu_info,
        "gpu_info": environment.gpu_info,
        "backends": environment.backends,
        "model_filename": subject.model_filename,
        "model_type": environment.model_type,
        "model_size": environment.model_size,
        "model_n_params": environment.model_n_params,
        "n_batch": test.n_batch,
        "n_ubatch": test.n_ubatch,
        "n_threads": row.n_threads,
        "cpu_mask": "0x0",
        "cpu_strict": False,
        "poll": 50,
        "type_k": test.type_k,
        "type_v": test.type_v,
        "n_gpu_layers": environment.n_gpu_layers,
        "n_cpu_moe": 0,
        "split_mode": "layer",
        "main_gpu": 0,
        "no_kv_offload": False,
        "flash_attn": FLASH_ATTENTION[test.flash_attention],
        "devices": "auto",
        "tensor_split": "0.00",
        "tensor_buft_overrides": "none",
        "load_mode": "auto",
        "lazy_mode": "auto",
        "embeddings": False,
        "no_op_offload": 0,
        "no_host": False,
        "repack": environment.repack,
        "fit_target": 0,
        "fit_min_ctx": 0,
        "n_prompt": test.n_prompt,
        "n_gen": test.n_gen,
        "n_depth": test.n_depth,
        "test_time": row.test_time,
        "avg_ns": int(row.avg_ns),
        "stddev_ns": int(row.stddev_ns),
        "avg_ts": round(row.avg_ts, 6),
        "stddev_ts": round(row.stddev_ts, 6),
        "samples_ns": list(row.samples_ns),
        "samples_ts": [round(speed, 6) for speed in row.samples_ts],
    }
    values |= {
        "test": row.test.name,
        "method": row.method,
        "library": environment.library,
        "model_fingerprint": subject.fingerprint,
        "quantisation": subject.quantisation,
        "machine": subject.machine,
        "n_ctx": row.n_ctx,
        "spread": round(row.spread, 6),
        "others_cpu": None if row.others_cpu is None else round(row.others_cpu, 6),
        "disturbed": bool(row.disturbance),
        "disturbance": str(row.disturbance),
    }
    if row.method == "llama-batched-bench":
        values |= _batched_fields(row)
    if row.method == "end-to-end":
        values |= {
            "ttft_s": _mean_of_known(row.ttft_s),
            "tpot_s": _mean_of_known(row.tpot_s),
            "samples_ttft_s": list(row.ttft_s),
            "samples_tpot_s": list(row.tpot_s),
            "samples_tokens": list(row.sample_tokens),
        }
    return values


def _batched_fields(row: BenchRow) -> dict[str, Any]:
    """llama-batched-bench's own names; times and speeds are means over the repetitions."""
    test = row.test
    speed_tg = mean(row.gen_ts)
    return {
        "is_pp_shared": 0,
        "pp": test.n_prompt,
        "tg": test.n_gen,
        "pl": test.n_parallel,
        "n_kv": test.tokens,
        "t_pp": mean(row.prompt_ns) / 1e9,
        "speed_pp": round(mean(row.prompt_ts), 6) if row.prompt_ts else None,
        "t_tg": mean(row.gen_ns) / 1e9,
        "speed_tg": round(speed_tg, 6),
        "t": row.avg_ns / 1e9,
        "speed": round(row.avg_ts, 6),
        "speed_tg_per_request": round(speed_tg / test.n_parallel, 6),
        "samples_pp_ns": list(row.prompt_ns),
        "samples_tg_ns": list(row.gen_ns),
    }


def _mean_of_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return mean(known) if known else None


def json_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return a JSON array, one object per result."""
    return json.dumps(list(rows), ensure_ascii=False, indent=2) + "\n"


def json_line(row: Mapping[str, Any]) -> str:
    """Return one object on one line."""
    return json.dumps(row, ensure_ascii=False) + "\n"


def csv_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return CSV, every value in quotes and flags as 0 and 1 as llama-bench writes them; lists as JSON."""
    rows = list(rows)
    names = dict.fromkeys(name for row in rows for name in row)
    out = io.StringIO()
    out.write(",".join(names) + "\n")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    for row in rows:
        writer.writerow(_cell(row.get(name)) for name in names)
    return out.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, list):
        return json.dumps(value)
    return "" if value is None else value
