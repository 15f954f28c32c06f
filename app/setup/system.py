"""What the operating system must bring: the one list of system packages, and how to get them."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from app.setup.console import SetupError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.setup.console import Console


class Probe(Enum):
    """How to see, on any Linux, whether what a package brings is there."""

    MODULE = "Python module"
    PROGRAM = "program"
    LIBRARY = "library"
    FONT = "font"


@dataclass(frozen=True, slots=True)
class SystemPackage:
    """One package of Debian.

    Attributes:
        brings: names of a module, programs (any one will do), a shared library or a font's file.
        essential: without it the product does not run; otherwise it only looks or tests less well.
    """

    name: str
    probe: Probe
    brings: tuple[str, ...]
    essential: bool = True

    def is_present(self) -> bool:
        """Look for what the package brings, whoever brought it."""
        match self.probe:
            case Probe.MODULE:
                return all(importlib.util.find_spec(name) for name in self.brings)
            case Probe.PROGRAM:
                return any(shutil.which(name) for name in self.brings)
            case Probe.LIBRARY:
                return all(_loads(name) for name in self.brings)
            case Probe.FONT:
                return any(next(folder.rglob(name), None) for folder in FONT_FOLDERS for name in self.brings)


FONT_FOLDERS = (
    Path("/usr/share/fonts"),
    Path("/usr/local/share/fonts"),
    Path.home() / ".local/share/fonts",
    Path.home() / ".fonts",
)
PYTHON = (SystemPackage(f"python3.{sys.version_info.minor}-venv", Probe.MODULE, ("venv", "ensurepip")),)
COMPILER = (SystemPackage("g++", Probe.PROGRAM, ("c++", "g++", "clang++")),)
LIBRARIES = (
    SystemPackage("libgomp1", Probe.LIBRARY, ("libgomp.so.1",)),  # llama.cpp's threads
    SystemPackage("libgl1", Probe.LIBRARY, ("libGL.so.1",)),
    SystemPackage("libegl1", Probe.LIBRARY, ("libEGL.so.1",)),
    SystemPackage("libfontconfig1", Probe.LIBRARY, ("libfontconfig.so.1",)),
    SystemPackage("libglib2.0-0", Probe.LIBRARY, ("libglib-2.0.so.0",)),
    SystemPackage("libdbus-1-3", Probe.LIBRARY, ("libdbus-1.so.3",)),
    SystemPackage("libxkbcommon0", Probe.LIBRARY, ("libxkbcommon.so.0",)),
    SystemPackage("libbrotli1", Probe.LIBRARY, ("libbrotlidec.so.1",)),
    SystemPackage("libxcb-cursor0", Probe.LIBRARY, ("libxcb-cursor.so.0",)),
    SystemPackage("libxkbcommon-x11-0", Probe.LIBRARY, ("libxkbcommon-x11.so.0",)),
    SystemPackage("libxcb-icccm4", Probe.LIBRARY, ("libxcb-icccm.so.4",)),
    SystemPackage("libxcb-keysyms1", Probe.LIBRARY, ("libxcb-keysyms.so.1",)),
    SystemPackage("libxcb-shape0", Probe.LIBRARY, ("libxcb-shape.so.0",)),
    SystemPackage("libwayland-cursor0", Probe.LIBRARY, ("libwayland-cursor.so.0",), essential=False),
)
FONTS = (
    SystemPackage("fonts-dejavu-core", Probe.FONT, ("DejaVuSansMono.ttf",), essential=False),
    SystemPackage("fonts-noto-core", Probe.FONT, ("NotoSans-Regular.ttf", "NotoSans[[]*.ttf"), essential=False),
    SystemPackage("fonts-noto-cjk", Probe.FONT, ("NotoSansCJK*",), essential=False),
    SystemPackage("fonts-noto-color-emoji", Probe.FONT, ("NotoColorEmoji*",), essential=False),
)
TEST_TOOLS = (
    SystemPackage("xvfb", Probe.PROGRAM, ("Xvfb",), essential=False),
    SystemPackage("xauth", Probe.PROGRAM, ("xauth",), essential=False),
)


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def optional(packages: Iterable[SystemPackage]) -> list[SystemPackage]:
    """The same packages, to be had if possible."""
    return [replace(package, essential=False) for package in packages]


def install_command(packages: Iterable[SystemPackage]) -> list[str]:
    """The one command that installs packages on Debian and Ubuntu."""
    return ["apt-get", "install", "-y", "--no-install-recommends", *(package.name for package in packages)]


def missing_sentence(packages: Iterable[SystemPackage], has_apt: bool) -> str:
    """What is missing and what to do, for a user who must do it: the sudo line, or the names of what is needed."""
    if has_apt:
        return f"System packages are missing; install them with: sudo {' '.join(install_command(packages))}"
    wanted = ", ".join(f"{package.brings[0]} ({package.probe.value})" for package in packages)
    return f"Install these with your system's package manager: {wanted}."


def ensure(console: Console, packages: Iterable[SystemPackage]) -> None:
    """Install what is missing on Debian and Ubuntu as root; elsewhere say what is missing.

    Raises:
        SetupError: something essential is missing and cannot be installed from here.
    """
    missing = [package for package in packages if not package.is_present()]
    essential = [package for package in missing if package.essential]
    if not missing or sys.platform != "linux":
        return
    has_apt = shutil.which("apt-get") is not None
    if not has_apt or os.geteuid() != 0:
        if essential:
            raise SetupError(missing_sentence(missing, has_apt), exit_status=2)
        console.say(f"Going on without: {missing_sentence(missing, has_apt)}")
        return
    _apt_get(console, missing, essential)


def _apt_get(console: Console, missing: list[SystemPackage], essential: list[SystemPackage]) -> None:
    console.say(f"Installing system packages: {' '.join(package.name for package in missing)}")
    environ = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    advice = "Check the network connection and /etc/apt, then run the command again."
    try:
        console.run(["apt-get", "update"], doing="reading the package lists", advice=advice, environ=environ)
    except SetupError as error:
        console.say(f"  {error}")  # one broken source of several need not matter
    doing = "installing system packages"
    try:
        console.run(install_command(missing), doing=doing, advice=advice, environ=environ)
    except SetupError as error:
        if essential == missing:
            raise
        console.say(f"  {error}")
        if essential:
            console.run(install_command(essential), doing=doing, advice=advice, environ=environ)


def ensure_compiler(console: Console) -> None:
    """A C++ compiler for llama.cpp, whatever the system calls it.

    Raises:
        SetupError: there is none; the text says how this system gets one.
    """
    if os.environ.get("CXX"):
        return
    if sys.platform == "win32":
        if not (shutil.which("cl") or _visual_studio().exists()):
            raise SetupError(
                "A C++ compiler is missing: install the Visual Studio Build Tools with "
                '"Desktop development with C++", then run the command again.',
                exit_status=2,
            )
    elif sys.platform == "darwin":
        if subprocess.run(["xcode-select", "-p"], capture_output=True, check=False).returncode:
            raise SetupError(
                "A C++ compiler is missing: run xcode-select --install, then the command again.", exit_status=2
            )
    else:
        ensure(console, COMPILER)


def _visual_studio() -> Path:
    programs = Path(os.environ.get("ProgramFiles(x86)", "C:/Program Files (x86)"))  # noqa: SIM112 - its real name
    return programs / "Microsoft Visual Studio/Installer/vswhere.exe"
