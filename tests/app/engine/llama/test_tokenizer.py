"""Text to token ids and back, with the starter model's vocabulary."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from app.engine.config import ModelConfig
from app.engine.llama.library import initialise, lib
from app.engine.llama.log_capture import log_capture
from app.engine.llama.model import LlamaModel
from app.engine.llama.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.model
ADD_BOS = b"tokenizer.ggml.add_bos_token" + struct.pack("<I", 7)


@pytest.fixture
def open_vocabulary() -> Iterator[Callable[[Path], Tokenizer]]:
    initialise()
    models: list[LlamaModel] = []

    def open_(path: Path) -> Tokenizer:
        config = ModelConfig(path, n_gpu_layers=0)
        models.append(
            LlamaModel(config, use_extra_bufts=False, on_progress=lambda _: True, errors=log_capture().errors)
        )
        return Tokenizer(models[-1].vocab)

    yield open_
    for model in models:
        model.free()


@pytest.fixture
def adding_bos(starter: Path, tmp_path: Path) -> Path:
    """The starter model, saying that its prompts begin with BOS."""
    data = starter.read_bytes()
    assert data.count(ADD_BOS + b"\0") == 1
    path = tmp_path / "adding-bos.gguf"
    path.write_bytes(data.replace(ADD_BOS + b"\0", ADD_BOS + b"\1"))
    return path


def test_bos_stands_first_exactly_once(open_vocabulary: Callable[[Path], Tokenizer], adding_bos: Path) -> None:
    tokenizer = open_vocabulary(adding_bos)
    plain, marked = tokenizer.encode("Hello"), tokenizer.encode(tokenizer.bos_token + "Hello")
    assert plain == marked
    assert tokenizer.piece(plain[0]) == (tokenizer.bos_token.encode(), True)
    assert plain.count(plain[0]) == 1


def test_no_bos_where_the_model_wants_none(open_vocabulary: Callable[[Path], Tokenizer], starter: Path) -> None:
    tokenizer = open_vocabulary(starter)
    assert b"".join(tokenizer.piece(token)[0] for token in tokenizer.encode("Hello")) == b"Hello"


@pytest.mark.parametrize("text", ["Grüße 世界 👩‍👩‍👧‍👦\n\n", " " * 500, "half \ud83d a pair", "\0 \x7f"])
def test_every_text_comes_back(open_vocabulary: Callable[[Path], Tokenizer], starter: Path, text: str) -> None:
    tokenizer = open_vocabulary(starter)
    back = b"".join(tokenizer.piece(token)[0] for token in tokenizer.encode(text)).decode()
    assert back == text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def test_pieces_of_any_length(open_vocabulary: Callable[[Path], Tokenizer], starter: Path) -> None:
    """llama-cpp-python's own are empty beyond 32 bytes."""
    tokenizer = open_vocabulary(starter)
    longest = max(range(lib.llama_vocab_n_tokens(tokenizer._vocab)), key=lambda token: len(tokenizer.piece(token)[0]))
    piece = tokenizer.piece(longest)[0]
    assert len(piece) > 32
    assert tokenizer.encode(piece.decode()) == [longest]
