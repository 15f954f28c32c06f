"""Every model on the disk, as a list of values: what it is, where it lies and what is wrong with it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from app.engine.dry_run_cache import file_identity
from app.engine.model_file import model_name, read_file_header, split_parts
from app.hub.facts import Facts, read_facts
from app.hub.facts_cache import FactsCache
from app.hub.faults import FAULTS_FILE, Faults
from app.hub.ollama import ollama_models
from app.hub.order import natural_key
from app.hub.walk import Walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from app.engine.gguf import Header
    from app.hub.sources import Root, Source

CACHE_FILE = "library.json"
"""In the cache folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryModel(Facts):
    """One model; all files of a split one together.

    Attributes:
        path: the file to load, the first of a split model; it may be missing.
        name: the file's name without its ending and split number; for Ollama's the name its commands take.
        root: the folder it was found in, or the file itself.
        parts: the files that are there; missing: names of those that are not.
        identity: what changes when a file of it does; empty while some are missing.
        fault: what reading all of it has found wrong, one sentence; empty when it was not read, or is right. Unlike
            with a problem it can be loaded.
    """

    path: Path
    name: str
    root: Root
    parts: tuple[Path, ...]
    missing: tuple[str, ...] = ()
    identity: tuple[object, ...] = ()
    fault: str = ""

    @property
    def is_damaged(self) -> bool:
        """Whether something is known to be wrong with it."""
        return bool(self.problem or self.fault)

    @property
    def source(self) -> Source:
        """Whose folder it lies in."""
        return self.root.source


@dataclass(frozen=True, slots=True)
class Listing:
    """The models by name, and a sentence for each folder or file that was left out.

    Attributes:
        folders: all that were looked into, in which a new model may appear.
    """

    models: tuple[LibraryModel, ...]
    notes: tuple[str, ...] = ()
    is_complete: bool = True
    folders: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class _Files:
    name: str
    root: Root
    parts: tuple[Path, ...]
    missing: tuple[Path, ...] = ()


class Library:
    """Lists models; headers that have not changed since they were read are not read again.

    Driven by one thread, which need not be the window's.

    Args:
        cache_file: where facts are kept between runs; beside it, what reading models whole has found wrong.
        read: reads the header of one file, or remembers it.
    """

    def __init__(self, cache_file: Path, read: Callable[[Path], Header] = read_file_header) -> None:
        self._cache = FactsCache(cache_file)
        self._faults = Faults(cache_file.with_name(FAULTS_FILE))
        self._read = read

    def scan(
        self,
        roots: Sequence[Root],
        *,
        cancelled: threading.Event | None = None,
        progress: Callable[[int, int], None] | None = None,
        on_model: Callable[[LibraryModel], None] | None = None,
    ) -> Listing:
        """Return the models below these folders. Never raises for what is wrong with one of them.

        Args:
            roots: of a file found twice the first root counts.
            cancelled: the scan ends soon after this is set, with what it has.
            progress: called with the models looked at and the models found.
            on_model: called with each model as soon as it was looked at.
        """
        cancelled = cancelled or threading.Event()
        walk = Walk(cancelled.is_set)
        found = list(_without_repetitions(files for root in roots for files in _files_below(root, walk)))
        models = []
        for number, files in enumerate(found):
            if progress:
                progress(number, len(found))
            if cancelled.is_set():
                break
            models.append(self._model(files))
            if on_model:
                on_model(models[-1])
        self._cache.save()
        if progress and not cancelled.is_set():
            progress(len(found), len(found))
        models.sort(key=lambda model: (natural_key(model.name), str(model.path)))
        return Listing(tuple(models), tuple(walk.notes), not cancelled.is_set(), tuple(walk.folders))

    def _model(self, files: _Files) -> LibraryModel:
        path = files.parts[0]
        # A split name can claim 99,999 parts: where some are missing none is asked for.
        facts = None if files.missing else self._cache.find(path)
        if facts is None:
            facts = read_facts(files.parts, files.missing, self._read)
            self._cache.remember(path, facts)
        gone = set(files.missing)
        fault = None if files.missing else self._faults.find(path)
        return LibraryModel(
            path=path,
            name=files.name,
            root=files.root,
            parts=tuple(part for part in files.parts if part not in gone),
            missing=tuple(part.name for part in files.missing),
            identity=() if files.missing else file_identity(path),
            fault=fault.sentence if fault is not None else "",
            **{field.name: getattr(facts, field.name) for field in fields(Facts)},
        )


def _files_below(root: Root, walk: Walk) -> Iterator[_Files]:
    if root.source == "Ollama":
        for name, blob in ollama_models(root.path, walk):
            yield _Files(name, root, (blob,))
        return
    here: dict[Path, None] = dict.fromkeys(walk.files(root.path))
    done: set[Path] = set()
    for path in here:
        if path in done:
            continue
        parts = split_parts(path)
        done.update(parts)
        missing = tuple(part for part in parts if part not in here) if len(parts) > 1 else ()
        yield _Files(model_name(path), root, parts, missing)


def _without_repetitions(found: Iterator[_Files]) -> Iterator[_Files]:
    seen: set[object] = set()
    for files in found:
        gone = set(files.missing)
        identity = _identity(next(part for part in files.parts if part not in gone))
        if identity not in seen:
            seen.add(identity)
            yield files


def _identity(path: Path) -> object:
    try:
        status = path.stat()
    except OSError:
        return path
    return (status.st_dev, status.st_ino)
