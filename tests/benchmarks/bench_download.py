"""How smooth the window stays and what memory it takes while 2 GB are downloaded, and what several connections gain.

`python -m tests.benchmarks.bench_download` takes about five minutes; `--gb 0.2` is enough to see that it works. The hub
is a process of its own. A late tick without CPU time of the window's thread waited for the interpreter or the machine:
the ticks while nothing is downloaded say how busy that is.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from PySide6.QtCore import QTimer

from app.hub.download import DownloadQueue
from app.hub.partial import RemoteFile
from app.starter import starter_model
from tests.benchmarks.loop import Gaps, wait, wait_until
from tests.hub_server import HubServer, StoredFile
from ui.application import create
from ui.garbage import GarbageCollector
from ui.parts import Parts

if TYPE_CHECKING:
    from collections.abc import Iterator

REPO, NAME = "maker/big-GGUF", "big-Q4_K_M.gguf"
FRAME_MS = 1000 / 60
TICK_MS = 5
QUIET_MS = 4000
MEMORY_MS = 100
MIB = 1024**2
SLOW_BYTES_PER_S = 5e6


def serve(size: int, bytes_per_s: float, shares_line: bool) -> None:
    """Be the hub until standard input ends; the file is zeros behind the magic."""
    hasher, block = hashlib.sha256(b"GGUF"), bytes(1 << 20)
    for start in range(4, size, len(block)):
        hasher.update(block[: size - start])

    def read(start: int, end: int) -> bytes:
        return (b"GGUF" + block[4:])[: end - start] if start == 0 else block[: end - start]

    hub = HubServer()
    hub.files[REPO] = {NAME: StoredFile(size, hasher.hexdigest(), read)}
    hub.bytes_per_s, hub.shares_line = bytes_per_s or None, shares_line
    print(hub.endpoint, flush=True)
    sys.stdin.read()


@contextmanager
def hub(size: int, bytes_per_s: float = 0, *, shares_line: bool = False) -> Iterator[RemoteFile]:
    """Run a hub and return its file."""
    arguments = ["--serve", str(size), str(bytes_per_s), str(int(shares_line))]
    command = [sys.executable, "-m", "tests.benchmarks.bench_download", *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        os.environ.update(HF_ENDPOINT=server.stdout.readline().strip(), NO_PROXY="127.0.0.1", HF_TOKEN="")
        yield RemoteFile(REPO, NAME, size=size)
        server.stdin.close()


def report(name: str, gaps: Gaps) -> None:
    """Print how late the ticks came, and how long the window's thread was busy between two."""
    late, busy = sorted(gaps.late_ms), sorted(gaps.busy_ms)
    missed = sum(TICK_MS + each > FRAME_MS for each in late)
    print(
        f"{name}: late p50 {late[len(late) // 2]:.1f}, p99 {late[len(late) * 99 // 100]:.1f}, max {late[-1]:.1f} ms; "
        f"busy p99 {busy[len(busy) * 99 // 100]:.1f}, max {busy[-1]:.1f} ms; "
        f"{missed} of {len(late)} ticks later than a frame"
    )


def window(size: int) -> None:
    """Download while the window shows it."""
    _, opened = create(["tokometer", "-m", str(starter_model())])
    parts = opened.findChild(Parts)
    parts.begun.connect(GarbageCollector(opened).begin)
    opened.show()
    wait_until(lambda: parts.models.model is not None)
    parts.models_window.show_downloads()
    wait(QUIET_MS)
    gaps = Gaps()
    gaps.start()
    wait(QUIET_MS)
    gaps.stop()
    report("nothing downloaded", gaps)
    with hub(size) as file:
        process, resident = psutil.Process(), []
        resident.append(process.memory_info().rss)
        sampler = QTimer(interval=MEMORY_MS)
        sampler.timeout.connect(lambda: resident.append(process.memory_info().rss))
        gaps, began = Gaps(), time.perf_counter()
        gaps.start()
        sampler.start()
        parts.downloads.add([file])
        wait_until(lambda: any(batch.state == "done" for batch in parts.downloads.batches))
        gaps.stop()
        sampler.stop()
        report(f"{size / 1e9:.3g} GB in {time.perf_counter() - began:.0f} s", gaps)
        print(f"resident before {resident[0] / MIB:.1f}, at most {max(resident) / MIB:.1f} MiB")
    opened.close()


def connections(size: int) -> None:
    """Download from hubs that are slow in two ways."""
    for name, shares_line in (("each connection slow", False), ("the line slow", True)):
        with hub(size, SLOW_BYTES_PER_S, shares_line=shares_line) as file, tempfile.TemporaryDirectory() as folder:
            queue, began = DownloadQueue(Path(folder)), time.perf_counter()
            queue.add(file)
            queue.wait()
            speed = size / (time.perf_counter() - began)
            print(f"{name} ({SLOW_BYTES_PER_S / 1e6:.3g} MB/s): {speed / 1e6:.1f} MB/s, {queue.downloads()[0].state}")


def main() -> None:
    """Measure both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gb", type=float, default=2.0)
    parser.add_argument("--serve", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        size, bytes_per_s, shares_line = options.serve
        serve(int(size), float(bytes_per_s), shares_line == "1")
        return
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as home:
        os.environ["TOKOMETER_HOME"] = home
        window(int(options.gb * 1e9))
    connections(int(options.gb * 0.3e9))


if __name__ == "__main__":
    main()
