"""Where the library says a model goes is where the load then puts it."""

from __future__ import annotations

import struct
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.engine.config import ModelConfig
from app.engine.dry_run import DryRuns
from app.engine.events import Device, LoadedModel, ModelLoaded
from app.engine.memory import architectures as architectures_known
from app.engine.process import EngineProcess
from app.errors import EngineCrashedError
from app.hub.fits import Placing, placing
from app.hub.library import Library
from app.hub.sources import Root
from app.telemetry.planner import Planner
from tests.conftest import MODELS
from tests.model_stores import gguf, write
from tests.rpc_server import running_rpc_server
from tests.sparse_model import write_sparse_model

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.engine.measured import Measured
    from app.engine.self_test import SelfTests
    from app.hub.library import LibraryModel

MIB = 1024 * 1024
GGUF_UINT32 = 4
CPU = Device("CPU", "a processor", "cpu", "CPU", 8192 * MIB, 4096 * MIB)

with tarfile.open(MODELS / "architectures.tar.xz") as archive:
    ARCHITECTURES = sorted(Path(name).stem for name in archive.getnames())


class TwoDevices(DryRuns):
    """A machine with a processor and a card with that much memory."""

    card_bytes = 1024 * MIB

    def devices(self, rpc_servers: tuple[str, ...] = ()) -> tuple[Device, ...]:
        return (Device("CUDA0", "a card", "gpu", "CUDA", 8192 * MIB, self.card_bytes), CPU)


@pytest.fixture(scope="module")
def planner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planner]:
    planner = Planner(DryRuns(tmp_path_factory.mktemp("cache")))
    yield planner
    planner.close()


@pytest.fixture(scope="module")
def rpc_server() -> Iterator[str]:
    with running_rpc_server() as endpoint:
        yield endpoint


@pytest.fixture
def model(starter: Path, architectures: Path, tmp_path: Path):
    def find(name: str) -> LibraryModel:
        path = starter if name == "starter" else architectures / f"{name}.gguf"
        (found,) = Library(tmp_path / "library.json").scan([Root(path, "folder")]).models
        return found

    return find


def load(config: ModelConfig, self_tests: SelfTests) -> LoadedModel:
    engine = EngineProcess(self_tests)
    loaded = list(engine.load(config))[-1]
    engine.close()
    assert isinstance(loaded, ModelLoaded), loaded
    return loaded.model


@pytest.mark.parametrize("name", ["starter", *ARCHITECTURES])
def test_the_load_agrees_on_the_cpu(name: str, model, planner: Planner, self_tests: SelfTests) -> None:
    found = model(name)
    placed = placing(planner, found, ModelConfig(found.path))
    loaded = load(ModelConfig(found.path), self_tests)
    assert (placed.place, loaded.layers_offloaded) == ("cpu", 0)
    assert placed.n_ctx == loaded.n_ctx_max == found.n_ctx_train
    assert (found.architecture, found.n_params) == (loaded.info.architecture, loaded.info.n_params)
    assert found.file_bytes == loaded.info.file_bytes
    if name == "starter":  # the others do not say what they are
        assert found.quantisation == loaded.info.quantisation


@pytest.mark.parametrize("name", ["starter", *ARCHITECTURES])
@pytest.mark.parametrize(("layers", "place"), [("auto", "gpu"), (1, "partly"), (0, "cpu")])
def test_the_load_agrees_with_a_second_device(
    layers: str | int, place: str, name: str, model, planner: Planner, self_tests: SelfTests, rpc_server: str
) -> None:
    found = model(name)
    config = ModelConfig(found.path, n_gpu_layers=layers, rpc_servers=(rpc_server,))  # type: ignore[arg-type]
    placed = placing(planner, found, config)
    loaded = load(config, self_tests)
    whole = loaded.layers_offloaded == loaded.layers_total
    assert placed.place == place == ("gpu" if whole else "partly" if loaded.layers_offloaded else "cpu")
    assert placed.n_ctx == loaded.n_ctx_max


