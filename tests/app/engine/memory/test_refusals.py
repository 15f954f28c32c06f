"""What llama.cpp refuses, the formula refuses with a reason; real contexts are made to compare."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.engine.config import ModelConfig
from app.engine.gguf import Header, read_header
from app.engine.llama.context import LlamaContext
from app.engine.llama.library import initialise
from app.engine.llama.log_capture import LogCapture, log_capture
from app.engine.llama.model import LlamaModel
from app.engine.memory import predict_memory
from app.errors import BadInputError, EngineError, UnknownArchitectureError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def log() -> LogCapture:
    initialise()
    return log_capture()


@pytest.fixture
def llama_cpp_refuses(log: LogCapture) -> Iterator[object]:
    models: list[LlamaModel] = []

    def refuses(config: ModelConfig) -> bool:
        model = LlamaModel(
            replace(config, n_gpu_layers=0),
            use_extra_bufts=False,
            on_progress=lambda _: True,
            errors=log.errors,
            no_alloc=True,
        )
        models.append(model)
        try:
            LlamaContext(model, config, config.n_ctx or 0, 1).free()
        except EngineError:
            return True
        return False

    yield refuses
    for model in models:
        model.free()


@pytest.mark.parametrize(
    ("arch", "type_k", "type_v", "flash_attention", "said"),
    [
        ("llama-dense", "f16", "q8_0", "off", "needs flash attention"),
        ("llama-dense", "f16", "q8_0", "auto", ""),
        ("llama-dense", "q8_0", "f16", "off", ""),
        ("deepseek2-moe", "f16", "f32", "auto", "must be the same"),
        ("deepseek2-moe", "q8_0", "q8_0", "on", ""),
        ("deepseek4-moe", "q8_0", "f16", "auto", "must be the same"),
        ("gemma3-dense", "q4_0", "q4_0", "on", ""),
        ("mamba-dense", "q4_0", "q4_0", "off", "needs flash attention"),
    ],
)
def test_settings_that_do_not_go_together(
    arch: str,
    type_k: str,
    type_v: str,
    flash_attention: str,
    said: str,
    architectures: Path,
    llama_cpp_refuses: object,
) -> None:
    path = architectures / f"{arch}.gguf"
    config = ModelConfig(path, 512, type_k=type_k, type_v=type_v, flash_attention=flash_attention)  # type: ignore[arg-type]
    refused = predict_memory(read_header(path), config).refused
    assert bool(refused) == bool(said)
    assert said in refused
    assert "\n" not in refused
    assert llama_cpp_refuses(config) == bool(said)  # type: ignore[operator]


def changed(header: Header, **values: object) -> Header:
    keys = {f"{header.architecture}.{key.replace('__', '.')}": value for key, value in values.items()}
    return replace(header, metadata={**header.metadata, **keys})  # type: ignore[arg-type]


def test_a_block_that_does_not_divide_a_head(architectures: Path) -> None:
    path = architectures / "llama-dense.gguf"
    header = changed(read_header(path), attention__key_length=80, attention__value_length=128)
    config = ModelConfig(path, 512, type_k="q8_0", type_v="q8_0")
    assert "K cache of type q8_0" in predict_memory(header, config).refused
    assert "a head, 80" in predict_memory(header, config).refused
    assert not predict_memory(header, replace(config, type_k="f16")).refused
    # Without flash attention only a whole row must divide: 2 heads of 80 do, one of 80 would not.
    odd = changed(header, attention__head_count_kv=1)
    without = replace(config, type_v="f16", flash_attention="off")
    assert "a layer, 80" in predict_memory(odd, without).refused


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"n_ctx": None}, "context of 0 tokens"),
        ({"n_ctx": 0}, "context of 0 tokens"),
        ({"n_ctx": 2**33}, "8,589,934,592 tokens"),
        ({"n_ctx": 512, "type_k": "q6_k"}, "q6_k is not a type"),
        ({"n_ctx": 512, "devices": ("CUDA7",)}, "no device CUDA7"),
        ({"n_ctx": 512, "n_batch": 0}, "at least one token"),
    ],
)
def test_settings_out_of_range(values: dict[str, object], said: str, architectures: Path) -> None:
    path = architectures / "llama-dense.gguf"
    with pytest.raises(BadInputError, match=said):
        predict_memory(read_header(path), replace(ModelConfig(path), **values))  # type: ignore[arg-type]


def test_too_many_sequences(architectures: Path) -> None:
    path = architectures / "llama-dense.gguf"
    with pytest.raises(BadInputError, match="257 sequences"):
        predict_memory(read_header(path), ModelConfig(path, 512), n_seq_max=257)


def test_an_unknown_architecture_says_so(architectures: Path) -> None:
    path = architectures / "llama-dense.gguf"
    header = read_header(path)
    header = replace(header, metadata={**header.metadata, "general.architecture": "llama99"})
    with pytest.raises(UnknownArchitectureError, match="llama99"):
        predict_memory(header, ModelConfig(path, 512))
