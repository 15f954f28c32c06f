"""Bytes and operations per token, by hand for small numbers and from the headers of real files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.engine.config import ModelConfig
from app.engine.gguf import read_header
from app.telemetry.model_work import model_work, work_of_loaded
from app.telemetry.work import Attention, CacheRead, ModelWork
from tests.fakes import fake_model

if TYPE_CHECKING:
    from pathlib import Path

DENSE = ModelWork(
    dense_bytes=1000,
    head_bytes=200,
    experts_bytes=0,
    embedding_row_bytes=10,
    dense_weights=500,
    head_weights=100,
    experts_weights=0,
    experts=0,
    experts_used=0,
    caches=(CacheRead(4096, 4, 4), CacheRead(512, 2, 2)),
    attention=(Attention(8, None), Attention(6, 100)),
    recurrent_bytes=0,
)


def work_of(path: Path, n_ctx: int = 4096, **settings: object) -> ModelWork:
    return model_work(read_header(path), ModelConfig(path, n_ctx=n_ctx, **settings))


def test_a_step_reads_the_weights_once_and_each_sequence_its_cache() -> None:
    # 300 tokens are read as 512 cells of 4 bytes and 512 of 2; one cell of each is written.
    assert DENSE.kv_read_bytes(300) == 512 * 4 + 512 * 2
    assert DENSE.step_bytes(300) == 1210 + 3072 + 6
    assert DENSE.step_bytes(300, batch=3) == 1230 + 3 * (3072 + 6)


def test_a_window_stops_growing() -> None:
    assert DENSE.kv_read_bytes(4000) == 4096 * 4 + 512 * 2
    assert DENSE.token_operations(1000) == 2 * 500 + 2 * 100 + 8 * 1001 + 6 * 100


def test_prefill_is_the_sum_over_its_tokens() -> None:
    one_by_one = sum(DENSE.token_operations(past) - 2 * 100 for past in range(80, 230))
    assert DENSE.prefill_operations(80, 150) == one_by_one + 2 * 100
    assert DENSE.prefill_operations(80, 0) == 0


def test_prefill_reads_the_weights_once_per_micro_batch() -> None:
    first = 1000 + 64 * 10 + DENSE.kv_read_bytes(64)
    last = 1200 + 36 * 10 + DENSE.kv_read_bytes(100)
    assert DENSE.prefill_bytes(0, 100, 64) == first + last + 100 * 6


@pytest.mark.parametrize(("batch", "share"), [(1, 2 / 8), (2, 1 - 0.75**2), (1000, 1.0)])
def test_experts_are_read_as_far_as_the_batch_touches_them(batch: int, share: float) -> None:
    work = ModelWork(0, 0, 8000, 0, 0, 0, 4000, 8, 2, (), (), 0)
    assert work.weights_bytes(batch) == pytest.approx(8000 * share)
    assert work.token_operations(10) == 2 * 4000 * 2 / 8


def test_the_starter_model_reads_all_of_its_file_for_a_token(starter: Path) -> None:
    work = work_of(starter)
    tensors = sum(tensor.n_bytes or 0 for tensor in read_header(starter).tensors)
    assert work.weights_bytes(with_head=True) == tensors + work.embedding_row_bytes  # tied: the table is the head
    assert work.dense_weights + work.head_weights == 134_515_008 - 61 * 576  # all but the norms
    assert work.caches == (CacheRead(4096, 23_040, 23_040),)
    assert work.attention == (Attention(30 * 2 * 9 * 128, None),)


def test_quantised_kv_is_read_in_fewer_bytes(starter: Path) -> None:
    quantised = work_of(starter, type_k="q8_0", type_v="q8_0")
    assert quantised.kv_read_bytes(1000) == work_of(starter).kv_read_bytes(1000) * 34 / 64


def test_the_work_of_a_loaded_model_is_that_of_its_settings(starter: Path, tmp_path: Path) -> None:
    model = fake_model(starter)
    assert work_of_loaded(model) == work_of(starter)
    quantised = work_of_loaded(replace(model, type_k="q8_0", type_v="q8_0"))
    assert quantised == work_of(starter, type_k="q8_0", type_v="q8_0")
    assert work_of_loaded(fake_model(tmp_path / "gone.gguf")) is None


def test_windows_experts_latents_and_states_of_real_layouts(architectures: Path) -> None:
    windowed = work_of(architectures / "gemma3-dense.gguf")
    assert {cache.cells for cache in windowed.caches} == {768, 4096}
    assert {attention.window for attention in windowed.attention} == {32, None}
    experts = work_of(architectures / "gpt-oss-moe.gguf")
    assert (experts.experts, experts.experts_used) == (2, 2)
    assert experts.experts_bytes > experts.dense_bytes
    latent = work_of(architectures / "deepseek2-moe.gguf")
    assert [cache.bytes_per_cell for cache in latent.caches] == [2304]  # K alone
    recurrent = work_of(architectures / "mamba-dense.gguf")
    assert recurrent.caches == ()
    assert recurrent.step_bytes(10) == recurrent.step_bytes(4000)
    assert recurrent.sequence_bytes(10) == 2 * recurrent.recurrent_bytes > 0
    compressed = work_of(architectures / "deepseek4-moe.gguf")
    assert {cache.tokens_per_cell for cache in compressed.caches} == {1, 4, 128}


def test_every_layout_moves_less_than_file_cache_and_state(architectures: Path) -> None:
    for path in sorted(architectures.glob("*.gguf")):
        work = work_of(path)
        whole_cache = sum(cache.cells * cache.bytes_per_cell for cache in work.caches)
        assert 0 < work.weights_bytes() <= path.stat().st_size
        assert work.kv_read_bytes(10**6) == whole_cache
        assert work.token_operations(1000) > 2 * work.dense_weights
