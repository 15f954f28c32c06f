"""The files of a repository, grouped: one variant per quantisation, split files as one, projectors apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.hub.names import place_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.hub.partial import RemoteFile

_SPLIT = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})", re.IGNORECASE)
_QUANTISATION = re.compile(
    r"(?:^|[-._ /])((?:UD-)?(?:IQ\d_[A-Z0-9]{1,4}|I?Q\d_K(?:_(?:XXL|XL|[SML]))?|Q\d_[01](?:_\d{1,2}){0,2}|TQ\d_0|"
    r"MXFP4(?:_MOE)?|NVFP4|BF16|FP16|F16|FP32|F32|Q8_0))(?=$|[-._ /])",
    re.IGNORECASE,
)
_MOST_FILES = 10_000


@dataclass(frozen=True, slots=True)
class Variant:
    """What is downloaded and loaded as one model.

    Attributes:
        quantisation: as its name says, in capitals, such as Q4_K_M or UD-IQ2_XXS; empty when it says none.
        files: all its parts in order.
        is_whole: whether no part is missing in the repository.
    """

    name: str
    quantisation: str
    files: tuple[RemoteFile, ...]
    is_whole: bool = True

    @property
    def size(self) -> int | None:
        """Bytes of all parts; None when the hub does not say."""
        sizes = [file.size for file in self.files]
        return None if None in sizes else sum(size for size in sizes if size is not None)


def quantisation_of(name: str) -> str:
    """Return the quantisation a file's or a folder's name states last; empty when it states none."""
    found = _QUANTISATION.findall(name)
    if not found:
        return ""
    text: str = found[-1].upper()
    return {"FP16": "F16", "FP32": "F32"}.get(text, text)


def without_quantisation(name: str) -> str:
    """Return a file's name without the quantisations it states."""
    return _QUANTISATION.sub("", name)


def is_projector(name: str) -> bool:
    """Whether it is the vision or audio part beside a model, by llama.cpp's naming."""
    return "mmproj" in name.rpartition("/")[2].lower()


def split_name(name: str) -> tuple[str, int, int]:
    """Return a GGUF file's name without ending and split number, that number, and of how many; 1 of 1 for a whole."""
    stem = name[: -len(".gguf")] if name.lower().endswith(".gguf") else name
    match = _SPLIT.fullmatch(stem)
    return (match["stem"], int(match["number"]), int(match["count"])) if match else (stem, 1, 1)


def group(files: Iterable[RemoteFile]) -> tuple[tuple[Variant, ...], tuple[RemoteFile, ...]]:
    """Return the variants, smallest first, and the projector files.

    Files that are no GGUF are left out, and those that would take another one's place on this machine.
    """
    projectors: list[RemoteFile] = []
    places: set[str] = set()
    parts: dict[tuple[str, int], dict[int, RemoteFile]] = {}
    for count, file in enumerate(files):
        if count >= _MOST_FILES:
            break
        if not file.name.lower().endswith(".gguf") or "imatrix" in file.name.lower():
            continue
        if (place := place_of(file.repo, file.name)) in places:
            continue
        places.add(place)
        if is_projector(file.name):
            projectors.append(file)
            continue
        stem, number, count_of_parts = split_name(file.name)
        parts.setdefault((stem, count_of_parts), {})[number] = file
    variants = [_variant(stem, count, found) for (stem, count), found in parts.items()]
    variants.sort(key=lambda variant: (variant.size is None, variant.size or 0, variant.name))
    return tuple(variants), tuple(projectors)


def _variant(stem: str, count: int, found: dict[int, RemoteFile]) -> Variant:
    numbers = sorted(found)
    folder, _, name = stem.rpartition("/")
    is_whole = len(numbers) == count and numbers[0] == 1 and numbers[-1] == count
    return Variant(name, quantisation_of(name) or quantisation_of(folder), tuple(found[n] for n in numbers), is_whole)
