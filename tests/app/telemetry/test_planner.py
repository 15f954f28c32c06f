"""Plans against the recorded truth, without a process where none is needed, and when measuring fails."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.engine.config import ModelConfig
from app.engine.dry_run import DryRuns
from app.engine.events import Device
from app.engine.memory import architectures as arch
from app.engine.model_file import read_model
from app.errors import BadInputError, EngineCrashedError, ModelFileError, UnknownArchitectureError
from app.telemetry.planner import Planner

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.engine.measured import Measured
    from app.telemetry.plan import Plan

MIB = 1024 * 1024
GIB = 1024**3
TRUTH = [
    json.loads(line) for line in (Path(__file__).parents[2] / "models" / "memory_truth.jsonl").read_text().splitlines()
]
FLASH_ATTENTION = {-1: "auto", 0: "off", 1: "on"}
CPU = Device("CPU", "a processor", "cpu", "CPU", 64 * GIB, 32 * GIB)


class OneProcessor(DryRuns):
    """Dry runs on a machine with one CPU and nothing else."""

    def devices(self, rpc_servers: tuple[str, ...] = ()) -> tuple[Device, ...]:
        return (CPU,)


class Dying(OneProcessor):
    """Dry runs whose child dies at every question."""

    def measure(self, configs: Sequence[ModelConfig], devices: Sequence[Device]) -> tuple[Measured, ...]:
        raise EngineCrashedError("The memory cannot be measured: the process that does it ended (SIGSEGV).")


@pytest.fixture(scope="module")
def planner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planner]:
    planner = Planner(OneProcessor(tmp_path_factory.mktemp("cache")))
    yield planner
    planner.close()


def config_of(row: dict[str, Any], architectures: Path, starter: Path) -> ModelConfig:
    return ModelConfig(
        starter if row["arch"].startswith("SmolLM2") else architectures / f"{row['arch']}.gguf",
        n_ctx=row["n_ctx"],
        type_k=row["type_k"],
        type_v=row["type_v"],
        flash_attention=FLASH_ATTENTION[row["fa"]],
        swa_full=row["swa_full"],
    )


every_row = pytest.mark.parametrize(
    "row", TRUTH, ids=lambda row: "{arch}-{n_ctx}-{type_k}-fa{fa}-{swa_full}".format(**row)
)


@every_row
def test_the_recorded_truth(row: dict[str, Any], architectures: Path, starter: Path, planner: Planner) -> None:
    plan = planner.plan(config_of(row, architectures, starter))
    assert (plan.source, plan.note, plan.refused) == ("dry run", "", "")
    assert plan.n_ctx == row["n_ctx_actual"]
    # The truth has two decimals per buffer, and a cache of two classes two buffers.
    assert plan.total_bytes("kv") == pytest.approx(row["kv"] * MIB, abs=0.011 * MIB)
    if row["arch"] != "deepseek4-moe":  # the recorded truth leaves its compressor states out
        assert plan.total_bytes("recurrent") == pytest.approx(row["rs"] * MIB, abs=0.011 * MIB)
    assert plan.total_bytes("weights") == pytest.approx(row["model"] * MIB, abs=0.011 * MIB)
    assert plan.total_bytes("compute") == pytest.approx(row["compute"] * MIB, rel=0.01, abs=0.006 * MIB)
    assert plan.total_bytes("output") == pytest.approx(row["output"] * MIB, rel=0.01, abs=0.006 * MIB)


@every_row
def test_an_estimate_needs_no_process_and_is_not_too_low(
    row: dict[str, Any], architectures: Path, starter: Path, tmp_path: Path
) -> None:
    runs = OneProcessor(tmp_path)
    plan = Planner(runs).plan(config_of(row, architectures, starter), accuracy="estimate")
    assert runs.children_started == 0
    assert plan.source == "estimate"
    assert plan.total_bytes("kv") == pytest.approx(row["kv"] * MIB, abs=0.011 * MIB)
    assert row["compute"] * MIB <= plan.total_bytes("compute") <= 2.5 * row["compute"] * MIB + 16 * MIB


@every_row
def test_a_header_alone_gives_the_same_estimate(
    row: dict[str, Any], architectures: Path, starter: Path, tmp_path: Path
) -> None:
    config = config_of(row, architectures, starter)
    planner = Planner(OneProcessor(tmp_path))
    _, header = read_model(config.path)
    away = replace(config, path=tmp_path / "not_here.gguf")
    assert planner.plan(away, header=header) == planner.plan(config, accuracy="estimate")


def test_a_header_of_an_unknown_architecture_is_one_sentence(
    architectures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, header = read_model(architectures / "gemma3-dense.gguf")
    monkeypatch.setattr(arch, "KNOWN", frozenset())
    with pytest.raises(UnknownArchitectureError, match="architecture gemma3 takes can be said only once"):
        Planner(OneProcessor(tmp_path)).plan(ModelConfig(tmp_path / "not_here.gguf"), header=header)


def test_an_estimate_runs_through_what_was_measured(architectures: Path, planner: Planner) -> None:
    config = ModelConfig(architectures / "llama-dense.gguf", flash_attention="off")
    near = [planner.plan(replace(config, n_ctx=n_ctx)) for n_ctx in (4096, 16_384)]
    between = planner.plan(replace(config, n_ctx=8192), accuracy="estimate").total_bytes("compute")
    assert between == pytest.approx(
        sum((2, 1)[i] * plan.total_bytes("compute") for i, plan in enumerate(near)) / 3, 1e-3
    )
    assert between == pytest.approx(51.51 * MIB, rel=0.01)  # what llama.cpp takes


def test_a_second_plan_needs_no_process(architectures: Path, tmp_path: Path) -> None:
    config = ModelConfig(architectures / "gemma3-dense.gguf", n_ctx=2048)
    first = Planner(OneProcessor(tmp_path))
    plan = first.plan(config)
    first.close()
    runs = OneProcessor(tmp_path)
    assert Planner(runs).plan(config) == plan
    assert runs.children_started == 0


def test_the_largest_context_fits_and_the_next_does_not(starter: Path, tmp_path: Path) -> None:
    class Small(OneProcessor):
        def devices(self, rpc_servers: tuple[str, ...] = ()) -> tuple[Device, ...]:
            return (replace(CPU, free_bytes=GIB + 220 * MIB),)

    planner = Planner(Small(tmp_path))
    config = ModelConfig(starter)
    largest = planner.largest_n_ctx(config)
    assert largest is not None
    assert largest % 256 == 0
    left = [planner.plan(replace(config, n_ctx=n_ctx)).devices[0].left_bytes for n_ctx in (largest, largest + 256)]
    planner.close()
    assert left[0] is not None
    assert left[1] is not None
    assert left[1] < config.reserve_bytes <= left[0]


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"type_v": "q8_0", "flash_attention": "off"}, "flash attention"),
        ({"type_k": "q8_0", "path": "deepseek2-moe.gguf"}, "MLA"),
    ],
)
def test_what_llama_cpp_refuses_is_said(
    settings: dict[str, Any], word: str, architectures: Path, planner: Planner
) -> None:
    path = architectures / settings.pop("path", "llama-dense.gguf")
    plan = planner.plan(ModelConfig(path, n_ctx=1024, **settings))
    assert word in plan.refused
    assert not plan.fits
    assert plan.max_n_ctx_that_fits is None


def test_a_child_that_dies_leaves_an_estimate(architectures: Path, tmp_path: Path) -> None:
    plan = Planner(Dying(tmp_path)).plan(ModelConfig(architectures / "llama-dense.gguf", n_ctx=1024))
    assert plan.source == "estimate"
    assert "SIGSEGV" in plan.note
    assert plan.total_bytes("kv") == 2 * MIB


def test_an_unknown_architecture_is_measured(
    architectures: Path, planner: Planner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = ModelConfig(architectures / "gemma3-dense.gguf", n_ctx=4096)
    known = planner.plan(config)
    monkeypatch.setattr(arch, "KNOWN", arch.KNOWN - {"gemma3"})
    fallback = Planner(OneProcessor(tmp_path))
    plan = fallback.plan(config, accuracy="estimate")
    fallback.close()
    assert (plan.kv_class, plan.source) == ("unknown", "dry run")
    for kind in ("kv", "compute", "output"):
        assert plan.total_bytes(kind) == known.total_bytes(kind)
    assert plan.total_bytes("weights") == pytest.approx(known.total_bytes("weights"), rel=0.01)
    assert plan.kv_bytes_per_token == known.kv_bytes_per_token


def test_an_unknown_architecture_that_cannot_be_measured_is_one_sentence(
    architectures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arch, "KNOWN", frozenset())
    with pytest.raises(EngineCrashedError, match="cannot be measured"):
        Planner(Dying(tmp_path)).plan(ModelConfig(architectures / "gemma3-dense.gguf", n_ctx=4096))


@pytest.mark.parametrize("content", [None, b"", b"GGUF", b"no model at all", b"GGUF\x03" + bytes(60)])
def test_a_bad_file_is_one_sentence(content: bytes | None, tmp_path: Path, planner: Planner) -> None:
    path = tmp_path / "bad.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelFileError, match=r"bad\.gguf"):
        planner.plan(ModelConfig(path))


def test_a_device_that_is_not_there_is_one_sentence(architectures: Path, planner: Planner) -> None:
    with pytest.raises(BadInputError, match="CUDA7"):
        planner.plan(ModelConfig(architectures / "llama-dense.gguf", devices=("CUDA7",)))


def test_layers_on_a_gpu_are_taken_off_the_cpu(starter: Path, tmp_path: Path) -> None:
    class WithCard(OneProcessor):
        def devices(self, rpc_servers: tuple[str, ...] = ()) -> tuple[Device, ...]:
            return (Device("CUDA0", "a card", "gpu", "CUDA", 8 * GIB, 8 * GIB), CPU)

    planner = Planner(WithCard(tmp_path))
    plans: list[Plan] = [
        planner.plan(ModelConfig(starter, n_ctx=2048, n_gpu_layers=layers), accuracy="estimate") for layers in (0, 12)
    ]
    on_cpu, shared = plans
    assert (on_cpu.n_gpu_layers, shared.n_gpu_layers, shared.layers_total) == (0, 12, 31)
    card, cpu = shared.devices
    assert card.kv_bytes == 11 * 2048 * 768
    assert cpu.kv_bytes == 19 * 2048 * 768
    assert on_cpu.devices[0].kv_bytes == 0
    assert on_cpu.total_bytes("kv") == shared.total_bytes("kv")
