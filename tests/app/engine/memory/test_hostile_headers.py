"""Headers that lie are refused in one sentence, with little memory and in the end."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.engine.config import ModelConfig
from app.engine.gguf import Header, read_header
from app.engine.memory import predict_memory
from app.errors import ModelFileError, TokometerError
from tests.gguf_files import ARRAY, STRING, header_bytes, text, write_sparse

ROOT = Path(__file__).parents[4]
GIB = 1024**3
LLAMA = {
    "general.architecture": "llama",
    "llama.context_length": 4096,
    "llama.embedding_length": 256,
    "llama.block_count": 2,
    "llama.attention.head_count": 4,
}
TENSORS = (("token_embd.weight", (256, 10)), ("blk.0.attn_q.weight", (256, 256)))
MEBIBYTES_ALLOWED = 200
LIMITED = f"""
import sys
from pathlib import Path
from app.engine.config import ModelConfig
from app.engine.gguf import read_header
from app.engine.memory import predict_memory
from app.errors import TokometerError
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, ({MEBIBYTES_ALLOWED} * 1024 ** 2,) * 2)
except (ImportError, ValueError, OSError):
    pass  # Windows has no such limit, macOS none on address space
path = Path(sys.argv[1])
try:
    predict_memory(read_header(path), ModelConfig(path, 4096))
except TokometerError as error:
    print(type(error).__name__, error)
"""


def key(name: str, kind: int, rest: bytes) -> bytes:
    return text(name) + struct.pack("<I", kind) + rest


MILLION_TEXTS = key("a", ARRAY, struct.pack("<IQ", STRING, 1_100_000)) + bytes(8 * 1_100_000)
BILLION_NUMBERS = key("llama.attention.head_count_kv", ARRAY, struct.pack("<IQ", 4, 10**9))
LIES = {  # name -> (bytes, size of the file, what is said)
    "2^62 keys": (header_bytes(LLAMA, n_metadata=2**62), GIB, "cut off in its header"),
    "a billion keys": (header_bytes({}, n_metadata=10**9), 64 * GIB, "claims 1,000,000,000 metadata keys"),
    "a billion tensors": (header_bytes(LLAMA, n_tensors=10**9), 64 * GIB, "claims 1,000,000,000 tensors"),
    "a text of 8 GiB": (
        header_bytes({}, n_metadata=1, extra=key("a", STRING, struct.pack("<Q", 8 * GIB))),
        16 * GIB,
        "text is longer",
    ),
    "a key of 1 GiB": (header_bytes({}, n_metadata=1, extra=struct.pack("<Q", GIB)), 16 * GIB, "text is longer"),
    "a billion empty texts": (
        header_bytes({}, n_metadata=1, extra=key("a", ARRAY, struct.pack("<IQ", STRING, 10**9))),
        16 * GIB,
        "more texts than any vocabulary",
    ),
    "many lists of texts": (
        header_bytes({}, n_metadata=2, extra=MILLION_TEXTS + MILLION_TEXTS.replace(b"a", b"b")),
        16 * GIB,
        "more texts than any vocabulary",
    ),
    "a list beyond the file": (
        header_bytes({}, n_metadata=1, extra=key("a", ARRAY, struct.pack("<IQ", 4, 2**40))),
        GIB,
        "cut off in its header",
    ),
    "a list of a billion numbers": (
        header_bytes(LLAMA, n_metadata=6, extra=BILLION_NUMBERS),
        16 * GIB,
        "damaged",
    ),
}  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_takes_neither_memory_nor_time(lie: str, tmp_path: Path) -> None:
    data, size, said = LIES[lie]
    path = write_sparse(tmp_path / "hostile.gguf", data, size)
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.startswith("ModelFileError hostile.gguf "), done.stdout + done.stderr
    assert said in done.stdout
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"llama.block_count": 10**9}, "llama.block_count is 1,000,000,000"),
        ({"llama.block_count": 513}, "claims 513 layers"),
        ({"llama.block_count": 0}, "claims 0 layers"),
        ({"llama.block_count": "many"}, "llama.block_count is no number"),
        ({"llama.attention.head_count": 2**32 - 1}, "head_count is 4,294,967,295"),
        ({"llama.attention.head_count": 10**6}, "claims 1,000,000 attention heads"),
        ({"llama.attention.head_count_kv": [8, 8, 8]}, "has 3 values for 2 layers"),
        ({"llama.attention.key_length": 2**31}, "key_length is 2,147,483,648"),
        ({"llama.nextn_predict_layers": 3}, "nextn_predict_layers is 3"),
        ({"llama.embedding_length": 2.5}, "embedding_length is no number"),
        ({"llama.context_length": None}, "lacks llama.context_length"),
    ],
)
def test_an_impossible_value_is_one_sentence(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    values = {name: value for name, value in {**LLAMA, **changes}.items() if value is not None}
    path = tmp_path / "model.gguf"
    path.write_bytes(header_bytes(values, TENSORS))
    with pytest.raises(ModelFileError, match=said) as caught:
        predict_memory(read_header(path), ModelConfig(path, 4096))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("tensors", "said"),
    [
        ([("a", (2**63, 1))], "impossible dimensions"),
        ([("a", (2**40, 2**40))], "impossible dimensions"),
        ([("a", (1, 1, 1, 1, 1))], "5 dimensions"),
    ],
)
def test_an_impossible_tensor_is_one_sentence(
    tensors: list[tuple[str, tuple[int, ...]]], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "model.gguf"
    infos = b"".join(
        text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, 0) for name, shape in tensors
    )
    path.write_bytes(header_bytes(LLAMA, n_tensors=len(tensors), extra=infos))
    with pytest.raises(ModelFileError, match=said):
        read_header(path)


@pytest.mark.parametrize("offset", [1, 32, 2**63, 2**64 - 32])
def test_a_tensor_in_the_wrong_place_is_one_sentence(offset: int, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    info = text("a") + struct.pack("<IQIQ", 1, 8, 0, offset)
    path.write_bytes(header_bytes(LLAMA, n_tensors=1, extra=info))
    with pytest.raises(ModelFileError, match=r"does not lie|impossible place"):
        read_header(path)


def damaged(header: Header, name: str, value: Any) -> Header:
    return Header(header.version, {**header.metadata, name: value}, header.tensors, header.data_offset, 0)


VALUES = [0, 1, 7, 2**24, 2**32 - 1, -1, 2.5, "x", True, (), (1, 2), (-1, -1), (2**40,) * 512]


@pytest.mark.parametrize("value", VALUES)
def test_no_value_of_any_key_raises_anything_else(value: Any, architectures: Path) -> None:
    for path in sorted(architectures.glob("*.gguf")):
        header = read_header(path)
        for name in header.metadata:
            if name.startswith(f"{header.architecture}."):
                assert "\n" not in said_of(damaged(header, name, value), path), name


def said_of(header: Header, path: Path) -> str:
    try:
        predict_memory(header, ModelConfig(path, 4096), n_seq_max=2)
    except TokometerError as error:
        return str(error)
    return ""
