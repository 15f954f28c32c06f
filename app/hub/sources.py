"""The folders in which models are found: this application's, the user's, and those of other programs."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from app.hub.walk import is_there, may_be_there
from app.starter import starter_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Source = Literal["folder", "Hugging Face", "LM Studio", "llama.cpp", "Ollama", "starter"]

_OLLAMA_SERVICE = Path("/usr/share/ollama/.ollama/models")
"""Where Ollama's installer for Linux lets its service keep them."""
_MOST_SETTINGS_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Root:
    """A folder to look through, or one file; absolute."""

    path: Path
    source: Source


def model_roots(own: Path, added: Iterable[str | os.PathLike[str]] = ()) -> tuple[Root, ...]:
    """Return where to look, as the environment says now; of other programs' folders only those that are there, be it
    that they cannot be read.

    Other programs' come first: a model that is found twice belongs to the program that keeps it.

    Args:
        own: the application's folder for models.
        added: the user's folders; these are returned whether they exist or not.
    """
    found = [*_hugging_face(), *_ollama(), *_lm_studio(), *_llama_cpp()]
    if (starter := starter_model()) is not None:
        found.append(Root(starter, "starter"))
    found.append(Root(own, "folder"))
    present = [root for root in found if may_be_there(root.path)]
    return tuple(dict.fromkeys([*present, *(Root(Path(path).absolute(), "folder") for path in added)]))


def folders_of_roots() -> tuple[Path, ...]:
    """Return the folders that are there in which another program makes a new root for each repository."""
    cache = hugging_face_cache()
    return (cache,) if is_there(cache) else ()


def hugging_face_cache() -> Path:
    """Return the hub's cache, by the rules of huggingface_hub/constants.py."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if path := os.environ.get(variable):
            return _expanded(path)
    if home := os.environ.get("HF_HOME"):
        return _expanded(home) / "hub"
    return _cache_home() / "huggingface" / "hub"


def _hugging_face() -> Iterator[Root]:
    cache = hugging_face_cache()
    try:
        names = sorted(os.listdir(cache))  # noqa: PTH208 - names are enough
    except PermissionError:
        yield Root(cache, "Hugging Face")  # whoever looks into it says so
        return
    except OSError:
        return
    for name in names:
        if name.startswith("models--"):
            yield Root(cache / name / "snapshots", "Hugging Face")


def _ollama() -> Iterator[Root]:
    if path := os.environ.get("OLLAMA_MODELS"):
        yield Root(_expanded(path), "Ollama")
    else:
        yield Root(Path.home() / ".ollama" / "models", "Ollama")
        yield Root(_OLLAMA_SERVICE, "Ollama")


def _lm_studio() -> Iterator[Root]:
    """Its home is where the pointer says, else one of two; its settings there may name another folder for models."""
    homes = [Path.home() / ".lmstudio", Path.home() / ".cache" / "lm-studio"]
    pointed = Path(_text_of(Path.home() / ".lmstudio-home-pointer").strip())
    if pointed.is_absolute():
        homes.insert(0, pointed)
    for home in homes:
        try:
            moved = json.loads(_text_of(home / "settings.json"))["downloadsFolder"]
        except (ValueError, TypeError, KeyError, RecursionError):
            moved = None
        if isinstance(moved, str) and Path(moved).is_absolute():
            yield Root(Path(moved), "LM Studio")
        yield Root(home / "models", "LM Studio")


def _text_of(file: Path) -> str:
    """Return what another program wrote into a small file; empty when there is none, or not such a text."""
    try:
        with file.open("rb") as opened:
            return opened.read(_MOST_SETTINGS_BYTES).decode().replace("\0", "")
    except (OSError, ValueError):
        return ""


def _llama_cpp() -> Iterator[Root]:
    """fs_get_cache_directory (llama.cpp's common/common.cpp)."""
    if path := os.environ.get("LLAMA_CACHE"):
        yield Root(_expanded(path), "llama.cpp")
    elif sys.platform == "win32":
        if local := os.environ.get("LOCALAPPDATA"):
            yield Root(Path(local) / "llama.cpp", "llama.cpp")
    elif sys.platform == "darwin":
        yield Root(Path.home() / "Library" / "Caches" / "llama.cpp", "llama.cpp")
    else:
        yield Root(_cache_home() / "llama.cpp", "llama.cpp")


def _cache_home() -> Path:
    path = os.environ.get("XDG_CACHE_HOME")
    return _expanded(path) if path else Path.home() / ".cache"


def _expanded(path: str) -> Path:
    expanded = Path(os.path.expandvars(path))
    try:
        return expanded.expanduser().absolute()
    except RuntimeError:  # ~name of an unknown user
        return expanded.absolute()
