"""This machine's devices where they can be told without starting llama.cpp: a build without GPU backends has one."""

from __future__ import annotations

import importlib.util
import platform
import re
import sys
from functools import cache
from pathlib import Path

import psutil

from app.engine.events import Device

_NO_DEVICES = re.compile(r"(?:lib)?ggml(?:-base|-cpu[\w-]*|-rpc)?\.(?:so|dll)(?:\.[\d.]+)?")


def local_devices() -> tuple[Device, ...] | None:
    """Return the CPU alone when the installed llama.cpp can know no other device, None when it must be asked."""
    if not _is_cpu_only():
        return None
    memory = psutil.virtual_memory()
    return (Device("CPU", _cpu_name(), "cpu", "CPU", memory.total, memory.available),)


@cache
def _is_cpu_only() -> bool:
    """Whether llama_cpp's folder holds ggml's own libraries, that for CPUs among them, and no other backend's."""
    spec = importlib.util.find_spec("llama_cpp")
    folders = [Path(folder) / "lib" for folder in (spec.submodule_search_locations or ())] if spec else []
    names = [path.name for folder in folders for path in folder.glob("*ggml*") if path.suffix not in (".lib", ".a")]
    return any("ggml-cpu" in name for name in names) and all(_NO_DEVICES.fullmatch(name) for name in names)


@cache
def _cpu_name() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if sys.platform.startswith("linux") and cpuinfo.exists():
        for line in cpuinfo.read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
