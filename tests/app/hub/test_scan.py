"""The library's own process: what it finds, where the models go, and how it ends."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

import psutil
import pytest

from app.engine.config import ModelConfig
from app.engine.dry_run import DryRuns
from app.engine.events import Device
from app.errors import EngineError, Sentence
from app.hub.child import _placing
from app.hub.fits import placing
from app.hub.library import CACHE_FILE, Library
from app.hub.scan import LibraryProcess
from app.hub.sources import Root, model_roots
from app.paths import paths
from app.telemetry.planner import Planner
from tests.model_stores import LLAMA, add_to_hugging_face, add_to_ollama, gguf, write, write_split

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.hub.library import LibraryModel
    from app.hub.scan import Found, Placed

MIB = 1024 * 1024
CPU = Device("CPU", "a processor", "cpu", "CPU", 8192 * MIB, 4096 * MIB)
GPU = Device("CUDA0", "a card", "gpu", "CUDA", 8192 * MIB, 8000 * MIB)
pytestmark = pytest.mark.usefixtures("user_home")


@pytest.fixture
def library() -> Iterator[LibraryProcess]:
    process = LibraryProcess()
    yield process
    process.close()


def ignore(_: object) -> None:
    pass


def test_it_lists_what_the_library_lists_and_tells_as_it_goes(
    library: LibraryProcess, user_home: Path, tmp_path: Path
) -> None:
    for number in range(40):
        write(paths().models / f"{number:02}.gguf", gguf())
    write_split(tmp_path / "added")[1].unlink()
    add_to_hugging_face(user_home / ".cache/huggingface/hub", "org/name", {"hub.gguf": gguf()})
    add_to_ollama(
        user_home / ".ollama/models", "registry.ollama.ai/library/tiny/1b", {"model": gguf({**LLAMA, "a": 1})}
    )
    added = (str(tmp_path / "added"), str(tmp_path / "unplugged"))
    found: list[Found] = []
    scanned = library.scan(paths().models, added, found.append)
    expected = Library(tmp_path / "other.json").scan(model_roots(paths().models, added))
    assert scanned.listing == expected
    assert scanned.roots == model_roots(paths().models, added)
    streamed = [model for each in found for model in each.models]
    assert sorted(streamed, key=lambda model: str(model.path)) == sorted(
        scanned.listing.models, key=lambda model: str(model.path)
    )
    assert (found[-1].done, found[-1].total) == (len(streamed), len(streamed))
    assert {paths().models, tmp_path / "added"} <= set(scanned.listing.folders)
    damaged = next(model for model in scanned.listing.models if model.missing)
    assert isinstance(damaged.problem, Sentence)
    assert damaged.problem.template.startswith("{file} is one of {count} files")
    assert (paths().cache / CACHE_FILE).exists()


def test_it_runs_at_a_low_priority_until_it_is_closed(library: LibraryProcess) -> None:
    library.scan(paths().models, (), ignore)
    assert library.pid is not None
    child = psutil.Process(library.pid)
    expected = psutil.BELOW_NORMAL_PRIORITY_CLASS if sys.platform == "win32" else 10
    assert child.nice() == expected
    library.close()
    assert library.pid is None
    assert not child.is_running()


def test_places_are_those_of_the_plan(library: LibraryProcess, starter: Path, architectures: Path) -> None:
    for path in architectures.glob("*.gguf"):
        write(paths().models / path.name, path.read_bytes())
    write(paths().models / "damaged.gguf", b"GGUF")
    models = library.scan(paths().models, (), ignore).listing.models
    assert len(models) > 8
    pairs = [(model, ModelConfig(model.path)) for model in models]
    for devices in ((CPU,), (GPU, CPU)):
        answers: list[Placed] = []
        library.place(pairs, devices, answers.append)
        placed = [each for answer in answers for each in answer.placings]
        planner = Planner(DryRuns(paths().cache))
        planner.take_devices((), devices)
        assert placed == [(model.path, placing(planner, model, config)) for model, config in pairs]
        planner.close()
    assert {each.place for _, each in placed} >= {"gpu", "unknown"}


def test_a_cancelled_scan_ends_with_what_it_has_and_the_next_is_whole(library: LibraryProcess) -> None:
    for number in range(30):
        write(paths().models / f"{number:02}.gguf", gguf())
    complete = []

    def cancel(_: Found) -> None:
        library.cancel()

    complete.append(library.scan(paths().models, (), cancel).listing.is_complete)
    listing = library.scan(paths().models, (), ignore).listing
    assert listing.is_complete
    assert len(listing.models) >= 30
    assert isinstance(complete[0], bool)  # it may have been done before the word came


def test_the_end_of_the_process_is_one_sentence_and_the_next_question_starts_another(library: LibraryProcess) -> None:
    write(paths().models / "a.gguf", gguf())

    def kill(_: Found) -> None:
        threading.Timer(0, library.kill).start()
        assert library.pid is not None
        psutil.Process(library.pid).wait(10)

    with pytest.raises(EngineError, match="The process that reads the models ended"):
        library.scan(paths().models, (), kill)
    assert "a" in [model.name for model in library.scan(paths().models, (), ignore).listing.models]


def test_a_server_that_the_engine_may_be_using_is_left_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "new.gguf", gguf({**LLAMA, "general.architecture": "brand-new"}))
    (model,) = Library(tmp_path / "library.json").scan([Root(path, "folder")]).models
    config = ModelConfig(path, rpc_servers=("127.0.0.1:1",))
    placed = _placing(Planner(None), model, config)  # type: ignore[arg-type]  # nothing is asked of it
    assert placed.place == "unknown"
    assert "brand-new" in placed.reason


def _names(models: tuple[LibraryModel, ...]) -> list[str]:
    return [model.name for model in models]


def test_answers_of_a_placing_come_in_order(library: LibraryProcess) -> None:
    for name in "cab":
        write(paths().models / f"{name}.gguf", gguf())
    models = library.scan(paths().models, (), ignore).listing.models
    seen: list[Placed] = []
    library.place([(model, ModelConfig(model.path)) for model in models], (CPU,), seen.append)
    assert [path for each in seen for path, _ in each.placings] == [model.path for model in models]
    assert _names(models)[:3] == ["a", "b", "c"]
