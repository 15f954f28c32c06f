"""A child process that runs llama.cpp or what must not hold up the window, and what became of it."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path
from typing import BinaryIO, cast

import app
from app.engine.channel import ENGINE_ROOMS, Channel, Close
from app.errors import Sentence
from app.reasons import reason_of

logger = logging.getLogger(__name__)

_KEPT_LINES = 60
_FAULTHANDLER_MARKS = ("Fatal Python error", "Current thread", "Thread 0x", "  File ", "Extension modules", "  <")


class ChildProcess:
    """One child process with its channel and the end of its standard error.

    Args:
        module: what it runs; `app.engine.llama.child` is the engine.
        rooms: the packages whose value types it may send.
    """

    def __init__(self, module: str = "app.engine.llama.child", rooms: tuple[str, ...] = ENGINE_ROOMS) -> None:
        self._name = "engine" if module.startswith("app.engine.") else module.rpartition(".")[2]
        root = str(Path(app.__file__).resolve().parent.parent)
        environment = dict(os.environ)
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (root, environment.get("PYTHONPATH"))))
        environment["PYTHONIOENCODING"] = "utf-8"
        environment.setdefault("GGML_NO_BACKTRACE", "1")  # else ggml_abort starts a debugger
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.channel = Channel(cast(BinaryIO, self._process.stdout), cast(BinaryIO, self._process.stdin), rooms)
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self._reader = threading.Thread(target=self._read_errors, name=f"{self._name}-stderr", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            for raw in stream:
                line = raw.decode("utf-8", "replace").rstrip()
                self._lines.append(line)
                logger.info("%s: %s", self._name, line)

    def kill(self) -> None:
        """End it at once; callable from any thread."""
        self._process.kill()

    def close(self, wait_s: float) -> None:
        """Tell the child to end, and see that it does."""
        with contextlib.suppress(OSError, ValueError):  # it may have ended already
            self.channel.send(Close())
        self.end(wait_s)

    def end(self, wait_s: float) -> str:
        """Wait for the child to end, kill it when it does not; return what became of it, for a sentence."""
        killed = False
        try:
            self._process.wait(wait_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            killed = True
        self.channel.close()
        self._reader.join(1.0)
        if killed:
            return Sentence("it did not answer and was ended")
        return _describe_exit(self._process.returncode)

    def last_line(self) -> str:
        """The last thing native code said before it died."""
        said = [line for line in self._lines if line.strip() and not line.startswith(_FAULTHANDLER_MARKS)]
        return said[-1].strip()[:300] if said else ""


def not_started(error: Exception) -> Sentence:
    """Say that the engine's process could not be made."""
    return Sentence("The engine's process could not be started: {error}.", error=reason_of(error))


def _describe_exit(status: int) -> str:
    if status < 0:
        name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
        hints = {
            "SIGSEGV": Sentence("a segmentation fault in native code"),
            "SIGABRT": Sentence("native code aborted"),
            "SIGILL": Sentence("this build uses an instruction this CPU does not have"),
            "SIGKILL": Sentence("it was killed, often by the system when memory runs out"),
            "SIGBUS": Sentence("the model file changed or could not be read"),
        }
        return Sentence("{signal}: {hint}", signal=name, hint=hints[name]) if name in hints else name
    return Sentence("exit status {status}", status=f"{status:#x}" if status > 255 else status)
