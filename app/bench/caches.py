"""How large the last-level cache is."""

from __future__ import annotations

import re
from pathlib import Path

from app.bench.fingerprint import usable_cpus

ASSUMED_BYTES = 128 * 1024 * 1024
"""Where the system does not say: more than all but servers have, so that no cache can pose as memory."""

_CPUS = Path("/sys/devices/system/cpu")
_UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}


def last_level_cache_bytes(cpus: Path = _CPUS) -> int:
    """Return the bytes of all last-level caches of the CPUs this process may use, from Linux's /sys.

    Other systems: `ASSUMED_BYTES`. A virtual machine sees what its host lets it see.
    """
    found: dict[str, int] = {}
    for number in usable_cpus():
        levels = [_cache(folder) for folder in sorted((cpus / f"cpu{number}" / "cache").glob("index*"))]
        known = [cache for cache in levels if cache is not None]
        if known:
            _level, shared_by, size = max(known)
            found[shared_by] = size
    return sum(found.values()) or ASSUMED_BYTES


def _cache(folder: Path) -> tuple[int, str, int] | None:
    """(level, which CPUs share it, bytes) of a folder cpuN/cache/indexM; None for instructions or the unreadable."""
    try:
        level, kind, shared_by, size = (
            (folder / name).read_text().strip() for name in ("level", "type", "shared_cpu_list", "size")
        )
    except OSError:
        return None
    match = re.fullmatch(r"(\d+)([KMG]?)", size)
    if kind == "Instruction" or not level.isdigit() or match is None:
        return None
    return int(level), shared_by, int(match[1]) * _UNITS[match[2]]
