"""`.venv` in the clone, and the stamp in it that says what it holds."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from app.setup.engine_wheel import NETWORK_ADVICE, EngineSource, pip_command

if TYPE_CHECKING:
    from pathlib import Path

    from app.setup.console import Console


@dataclass(frozen=True, slots=True)
class Stamp:
    """What an environment holds; equal stamps mean that there is nothing to do.

    Attributes:
        engine: what the user chose, kept for the next set-up.
        engine_key: `EngineSource.key` of the installed engine.
        complete: False while set-up works, so that an interrupted one is made anew.
    """

    python: str
    pyproject_sha256: str
    extras: tuple[str, ...]
    engine: EngineSource
    engine_key: str
    complete: bool = True


class Environment:
    """The virtual environment of a clone.

    Attributes:
        folder: the environment.
        python: its interpreter.
    """

    def __init__(self, checkout: Path) -> None:
        self._checkout = checkout
        self.folder = checkout / ".venv"
        self.python = self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        self._stamp_path = self.folder / "tokometer-setup.json"

    def stamp(self) -> Stamp | None:
        """What the last set-up left; None without one, and when the environment's Python has gone."""
        if not self.python.exists():
            return None
        try:
            values = json.loads(self._stamp_path.read_text(encoding="utf-8"))
            values["extras"] = tuple(values["extras"])
            values["engine"] = EngineSource(**values["engine"])
            return Stamp(**values)
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def write_stamp(self, stamp: Stamp) -> None:
        """Keep a stamp."""
        self._stamp_path.write_text(json.dumps(asdict(stamp), indent=2) + "\n", encoding="utf-8")

    def create(self, console: Console, before: Stamp | None, wanted: Stamp) -> None:
        """Make the environment unless it is there, sound and of this Python; mark it as being worked on."""
        # The engine that last worked stays the choice until another one does.
        unfinished = replace(wanted, complete=False, engine=before.engine if before else EngineSource())
        doing, advice = "making the virtual environment .venv", "Delete .venv and run the command again."
        if self.python.exists() and (before is None or (before.complete and before.python == wanted.python)):
            if not self._has_pip():  # made by another tool, or interrupted half-way
                console.run([self.python, "-m", "ensurepip"], doing=doing, advice=advice)
        else:
            self._clear()
            self.write_stamp(unfinished)  # before the environment is there, so that half of one is never taken for it
            base_python = getattr(sys, "_base_executable", sys.executable)  # not the one that was just cleared
            console.run([base_python, "-m", "venv", self.folder], doing=doing, advice=advice)
        self.write_stamp(unfinished)

    def _clear(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for path in self.folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()

    def _has_pip(self) -> bool:
        command = [str(self.python), "-m", "pip", "--version"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def install(self, console: Console, extras: tuple[str, ...]) -> None:
        """Install the clone itself, editable, with its dependencies and extras."""
        console.run(
            pip_command(self.python, "install", "-e", f"{self._checkout}[{','.join(extras)}]"),
            doing="installing the Python packages",
            advice=NETWORK_ADVICE,
        )


def make_stamp(checkout: Path, extras: tuple[str, ...], engine: EngineSource, engine_key: str) -> Stamp:
    """The stamp of a complete environment of this Python and this pyproject.toml."""
    python = f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}"
    pyproject_sha256 = hashlib.sha256((checkout / "pyproject.toml").read_bytes()).hexdigest()
    return Stamp(python, pyproject_sha256, tuple(sorted(extras)), engine, engine_key)
