"""Ollama's store: manifests/HOST/NAMESPACE/MODEL/TAG name layers, which are blobs/sha256-... ."""

from __future__ import annotations

import json
import os
import re
from itertools import islice
from typing import TYPE_CHECKING

from app.errors import Sentence
from app.hub.walk import is_file, is_there

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.hub.walk import Walk

_MODEL, _PROJECTOR = "application/vnd.ollama.image.model", "application/vnd.ollama.image.projector"
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_MOST_MANIFEST_BYTES = 4 * 1024 * 1024
_MOST_MANIFESTS = 20_000
_LEVELS = 4
"""Host, namespace, model, tag."""
_DEFAULT_HOST, _DEFAULT_NAMESPACE = "registry.ollama.ai", "library"


def ollama_models(store: Path, walk: Walk) -> Iterator[tuple[str, Path]]:
    """Yield (name, blob) for every model and projector; what cannot be read is said in the walk's notes."""
    manifests = store / "manifests"
    walk.folders += [folder for folder in (store, store / "blobs") if is_there(folder)]
    for file in islice(_below(manifests, _LEVELS, walk), _MOST_MANIFESTS):
        if walk.is_cancelled():
            return
        if file.name.startswith(".") or not is_file(file):
            continue
        name = _name(file.relative_to(manifests).parts)
        try:
            if file.stat().st_size > _MOST_MANIFEST_BYTES:
                raise ValueError("it is too large")
            layers = json.loads(file.read_bytes())["layers"]
            blobs = [(layer["mediaType"], layer["digest"]) for layer in layers]
        except OSError as error:
            walk.leave_out(file, error)
            continue
        except (ValueError, TypeError, KeyError, RecursionError):
            walk.notes.append(Sentence("{path} is no manifest of Ollama's and was skipped.", path=file))
            continue
        for media_type, digest in blobs:
            if media_type in (_MODEL, _PROJECTOR) and isinstance(digest, str) and _DIGEST.fullmatch(digest):
                blob = store / "blobs" / digest.replace(":", "-")
                if is_file(blob) or not is_there(blob):
                    yield (name if media_type == _MODEL else f"{name} (projector)"), blob


def _below(folder: Path, levels: int, walk: Walk) -> Iterator[Path]:
    """Yield what lies that many levels below a folder, by name; a manifest of a new model may appear at any of them."""
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - names are enough
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        walk.leave_out(folder, error)
        return
    walk.folders.append(folder)
    for name in names:
        if levels == 1:
            yield folder / name
        else:
            yield from _below(folder / name, levels - 1, walk)


def _name(parts: tuple[str, ...]) -> str:
    """Return the name as Ollama's commands take it: without the host and the namespace that are the default."""
    host, namespace, model, tag = parts
    name = f"{model}:{tag}"
    if host != _DEFAULT_HOST:
        return f"{host}/{namespace}/{name}"
    return name if namespace == _DEFAULT_NAMESPACE else f"{namespace}/{name}"
