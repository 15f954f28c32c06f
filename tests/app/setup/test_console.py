"""Commands: their log, their progress, their failures, and their end when the user interrupts."""

from __future__ import annotations

import sys

import pytest

import app.setup.console
from app.setup.console import Console, SetupError, build_steps, duration, last_error


class ListeningConsole(Console):
    """Keeps what it says, and calls back at each line."""

    def __init__(self, log_path, on_say=lambda: None):
        super().__init__(log_path)
        self.said = []
        self._on_say = on_say

    def say(self, text):
        self.said.append(text)
        self._on_say()


@pytest.fixture
def quick_heartbeat(monkeypatch):
    monkeypatch.setattr(app.setup.console, "HEARTBEAT_S", 0.05)


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (485, "8 min 05 s")])
def test_duration(seconds, text):
    assert duration(seconds) == text


def test_build_steps_are_the_last_that_ninja_printed():
    assert build_steps("  [1/197] g++ a.cpp\nnote: [9/9]\n  [12/197] g++ b.cpp\n warning: x\n") == "step 12 of 197, "
    assert build_steps("Collecting numpy\n") == ""


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("Collecting x\nERROR: No match for x.\nhint: y\n", "ERROR: No match for x"),
        ("E: Unable to locate package libgl1\n", "E: Unable to locate package libgl1"),
        ("Traceback (most recent call last):\nOSError: no libcuda.so.1\n", "OSError: no libcuda.so.1"),
        (
            "  -- found\n  CMake Error at ggml/CMakeLists.txt:270 (message):\n    CUDA Toolkit not found\n\n"
            "  error: subprocess-exited-with-error\nERROR: Failed building wheel for x\n",
            "CUDA Toolkit not found",
        ),
        (
            "  a.cpp:1:2: warning: w\n  a.cpp:3:4: error: first\n  a.cpp:5:6: error: second\nERROR: Failed building\n",
            "a.cpp:3:4: error: first",
        ),
        (
            "c++: fatal error: Killed signal terminated cc1plus\nERROR: x\n",
            "c++: fatal error: Killed signal terminated cc1plus",
        ),
        ("one\ntwo\n\n", "two"),
        ("", "it printed nothing"),
    ],
)
def test_last_error(output, reason):
    assert last_error(output) == reason


def test_output_goes_to_the_log_of_this_run_only(tmp_path, capfd):
    for words in ("first run", "second run"):
        console = Console(tmp_path / "build" / "setup.log")
        for word in words.split():
            console.run([sys.executable, "-c", f"print('{word}!')"], doing="printing", advice="None.")
    log = console.log_path.read_text(encoding="utf-8")
    assert ("second!" in log, "run!" in log, "first!" in log) == (True, True, False)
    assert capfd.readouterr() == ("", "")


def test_failure_is_one_paragraph_with_reason_advice_and_log(tmp_path):
    console = Console(tmp_path / "setup.log")
    command = [sys.executable, "-c", "import sys; sys.exit('ERROR: the index is down')"]
    with pytest.raises(SetupError) as caught:
        console.run(command, doing="installing things", advice="Try again.")
    assert str(caught.value) == (
        f"Installing things failed: ERROR: the index is down. Try again. The log is {tmp_path / 'setup.log'}."
    )
    assert caught.value.exit_status == 1


def test_progress_is_said_while_the_command_runs(tmp_path, quick_heartbeat):
    heard = tmp_path / "heard"
    # The command ends when its progress was heard.
    script = f"import pathlib; print(' [3/9] c++', flush=True)\nwhile not pathlib.Path({str(heard)!r}).exists(): pass"
    console = ListeningConsole(
        tmp_path / "setup.log", lambda: "step 3 of 9" in console.said[-1] and heard.write_bytes(b"")
    )
    console.run([sys.executable, "-c", script], doing="building", advice="None.")
    assert console.said[-1].startswith("  building: step 3 of 9, ")


@pytest.mark.skipif(sys.platform == "win32", reason="process groups are POSIX")
def test_interrupt_ends_the_command_and_what_it_started(tmp_path, quick_heartbeat):
    import fcntl

    lock, ready = tmp_path / "lock", tmp_path / "ready"
    grandchild = (
        "import fcntl, pathlib, signal\n"
        f"file = open({str(lock)!r}, 'w'); fcntl.flock(file, fcntl.LOCK_EX)\n"
        f"pathlib.Path({str(ready)!r}).touch(); signal.pause()"
    )
    command = [sys.executable, "-c", f"import subprocess, sys; subprocess.run([sys.executable, '-c', {grandchild!r}])"]

    def interrupt_when_ready():
        if ready.exists():
            raise KeyboardInterrupt

    console = ListeningConsole(tmp_path / "setup.log", interrupt_when_ready)
    with pytest.raises(KeyboardInterrupt):
        console.run(command, doing="waiting", advice="None.")
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # waits, to the test's time limit, for a grandchild that lives on
