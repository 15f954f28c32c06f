"""Every store is found where its program keeps it, by that program's own variables."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from app.hub.library import Library
from app.hub.sources import model_roots
from app.paths import paths
from tests.model_stores import LLAMA, add_to_hugging_face, add_to_ollama, gguf, write
from tests.permissions import as_nobody, posix_only

if TYPE_CHECKING:
    from pathlib import Path


def test_all_stores_are_found_by_themselves(user_home: Path, tmp_path: Path, starter: Path) -> None:
    add_to_hugging_face(user_home / ".cache/huggingface/hub", "org/name", {"sub/hub.gguf": gguf()})
    write(user_home / ".lmstudio/models/org/name/studio.gguf", gguf())
    write(user_home / ".cache/lm-studio/models/org/name/old-studio.gguf", gguf())
    cache = "Library/Caches/llama.cpp" if sys.platform == "darwin" else ".cache/llama.cpp"
    write(user_home / cache / "org_name_cached.gguf", gguf())
    add_to_ollama(user_home / ".ollama/models", "registry.ollama.ai/library/tiny/1b", {"model": gguf()})
    write(paths().models / "own.gguf", gguf())
    write(tmp_path / "added/deep/er/added.gguf", gguf())
    listing = Library(tmp_path / "cache.json").scan(model_roots(paths().models, [tmp_path / "added"]))
    assert listing.notes == ()
    assert {model.name: model.source for model in listing.models} == {
        "hub": "Hugging Face",
        "studio": "LM Studio",
        "old-studio": "LM Studio",
        "org_name_cached": "llama.cpp",
        "tiny:1b": "Ollama",
        "own": "folder",
        "added": "folder",
        starter.stem: "starter",
    }
    assert {model.problem for model in listing.models} == {""}


@pytest.mark.parametrize(
    ("variable", "below", "source"),
    [
        ("HF_HUB_CACHE", "", "Hugging Face"),
        ("HF_HOME", "hub", "Hugging Face"),
        ("XDG_CACHE_HOME", "huggingface/hub", "Hugging Face"),
        ("OLLAMA_MODELS", "", "Ollama"),
        ("LLAMA_CACHE", "", "llama.cpp"),
    ],
)
def test_variables_move_stores(
    variable: str, below: str, source: str, user_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / "moved"))
    store = tmp_path / "moved" / below
    if source == "Hugging Face":
        add_to_hugging_face(store, "org/name", {"model.gguf": gguf()})
    elif source == "Ollama":
        add_to_ollama(store, "registry.ollama.ai/library/model/1b", {"model": gguf()})
    else:
        write(store / "model.gguf", gguf())
    models = Library(tmp_path / "cache.json").scan(model_roots(user_home / "none")).models
    assert [model.source for model in models] == sorted([source, "starter"], key=str.casefold)


def test_lm_studios_pointer_and_settings_move_its_store(user_home: Path, tmp_path: Path) -> None:
    write(user_home / ".lmstudio-home-pointer", f"{tmp_path / 'home of it'}\n".encode())
    write(tmp_path / "home of it/models/org/name/pointed.gguf", gguf())
    write(user_home / ".lmstudio/models/org/name/usual.gguf", gguf({**LLAMA, "a": 1}))
    write(user_home / ".lmstudio/settings.json", json.dumps({"downloadsFolder": str(tmp_path / "other disk")}).encode())
    write(tmp_path / "other disk/org/name/moved.gguf", gguf({**LLAMA, "a": 2}))
    models = Library(tmp_path / "cache.json").scan(model_roots(user_home / "none")).models
    assert [model.name for model in models if model.source == "LM Studio"] == ["moved", "pointed", "usual"]


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[" * 100_000, b"[]", b'{"downloadsFolder": 3}', b'{"downloadsFolder": "here"}', b"\xff"]
)
def test_settings_of_lm_studio_that_are_none_move_nothing(text: bytes, user_home: Path) -> None:
    write(user_home / ".lmstudio/settings.json", text)
    write(user_home / ".lmstudio-home-pointer", text)
    write(user_home / ".lmstudio/models/org/name/usual.gguf", gguf())
    roots = [root.path for root in model_roots(user_home / "none") if root.source == "LM Studio"]
    assert roots == [user_home / ".lmstudio/models"]


@posix_only
@pytest.mark.usefixtures("user_home")
def test_stores_that_cannot_be_read_are_said(
    open_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service of Ollama keeps its models in the home of a user of its own, which is closed to others."""
    monkeypatch.setenv("HOME", str(open_folder))
    service = open_folder / "ollama/.ollama/models"
    monkeypatch.setattr("app.hub.sources._OLLAMA_SERVICE", service)
    add_to_ollama(service, "registry.ollama.ai/library/tiny/1b", {"model": gguf()})
    add_to_ollama(open_folder / ".ollama/models", "registry.ollama.ai/library/tiny/1b", {"model": gguf()})
    hub, registry = open_folder / ".cache/huggingface/hub", open_folder / ".ollama/models/manifests/registry.ollama.ai"
    add_to_hugging_face(hub, "org/name", {"hub.gguf": gguf()})
    for folder in (open_folder / "ollama", registry, hub):
        folder.chmod(0)
    with as_nobody():
        listing = Library(tmp_path / "cache.json").scan(model_roots(open_folder / "none"))
    assert [str(note) for note in listing.notes] == [
        f"{path} cannot be read (permission denied) and was skipped." for path in (hub, registry, service / "manifests")
    ]


def test_only_the_users_own_folders_are_missed(user_home: Path, tmp_path: Path) -> None:
    listing = Library(tmp_path / "cache.json").scan(model_roots(paths().models, [tmp_path / "unplugged"]))
    (note,) = listing.notes
    assert "unplugged" in note
    assert "skipped" in note


def test_ollamas_names_projectors_and_damage(user_home: Path, tmp_path: Path) -> None:
    store = user_home / ".ollama/models"
    clip = gguf({"general.architecture": "clip"})
    add_to_ollama(store, "registry.ollama.ai/library/seeing/latest", {"model": gguf(), "projector": clip})
    add_to_ollama(store, "registry.ollama.ai/me/mine/q4", {"model": gguf({**LLAMA, "general.name": "mine"})})
    (gone,) = add_to_ollama(store, "hf.co/org/name/Q8_0", {"model": gguf({**LLAMA, "general.name": "gone"})})
    gone.unlink()
    write(store / "manifests/registry.ollama.ai/library/broken/1b", b"{")
    outside = b'{"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest": "../../../secret"}]}'
    write(store / "manifests/registry.ollama.ai/library/evil/1b", outside)
    listing = Library(tmp_path / "cache.json").scan(model_roots(user_home / "none"))
    found = {model.name: (model.kind, bool(model.problem)) for model in listing.models if model.source == "Ollama"}
    assert found == {
        "seeing:latest": ("chat", False),
        "seeing:latest (projector)": ("projector", False),
        "me/mine:q4": ("chat", False),
        "hf.co/org/name:Q8_0": ("other", True),
    }
    assert [str(store / "manifests/registry.ollama.ai/library/broken/1b") in note for note in listing.notes] == [True]
