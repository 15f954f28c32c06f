"""The list itself: split and damaged models, links in circles, nothing twice, nothing read twice."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.hub import library as library_module
from app.hub.facts import read_facts
from app.hub.library import Library, LibraryModel, Listing
from app.hub.sources import Root
from app.hub.walk import Walk
from tests.model_stores import LLAMA, add_to_hugging_face, gguf, write, write_split

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "models"
    path.mkdir()
    return path


@pytest.fixture
def scan(tmp_path: Path, folder: Path) -> Callable[..., Listing]:
    """Scan the folder as a new process would."""

    def run(**options: object) -> Listing:
        return Library(tmp_path / "cache" / "library.json").scan([Root(folder, "folder")], **options)

    return run


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the models whose headers were read."""
    names: list[str] = []

    def counting(parts: tuple[Path, ...], missing: tuple[Path, ...], read: object) -> object:
        names.append(parts[0].name)
        return read_facts(parts, missing)

    monkeypatch.setattr(library_module, "read_facts", counting)
    return names


def only(listing: Listing) -> LibraryModel:
    (model,) = listing.models
    return model


def test_what_a_model_is(scan, folder: Path, starter: Path) -> None:
    (folder / "a model.GGUF").symlink_to(starter)
    model = only(scan())
    assert (model.name, model.path, model.source, model.kind) == (
        "a model",
        folder / "a model.GGUF",
        "folder",
        "chat",
    )
    assert (model.architecture, model.quantisation, model.n_params) == ("llama", "Q4_1", 134_515_008)
    assert (model.n_ctx_train, model.kv_bytes_per_token) == (8192, 23_040)
    assert model.file_bytes == starter.stat().st_size
    assert model.bits_per_weight == pytest.approx(model.file_bytes * 8 / model.n_params, rel=0.05)
    assert (model.licence, model.problem, model.missing) == ("apache-2.0", "", ())


def test_a_split_model_is_one(scan, folder: Path) -> None:
    parts = write_split(folder / "below")
    model = only(scan())
    assert (model.name, model.path, model.parts, model.missing) == ("split", parts[0], tuple(parts), ())
    assert model.n_params == 64 * 2 + 64 * 64 + 64 * 32 + 64
    assert model.file_bytes == sum(part.stat().st_size for part in parts)
    assert model.bits_per_weight == 32
    assert model.problem == ""


@pytest.mark.parametrize("gone", [0, 1])
def test_an_incomplete_split_model_names_what_is_missing(gone: int, scan, folder: Path) -> None:
    parts = write_split(folder)
    parts[gone].unlink()
    model = only(scan())
    assert (model.name, model.path, model.parts) == ("split", parts[0], (parts[1 - gone],))
    assert model.missing == (parts[gone].name,)
    assert parts[gone].name in model.problem
    assert model.n_params is None
    write_split(folder)
    assert only(scan()).problem == ""


def test_a_part_that_is_still_to_be_downloaded_is_waited_for(scan, folder: Path) -> None:
    _, second = write_split(folder)
    second.rename(second.with_name(f"{second.name}.part"))
    write(folder / f"{second.name}.part.json", b"{}")
    assert only(scan()).problem == (
        "split-00002-of-00002.gguf is one of the 2 files of this model and is not downloaded yet: wait for its "
        "download, or go on with it."
    )
    second.with_name(f"{second.name}.part").rename(second)
    assert only(scan()).problem == ""


def test_of_many_missing_parts_the_number_and_the_first_are_said(scan, folder: Path) -> None:
    write(folder / "m-00002-of-00004.gguf", gguf())
    sentence = "m-00002-of-00004.gguf is one of 4 files and m-00001-of-00004.gguf is missing, the first of 3: "
    assert only(scan()).problem == f"{sentence}put all parts into {folder}."


def test_a_name_that_claims_too_many_parts_costs_little(scan, folder: Path) -> None:
    write(folder / "x-99999-of-99999.gguf", gguf())
    write(folder / "y-00003-of-00002.gguf", gguf())
    write(folder / "z-00000-of-00000.gguf", gguf())
    first, second, third = scan().models
    assert len(first.missing) == 99_998
    assert (second.problem, third.problem) == ("", "")


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "empty"),
        (b"<!DOCTYPE html>", "not a GGUF"),
        (gguf()[:100], "cut off in its header"),
        (gguf()[:-5000], "4.88 KiB are missing"),
        (gguf({"general.architecture": "llama"}), "bad.gguf"),
    ],
)
def test_a_damaged_file_is_listed_with_the_reason(data: bytes, word: str, scan, folder: Path) -> None:
    write(folder / "bad.gguf", data)
    model = only(scan())
    assert word in model.problem
    assert (model.name, model.file_bytes) == ("bad", len(data))


