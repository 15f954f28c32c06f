"""llama-cpp-python: built once per version, build flags and processor, and kept in the user's cache folder.

PyPI has its source only. pip's own cache of built wheels knows neither CMAKE_ARGS nor the processor, and the default
build uses every instruction set of the processor it is built on: a wheel from elsewhere could die at its first decode.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.setup.console import SetupError
from app.setup.system import ensure_compiler

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.setup.console import Console

PACKAGE = "llama-cpp-python"
# The RPC client, so that models can span machines; not mtmd, a quarter of the build, since images are not read here.
CMAKE_ARGS = "-DGGML_RPC=ON -DLLAVA_BUILD=OFF"
# llama.cpp's AMX code, compiled by GCC 12, crashes at the first prompt. The rest of the processor can still be used.
CMAKE_ARGS_WITHOUT_AMX = f"{CMAKE_ARGS} -DCMAKE_C_FLAGS=-mno-amx-int8 -DCMAKE_CXX_FLAGS=-mno-amx-int8"
X86_INSTRUCTION_SETS = re.compile(r"sse|avx|amx|fma|f16c|bmi|abm|popcnt|movbe|gfni|xop")
NETWORK_ADVICE = "Check the network connection and run the command again."


@dataclass(frozen=True, slots=True)
class EngineSource:
    """Where the engine comes from.

    Attributes:
        cmake_args: build it with these flags.
        index: take a built wheel from this package index.

    With neither it is a built wheel that pip's own configuration offers (find-links, an index), else the default build.
    """

    cmake_args: str = ""
    index: str = ""

    @property
    def build_flags(self) -> str:
        """The flags of a build from this source."""
        return self.cmake_args or (CMAKE_ARGS_WITHOUT_AMX if "amx_int8" in cpu_features().split() else CMAKE_ARGS)

    def key(self, version: str) -> str:
        """Names what the environment holds, and the cache folder of a build; another key is another engine."""
        if self.index:
            return f"{version} from {self.index}"
        tag = f"cp{sys.version_info.major}{sys.version_info.minor}-{sysconfig.get_platform()}"
        parts = (self.build_flags, cpu_features(), *platform.libc_ver())
        return f"{PACKAGE}-{version}-{tag}-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:12]}"


def pip_command(python: Path, verb: str, *arguments: str | Path) -> list[str | Path]:
    """A command of an environment's pip that never asks anything."""
    return [python, "-m", "pip", verb, "--no-input", *arguments]


def wanted_version(pyproject: Path) -> str:
    """The lowest version that pyproject.toml accepts: the one the tests run with."""
    dependencies = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]["dependencies"]
    return next(str(text).split(">=")[1].strip() for text in dependencies if text.startswith(f"{PACKAGE}>="))


def instruction_sets(cpuinfo: str) -> str:
    """What a compiler may use of a processor, from /proc/cpuinfo's text; the same on equal processors."""
    match = re.search(r"^(flags|Features|isa)\s*:(.*)$", cpuinfo, re.MULTILINE)
    if match is None:
        return ""
    words = match[2].split()
    if match[1] == "flags":  # x86 lists the kernel's mitigations there too, which change with its updates
        words = [word for word in words if X86_INSTRUCTION_SETS.search(word)]
    return " ".join(sorted(words))


def cpu_features() -> str:
    """What distinguishes this processor from one that may not run the same build."""
    if sys.platform == "linux":
        return instruction_sets(Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace"))
    if sys.platform == "darwin":
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return platform.processor()


def cache_folder(environ: Mapping[str, str], system: str = sys.platform) -> Path:
    """Tokometer's cache folder, as app.paths has it; that module needs platformdirs, which is not there yet."""
    if home := environ.get("TOKOMETER_HOME"):
        return Path(home).expanduser() / "cache"
    if system == "win32":
        return Path(environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "tokometer" / "Cache"
    if system == "darwin":
        return Path.home() / "Library/Caches/tokometer"
    return Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tokometer"


def is_at_hand(source: EngineSource, version: str, wheels: Path) -> bool:
    """Whether nothing has to be built, as far as that can be known without asking pip."""
    return bool(source.index) or _kept_wheel(wheels / source.key(version)) is not None


def install(console: Console, python: Path, source: EngineSource, version: str, wheels: Path) -> None:
    """Put the engine into the environment of `python`, from the index, the cache, a ready wheel or a build.

    Raises:
        SetupError: none of them worked.
    """
    command = pip_command(python, "install", "--no-deps", "--force-reinstall")
    if source.index:
        console.run(
            [*command, "--only-binary", PACKAGE, "--index-url", source.index, f"{PACKAGE}>={version}"],
            doing=f"installing {PACKAGE} from {source.index}",
            advice=f"The index must offer {PACKAGE} {version} or newer for this system; "
            "else build it: run the command without --llama-index and with CMAKE_ARGS set.",
        )
    else:
        wheel = _kept_wheel(wheels / source.key(version)) or _make_wheel(console, python, source, version, wheels)
        advice = f"Delete {wheel} and run the command again."
        console.run([*command, wheel], doing=f"installing {wheel.name}", advice=advice)


def check(console: Console, python: Path) -> None:
    """Load the engine once, so that a library it lacks shows here and in one sentence.

    Raises:
        SetupError: it does not load.
    """
    advice = "A build for a GPU needs that GPU's driver and run-time libraries; delete .venv to choose another one."
    console.run([python, "-c", "import llama_cpp"], doing=f"loading {PACKAGE}", advice=advice)


def _kept_wheel(folder: Path) -> Path | None:
    return next(iter(sorted(folder.glob("*.whl"))), None)


def _make_wheel(console: Console, python: Path, source: EngineSource, version: str, wheels: Path) -> Path:
    """A wheel in the cache; made beside it first, so that an interrupted build leaves nothing that looks ready."""
    wheels.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=wheels, prefix="unfinished-") as name:
        unfinished = Path(name)
        if source.cmake_args or not _download(console, python, version, unfinished):
            ensure_compiler(console)
            _build(console, python, source, version, unfinished)
        made = _kept_wheel(unfinished)
        if made is None:
            raise SetupError(f"pip made no wheel of {PACKAGE}. The log is {console.log_path}.")
        folder = wheels / source.key(version)
        folder.mkdir(exist_ok=True)
        return Path(shutil.move(made, folder / made.name))


def _download(console: Console, python: Path, version: str, folder: Path) -> bool:
    command = pip_command(python, "download", "--no-deps", "--only-binary", ":all:", "--dest", folder)
    doing = f"looking for a ready wheel of {PACKAGE}"
    try:
        console.run([*command, f"{PACKAGE}=={version}"], doing=doing, advice=NETWORK_ADVICE)
    except SetupError:
        return False  # the rule, not the exception: PyPI has none
    return True


def _build(console: Console, python: Path, source: EngineSource, version: str, folder: Path) -> None:
    console.say(
        f"Building {PACKAGE} {version} for this processor with {source.build_flags}: about 7 minutes on 2 cores, once."
    )
    console.say(f"The wheel is kept in {folder.parent}.")
    command = pip_command(python, "wheel", "-v", "--no-deps", "--no-cache-dir", "--no-binary", PACKAGE)
    console.run(
        [*command, "--wheel-dir", folder, f"{PACKAGE}=={version}"],
        doing=f"building {PACKAGE}",
        advice="Check the network connection, the compiler and CMAKE_ARGS, and run the command again.",
        environ=os.environ | {"CMAKE_ARGS": source.build_flags},
    )
