"""`owner/name[:QUANT]`, as llama.cpp's -hf takes it -> the files to download."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.errors import BadInputError, NotOnHubError, Sentence
from app.hub.names import local_path, printable
from app.hub.partial import RemoteFile
from app.hub.search import Repository, repository
from app.hub.variants import group

if TYPE_CHECKING:
    from pathlib import Path

    from app.hub.variants import Variant

_REFERENCE = re.compile(r"(?P<repo>[\w.-]{1,96}/[\w.-]{1,96})(?::(?P<quantisation>[\w.-]{1,40}))?", re.ASCII)
_DEFAULT = "Q4_K_M"
_MOST_NAMED = 20


def parse_reference(text: str) -> tuple[str, str]:
    """Return repository and quantisation, empty when none is named. Raises BadInputError."""
    match = _REFERENCE.fullmatch(text.strip())
    if match is None or any(part.strip(".") == "" for part in match["repo"].split("/")):
        raise BadInputError(
            Sentence("{text} names no model on the hub: it is owner/name or owner/name:QUANT.", text=printable(text))
        )
    return match["repo"], (match["quantisation"] or "").upper()


def resolve(text: str, file: str = "") -> tuple[Repository, Variant]:
    """Return the repository and the variant that are meant: without a quantisation Q4_K_M, else the first by name.

    Args:
        file: the name of a GGUF file, which then decides.

    Raises:
        BadInputError: the text names no model.
        HubError: the hub cannot be asked, or has no such model.
    """
    repo, quantisation = parse_reference(text)
    found = repository(repo)
    return found, choose(found, quantisation, file)


def local_file(text: str, models: Path) -> Path | None:
    """Return the file that is meant of those downloaded earlier, None when it is not among them.

    Raises:
        BadInputError: the text names no model.
    """
    repo, quantisation = parse_reference(text)
    folder = local_path(models, repo, "model.gguf").parent
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.gguf")}
    variants, projectors = group(RemoteFile(repo, name) for name in sorted(paths))
    try:
        chosen = choose(Repository(repo, "", "", False, 0, 0, variants, projectors), quantisation)
    except NotOnHubError:
        return None
    return paths[chosen.files[0].name]


def choose(found: Repository, quantisation: str, file: str = "") -> Variant:
    """Return the variant of a repository that is meant. Raises NotOnHubError."""
    if not found.variants:
        raise NotOnHubError(Sentence("{repo} has no GGUF files: look for a conversion of this model.", repo=found.repo))
    by_name = sorted(found.variants, key=lambda variant: variant.files[0].name)
    if file:
        chosen = next((each for each in by_name if any(file in _names(part.name) for part in each.files)), None)
        names = [each.files[0].name for each in by_name]
    else:
        wanted = quantisation or _DEFAULT
        chosen = next((each for each in by_name if each.quantisation == wanted), None)
        if chosen is None and not quantisation:
            chosen = by_name[0]
        names = list(dict.fromkeys(each.quantisation or each.name for each in found.variants))
    if chosen is None:
        raise NotOnHubError(
            Sentence(
                "{repo} has no {wanted}; it has {names}.",
                repo=found.repo,
                wanted=printable(file) or quantisation,
                names=printable(", ".join(names[:_MOST_NAMED])),
            )
        )
    if not chosen.is_whole:
        raise NotOnHubError(
            Sentence("{name} of {repo} lacks some of its parts: choose another.", name=chosen.name, repo=found.repo)
        )
    return chosen


def _names(path: str) -> tuple[str, str]:
    return path, path.rpartition("/")[2]
