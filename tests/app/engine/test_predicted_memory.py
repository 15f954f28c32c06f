"""The plan against how far the engine's process really grows."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import psutil
import pytest

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.dry_run import DryRuns
from app.engine.events import ModelLoaded
from app.engine.process import EngineProcess
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling
from app.telemetry.planner import Planner

if TYPE_CHECKING:
    from pathlib import Path

    from app.engine.config import FlashAttention
    from app.engine.self_test import SelfTests

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(
        not sys.platform.startswith("linux"), reason="others do not tell a process's address space apart"
    ),
]


def taken_bytes(config: ModelConfig, self_tests: SelfTests) -> int:
    """What the process has mapped or allocated with the model loaded: also what no batch has touched yet."""
    engine = EngineProcess(self_tests)
    try:
        assert isinstance(list(engine.load(config))[-1], ModelLoaded)
        return int(psutil.Process(engine.pid).memory_info().vms)
    finally:
        engine.close()


def test_the_process_grows_as_planned(starter: Path, self_tests: SelfTests, tmp_path: Path) -> None:
    """Against the smallest context, since the libraries' own share is not the model's."""
    planner = Planner(DryRuns(tmp_path))
    smallest = ModelConfig(starter, n_ctx=256, n_gpu_layers=0, n_threads=1, use_extra_bufts=False)
    planned_least, taken_least = planner.plan(smallest).total_bytes(), taken_bytes(smallest, self_tests)
    flash: FlashAttention
    for n_ctx in (2048, 8192):
        for kv_type, flash in (("f16", "on"), ("q8_0", "on"), ("f16", "off")):
            config = replace(smallest, n_ctx=n_ctx, type_k=kv_type, type_v=kv_type, flash_attention=flash)
            planned = planner.plan(config).total_bytes() - planned_least
            taken = taken_bytes(config, self_tests) - taken_least
            assert taken == pytest.approx(planned, rel=0.05), (n_ctx, kv_type, flash)
    planner.close()


def grown_bytes(config: ModelConfig, words: int, self_tests: SelfTests) -> int:
    """What the load and then a prompt of that many words made the process larger by: only what was touched counts."""
    engine = EngineProcess(self_tests)
    try:
        assert isinstance(list(engine.load(config))[-1], ModelLoaded)
        assert engine.model is not None
        assert engine.model.grown_bytes is not None
        process = psutil.Process(engine.pid)
        loaded = process.memory_info().rss
        prompt = Message("user", "word " * words)
        sampling = Sampling(temperature=0)
        list(engine.generate(GenerationRequest((prompt,), time.perf_counter_ns(), sampling, max_tokens=2)))
        return engine.model.grown_bytes + int(process.memory_info().rss) - loaded
    finally:
        engine.close()


def test_the_process_that_was_used_has_the_size_foretold(starter: Path, self_tests: SelfTests, tmp_path: Path) -> None:
    """A compute buffer becomes resident with the first prompt as long as it was made for."""
    planner = Planner(DryRuns(tmp_path))
    smallest = ModelConfig(starter, n_gpu_layers=0, use_extra_bufts=False)
    for n_ctx, kv_type in ((2048, "q8_0"), (8192, "f16")):
        config = replace(smallest, n_ctx=n_ctx, type_k=kv_type, type_v=kv_type, flash_attention="on")
        foretold = planner.plan(config).process_bytes
        assert grown_bytes(config, 700, self_tests) == pytest.approx(foretold, rel=0.05), (n_ctx, kv_type)
    planner.close()


def test_without_flash_attention_the_full_context_takes_what_is_foretold(starter: Path, tmp_path: Path) -> None:
    """Of it 18 MiB of scratch memory, a twelfth of the whole, in which attention's weights are converted."""
    planner = Planner(DryRuns(tmp_path))
    config = ModelConfig(starter, n_ctx=2048, n_gpu_layers=0, flash_attention="off", use_extra_bufts=False)
    foretold = planner.plan(config).process_bytes
    planner.close()
    command = [sys.executable, "-m", "tests.benchmarks.bench_memory", "2048", "f16", "f16", "off"]
    grown = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert grown == pytest.approx(foretold, rel=0.05)
