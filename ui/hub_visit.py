"""One repository of the hub as far as it is known, and which of its files are here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from app.hub.names import local_path
from app.hub.offers import MOST_OFFERS, recommended

if TYPE_CHECKING:
    from pathlib import Path

    from app.engine.gguf import Header
    from app.hub.offers import Offer
    from app.hub.search import FoundModel, Repository
    from app.hub.variants import Variant
    from ui.hub_thread import Refusal

Phase = Literal["none", "loading", "ready", "failed"]


@dataclass(slots=True)
class Visit:
    """One repository as far as it is known.

    Attributes:
        summary: the beginning of its card; None while it is not known, or could not be had.
        headers: by number of the variant; a `Refusal` where it could not be had.
        offers: likewise; those that are missing are still being asked for.
        here: numbers of the variants whose files are on this machine.
    """

    found: FoundModel
    phase: Phase = "loading"
    refusal: Refusal | None = None
    repository: Repository | None = None
    summary: str | None = None
    headers: dict[int, Header | Refusal] = field(default_factory=dict)
    offers: dict[int, Offer] = field(default_factory=dict)
    here: set[int] = field(default_factory=set)

    @property
    def n_asked(self) -> int:
        """How many variants are placed without being asked."""
        return min(len(self.repository.variants), MOST_OFFERS) if self.repository is not None else 0

    @property
    def is_placed(self) -> bool:
        """Whether all of those are."""
        return self.phase == "ready" and all(number in self.offers for number in range(self.n_asked))

    @property
    def best(self) -> int | None:
        """The number of the variant to take; None while not all are placed, and when none fits."""
        chosen = recommended(tuple(self.offers.values())) if self.is_placed else None
        return next((number for number, each in self.offers.items() if each is chosen), None)


def variants_here(variants: tuple[Variant, ...], folder: Path) -> set[int]:
    """Return the numbers of the variants whose files are all there, in their length."""
    if not variants or not local_path(folder, variants[0].files[0].repo, "model.gguf").parent.exists():
        return set()
    return {
        number
        for number, variant in enumerate(variants)
        if all(_is_here(local_path(folder, file.repo, file.name), file.size) for file in variant.files)
    }


def _is_here(path: Path, size: int | None) -> bool:
    try:
        found = path.stat().st_size
    except OSError:
        return False
    return size is None or found == size
