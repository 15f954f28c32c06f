"""What is missing is seen, and asked for in the way the system and the user allow."""

from __future__ import annotations

import os
import shutil
import sys

import pytest

from app.setup import system
from app.setup.console import SetupError
from app.setup.system import Probe, SystemPackage, ensure, install_command, missing_sentence

ALL = (*system.PYTHON, *system.COMPILER, *system.LIBRARIES, *system.FONTS, *system.TEST_TOOLS)
LIBRARY = SystemPackage("libnothing1", Probe.LIBRARY, ("libnothing.so.1",))
FONT = SystemPackage("fonts-nothing", Probe.FONT, ("Nothing.ttf",), essential=False)
PRESENT = SystemPackage("python3", Probe.MODULE, ("json",))

linux = pytest.mark.skipif(sys.platform != "linux", reason="system packages are Linux'")


class RecordingConsole:
    """Runs nothing; commands whose words include one of `failing` fail."""

    def __init__(self, failing=()):
        self.said = []
        self.commands = []
        self._failing = failing

    def say(self, text):
        self.said.append(text)

    def run(self, command, *, doing, advice, environ=None):
        self.commands.append(list(command))
        if set(command) & set(self._failing):
            raise SetupError(f"{doing} failed")


@pytest.fixture
def debian(monkeypatch):
    """Say who the user is: a call with 0 makes root of them."""
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}" if name == "apt-get" else None)
    return lambda uid: monkeypatch.setattr(os, "geteuid", lambda: uid)


def test_the_list_names_each_package_once():
    names = [package.name for package in ALL]
    assert len(names) == len(set(names))
    assert all(package.brings for package in ALL)


def test_fonts_and_test_tools_are_never_essential():
    assert not any(package.essential for package in (*system.FONTS, *system.TEST_TOOLS))
    assert all(package.essential for package in (*system.PYTHON, *system.COMPILER))


def test_modules_and_programs_are_seen():
    assert PRESENT.is_present()
    assert not SystemPackage("x", Probe.MODULE, ("no_such_module",)).is_present()
    assert not SystemPackage("x", Probe.PROGRAM, ("no-such-program",)).is_present()
    assert SystemPackage("x", Probe.PROGRAM, ("no-such-program", "git")).is_present() is bool(shutil.which("git"))


@linux
def test_libraries_are_seen():
    assert SystemPackage("libc6", Probe.LIBRARY, ("libc.so.6",)).is_present()
    assert not LIBRARY.is_present()


def test_fonts_are_seen_below_the_font_folders(monkeypatch, tmp_path):
    monkeypatch.setattr(system, "FONT_FOLDERS", (tmp_path, tmp_path / "missing"))
    assert not FONT.is_present()
    (tmp_path / "truetype").mkdir()
    (tmp_path / "truetype" / "Nothing.ttf").touch()
    assert FONT.is_present()


def test_install_command_is_one_line():
    assert install_command([LIBRARY, FONT]) == [
        *("apt-get", "install", "-y", "--no-install-recommends", "libnothing1", "fonts-nothing")
    ]


def test_sentence_names_packages_on_debian_and_their_contents_elsewhere():
    assert missing_sentence([LIBRARY], has_apt=True).endswith(
        "sudo apt-get install -y --no-install-recommends libnothing1"
    )
    assert "libnothing.so.1 (library)" in missing_sentence([LIBRARY], has_apt=False)


@linux
def test_nothing_missing_runs_nothing(debian):
    debian(0)
    console = RecordingConsole()
    ensure(console, [PRESENT])
    assert (console.commands, console.said) == ([], [])


@linux
def test_root_on_debian_installs_all_at_once(debian):
    debian(0)
    console = RecordingConsole()
    ensure(console, [PRESENT, LIBRARY, FONT])
    assert console.commands == [["apt-get", "update"], install_command([LIBRARY, FONT])]


@linux
def test_a_font_that_cannot_be_had_does_not_stop_the_rest(debian):
    debian(0)
    console = RecordingConsole(failing=["update", "fonts-nothing"])
    ensure(console, [LIBRARY, FONT])
    assert console.commands[-1] == install_command([LIBRARY])


@linux
def test_a_library_that_cannot_be_had_does(debian):
    debian(0)
    with pytest.raises(SetupError):
        ensure(RecordingConsole(failing=["libnothing1"]), [LIBRARY, FONT])


@linux
def test_another_user_gets_the_sudo_line_and_status_2(debian):
    debian(1000)
    console = RecordingConsole()
    with pytest.raises(SetupError, match=r"sudo apt-get install .* libnothing1 fonts-nothing$") as caught:
        ensure(console, [LIBRARY, FONT])
    assert caught.value.exit_status == 2
    assert console.commands == []


@linux
def test_another_user_goes_on_without_fonts(debian):
    debian(1000)
    console = RecordingConsole()
    ensure(console, [FONT])
    assert "fonts-nothing" in console.said[0]


@pytest.mark.parametrize(("name", "advice"), [("darwin", "xcode-select --install"), ("win32", "Visual Studio")])
def test_other_systems_say_where_a_compiler_comes_from(monkeypatch, tmp_path, name, advice):
    monkeypatch.setattr(sys, "platform", name)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(system, "_visual_studio", lambda: tmp_path / "missing.exe")
    monkeypatch.setattr(system.subprocess, "run", lambda *_, **__: type("Done", (), {"returncode": 2}))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(SetupError, match=advice) as caught:
        system.ensure_compiler(RecordingConsole())
    assert caught.value.exit_status == 2
