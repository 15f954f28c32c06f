"""The two commands: what they ask for, what they start, and how they end."""

from __future__ import annotations

import importlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import app.setup
from app.setup import __main__ as main_module
from app.setup.__main__ import CHECKOUT, choose_engine, command_of, environment_of, main, parse, set_up
from app.setup.console import SetupError
from app.setup.engine_wheel import EngineSource, wanted_version
from app.setup.environment import Environment, make_stamp

VERSION = wanted_version(CHECKOUT / "pyproject.toml")


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
    cuda = EngineSource("-DGGML_CUDA=on")
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


class RecordingConsole:
    """Runs nothing and keeps what it was asked to do."""

    log_path = Path("setup.log")

    def __init__(self):
        self.doings = []

    def say(self, text):
        pass

    def run(self, command, *, doing, advice, environ=None):
        self.doings.append(doing.split()[0] + " " + doing.split()[-1])


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
    engine = EngineSource("-DA=1")
    environment.write_stamp(make_stamp(CHECKOUT, ("dev", "starter"), engine, engine.key(VERSION)))
    return environment


@pytest.mark.parametrize("task", ["test", "window", "develop"])
def test_second_run_does_nothing(finished, task):
    set_up(SilentConsole(), task, "", finished)


@pytest.mark.parametrize(
    ("index", "changes", "steps"),
    [
        ("", {"pyproject_sha256": "old"}, ["installing packages", "loading llama-cpp-python"]),
        ("", {"extras": ("starter",)}, ["installing packages", "loading llama-cpp-python"]),
        (
            "",
            {"complete": False},
            ["making .venv", "installing URL", "installing packages", "loading llama-cpp-python"],
        ),
        ("", {"python": "old"}, ["making .venv", "installing URL", "installing packages", "loading llama-cpp-python"]),
        ("URL2", {}, ["installing URL2", "installing packages", "loading llama-cpp-python"]),
    ],
)
def test_only_what_changed_is_done_again(finished, monkeypatch, index, changes, steps):
    for name in ("PYTHON", "FONTS", "TEST_TOOLS"):
        monkeypatch.setattr(main_module.system, name, ())
    monkeypatch.setattr(Environment, "_has_pip", lambda _: True)
    engine = EngineSource(index="URL")
    finished.write_stamp(replace(finished.stamp(), engine=engine, engine_key=engine.key(VERSION), **changes))
    console = RecordingConsole()
    set_up(console, "test", index, finished)
    assert console.doings == steps


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (SetupError("It is missing.", exit_status=2), 2, "It is missing.\n"),
        (OSError(28, "the words of the system"), 1, "the disk is full."),
        (OSError(28, "the words of the system", "setup.log"), 1, "the disk is full (setup.log)."),
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
