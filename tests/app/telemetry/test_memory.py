"""Predicted beside measured, why a GPU idles, and the way from the classic formula to the truth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.engine.config import ModelConfig
from app.engine.events import Buffer, Device, KvCache, LoadedModel, MemoryBreakdown, ModelLoaded
from app.engine.process import EngineProcess
from app.telemetry.memory import (
    ClassicFormula,
    classic_formula,
    comparison_table,
    devices_table,
    memory_rows,
    why_gpu_idles,
)
from app.telemetry.plan import DevicePlan, Plan
from tests.fakes import MIB, fake_model
from tests.planners import CPU, GPU, ScriptedPlanner

if TYPE_CHECKING:
    from app.engine.self_test import SelfTests

CONFIG = ModelConfig(Path("fake.gguf"))


def with_buffers(*buffers: Buffer) -> LoadedModel:
    return replace(fake_model(), memory=MemoryBreakdown(buffers, ()))


def plan_of(*devices: DevicePlan) -> Plan:
    return replace(ScriptedPlanner().plan(CONFIG), devices=devices)


def test_buffers_are_added_up_by_kind_and_device() -> None:
    model = with_buffers(
        Buffer("CPU_Mapped", "weights", 90),
        Buffer("CPU_REPACK", "weights", 60),
        Buffer("CUDA0", "weights", 40),
        Buffer("CUDA0", "kv", 32),
        Buffer("CUDA0", "compute", 8),
        Buffer("CUDA_Host", "compute", 2),
        Buffer("CUDA_Host", "output", 1),
    )
    plan = plan_of(
        DevicePlan(CPU, weights_bytes=150, compute_bytes=3, output_bytes=1),
        DevicePlan(GPU, weights_bytes=40, kv_bytes=30, compute_bytes=8),
    )
    rows = memory_rows(plan, model)
    assert [(row.kind, row.device, row.predicted_bytes, row.measured_bytes, row.difference_bytes) for row in rows] == [
        ("weights", "CPU", 150, 150, 0),
        ("weights", "CUDA0", 40, 40, 0),
        ("kv", "CUDA0", 30, 32, 2),
        ("compute", "CPU", 3, 2, -1),
        ("compute", "CUDA0", 8, 8, 0),
        ("output", "CPU", 1, 1, 0),
    ]
    assert rows[0].buffers == ("CPU_Mapped", "CPU_REPACK")
    assert comparison_table(rows).rows[0] == ("weights", "CPU", "CPU_Mapped + CPU_REPACK", 150, 150, 0)


def test_an_rpc_buffer_belongs_to_its_device_and_nothing_is_lost_without_a_plan() -> None:
    model = with_buffers(Buffer("CPU", "kv", 1), Buffer("RPC0[127.0.0.1:50052]", "kv", 2))
    rows = memory_rows(None, model)
    assert [(row.device, row.predicted_bytes, row.measured_bytes) for row in rows] == [
        ("CPU", None, 1),
        ("RPC0", None, 2),
    ]
    assert [row.difference_bytes for row in rows] == [None, None]


def test_what_was_planned_and_is_not_there_is_a_row_too() -> None:
    (row,) = memory_rows(plan_of(DevicePlan(CPU, kv_bytes=5)), with_buffers())
    assert (row.measured_bytes, row.difference_bytes) == (0, -5)


@pytest.mark.parametrize(
    ("asked", "devices", "offloaded", "backends", "reason"),
    [
        ("all", (CPU, GPU), 31, ("CUDA",), ""),
        ("auto", (CPU,), 0, (), ""),
        (0, (CPU,), 0, (), ""),
        (0, (CPU, GPU), 0, ("CUDA",), "not_asked"),
        ("auto", (CPU, GPU), 0, ("CUDA",), "did_not_fit"),
        (12, (CPU,), 0, (), "no_backend"),
        ("all", (CPU,), 0, ("CUDA",), "no_device"),
    ],
)
def test_why_a_gpu_idles(
    asked: int | str, devices: tuple[Device, ...], offloaded: int, backends: tuple[str, ...], reason: str
) -> None:
    config = replace(CONFIG, n_gpu_layers=asked)  # type: ignore[arg-type]  # the literals are in the list above
    model = replace(fake_model(), layers_offloaded=offloaded, gpu_backends=backends)
    assert why_gpu_idles(config, model, devices) == reason


def test_devices_for_other_programs() -> None:
    table = devices_table((CPU, replace(GPU, total_bytes=None, free_bytes=None)))
    assert table.columns[-1] == "used_bytes"
    assert [row[-1] for row in table.rows] == [4096 * MIB, None]


def formula(model: LoadedModel, asked: int | None = None) -> ClassicFormula:
    result = classic_formula(model, asked)
    assert result is not None
    assert result.classic_bytes + sum(item.size_bytes for item in result.differences) == result.exact_bytes
    return result


def test_where_the_formula_holds_there_is_no_difference() -> None:
    result = formula(fake_model())
    assert (result.n_layer, result.n_ctx, result.n_head_kv, result.head_dim) == (30, 4096, 3, 64)
    assert (result.k_bytes, result.v_bytes) == (2, 2)
    assert result.classic_bytes == 30 * 4096 * 3 * 64 * 2 * 2
    assert result.differences == ()


def test_padding_and_block_scales_are_named() -> None:
    memory = MemoryBreakdown((), (KvCache(4096, 30, 30 * 3 * (2 * 34 + 2 * 18)),))
    model = replace(fake_model(), memory=memory, type_k="q8_0", type_v="q4_0")
    result = formula(model, asked=4000)
    assert (result.k_bytes, result.v_bytes) == (1, 0.5)
    assert [item.kind for item in result.differences] == ["padding", "precision"]
    assert result.differences[0].size_bytes == 96 * 30 * 192 * 1.5
    # 32 values: 34 bytes for 32, and 18 for 16
    assert result.differences[1].size_bytes == 4096 * 30 * 3 * 2 * (34 + 18 - 48)


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("llama-dense", []),
        ("gemma3-dense", ["window"]),
        ("deepseek2-moe", ["dimensions", "no_v"]),
        ("jamba-dense", ["no_cache"]),
        ("deepseek4-moe", None),
    ],
)
def test_on_real_architectures_the_steps_lead_to_what_is_allocated(
    architectures: Path, self_tests: SelfTests, name: str, kinds: list[str] | None
) -> None:
    engine = EngineProcess(self_tests)
    loaded = list(engine.load(ModelConfig(architectures / f"{name}.gguf", n_ctx=4096)))[-1]
    engine.close()
    assert isinstance(loaded, ModelLoaded), loaded
    result = formula(loaded.model)
    assert result.exact_bytes == loaded.model.memory.total_bytes("kv")
    if kinds is not None:
        assert [item.kind for item in result.differences] == kinds
    assert bool(result.recurrent_bytes) == (name in ("jamba-dense", "deepseek4-moe"))


def test_a_recurrent_model_has_no_such_formula() -> None:
    info = replace(fake_model().info, n_head_kv=None)
    assert classic_formula(replace(fake_model(), info=info)) is None
