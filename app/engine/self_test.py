"""Remembers which build of llama.cpp dies in weight repacking on which CPU.

A llama.cpp compiled by GCC 12 for a CPU with AMX dies at its first multi-token decode (ggml-org/llama.cpp#26954), so
every load warms up with one; when the child dies there, it is started again without repacking, and that is kept here.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import platform
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path


def library_fingerprint() -> str:
    """Return a text that changes with every build of llama-cpp-python, without importing it."""
    try:
        version = importlib.metadata.version("llama_cpp_python")
    except importlib.metadata.PackageNotFoundError:
        return "none"
    spec = importlib.util.find_spec("llama_cpp")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((Path(folder) / "lib").glob("*ggml*")):
            status = path.stat()
            digest.update(f"{path.name} {status.st_size} {status.st_mtime_ns}".encode())
    return f"{version} {digest.hexdigest()[:12]}"


def cpu_fingerprint() -> str:
    """Return a text that tells one kind of CPU from another, its instruction sets included where they can be read."""
    description = f"{platform.machine()} {platform.processor()}"
    cpuinfo = Path("/proc/cpuinfo")
    if sys.platform.startswith("linux") and cpuinfo.exists():
        wanted = ("model name", "flags", "Features", "CPU part")
        lines = {line for line in cpuinfo.read_text(errors="replace").splitlines() if line.startswith(wanted)}
        description += "".join(sorted(lines))
    return hashlib.sha256(description.encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the self test found: whether weight repacking is safe, and when (ISO 8601, UTC)."""

    repacking_is_safe: bool
    tested_at: str


class SelfTests:
    """The verdicts, in one small JSON file; a file that cannot be read counts as empty."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._key = f"{library_fingerprint()} / {cpu_fingerprint()}"

    def verdict(self) -> Verdict | None:
        """Return what is known of this build on this CPU; None before the first load."""
        found = self._read().get(self._key)
        if not isinstance(found, dict) or not isinstance(found.get("repacking_is_safe"), bool):
            return None
        return Verdict(found["repacking_is_safe"], str(found.get("tested_at", "")))

    def remember(self, *, repacking_is_safe: bool) -> None:
        """Keep a verdict; one that found it unsafe is never taken back for the same build and CPU."""
        known = self.verdict()
        if known is not None and (not known.repacking_is_safe or repacking_is_safe):
            return
        verdicts = self._read()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        verdicts[self._key] = {"repacking_is_safe": repacking_is_safe, "tested_at": now}
        temporary = self._path.with_suffix(".new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps(verdicts, indent=1), encoding="utf-8")
            temporary.replace(self._path)
        except OSError:
            return  # the next start tests again

    def _read(self) -> dict[str, object]:
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}
