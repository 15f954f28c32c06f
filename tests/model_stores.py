"""Builds the folders in which programs keep models, as those programs lay them out."""

from __future__ import annotations

import hashlib
import json
import math
from typing import TYPE_CHECKING, Any

from tests.gguf_files import header_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

LLAMA = {
    "general.architecture": "llama",
    "general.license": "apache-2.0",
    "llama.context_length": 2048,
    "llama.embedding_length": 64,
    "llama.block_count": 1,
    "llama.feed_forward_length": 64,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
    "tokenizer.ggml.model": "llama",
    "tokenizer.ggml.tokens": ["a", "b"],
    "tokenizer.chat_template": "{{ messages }}",
}
EMBEDDING = ("token_embd.weight", (64, 2))
LAYER = (("blk.0.attn_q.weight", (64, 64)), ("blk.0.attn_k.weight", (64, 32)), ("output_norm.weight", (64,)))


def gguf(
    metadata: Mapping[str, Any] = LLAMA, tensors: Sequence[tuple[str, tuple[int, ...]]] = (EMBEDDING, *LAYER)
) -> bytes:
    """A whole GGUF of f32 zeros."""
    data = header_bytes(metadata, tensors)
    return data + bytes(sum(-(-4 * math.prod(shape) // 32) * 32 for _, shape in tensors))


def write(path: Path, data: bytes) -> Path:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def write_split(folder: Path, name: str = "split") -> list[Path]:
    """Write a model in two parts."""
    first = gguf({**LLAMA, "split.no": 0, "split.count": 2, "split.tensors.count": 4}, (EMBEDDING,))
    second = gguf({"split.no": 1, "split.count": 2, "split.tensors.count": 4}, LAYER)
    return [write(folder / f"{name}-0000{i}-of-00002.gguf", data) for i, data in enumerate((first, second), 1)]


def add_to_hugging_face(cache: Path, repository: str, files: Mapping[str, bytes], revision: str = "a" * 40) -> Path:
    """Add a revision of a repository; returns its folder, in which files are links to blobs named by their sha256."""
    folder = cache / f"models--{repository.replace('/', '--')}"
    write(folder / "refs" / "main", revision.encode())
    snapshot = folder / "snapshots" / revision
    for name, data in files.items():
        blob = write(folder / "blobs" / hashlib.sha256(data).hexdigest(), data)
        link = snapshot / name
        link.parent.mkdir(parents=True, exist_ok=True)
        up = "/".join([".."] * (2 + name.count("/")))
        link.symlink_to(f"{up}/blobs/{blob.name}")
    return snapshot


def add_to_ollama(store: Path, name: str, layers: Mapping[str, bytes]) -> list[Path]:
    """Add a model such as registry.ollama.ai/library/model/tag with layers by kind; returns their blobs."""
    blobs, entries = [], []
    for kind, data in layers.items():
        digest = hashlib.sha256(data).hexdigest()
        blobs.append(write(store / "blobs" / f"sha256-{digest}", data))
        media_type = f"application/vnd.ollama.image.{kind}"
        entries.append({"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(data)})
    write(store / "manifests" / name, json.dumps({"schemaVersion": 2, "layers": entries}).encode())
    return blobs
