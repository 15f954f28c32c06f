"""A ggml thread pool of a context's own, as llama-bench gives each of its contexts one."""

from __future__ import annotations

import ctypes
from typing import Any

from app.engine.llama.library import ggml, lib

_POINTER = ctypes.c_void_p
_MOST_THREADS = 512
_CPU = 0
_POLL = 50


class _Parameters(ctypes.Structure):
    """struct ggml_threadpool_params of ggml.h."""

    _fields_ = (
        ("cpumask", ctypes.c_bool * _MOST_THREADS),
        ("n_threads", ctypes.c_int),
        ("prio", ctypes.c_int),
        ("poll", ctypes.c_uint32),
        ("strict_cpu", ctypes.c_bool),
        ("paused", ctypes.c_bool),
    )


class Threadpool:
    """Threads that wait between graphs; where ggml uses OpenMP it adds none. Free the context first."""

    def __init__(self, context: int, n_threads: int) -> None:
        functions = ggml()
        registry = functions.dev_backend_reg(functions.dev_by_type(_CPU))
        make = functions.reg_get_proc_address(registry, b"ggml_threadpool_new")
        self._free = functions.reg_get_proc_address(registry, b"ggml_threadpool_free")
        self._handle: Any = None
        if make and self._free:
            parameters = _Parameters(n_threads=n_threads, poll=_POLL)
            self._handle = ctypes.CFUNCTYPE(_POINTER, ctypes.POINTER(_Parameters))(make)(ctypes.byref(parameters))
        if self._handle:
            attach = lib._lib.llama_attach_threadpool
            attach.restype, attach.argtypes = None, [_POINTER, _POINTER, _POINTER]
            attach(context, self._handle, None)

    def free(self) -> None:
        """End the threads."""
        if self._handle:
            ctypes.CFUNCTYPE(None, _POINTER)(self._free)(self._handle)
            self._handle = None
