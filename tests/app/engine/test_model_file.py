"""What is refused before llama.cpp opens it, each with one sentence that says what to do."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from app.engine.model_file import check_model_file, split_parts
from app.errors import ModelFileError
from tests.permissions import as_nobody, posix_only

if TYPE_CHECKING:
    from pathlib import Path


def metadata(key: str, type_id: int, value: bytes) -> bytes:
    return struct.pack("<Q", len(key)) + key.encode() + struct.pack("<I", type_id) + value


def string(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def write_header(path: Path, *entries: bytes) -> Path:
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + b"".join(entries))
    return path


def refusal(path: Path) -> str:
    with pytest.raises(ModelFileError) as caught:
        check_model_file(path)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert path.name in sentence
    return sentence


def test_a_good_file_is_returned(starter: Path) -> None:
    assert check_model_file(starter) == starter


def test_missing(tmp_path: Path) -> None:
    assert "does not exist" in refusal(tmp_path / "no such model.gguf")


def test_folder(tmp_path: Path) -> None:
    assert "is a folder" in refusal(tmp_path)


def test_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty.gguf"
    path.touch()
    assert "0 bytes" in refusal(path)


def test_other_format(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"{}" * 100)
    assert "not a GGUF" in refusal(path)


def test_cut_off(starter: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut.gguf"
    path.write_bytes(starter.read_bytes()[:3_000_000])
    assert "is cut off" in refusal(path)


@posix_only
def test_unreadable(open_folder: Path) -> None:
    path = open_folder / "secret.gguf"
    path.write_bytes(b"GGUF")
    path.chmod(0)
    with as_nobody():
        assert "no permission" in refusal(path)


def test_names_with_spaces_chinese_and_emoji(starter: Path, tmp_path: Path) -> None:
    path = tmp_path / "模型 Ж é 🙂.gguf"
    path.symlink_to(starter)
    assert check_model_file(path) == path


def test_embedding_model(tmp_path: Path) -> None:
    path = write_header(
        tmp_path / "bge.gguf",
        metadata("general.architecture", 8, string("bert")),
        metadata("bert.attention.causal", 7, b"\0"),
    )
    assert "made for embeddings" in refusal(path)


def test_causal_embedding_model(tmp_path: Path) -> None:
    path = write_header(
        tmp_path / "qwen3-embedding.gguf",
        metadata("general.architecture", 8, string("qwen3")),
        metadata("qwen3.pooling_type", 4, struct.pack("<I", 3)),
    )
    assert "made for embeddings" in refusal(path)


def test_projector_file(tmp_path: Path) -> None:
    path = write_header(tmp_path / "mmproj.gguf", metadata("general.architecture", 8, string("clip")))
    assert "holds no language model" in refusal(path)


def test_split_model_with_a_missing_part(tmp_path: Path) -> None:
    present = tmp_path / "big-00001-of-00003.gguf"
    write_header(present, metadata("general.architecture", 8, string("llama")))
    sentence = refusal(present)
    assert "one of 3 files" in sentence
    assert "big-00002-of-00003.gguf is missing" in sentence


def test_any_part_of_a_split_model_opens_the_first(tmp_path: Path) -> None:
    paths = [tmp_path / f"big-0000{n}-of-00002.gguf" for n in (1, 2)]
    for path in paths:
        write_header(path, metadata("general.architecture", 8, string("llama")))
    assert check_model_file(paths[1]) == paths[0]
    assert split_parts(paths[0]) == tuple(paths)
