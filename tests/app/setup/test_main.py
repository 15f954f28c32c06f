"""The two commands: what they ask for, what they start, and how they end."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import app.setup
from app.setup import __main__ as main_module
from app.setup.__main__ import CHECKOUT, choose_engine, command_of, environment_of, main, parse, set_up
from app.setup.console import SetupError
from app.setup.engine_wheel import EngineSource
from app.setup.environment import Environment, make_stamp


@pytest.mark.parametrize(
    ("arguments", "task", "index", "rest"),
    [
        ([], "window", "", []),
        (["test"], "test", "", []),
        (["test", "--", "-k", "name", "--", "x"], "test", "", ["-k", "name", "--", "x"]),
        (["--", "-m", "a b.gguf"], "window", "", ["-m", "a b.gguf"]),
        (["develop", "--llama-index", "https://example.org/cu124"], "develop", "https://example.org/cu124", []),
    ],
)
def test_parse(arguments, task, index, rest):
    options, started = parse(arguments)
    assert (options.task, options.llama_index, started) == (task, index, rest)


def test_an_engine_once_chosen_stays(tmp_path):
    (tmp_path / "pyproject.toml").touch()
    cuda = EngineSource("-DGGML_CUDA=on", prefer_ready=False)
    before = make_stamp(tmp_path, (), cuda, "key")
    assert choose_engine("", {}, None) == EngineSource()
    assert choose_engine("", {"CMAKE_ARGS": "-DGGML_CUDA=on"}, None) == cuda
    assert choose_engine("", {}, before) == cuda
    assert choose_engine("https://example.org", {"CMAKE_ARGS": "-DX=1"}, before) == EngineSource(
        index="https://example.org"
    )


def test_commands():
    assert command_of("window", Path("py"), ["-m", "x.gguf"]) == ["py", "-m", "app", "-m", "x.gguf"]
    assert command_of("test", Path("py"), ["-k", "x"]) == ["py", "-m", "pytest", "-k", "x"]
    assert command_of("develop", Path("py"), []) == []


def test_tests_draw_into_memory_unless_told_otherwise():
    assert environment_of("test", {})["QT_QPA_PLATFORM"] == "offscreen"
    assert environment_of("test", {"QT_QPA_PLATFORM": "xcb"})["QT_QPA_PLATFORM"] == "xcb"
    assert environment_of("window", {}) == {}


class SilentConsole:
    """Fails the test when anything is said or run."""

    log_path = Path("setup.log")

    def say(self, text):
        pytest.fail(text)

    def run(self, command, **_):
        pytest.fail(str(command))


@pytest.fixture
def finished(tmp_path, monkeypatch):
    """An environment that was set up for the tests."""
    monkeypatch.setattr(main_module.system, "LIBRARIES", ())
    monkeypatch.delenv("CMAKE_ARGS", raising=False)
    environment = Environment(tmp_path)
    environment.python.parent.mkdir(parents=True)
    environment.python.symlink_to(sys.executable)
    version = main_module.engine_wheel.wanted_version(CHECKOUT / "pyproject.toml")
    engine = EngineSource("-DA=1", prefer_ready=False)
    environment.write_stamp(make_stamp(CHECKOUT, ("dev", "starter"), engine, engine.key(version)))
    return environment


@pytest.mark.parametrize("task", ["test", "window", "develop"])
def test_second_run_does_nothing(finished, task):
    set_up(SilentConsole(), task, "", finished)


def test_another_engine_is_work(finished, monkeypatch):
    monkeypatch.setenv("CMAKE_ARGS", "-DB=1")
    with pytest.raises(pytest.fail.Exception, match="Setting Tokometer up"):
        set_up(SilentConsole(), "window", "", finished)


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (SetupError("It is missing.", exit_status=2), 2, "It is missing.\n"),
        (OSError(28, "No space left on device"), 1, "No space left on device"),
        (KeyboardInterrupt(), 130, "Stopped"),
    ],
)
def test_every_end_is_one_sentence(monkeypatch, capsys, error, status, text):
    def fail(*_):
        raise error

    monkeypatch.setattr(sys, "argv", ["setup"])
    monkeypatch.setattr(main_module.signal, "signal", lambda *_: None)
    monkeypatch.setattr(main_module, "set_up", fail)
    assert main() == status
    captured = capsys.readouterr()
    assert text in captured.err
    assert "Traceback" not in captured.err


def test_it_runs_on_the_standard_library_alone():
    script = f"import sys; sys.path.insert(0, {str(CHECKOUT)!r}); import app.setup.__main__"
    command = [sys.executable, "-I", "-S", "-c", script]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stderr == ""


def test_an_old_python_is_told_so(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 9, 18))
    with pytest.raises(SystemExit, match=r"needs Python 3\.11 or newer, and this is 3\.9"):
        importlib.reload(app.setup)
