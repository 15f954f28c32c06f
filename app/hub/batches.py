"""The queue as the user sees it: all files of a split model are one download."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.hub.endpoint import page_of
from app.hub.names import printable
from app.hub.variants import is_projector, split_name

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from app.hub.download import Download, State

_ORDER: tuple[State, ...] = ("downloading", "retrying", "checking", "failed", "waiting", "paused", "cancelled", "done")
"""The state of a batch is the first one here that a file of it is in."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What is downloaded and loaded as one model.

    Attributes:
        key: names it as long as the window is open.
        name: of the file, without its ending and split number, safe to show.
        downloads: of its files, by name.
    """

    key: tuple[str, str, int]
    name: str
    downloads: tuple[Download, ...]

    @property
    def repo(self) -> str:
        """Where it comes from."""
        return printable(self.downloads[0].file.repo)

    @property
    def numbers(self) -> tuple[int, ...]:
        """Its files' names in the queue."""
        return tuple(each.number for each in self.downloads)

    @property
    def path(self) -> Path:
        """The file to load once all are there."""
        return self.downloads[0].target

    @property
    def state(self) -> State:
        """What happens to it now."""
        states = {each.state for each in self.downloads}
        return next(state for state in _ORDER if state in states)

    @property
    def done_bytes(self) -> int:
        """Bytes that are there, of all files."""
        return sum(each.done_bytes for each in self.downloads)

    @property
    def total_bytes(self) -> int | None:
        """Bytes there will be; None while the hub has not said it of every file."""
        sizes = [each.total_bytes for each in self.downloads]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    @property
    def fraction(self) -> float | None:
        """How much of it is there, from 0 to 1."""
        total = self.total_bytes
        return min(1.0, self.done_bytes / total) if total else None

    @property
    def bytes_per_s(self) -> float | None:
        """Of the file that is being fetched; None while nothing arrives."""
        return next((each.bytes_per_s for each in self.downloads if each.bytes_per_s), None)

    @property
    def seconds_left(self) -> float | None:
        """At the present speed; None when it cannot be said."""
        speed, total = self.bytes_per_s, self.total_bytes
        return (total - self.done_bytes) / speed if speed and total is not None else None

    @property
    def sentence(self) -> str:
        """Why it failed or what it waits for; empty when all is well."""
        return next((each.sentence for each in self.downloads if each.sentence), "")

    @property
    def page(self) -> str:
        """Address of the hub's page where the user can do something about why it failed; mostly empty."""
        return page_of(self.sentence)

    @property
    def is_projector(self) -> bool:
        """Whether it goes beside a model, and is none to load."""
        return is_projector(self.downloads[0].file.name)

    @property
    def is_active(self) -> bool:
        """Whether it is being fetched or waits for its turn."""
        return self.state in ("downloading", "retrying", "checking", "waiting")


def batches(downloads: Iterable[Download]) -> tuple[Batch, ...]:
    """Return what is in the queue, in its order; what was cancelled is left out."""
    found: dict[tuple[str, str, int], list[Download]] = {}
    for download in downloads:
        if download.state != "cancelled":
            found.setdefault(batch_key(download.file.repo, download.file.name), []).append(download)
    return tuple(
        Batch(key, printable(key[1].rpartition("/")[2]), tuple(sorted(files, key=lambda each: each.file.name)))
        for key, files in found.items()
    )


def batch_key(repo: str, name: str) -> tuple[str, str, int]:
    """Return which batch a file of a repository belongs to."""
    stem, _, count = split_name(name)
    return repo, stem, count
