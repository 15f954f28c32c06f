"""Operations and bytes, by hand, for models whose tensors are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.engine.gguf import Header, Tensor, read_header
from app.telemetry.tensor_work import decode_bytes, prefill_flop

if TYPE_CHECKING:
    from pathlib import Path

F16 = 1


def header(tensors: list[tuple[str, tuple[int, ...]]], **metadata: int) -> Header:
    values = {"general.architecture": "x", **{f"x.{name}": value for name, value in metadata.items()}}
    return Header(3, values, tuple(Tensor(name, shape, F16, 0) for name, shape in tensors), 0, 0)


DENSE = [
    ("token_embd.weight", (8, 100)),
    ("blk.0.attn_norm.weight", (8,)),
    ("blk.0.attn_q.weight", (8, 16)),
    ("blk.0.ffn_up.weight", (8, 32)),
    ("output.weight", (8, 100)),
]


def test_a_dense_model() -> None:
    model = header(DENSE)
    weights = 8 * 16 + 8 * 32
    # 10 tokens after 5: the mean context is 10, and queries are 16 wide.
    assert prefill_flop(model, 10, depth=5) == 2 * weights * 10 + 2 * 800 + 4 * 16 * 10 * 10
    assert decode_bytes(model) == 2 * (weights + 8 + 800)


def test_a_tied_embedding_is_the_output_matrix() -> None:
    assert prefill_flop(header(DENSE[:-1]), 10) == prefill_flop(header(DENSE), 10)
    assert decode_bytes(header(DENSE[:-1])) == decode_bytes(header(DENSE))


def test_of_a_mixture_only_the_experts_used_count() -> None:
    experts = ("blk.0.ffn_up_exps.weight", (8, 32, 16))
    model = header([*DENSE, experts], expert_count=16, expert_used_count=4)
    assert prefill_flop(model, 1) - prefill_flop(header(DENSE), 1) == 2 * 8 * 32 * 4
    assert decode_bytes(model) - decode_bytes(header(DENSE)) == 2 * 8 * 32 * 4


@pytest.mark.model
def test_the_starter_model(starter: Path) -> None:
    model = read_header(starter)
    # 134.5 M parameters of which 49,152 x 576 are the tied embedding, which is also the output matrix.
    assert prefill_flop(model, 1, outputs=1) == pytest.approx(2 * 134.5e6, rel=0.01)
    assert decode_bytes(model) == pytest.approx(92.10 * 1024**2, rel=1e-3)
