"""Makes the engine that was asked for: in a child process, or in this one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.engine.process import EngineProcess
from app.engine.self_test import SelfTests

if TYPE_CHECKING:
    from pathlib import Path

    from app.engine.base import Engine

SELF_TEST_FILE = "self_test.json"


def make_engine(data_folder: Path, *, in_process: bool = False) -> Engine:
    """Return an engine, to be made and driven by one thread. llama.cpp is imported only for `in_process`."""
    self_tests = SelfTests(data_folder / SELF_TEST_FILE)
    if not in_process:
        return EngineProcess(self_tests)
    from app.engine.llama.in_process import InProcessEngine  # heavy, and only wanted here

    return InProcessEngine(self_tests)