def test_a_cut_off_file_says_what_it_would_be(scan, folder: Path) -> None:
    write(folder / "bad.gguf", gguf()[:-5000])
    model = only(scan())
    assert (model.architecture, model.n_ctx_train, model.kind) == ("llama", 2048, "chat")


def test_circles_of_links_end(scan, folder: Path) -> None:
    write(folder / "a" / "model.gguf", gguf())
    (folder / "a" / "up").symlink_to(folder)
    (folder / "self").symlink_to(folder / "self")
    (folder / "loop.gguf").symlink_to(folder / "loop.gguf")
    (folder / "dangling.gguf").symlink_to(folder / "nothing")
    os.mkfifo(folder / "pipe.gguf")
    listing = scan()
    assert [model.name for model in listing.models] == ["dangling", "loop", "model"]
    assert [bool(model.problem) for model in listing.models] == [True, True, False]


def test_one_file_is_listed_once(tmp_path: Path, folder: Path) -> None:
    cache = tmp_path / "hub"
    add_to_hugging_face(cache, "org/name", {"model.gguf": gguf()}, "a" * 40)
    add_to_hugging_face(cache, "org/name", {"model.gguf": gguf()}, "b" * 40)
    (folder / "link.gguf").symlink_to(cache / "models--org--name/snapshots" / ("a" * 40) / "model.gguf")
    write(folder / "other.gguf", gguf())
    (folder / "hard link.gguf").hardlink_to(folder / "other.gguf")
    roots = [
        Root(cache / "models--org--name/snapshots", "Hugging Face"),
        Root(folder, "folder"),
        Root(folder, "folder"),
    ]
    models = Library(tmp_path / "cache.json").scan(roots).models
    assert [(model.name, model.source) for model in models] == [("hard link", "folder"), ("model", "Hugging Face")]


def test_only_what_changed_is_read_again(scan, folder: Path, reads: list[str]) -> None:
    for name in ("a", "b"):
        write(folder / f"{name}.gguf", gguf())
    split = write_split(folder)
    first = scan()
    assert sorted(reads) == ["a.gguf", "b.gguf", split[0].name]
    reads.clear()
    assert scan() == first
    assert reads == []
    write(folder / "b.gguf", gguf({**LLAMA, "general.license": "mit"}))
    os.utime(split[1], ns=(1, 1))
    write(folder / "c.gguf", gguf())
    assert [model.licence for model in scan().models] == ["apache-2.0", "mit", "apache-2.0", "apache-2.0"]
    assert sorted(reads) == ["b.gguf", "c.gguf", split[0].name]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"version": 1, "models": []}', b'{"version": 99, "models": {}}', b"[" * 100_000, b"\xff"],
)
def test_a_corrupt_cache_counts_as_empty(content: bytes, scan, folder: Path, tmp_path: Path) -> None:
    write(folder / "a.gguf", gguf())
    first = scan()
    write(tmp_path / "cache" / "library.json", content)
    assert scan() == first
    assert scan() == first


def test_wrong_values_in_the_cache_are_read_anew(scan, folder: Path, tmp_path: Path) -> None:
    write(folder / "a.gguf", gguf())
    first = scan()
    cache = tmp_path / "cache" / "library.json"
    good = cache.read_text()
    for before, after in (('"chat"', '"king"'), ('"llama"', "7"), ("2048", '"x"'), ("[[", "["), ("2048", "2048,1")):
        cache.write_text(good.replace(before, after, 1))
        assert scan() == first


def test_cancelling_keeps_what_was_read(scan, folder: Path, reads: list[str]) -> None:
    for number in range(10):
        write(folder / f"{number}.gguf", gguf())
    cancelled = threading.Event()
    seen: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        seen.append((done, total))
        if done == 3:
            cancelled.set()

    listing = scan(cancelled=cancelled, progress=progress)
    assert (len(listing.models), listing.is_complete) == (3, False)
    assert seen == [(number, 10) for number in range(4)]
    reads.clear()
    whole = scan()
    assert (len(whole.models), whole.is_complete, len(reads)) == (10, True, 7)


def test_depth_and_number_are_bounded(folder: Path) -> None:
    for number in range(5):
        write(folder / f"{number}.gguf", b"")
    write(folder / "a/b/deep.gguf", b"")

    def walk(**bounds: int) -> tuple[int, list[str]]:
        each = replace(Walk(lambda: False), **bounds)
        return len(list(each.files(folder))), each.notes

    assert walk() == (6, [])
    shallow, (note,) = walk(most_depth=1)
    assert (shallow, str(folder / "a") in note) == (5, True)
    few, (note,) = walk(most_entries=3)
    assert few <= 4
    assert "more than 3 files" in note


def test_the_trash_holds_no_models(scan, folder: Path) -> None:
    write(folder / ".Trash-1000/files/gone.gguf", gguf())
    write(folder / "share/Trash/files/gone.gguf", gguf())
    assert scan().models == ()