@pytest.mark.parametrize(
    ("trained", "n_ctx", "largest"),
    [(1, 256, 256), (255, 256, 256), (8191, 4096, 8192), (2**31, 4096, None), (2**32 - 1, 4096, None)],
)
def test_odd_trained_contexts_are_loaded_as_they_are_labelled(
    architectures: Path, planner: Planner, self_tests: SelfTests, tmp_path: Path, trained, n_ctx, largest
) -> None:
    """`largest`: None where memory is the limit."""
    key = b"llama.context_length" + struct.pack("<I", GGUF_UINT32)
    head, found_key, rest = (architectures / "llama-dense.gguf").read_bytes().partition(key)
    path = tmp_path / "odd.gguf"
    path.write_bytes(head + found_key + struct.pack("<I", trained) + rest[4:])
    (found,) = Library(tmp_path / "library.json").scan([Root(path, "folder")]).models
    plan = planner.plan(ModelConfig(path), accuracy="estimate")
    loaded = load(ModelConfig(path), self_tests)
    assert found.n_ctx_train == plan.n_ctx_train == loaded.info.n_ctx_train == trained
    assert plan.n_ctx == loaded.n_ctx == n_ctx
    if largest is not None:
        assert placing(planner, found, ModelConfig(path)).n_ctx == loaded.n_ctx_max == largest


def test_a_card_too_small_takes_a_part(model, tmp_path: Path) -> None:
    runs = TwoDevices(tmp_path)
    found = model("starter")
    places = []
    for free_mib in (1024, 200, 60):
        runs.card_bytes = free_mib * MIB
        places.append(placing(Planner(runs), found, ModelConfig(found.path, reserve_bytes=0)).place)
    assert places == ["gpu", "partly", "partly"]


def test_experts_on_the_cpu_are_a_part(model, tmp_path: Path) -> None:
    found = model("gpt-oss-moe")
    config = ModelConfig(found.path, n_gpu_layers="all")
    planner = Planner(TwoDevices(tmp_path))
    assert [placing(planner, found, replace(config, n_cpu_moe=count)).place for count in (0, 1)] == ["gpu", "partly"]


def test_what_is_larger_than_memory_does_not_fit(starter: Path, tmp_path: Path) -> None:
    path = write_sparse_model(tmp_path / "huge.gguf", starter)
    (found,) = Library(tmp_path / "library.json").scan([Root(path, "folder")]).models
    planner = Planner(TwoDevices(tmp_path))
    placed = placing(planner, found, ModelConfig(path))
    (on_cpu,) = (plan for plan in planner.plan(ModelConfig(path), accuracy="estimate").devices if plan.device == CPU)
    assert placed == Placing("no", needed_bytes=on_cpu.used_bytes, free_bytes=4096 * MIB)
    assert on_cpu.used_bytes > path.stat().st_size * 0.95  # all but what the card holds


def test_what_cannot_be_loaded_has_no_place(planner: Planner, tmp_path: Path) -> None:
    write(tmp_path / "models/a.gguf", b"GGUF")
    write(tmp_path / "models/b.gguf", gguf({"general.architecture": "clip"}))
    damaged, projector = Library(tmp_path / "library.json").scan([Root(tmp_path / "models", "folder")]).models
    assert placing(planner, damaged, ModelConfig(damaged.path)) == Placing("unknown", reason=damaged.problem)
    assert placing(planner, projector, ModelConfig(projector.path)) == Placing("unknown")


def test_refusals_are_said(model, planner: Planner) -> None:
    found = model("deepseek2-moe")
    placed = placing(planner, found, ModelConfig(found.path, n_ctx=256, type_k="q8_0"))
    assert placed.place == "no"
    assert "MLA" in placed.reason


def test_no_devices_no_answer(model, tmp_path: Path) -> None:
    found = model("llama-dense")
    planner = Planner(DryRuns(tmp_path))
    placed = placing(planner, found, ModelConfig(found.path, rpc_servers=("127.0.0.1:1",)))
    planner.close()
    assert placed.place == "unknown"
    assert ":1" in placed.reason


def test_a_new_architecture_is_measured(model, planner: Planner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(architectures_known, "KNOWN", architectures_known.KNOWN - {"cohere2"})
    found = model("cohere2-dense")
    assert (found.kind, found.kv_bytes_per_token) == ("chat", None)
    assert placing(planner, found, ModelConfig(found.path)).place == "cpu"


def test_a_new_architecture_that_cannot_be_measured_has_no_place(
    model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Dying(TwoDevices):
        def measure(self, configs: object, devices: object) -> tuple[Measured, ...]:
            raise EngineCrashedError("The process that measures ended.")

    monkeypatch.setattr(architectures_known, "KNOWN", architectures_known.KNOWN - {"jamba"})
    found = model("jamba-dense")
    placed = placing(Planner(Dying(tmp_path)), found, ModelConfig(found.path))
    assert placed == Placing("unknown", reason="The process that measures ended.")
