"""The header reader: right values on real files, one sentence on damaged ones, nothing allocated on a lie."""

from __future__ import annotations

import contextlib
import random
import struct
from typing import TYPE_CHECKING

import pytest

from app.engine.gguf import Array, read_header
from app.errors import ModelFileError

if TYPE_CHECKING:
    from pathlib import Path


def header_bytes(n_tensors: int = 0, n_metadata: int = 0, body: bytes = b"", version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, n_tensors, n_metadata) + body


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def test_reads_the_starter_model(starter: Path) -> None:
    header = read_header(starter)
    assert header.architecture == "llama"
    assert header.of_architecture("block_count") == 30
    assert header.of_architecture("attention.head_count_kv") == 3
    assert header.metadata["tokenizer.ggml.tokens"] == Array(8, 49_152)
    assert len(header.tensors) == 272
    assert sum(tensor.n_bytes or 0 for tensor in header.tensors) == 96_576_768
    assert header.missing_bytes() == 0


def test_every_architecture_is_read_whole(architectures: Path) -> None:
    files = sorted(architectures.glob("*.gguf"))
    assert len(files) == 11
    for path in files:
        header = read_header(path)
        assert path.name.startswith(header.architecture)
        assert header.missing_bytes() == 0


def test_counts_the_bytes_that_are_missing(starter: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(starter.read_bytes()[:-1000])
    assert read_header(cut).missing_bytes() == 1000


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04" + bytes(60), "is not a GGUF file"),
        (b"GGUF", "cut off in its header"),
        (header_bytes(version=1), "GGUF version 1"),
        (header_bytes(version=0x03000000), "other byte order"),
        (header_bytes(n_metadata=2**63), "cut off in its header"),
        (header_bytes(n_tensors=2**63), "cut off in its header"),
        (header_bytes(n_metadata=1, body=struct.pack("<Q", 2**62)), "cut off in its header"),
        (header_bytes(n_metadata=1, body=text("a") + struct.pack("<IIQ", 9, 8, 2**60)), "cut off in its header"),
        (header_bytes(n_metadata=1, body=text("a") + struct.pack("<I", 77)), "unknown type 77"),
        (header_bytes(n_metadata=1, body=text("a") + struct.pack("<IIQ", 9, 9, 1)), "array of unknown type 9"),
        (header_bytes(n_tensors=1, body=text("t") + struct.pack("<I", 900)), "900 dimensions"),
        (
            header_bytes(n_metadata=1, body=text("general.alignment") + struct.pack("<II", 4, 0)),
            "alignment is not a positive number",
        ),
    ],
)
def test_damage_is_one_sentence(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "damaged.gguf"
    path.write_bytes(data)
    with pytest.raises(ModelFileError, match=said) as caught:
        read_header(path)
    assert "\n" not in str(caught.value)


def test_flipped_bytes_never_raise_anything_else(architectures: Path, tmp_path: Path) -> None:
    original = (architectures / "llama-dense.gguf").read_bytes()[:24_000]
    chance = random.Random(7)
    path = tmp_path / "flipped.gguf"
    for _ in range(300):
        data = bytearray(original)
        for _ in range(chance.randint(1, 8)):
            data[chance.randrange(4, len(data))] = chance.randrange(256)
        path.write_bytes(data)
        with contextlib.suppress(ModelFileError):
            read_header(path)
