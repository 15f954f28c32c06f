"""The native libraries: llama.cpp through llama_cpp's bindings, and the ggml backend functions those leave out."""

from __future__ import annotations

import ctypes
import socket
import sys
from functools import cache
from pathlib import Path
from typing import Any

import llama_cpp
from llama_cpp import llama_cpp as lib

from app.errors import EngineError, Sentence

__all__ = ["ggml", "initialise", "lib", "register_rpc_servers", "strlen_as_abort_callback"]

_POINTER = ctypes.c_void_p
_CONNECT_S = 3.0
_M_MMAP_THRESHOLD = -3
"""malloc.h"""
_MAPPED_FROM_BYTES = 1024**2
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "ggml_backend_dev_count": (ctypes.c_size_t, []),
    "ggml_backend_dev_get": (_POINTER, [ctypes.c_size_t]),
    "ggml_backend_dev_by_type": (_POINTER, [ctypes.c_int]),
    "ggml_backend_dev_by_name": (_POINTER, [ctypes.c_char_p]),
    "ggml_backend_dev_name": (ctypes.c_char_p, [_POINTER]),
    "ggml_backend_dev_description": (ctypes.c_char_p, [_POINTER]),
    "ggml_backend_dev_type": (ctypes.c_int, [_POINTER]),
    "ggml_backend_dev_memory": (
        None,
        [_POINTER, ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_size_t)],
    ),
    "ggml_backend_dev_backend_reg": (_POINTER, [_POINTER]),
    "ggml_backend_reg_count": (ctypes.c_size_t, []),
    "ggml_backend_reg_get": (_POINTER, [ctypes.c_size_t]),
    "ggml_backend_reg_name": (ctypes.c_char_p, [_POINTER]),
    "ggml_backend_reg_by_name": (_POINTER, [ctypes.c_char_p]),
    "ggml_backend_reg_get_proc_address": (_POINTER, [_POINTER, ctypes.c_char_p]),
    "ggml_backend_register": (None, [_POINTER]),
    "ggml_backend_cpu_buffer_type": (_POINTER, []),
}


class _Ggml:
    """The ggml_backend_* functions of ggml-backend.h, from the very ggml that libllama is linked to.

    A wheel holds copies of a library instead of links to it, and a second copy would have a device registry of its own:
    so the functions are looked up through libllama, which finds them in what it depends on. On Windows, where a look-up
    stays within one DLL and there are no copies, they are looked up in ggml's own.
    """

    def __init__(self) -> None:
        self._libraries = [lib._lib]
        if sys.platform == "win32":
            folder = Path(llama_cpp.__file__).parent / "lib"
            self._libraries = [ctypes.CDLL(str(folder / name)) for name in ("ggml.dll", "ggml-base.dll")]
        for name, (restype, argtypes) in _SIGNATURES.items():
            function = self._find(name)
            function.restype = restype
            function.argtypes = argtypes
            setattr(self, name.removeprefix("ggml_backend_"), function)

    def _find(self, name: str) -> Any:
        for library in self._libraries:
            if hasattr(library, name):
                return getattr(library, name)
        raise AttributeError(f"the installed llama-cpp-python has no {name}; install llama-cpp-python >= 0.3.36")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


@cache
def ggml() -> _Ggml:
    """Return the ggml backend functions, bound once."""
    return _Ggml()


@cache
def initialise() -> None:
    """Start llama.cpp's backends once per process."""
    _map_large_blocks()
    lib.llama_backend_init()


def _map_large_blocks() -> None:
    """See that what a context or a saved state took is the system's again as soon as it is freed.

    glibc maps a large block on its own, but with every one that is freed it raises the size from which on it does so,
    up to 32 MiB (mallopt(3)): contexts and states would then leave holes in the heap, which stay with the process.
    A size that was set stays as it is. Other systems' allocators are left as they are.
    """
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):
        libc.mallopt(_M_MMAP_THRESHOLD, _MAPPED_FROM_BYTES)


@cache
def _register_rpc_server(endpoint: str) -> None:
    _check_that_it_answers(endpoint)
    functions = ggml()
    registry = functions.reg_by_name(b"RPC")
    if not registry:
        raise EngineError(
            Sentence(
                "This build of llama.cpp cannot use the RPC server {endpoint}: install llama-cpp-python built with "
                'CMAKE_ARGS="-DGGML_RPC=ON".',
                endpoint=endpoint,
            )
        )
    address = functions.reg_get_proc_address(registry, b"ggml_backend_rpc_add_server")
    add_server = ctypes.CFUNCTYPE(_POINTER, ctypes.c_char_p)(address)
    server = add_server(endpoint.encode())
    if not server:
        raise EngineError(
            Sentence(
                "No llama.cpp RPC server answers at {endpoint}: start it, or take it out of the settings.",
                endpoint=endpoint,
            )
        )
    functions.register(server)


def _check_that_it_answers(endpoint: str) -> None:
    """ggml aborts the process when a server does not answer, so it is asked here first."""
    host, _, port = endpoint.rpartition(":")
    try:
        socket.create_connection((host, int(port)), _CONNECT_S).close()
    except (OSError, ValueError):
        raise EngineError(
            Sentence(
                "No llama.cpp RPC server answers at {endpoint}: start it, or take it out of the settings.",
                endpoint=endpoint,
            )
        ) from None


def register_rpc_servers(endpoints: tuple[str, ...]) -> None:
    """Make the devices of RPC servers (`host:port`) known before a model is loaded. Raises EngineError."""
    for endpoint in endpoints:
        _register_rpc_server(endpoint)


@cache
def strlen_as_abort_callback() -> Any:
    """Return the C library's strlen, typed as ggml's abort callback.

    The CPU backend asks the callback after every graph node. A Python function would take the GIL hundreds of times
    per token; strlen of a one-byte flag answers 0 or 1 without it.
    """
    libc = ctypes.cdll.msvcrt if sys.platform == "win32" else ctypes.CDLL(None)
    return ctypes.cast(libc.strlen, lib.ggml_abort_callback)
