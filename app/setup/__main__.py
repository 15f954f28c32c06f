"""The README's two commands: set everything up, then open the window or pass the tests."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from app.reasons import reason_of
from app.setup import engine_wheel, system
from app.setup.console import Console, SetupError, duration
from app.setup.engine_wheel import EngineSource
from app.setup.environment import Environment, Stamp, make_stamp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CHECKOUT = Path(__file__).resolve().parents[2]
EXTRAS = {"window": ("starter",), "test": ("starter", "dev"), "develop": ("starter", "dev")}
USAGE = "python3 -m app.setup [window|test|develop] [--llama-index URL] [-- ARGUMENTS]"


def parse(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """Our own options, and after `--` those of the program that is started."""
    ours, rest = list(arguments), []
    if "--" in ours:
        at = ours.index("--")
        ours, rest = ours[:at], ours[at + 1 :]
    parser = argparse.ArgumentParser(prog="python3 -m app.setup", usage=USAGE, description=__doc__)
    parser.add_argument(
        "task", nargs="?", default="window", choices=tuple(EXTRAS), help="what to do then (develop: nothing)"
    )
    parser.add_argument(
        "--llama-index", default="", metavar="URL", help=f"package index with built wheels of {engine_wheel.PACKAGE}"
    )
    return parser.parse_args(ours), rest


def choose_engine(index: str, environ: Mapping[str, str], before: Stamp | None) -> EngineSource:
    """What the user asks for now, else what the environment has, else a build for this processor."""
    if index:
        return EngineSource(index=index)
    if cmake_args := environ.get("CMAKE_ARGS"):
        return EngineSource(cmake_args)
    return before.engine if before else EngineSource()


def set_up(console: Console, task: str, index: str, environment: Environment) -> None:
    """Bring the environment to what the task needs; at once when it is there already.

    Raises:
        SetupError: a step failed, or something is missing that only the user can provide.
    """
    start_s = time.monotonic()
    before = environment.stamp()
    engine = choose_engine(index, os.environ, before)
    version = engine_wheel.wanted_version(CHECKOUT / "pyproject.toml")
    extras = {*EXTRAS[task], *(before.extras if before else ())}
    wanted = make_stamp(CHECKOUT, tuple(extras), engine, engine.key(version))
    if before == wanted:
        system.ensure(console, [package for package in system.LIBRARIES if package.essential])
        return
    console.say(f"Setting Tokometer up in {environment.folder}; the details go to {console.log_path}")
    wheels = engine_wheel.cache_folder(os.environ) / "wheels"
    test_tools = system.TEST_TOOLS if "dev" in EXTRAS[task] else ()
    # Asked for together with the rest, but not a must yet: pip may be told where a ready wheel is.
    compiler = () if engine_wheel.is_at_hand(engine, version, wheels) else system.optional(system.COMPILER)
    system.ensure(console, (*system.PYTHON, *system.LIBRARIES, *compiler, *system.FONTS, *test_tools))
    environment.create(console, before, wanted)
    if before is None or replace(before, pyproject_sha256=wanted.pyproject_sha256, extras=wanted.extras) != wanted:
        engine_wheel.install(console, environment.python, engine, version, wheels)
    environment.install(console, wanted.extras)
    engine_wheel.check(console, environment.python)
    environment.write_stamp(wanted)
    console.say(f"Set up in {duration(time.monotonic() - start_s)}.")


def command_of(task: str, python: Path, rest: Sequence[str]) -> list[str]:
    """What runs after set-up; empty for nothing."""
    modules = {"window": ["-m", "app"], "test": ["-m", "pytest"]}
    return [str(python), *modules[task], *rest] if task in modules else []


def environment_of(task: str, environ: Mapping[str, str]) -> dict[str, str]:
    """The tests draw into memory, so that they need no display and leave a person's screen alone."""
    return {"QT_QPA_PLATFORM": "offscreen", **environ} if task == "test" else dict(environ)


def start(command: list[str], environ: Mapping[str, str]) -> NoReturn:
    """Become the program, so that its signals and exit status are its own."""
    sys.stdout.flush()
    if os.name == "posix":
        os.execve(command[0], command, environ)
    sys.exit(subprocess.run(command, env=environ, check=False).returncode)  # Windows' exec does not wait


def main() -> int:
    """Set up and start; the exit status is the started program's, 1 for a failed step, 2 for something missing."""
    options, rest = parse(sys.argv[1:])
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    console = Console(CHECKOUT / "build" / "setup.log")
    environment = Environment(CHECKOUT)
    try:
        set_up(console, options.task, options.llama_index, environment)
        if command := command_of(options.task, environment.python, rest):
            start(command, environment_of(options.task, os.environ))
    except KeyboardInterrupt:
        print("Stopped; the same command goes on from here.", file=sys.stderr)
        return 130
    except SetupError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    except OSError as error:
        reason = f"{reason_of(error)} ({error.filename})" if error.filename else reason_of(error)
        print(f"Set-up failed: {reason}. Check that this folder and the disk can be written.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
