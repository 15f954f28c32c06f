"""Dry runs in their child: the recorded truth for every kind of memory, what is refused, what is remembered."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.engine.config import ModelConfig
from app.engine.dry_run import DryRuns
from app.engine.events import Device
from app.errors import EngineCrashedError, EngineError, ModelFileError

if TYPE_CHECKING:
    from collections.abc import Iterator

MIB = 1024 * 1024
ROUNDED = 0.011 * MIB  # the truth and llama.cpp's log have two decimals
MODELS = Path(__file__).parents[2] / "models"
TRUTH = [json.loads(line) for line in (MODELS / "memory_truth.jsonl").read_text().splitlines()]
FLASH_ATTENTION = {-1: "auto", 0: "off", 1: "on"}
CPU = (Device("CPU", "a processor", "cpu", "CPU", 64 << 30, 32 << 30),)


def config_of(row: dict[str, Any], path: Path) -> ModelConfig:
    return ModelConfig(
        path,
        n_ctx=row["n_ctx"],
        n_gpu_layers=0,
        type_k=row["type_k"],
        type_v=row["type_v"],
        flash_attention=FLASH_ATTENTION[row["fa"]],
        swa_full=row["swa_full"],
    )


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DryRuns]:
    runs = DryRuns(tmp_path_factory.mktemp("cache"))
    yield runs
    runs.close()


@pytest.fixture
def dry_runs(tmp_path: Path) -> Iterator[DryRuns]:
    runs = DryRuns(tmp_path / "cache")
    yield runs
    runs.close()


@pytest.mark.parametrize("row", TRUTH, ids=lambda row: "{arch}-{n_ctx}-{type_k}-fa{fa}-{swa_full}".format(**row))
def test_the_recorded_truth(row: dict[str, Any], architectures: Path, starter: Path, shared: DryRuns) -> None:
    path = starter if row["arch"].startswith("SmolLM2") else architectures / f"{row['arch']}.gguf"
    (measured,) = shared.measure([config_of(row, path)], CPU)
    assert not measured.refused
    assert measured.n_ctx == row["n_ctx_actual"]
    memory = measured.memory
    caches = sum(cache.cells * cache.bytes_per_cell for cache in memory.kv_caches)
    assert caches == pytest.approx(row["kv"] * MIB, abs=ROUNDED * max(1, len(memory.kv_caches)))
    assert memory.total_bytes("compute") == pytest.approx(row["compute"] * MIB, rel=0.01, abs=ROUNDED)
    assert memory.total_bytes("output") == pytest.approx(row["output"] * MIB, rel=0.01, abs=ROUNDED)
    if row["arch"] != "deepseek4-moe":  # the recorded truth leaves its compressor states out
        assert memory.total_bytes("recurrent") == pytest.approx(row["rs"] * MIB, abs=ROUNDED)


def test_what_llama_cpp_refuses_is_one_sentence(architectures: Path, dry_runs: DryRuns) -> None:
    good = ModelConfig(architectures / "llama-dense.gguf", n_ctx=1024, n_gpu_layers=0)
    refused, made = dry_runs.measure([replace(good, type_v="q8_0", flash_attention="off"), good], CPU)
    assert refused.refused.startswith("llama.cpp refuses this context: ")
    assert "flash_attn" in refused.refused or "Flash" in refused.refused
    assert refused.refused.count(".") <= 2
    assert (made.refused, made.n_ctx) == ("", 1024)


def test_a_second_question_needs_no_child(architectures: Path, dry_runs: DryRuns, tmp_path: Path) -> None:
    config = ModelConfig(architectures / "gemma3-dense.gguf", n_ctx=1024, n_gpu_layers=0)
    first = dry_runs.measure([config, replace(config, n_ctx=2048)], CPU)
    again = DryRuns(tmp_path / "cache")
    assert again.measure([config, replace(config, n_ctx=2048)], CPU) == first
    assert set(again.known(config, CPU)) == {1024, 2048}
    assert again.children_started == 0


def test_another_file_of_the_same_name_is_measured_anew(architectures: Path, dry_runs: DryRuns, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes((architectures / "gemma3-dense.gguf").read_bytes())
    config = ModelConfig(path, n_ctx=1024, n_gpu_layers=0)
    first = dry_runs.measure([config], CPU)
    path.write_bytes((architectures / "llama-dense.gguf").read_bytes())
    assert dry_runs.measure([config], CPU) != first


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"k": {"x": [1]}}', b"\xff" * 10])
def test_a_damaged_cache_is_written_anew(content: bytes, architectures: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    (folder / "dry_runs.json").write_bytes(content)
    config = ModelConfig(architectures / "llama-dense.gguf", n_ctx=512, n_gpu_layers=0)
    runs = DryRuns(folder)
    assert runs.measure([config], CPU)[0].n_ctx == 512
    runs.close()
    assert DryRuns(folder).known(config, CPU)


def test_a_bad_file_is_one_sentence(tmp_path: Path, dry_runs: DryRuns) -> None:
    path = tmp_path / "bad.gguf"
    path.write_bytes(b"GGUF" + bytes(100))
    with pytest.raises((ModelFileError, EngineError), match=r"bad\.gguf"):
        dry_runs.measure([ModelConfig(path, n_ctx=512, n_gpu_layers=0)], CPU)


def test_a_child_that_dies_is_one_sentence_and_the_next_question_works(architectures: Path, dry_runs: DryRuns) -> None:
    config = ModelConfig(architectures / "llama-dense.gguf", n_ctx=512, n_gpu_layers=0)
    dry_runs.measure([config], CPU)
    assert dry_runs.pid is not None
    os.kill(dry_runs.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    with pytest.raises(EngineCrashedError, match="cannot be measured"):
        dry_runs.measure([replace(config, n_ctx=768)], CPU)
    assert dry_runs.measure([replace(config, n_ctx=768)], CPU)[0].n_ctx == 768
