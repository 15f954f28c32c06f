"""Commands run quietly: what they print goes to a log file, the terminal gets a line every few seconds."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

HEARTBEAT_S = 10.0
GRACE_S = 10.0
CMAKE_ERROR = re.compile(r"^\s*CMake Error[^\n]*\n\s*([^\n]+)", re.MULTILINE)
COMPILER_ERROR = re.compile(r"^\s*(\S+: (?:fatal )?error: [^\n]+)", re.MULTILINE)
TAIL_BYTES = 1 << 20  # one compiler's warnings can fill 100 KiB


class SetupError(Exception):
    """Set-up cannot go on; the text says what happened and what to do, in one sentence each.

    Attributes:
        exit_status: 1 when a step failed, 2 when something that the user must provide is missing.
    """

    def __init__(self, message: str, exit_status: int = 1) -> None:
        super().__init__(message)
        self.exit_status = exit_status


def duration(seconds: float) -> str:
    """Whole seconds below a minute, else minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def build_steps(output: str) -> str:
    """The last `[12/197]` that ninja printed, as text; empty when there is none."""
    steps = re.findall(r"^\s*\[(\d+)/(\d+)\] ", output, re.MULTILINE)
    return f"step {steps[-1][0]} of {steps[-1][1]}, " if steps else ""


def last_error(output: str) -> str:
    """The line of a failed command's output that most likely says why.

    What CMake or the compiler said first, since pip's own errors after it say only that a build failed; else the last
    error; else the last line.
    """
    for cause in (CMAKE_ERROR, COMPILER_ERROR):
        if match := cause.search(output):
            return match[1].strip()[:300].rstrip(".")
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(ERROR|E|\w*Error|fatal( error)?)\s*:", line)]
    return (errors or lines or ["it printed nothing"])[-1][:300].rstrip(".")


class Console:
    """Says what happens and runs commands.

    Attributes:
        log_path: everything the commands printed, of this run only.
    """

    def __init__(self, log_path: Path) -> None:
        self.log_path = log_path
        self._log_started = False

    def say(self, text: str) -> None:
        """Print one line at once, also into a pipe."""
        print(text, flush=True)

    def run(
        self, command: Sequence[str | Path], *, doing: str, advice: str, environ: Mapping[str, str] | None = None
    ) -> None:
        """Run a command to its end.

        Args:
            doing: what it does, for the progress lines, as in "installing the Python packages".
            advice: one sentence on what the user can do when it fails.

        Raises:
            SetupError: it failed; the text holds its last error line, the advice and the log's path.
        """
        words = [str(word) for word in command]
        self.log_path.parent.mkdir(parents=True, exist_ok=True)
        with self.log_path.open("ab" if self._log_started else "wb") as log:
            self._log_started = True
            log.write(f"\n$ {' '.join(words)}\n".encode())
            log.flush()
            start_bytes = log.tell()
            # A group of its own: an interrupt must end the compilers below pip too.
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environ,
                start_new_session=os.name == "posix",
            )
            try:
                status = self._wait(process, doing, start_bytes)
            except BaseException:
                _end(process)
                raise
        if status:
            reason = last_error(self._output_since(start_bytes))
            raise SetupError(f"{doing[0].upper()}{doing[1:]} failed: {reason}. {advice} The log is {self.log_path}.")

    def _wait(self, process: subprocess.Popen[bytes], doing: str, start_bytes: int) -> int:
        start_s = time.monotonic()
        while True:
            try:
                return process.wait(HEARTBEAT_S)
            except subprocess.TimeoutExpired:
                steps = build_steps(self._output_since(start_bytes))
                self.say(f"  {doing}: {steps}{duration(time.monotonic() - start_s)}")

    def _output_since(self, start_bytes: int) -> str:
        with self.log_path.open("rb") as log:
            end_bytes = log.seek(0, os.SEEK_END)
            log.seek(max(start_bytes, end_bytes - TAIL_BYTES))
            return log.read().decode(errors="replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command and everything it started, by force after a few seconds."""
    if os.name != "posix":
        process.kill()  # its console group got the Ctrl+C as well
        process.wait()
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(GRACE_S)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
