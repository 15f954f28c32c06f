"""What the engine grew by once every buffer was used, against the plan.

    python -m tests.benchmarks.bench_memory [N_CTX ...]     default 2048; 8192 takes minutes

The whole context is filled in batches of n_ubatch, which is what llama.cpp plans its compute buffer for: the pace that
keeps a chat's progress moving, and so touches less of it, is off. Each context has a process of its own. Goal: within
5 %.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.dry_run import DryRuns
from app.engine.events import ModelLoaded
from app.engine.llama import answer
from app.engine.llama.in_process import InProcessEngine
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling
from app.telemetry.planner import Planner
from tests.benchmarks.yardstick import model_file, self_tests, table

if TYPE_CHECKING:
    from app.engine.config import FlashAttention

MIB = 1024**2
TEMPLATE_TOKENS = 64
"""More than what the template and the answer add to the prompt's words, each of which is a token."""
FORMS: tuple[tuple[str, str, FlashAttention], ...] = (
    ("f16", "f16", "on"),
    ("q8_0", "q8_0", "on"),
    ("f16", "f16", "off"),
    ("q8_0", "f16", "off"),
)


def config_of(n_ctx: int, type_k: str, type_v: str, flash_attention: str) -> ModelConfig:
    return ModelConfig(
        model_file(),
        n_ctx=n_ctx,
        n_gpu_layers=0,
        type_k=type_k,
        type_v=type_v,
        flash_attention=flash_attention,  # type: ignore[arg-type]
        use_extra_bufts=False,
    )


def grown_bytes(config: ModelConfig) -> int:
    """Load, fill the context, and return what that made this process larger by."""
    answer._CHUNK_S = 1e6
    engine = InProcessEngine(self_tests())
    last = list(engine.load(config))[-1]
    assert isinstance(last, ModelLoaded), last
    assert engine.model is not None
    assert engine.model.grown_bytes is not None
    loaded = psutil.Process().memory_info().rss
    prompt = (Message("user", "word " * ((config.n_ctx or 0) - TEMPLATE_TOKENS)),)
    list(engine.generate(GenerationRequest(prompt, time.perf_counter_ns(), Sampling(temperature=0), max_tokens=2)))
    return int(engine.model.grown_bytes + psutil.Process().memory_info().rss - loaded)


def main() -> None:
    """Measure one context in this process, or all and print the table."""
    if len(sys.argv) == 5:
        print(grown_bytes(config_of(int(sys.argv[1]), *sys.argv[2:])))
        return
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        planner = Planner(DryRuns(Path(folder)))
        for n_ctx in [int(text) for text in sys.argv[1:]] or [2048]:
            for form in FORMS:
                foretold = planner.plan(config_of(n_ctx, *form)).process_bytes
                assert foretold is not None
                command = [sys.executable, "-m", "tests.benchmarks.bench_memory", str(n_ctx), *form]
                grown = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
                sizes = f"{grown / MIB:.1f} MiB, foretold {foretold / MIB:.1f}"
                rows.append((f"n_ctx {n_ctx}, K {form[0]}, V {form[1]}, flash {form[2]}", f"{grown / foretold:.3f}"))
                print(*rows[-1], sizes, flush=True)
        planner.close()
    table("The engine's process after use over what was foretold (goal: 0.95 to 1.05)", rows)


if __name__ == "__main__":
    main()
