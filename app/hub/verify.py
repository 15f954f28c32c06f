"""Whether a model's files are what they should be: their structure, and the sha256 they are known by."""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from app.errors import ModelFileError, Sentence
from app.hub.facts import read_facts
from app.hub.faults import Fault
from app.reasons import reason_of

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from app.hub.digests import Digests
    from app.hub.faults import KnownBy
    from app.hub.library import LibraryModel

_PIECE_BYTES = 4 * 1024 * 1024
_SHA256 = re.compile(r"(sha256-)?(?P<digest>[0-9a-f]{64})")
_STORES = ("Hugging Face", "Ollama")
"""They name a blob by the sha256 of what belongs in it."""


@dataclass(frozen=True, slots=True)
class Verified:
    """One file.

    Attributes:
        digest: its sha256 in hex.
        expected: the one it should have; empty when nobody says.
        known_by: who says, as `Fault` has it; empty when nobody does.
    """

    path: Path
    digest: str
    expected: str
    known_by: KnownBy | Literal[""] = ""

    @property
    def is_right(self) -> bool | None:
        """Whether they are the same; None when nothing was expected."""
        return self.digest == self.expected if self.expected else None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to make of it: `is_whole` is None when its structure is whole and nobody knows its sha256."""

    is_whole: bool | None
    sentence: str


def verify(
    model: LibraryModel,
    cancelled: threading.Event,
    progress: Callable[[int, int], None],
    digests: Digests | None = None,
) -> tuple[Verified, ...] | None:
    """Read every byte of a model; None when cancelled.

    Args:
        progress: called with the bytes read and the bytes of all parts.
        digests: what is known of files from earlier; what is found is added.

    Raises:
        ModelFileError: a file cannot be read.
    """
    done, verified = 0, []
    for part in model.parts or (model.path,):
        digest = hashlib.sha256()
        try:
            expected, known_by = _expected(model, part, digests)
            with part.open("rb") as file:
                while piece := file.read(_PIECE_BYTES):
                    if cancelled.is_set():
                        return None
                    digest.update(piece)
                    done += len(piece)
                    progress(done, max(done, model.file_bytes))
        except OSError as error:
            raise ModelFileError(
                Sentence("{path} cannot be read: {error}.", path=part, error=reason_of(error))
            ) from None
        verified.append(Verified(part, digest.hexdigest(), expected, known_by))
        if digests is not None and not expected:
            with suppress(OSError):
                digests.remember(part, digest.hexdigest())
    return tuple(verified)


def fault_of(model: LibraryModel, verified: tuple[Verified, ...]) -> Fault | None:
    """Return the first file whose digest is wrong; None when there is none."""
    for each in verified:
        if each.is_right is False and each.known_by:
            return Fault(each.path.name, each.known_by, model.source)
    return None


def verdict(model: LibraryModel, verified: tuple[Verified, ...]) -> Verdict:
    """Return what the digests and the files' structure say, the worst first. Reads the headers anew."""
    if (fault := fault_of(model, verified)) is not None:
        return Verdict(False, fault.sentence)
    folder, here = model.path.parent, set(model.parts)
    missing = [folder / name for name in model.missing]
    parts = sorted({*here, *missing}) or [model.path]
    if problem := read_facts(parts, missing).problem:
        return Verdict(False, problem)
    if all(each.known_by == "store" for each in verified):
        return Verdict(
            True,
            Sentence(
                "{name} is whole: its SHA-256 is the one {store} knows it by.", name=model.name, store=model.source
            ),
        )
    if all(each.known_by == "hub" for each in verified):
        return Verdict(
            True,
            Sentence("{name} is whole: its SHA-256 is the one the hub gave when it was downloaded.", name=model.name),
        )
    if all(each.is_right for each in verified):
        return Verdict(
            True,
            Sentence("{name} is whole: its SHA-256 is what it was when it was first verified.", name=model.name),
        )
    return Verdict(
        None,
        Sentence(
            "{name} can be read to its end and its structure is whole. What its SHA-256 should be is not known; it "
            "is remembered, so that the next verification tells whether it has changed.",
            name=model.name,
        ),
    )


def _expected(model: LibraryModel, part: Path, digests: Digests | None) -> tuple[str, KnownBy | Literal[""]]:
    if model.source in _STORES and (match := _SHA256.fullmatch(Path(os.path.realpath(part)).name)):
        return match["digest"], "store"
    if digests is None:
        return "", ""
    if promised := digests.promised(part):
        return promised, "hub"
    known = digests.find(part)
    return (known, "earlier") if known else ("", "")
