"""Remembers which models were found altered when all of them was read, until their files are others."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any, Literal

from app.engine.dry_run_cache import file_identity
from app.errors import Sentence
from app.hub.json_table import read_table, write_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

KnownBy = Literal["store", "hub", "earlier"]
FAULTS_FILE = "faults.json"
"""In the cache folder."""
_MOST_MODELS = 1000


@dataclass(frozen=True, slots=True)
class Fault:
    """A file whose SHA-256 is not the one it is known by.

    Attributes:
        file: its name.
        known_by: who knows it: "store": the program whose folder it lies in; "hub": it gave it when the file was
            downloaded; "earlier": it was found so before, and the file was not written since.
        store: what that program is called.
    """

    file: str
    known_by: KnownBy
    store: str

    @property
    def sentence(self) -> Sentence:
        """What happened to it, and what to do."""
        match self.known_by:
            case "store":
                return Sentence(
                    "{file} is damaged: its SHA-256 is not the one {store} knows it by. Download it again.",
                    file=self.file,
                    store=self.store,
                )
            case "hub":
                return Sentence(
                    "{file} is damaged or was changed: its SHA-256 is not the one the hub gave when it was downloaded. "
                    "Download it again.",
                    file=self.file,
                )
        return Sentence(
            "{file} is damaged: its SHA-256 is not what it was, although the file was not written since. "
            "Download it again.",
            file=self.file,
        )


class Faults:
    """By path of a model, with the sizes and times of its files, in one JSON file; one that cannot be read counts as
    empty. Driven by one thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._models: dict[str, Any] | None = None

    def find(self, model: Path) -> Fault | None:
        """Return what was found, None when nothing was or a file has changed since."""
        if self._models is None:
            self._models = read_table(self._path)
        match self._models.get(str(model.absolute())):
            case [list(identity), [str(file), "store" | "hub" | "earlier" as known_by, str(store)]]:
                return Fault(file, known_by, store) if identity == list(file_identity(model)) else None
        return None

    def remember(self, model: Path, identity: Sequence[object], fault: Fault | None) -> None:
        """Write what was found of the files that had this `file_identity`; None takes back what was found before."""
        models = self._models = read_table(self._path)
        known = models.pop(str(model.absolute()), None)
        if fault is not None:
            models[str(model.absolute())] = [list(identity), list(astuple(fault))]
        elif known is None:
            return
        write_table(self._path, models, _MOST_MODELS)
