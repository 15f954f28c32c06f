"""Kinds and quantisations, from headers alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.engine.config import ModelConfig
from app.engine.gguf import Header, Tensor
from app.engine.memory import predict_memory
from app.engine.model_file import read_model_header
from app.hub.facts import read_facts
from app.hub.file_types import bits_per_weight, quantisation
from tests.model_stores import LLAMA, gguf, write

if TYPE_CHECKING:
    from pathlib import Path


def header(tensors: list[tuple[int, int]], **metadata: Any) -> Header:
    """Tensors as (elements, type)."""
    listed = tuple(Tensor(f"t{number}", (count,), kind, 0) for number, (count, kind) in enumerate(tensors))
    return Header(3, {f"general.{key}": value for key, value in metadata.items()}, listed, 0, 0)


@pytest.mark.parametrize(
    ("metadata", "kind"),
    [
        (LLAMA, "chat"),
        ({**LLAMA, "llama.attention.causal": False}, "embedding"),
        ({**LLAMA, "llama.pooling_type": 1}, "embedding"),
        ({**LLAMA, "llama.pooling_type": 0}, "chat"),
        ({"general.architecture": "bert"}, "embedding"),
        ({"general.architecture": "clip"}, "projector"),
        ({"general.architecture": "clip", "general.type": "mmproj"}, "projector"),
        ({**LLAMA, "general.type": "adapter"}, "other"),
        ({"general.architecture": "eagle3"}, "draft"),
        ({"general.architecture": "flux"}, "other"),
        ({"general.architecture": "newest", "tokenizer.ggml.model": "gpt2"}, "chat"),
        ({}, "other"),
    ],
)
def test_kinds(metadata: dict[str, Any], kind: str, tmp_path: Path) -> None:
    path = write(tmp_path / "model.gguf", gguf(metadata or {"general.name": "nameless"}))
    facts = read_facts([path], [])
    assert facts.kind == kind
    assert facts.architecture == metadata.get("general.architecture", "")


def test_a_vocabulary_alone_is_no_model(tmp_path: Path) -> None:
    facts = read_facts([write(tmp_path / "vocabulary.gguf", gguf(LLAMA, ()))], [])
    assert (facts.kind, facts.quantisation, facts.bits_per_weight, facts.problem) == ("other", "", None, "")


@pytest.mark.parametrize(
    ("file_type", "tensors", "name"),
    [
        (15, [(256, 0)], "Q4_K_M"),
        (15 + 1024, [(256, 0)], "Q4_K_M"),
        (38, [(256, 39)], "MXFP4_MOE"),
        (999, [(256, 8)], "Q8_0"),
        (None, [(256, 12), (64, 0), (64, 0)], "Q4_K_M"),
        (None, [(256, 14)], "Q6_K"),
        (None, [(256, 30), (512, 34)], "TQ1_0"),
        (None, [(256, 77)], "type 77"),
        (None, [], ""),
    ],
)
def test_quantisations(file_type: int | None, tensors: list[tuple[int, int]], name: str) -> None:
    stated = {} if file_type is None else {"file_type": file_type}
    assert quantisation(header(tensors, **stated)) == name


def test_bits_per_weight() -> None:
    assert bits_per_weight(header([(256, 12), (256, 14)])) == (144 + 210) * 8 / 512
    assert bits_per_weight(header([(256, 12), (256, 77)])) is None


def test_bytes_per_token_are_the_formulas(architectures: Path) -> None:
    paths = sorted(architectures.glob("*.gguf"))
    assert len(paths) > 5
    for path in paths:
        facts = read_facts([path], [])
        expected = predict_memory(read_model_header(path), ModelConfig(path, n_ctx=512, n_gpu_layers=0))
        assert (facts.kv_bytes_per_token, facts.n_params) == (expected.kv_bytes_per_token, expected.n_params)
        assert (facts.n_ctx_train, facts.problem) == (expected.n_ctx_train, "")
