"""llama.cpp RPC servers on loopback, which stand in for GPUs."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
SERVER = """
import ctypes, sys
from pathlib import Path
from app.engine.llama.library import ggml, initialise
initialise()
functions = ggml()
registry = functions.reg_by_name(b"RPC")
if not registry:
    sys.exit(77)
start = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p)(
    functions.reg_get_proc_address(registry, b"ggml_backend_rpc_start_server"))
devices = (ctypes.c_void_p * 1)(functions.dev_by_type(0))
start(sys.argv[1].encode(), None, 1, 1, ctypes.cast(devices, ctypes.c_void_p))
"""


@contextmanager
def running_rpc_server() -> Iterator[str]:
    """Run a server and yield its `host:port`; skips the test when this build of llama.cpp has no RPC backend."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    endpoint = f"127.0.0.1:{port}"
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, endpoint],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        while True:
            if server.poll() == 77:
                pytest.skip("this build of llama.cpp has no RPC backend")
            assert server.poll() is None, "the RPC server ended"
            with socket.socket() as attempt:
                if attempt.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield endpoint
    finally:
        server.kill()
        server.wait()
