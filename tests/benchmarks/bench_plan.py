"""What the formula costs, as a table; `python -m tests.benchmarks.bench_plan` takes about fifteen seconds.

The model is a header like a large one's: 262,144 tokens with scores and types, 514,906 merges, 80 layers.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from app.engine.config import ModelConfig
from app.engine.gguf import read_header
from app.engine.memory import predict_memory
from app.errors import ModelFileError
from tests.gguf_files import header_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

MS = 1_000_000
N_VOCAB, N_MERGES, N_LAYER, N_EMBD = 262_144, 514_906, 80, 8192
HOSTILE = {"general.architecture": "llama", "tokenizer.ggml.tokens": [""] * 1_900_000}
PEAK = """
import sys
from pathlib import Path
from app.engine.gguf import read_header
read_header(Path(sys.argv[1]))
print(next(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line))
"""


def write_model(path: Path) -> Path:
    """Write the header of a model of 80 layers with a huge vocabulary, without weights."""
    metadata = {
        "general.architecture": "llama",
        "llama.context_length": 131_072,
        "llama.embedding_length": N_EMBD,
        "llama.block_count": N_LAYER,
        "llama.feed_forward_length": 28_672,
        "llama.attention.head_count": 64,
        "llama.attention.head_count_kv": [8] * N_LAYER,
        "tokenizer.ggml.tokens": [f"token {number}" for number in range(N_VOCAB)],
        "tokenizer.ggml.scores": [float(number) for number in range(N_VOCAB)],
        "tokenizer.ggml.token_type": [1] * N_VOCAB,
        "tokenizer.ggml.merges": [f"to ken{number}" for number in range(N_MERGES)],
    }
    names = ("attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down")
    tensors = [("token_embd.weight", (N_EMBD, N_VOCAB)), ("output_norm.weight", (N_EMBD,))]
    tensors += [(f"blk.{il}.{name}.weight", (N_EMBD, N_EMBD)) for il in range(N_LAYER) for name in names]
    path.write_bytes(header_bytes(metadata, tensors))
    return path


def timed(repeats: int, operation: Callable[[], object]) -> tuple[float, float]:
    """Return median and worst duration in ms."""
    durations = []
    for _ in range(repeats):
        start = time.perf_counter_ns()
        operation()
        durations.append((time.perf_counter_ns() - start) / MS)
    return statistics.median(durations), max(durations)


def refused(path: Path) -> None:
    """Read a header that must be refused."""
    try:
        read_header(path)
    except ModelFileError:
        return
    raise AssertionError("a hostile header was accepted")


def run(folder: Path) -> list[tuple[str, float, float, str]]:
    """Return rows of (what, median ms, worst ms, goal)."""
    path = write_model(folder / "large.gguf")
    config = ModelConfig(path, n_ctx=131_072, n_gpu_layers=0)
    header = read_header(path)
    hostile = folder / "hostile.gguf"
    hostile.write_bytes(header_bytes(HOSTILE, n_metadata=1000))
    return [
        ("formula, header kept", *timed(50, lambda: predict_memory(header, config)), "< 300"),
        ("64 formulas, header kept", *timed(5, lambda: [predict_memory(header, config) for _ in range(64)]), "< 3000"),
        ("read the header", *timed(10, lambda: read_header(path)), ""),
        ("read the header and formula", *timed(10, lambda: predict_memory(read_header(path), config)), ""),
        ("refuse 1.9 million texts", *timed(5, lambda: refused(hostile)), "< 1000"),
    ]


def peak_mib(path: Path) -> float:
    """Return the most memory a process needs that reads this header, Python's own included."""
    done = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True)
    return int(done.stdout) / 1024


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"| {'what':32} | {'median ms':>10} | {'worst ms':>10} | {'goal':>8} |")
        print(f"|{'-' * 34}|{'-' * 11}:|{'-' * 11}:|{'-' * 9}:|")
        for what, median, worst, goal in run(folder):
            print(f"| {what:32} | {median:10.2f} | {worst:10.2f} | {goal:>8} |")
        if sys.platform == "linux":
            size, peak = (folder / "large.gguf").stat().st_size / 2**20, peak_mib(folder / "large.gguf")
            print(f"\nReading this header of {size:.0f} MiB takes at most {peak:.0f} MiB, Python's own included.")


if __name__ == "__main__":
    main()
