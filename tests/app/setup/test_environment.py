"""The environment and its stamp: kept while sound, made anew otherwise."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from app.setup.engine_wheel import EngineSource
from app.setup.environment import Environment, make_stamp


class RecordingConsole:
    def __init__(self):
        self.commands = []

    def run(self, command, *, doing, advice, environ=None):
        self.commands.append([str(word) for word in command])


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def stamp(checkout):
    return make_stamp(checkout, ("starter", "dev"), EngineSource(), "engine 1")


@pytest.fixture
def environment(checkout):
    """One that exists: its interpreter is this one."""
    environment = Environment(checkout)
    environment.python.parent.mkdir(parents=True)
    environment.python.symlink_to(sys.executable)
    return environment


def test_stamp_round_trip(environment, stamp):
    assert environment.stamp() is None
    environment.write_stamp(stamp)
    assert environment.stamp() == stamp


def test_stamp_changes_with_pyproject_and_not_with_the_order_of_extras(checkout, stamp):
    assert make_stamp(checkout, ("dev", "starter"), EngineSource(), "engine 1") == stamp
    (checkout / "pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    assert make_stamp(checkout, ("dev", "starter"), EngineSource(), "engine 1") != stamp


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"extras": 1}', '{"extras": [], "engine": {"x": 1}}'])
def test_damaged_stamp_is_none(environment, text):
    (environment.folder / "tokometer-setup.json").write_text(text, encoding="utf-8")
    assert environment.stamp() is None


def test_stamp_of_an_environment_whose_python_has_gone_is_none(environment, stamp):
    environment.write_stamp(stamp)
    environment.python.unlink()
    environment.python.symlink_to("/no/such/python")
    assert environment.stamp() is None


def test_first_set_up_makes_the_environment(checkout, stamp):
    environment = Environment(checkout)
    environment.folder.mkdir()
    console = RecordingConsole()
    environment.create(console, None, stamp)
    assert console.commands[0][1:] == ["-m", "venv", str(environment.folder)]
    assert Path(console.commands[0][0]).exists()


@pytest.mark.parametrize("has_pip", [True, False])
def test_a_sound_environment_is_kept(monkeypatch, environment, stamp, has_pip):
    monkeypatch.setattr(Environment, "_has_pip", lambda _: has_pip)
    console = RecordingConsole()
    environment.create(console, replace(stamp, pyproject_sha256="old"), stamp)
    environment.create(console, None, stamp)  # another tool made it
    repairs = [] if has_pip else [[str(environment.python), "-m", "ensurepip"]] * 2
    assert console.commands == repairs


@pytest.mark.parametrize("change", [{"complete": False}, {"python": "cpython 3.10"}])
def test_an_interrupted_or_foreign_one_is_made_anew(environment, stamp, change):
    console = RecordingConsole()
    (environment.folder / "lib" / "old").mkdir(parents=True)
    environment.create(console, replace(stamp, **change), stamp)
    assert [command[1:3] for command in console.commands] == [["-m", "venv"]]
    assert [path.name for path in environment.folder.iterdir()] == ["tokometer-setup.json"]


def test_while_set_up_works_the_stamp_says_so(environment, stamp):
    environment.create(RecordingConsole(), None, stamp)
    assert environment.stamp() == replace(stamp, complete=False)


def test_a_new_engine_is_chosen_only_when_it_works(environment, stamp):
    cuda = EngineSource("-DGGML_CUDA=on")
    environment.create(RecordingConsole(), replace(stamp, engine=cuda), stamp)
    assert environment.stamp() == replace(stamp, engine=cuda, complete=False)


def test_half_an_environment_is_never_taken_for_one(checkout, stamp):
    environment = Environment(checkout)

    class InterruptedConsole:
        def run(self, *_, **__):
            environment.python.parent.mkdir()
            environment.python.symlink_to(sys.executable)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        environment.create(InterruptedConsole(), None, stamp)
    assert environment.stamp() == replace(stamp, complete=False)


def test_install_takes_the_clone_editable(environment, checkout):
    console = RecordingConsole()
    environment.install(console, ("dev", "starter"))
    assert console.commands[0][-2:] == ["-e", f"{checkout}[dev,starter]"]
