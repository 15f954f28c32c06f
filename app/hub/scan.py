"""The library in a process of its own: reading hundreds of headers would hold up the window, be it in a thread."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from app.engine.channel import ENGINE_ROOMS, Cancel, Result
from app.engine.child_process import ChildProcess
from app.errors import EngineError, Sentence
from app.reasons import reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from app.engine.config import ModelConfig
    from app.engine.events import Device
    from app.hub.fits import Placing
    from app.hub.library import LibraryModel, Listing
    from app.hub.sources import Root

ROOMS = (*ENGINE_ROOMS, "app.hub.")
_MODULE = "app.hub.child"
_CLOSE_S = 1.5


@dataclass(frozen=True, slots=True)
class Scan:
    """Ask for some `Found` and a `Result` with a `Scanned`.

    Attributes:
        own, added: as `app.hub.sources.model_roots` takes them.
    """

    own: Path
    added: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scanned:
    """All models, and where they were looked for.

    Attributes:
        folders_of_roots: those in which a new root may appear.
    """

    roots: tuple[Root, ...]
    listing: Listing
    folders_of_roots: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """Models that were looked at since the last of these; `done` of `total` were looked at so far."""

    models: tuple[LibraryModel, ...]
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Place:
    """Ask for some `Placed` and a `Result`: where each of these would go when it is loaded so."""

    models: tuple[tuple[LibraryModel, ModelConfig], ...]
    devices: tuple[Device, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """The answers since the last of these, by path of the model."""

    placings: tuple[tuple[Path, Placing], ...]


class LibraryProcess:
    """Asks the child, which is started when it is needed. Driven by one thread; `cancel` and `kill` by any."""

    def __init__(self) -> None:
        self._child: ChildProcess | None = None

    @property
    def pid(self) -> int | None:
        """The child's process id, None without one."""
        return self._child.pid if self._child else None

    def scan(self, own: Path, added: Sequence[str], on_found: Callable[[Found], None]) -> Scanned:
        """Return the models in these folders and in other programs'; `on_found` gets them as they are found.

        Raises:
            EngineError: the child cannot be started, or died.
        """
        return cast("Scanned", self._ask(Scan(own, tuple(added)), on_found))

    def place(
        self,
        models: Sequence[tuple[LibraryModel, ModelConfig]],
        devices: Sequence[Device],
        on_placed: Callable[[Placed], None],
    ) -> None:
        """Say where each model goes.

        Raises:
            EngineError: as `scan`.
        """
        self._ask(Place(tuple(models), tuple(devices)), on_placed)

    def cancel(self) -> None:
        """End soon what was asked: a scan with what it has, a placing with what was answered."""
        child = self._child
        if child is not None:
            with contextlib.suppress(OSError, ValueError):
                child.channel.send(Cancel(0))

    def kill(self) -> None:
        """End the child at once: a question under way fails."""
        child = self._child
        if child is not None:
            child.kill()

    def close(self) -> None:
        """End the child. The next question starts another."""
        child, self._child = self._child, None
        if child is not None:
            child.close(_CLOSE_S)

    def _ask(self, question: object, on_message: Callable[..., None]) -> object:
        try:
            if self._child is None:
                self._child = ChildProcess(_MODULE, ROOMS)
            self._child.channel.send(question)
            while not isinstance(message := self._child.channel.receive(), Result):
                on_message(message)
        except (EOFError, OSError) as error:
            child, self._child = self._child, None
            outcome = child.end(_CLOSE_S) if child is not None else reason_of(error)
            raise EngineError(
                Sentence("The process that reads the models ended ({outcome}): try again.", outcome=outcome)
            ) from None
        return message.value
