"""What the hub has: models by text, a repository's files, and its card as plain text."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from app.errors import NotOnHubError, Sentence
from app.hub.connection import Abort, request
from app.hub.endpoint import file_url, importing_the_library
from app.hub.names import printable, word
from app.hub.partial import RemoteFile
from app.hub.problems import login_page, not_the_hub
from app.hub.variants import Variant, group

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from huggingface_hub import ModelInfo
    from huggingface_hub.hf_api import RepoSibling

Sort = Literal["downloads", "likes", "recent"]
SORTS: tuple[Sort, ...] = ("downloads", "likes", "recent")

_HUB_SORTS: dict[Sort, Literal["downloads", "likes", "last_modified"]] = {
    "downloads": "downloads",
    "likes": "likes",
    "recent": "last_modified",
}
_ASKED: tuple[Literal["downloads", "likes", "lastModified", "gated", "gguf"], ...] = (
    "downloads",
    "likes",
    "lastModified",
    "gated",
    "gguf",
)
"""Of a hit, beside its name."""
_COMMIT = re.compile(r"[0-9a-fA-F]{40,64}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOST_NAME_BYTES = 1024
"""With its folders: the longest path that macOS opens."""
_MOST_TEXT_CHARS = 200
"""No name is longer, its owner's included."""
_MOST_CARD_BYTES = 256 * 1024
_MOST_SUMMARY_CHARS = 1200
_LARGEST_NUMBER = 2**50
"""A larger size or count is not one."""


@dataclass(frozen=True, slots=True)
class FoundModel:
    """One hit of a search.

    Attributes:
        modified: when it was last changed, None when the hub does not say.
        gated: its licence must be accepted before it is downloaded.
        n_params: weights, as the hub read them from a file; None when it does not say.
    """

    repo: str
    downloads: int
    likes: int
    modified: datetime | None
    gated: bool
    n_params: int | None = None


@dataclass(frozen=True, slots=True)
class Repository:
    """One model on the hub.

    Attributes:
        commit: that the files are of.
        licence: its short name, empty when it says none.
        variants: smallest first.
        projectors: vision or audio parts that go with any of them.
    """

    repo: str
    commit: str
    licence: str
    gated: bool
    downloads: int
    likes: int
    variants: tuple[Variant, ...]
    projectors: tuple[RemoteFile, ...]


def search(text: str, sort: Sort = "downloads", limit: int = 20, abort: Abort | None = None) -> tuple[FoundModel, ...]:
    """Return models with GGUF files; for an empty text all of them, the first ones.

    Raises:
        HubError: the hub cannot be asked.
        StoppedError: it was aborted.
    """
    with importing_the_library():
        from app.hub.api import asking, is_repository  # heavy
    try:
        with asking(Sentence("the list of models"), abort) as hub:
            models = hub.list_models(
                filter="gguf", search=_askable(text) or None, sort=_HUB_SORTS[sort], limit=limit, expand=[*_ASKED]
            )
            return tuple(_found(model) for model in models if is_repository(model.id))
    except NotOnHubError:
        raise not_the_hub("HTTP 404") from None


def repository(repo: str, abort: Abort | None = None) -> Repository:
    """Return what a repository holds.

    Raises:
        HubError: the hub cannot be asked; NotOnHubError: it has none of that name.
        StoppedError: it was aborted.
    """
    with importing_the_library():
        from app.hub.api import asking, is_repository  # heavy
    if not is_repository(repo):
        raise NotOnHubError(
            Sentence("{repo} is no name of a repository: it is owner/name, as on the hub.", repo=printable(repo))
        )
    with asking(repo, abort) as hub:
        info = hub.model_info(repo, files_metadata=True)
    commit = info.sha if isinstance(info.sha, str) and _COMMIT.fullmatch(info.sha) else "main"
    variants, projectors = group(_remotes(repo, commit, info.siblings or ()))
    return Repository(
        repo,
        commit,
        _licence(info.card_data),
        bool(info.gated),
        _count(info.downloads) or 0,
        _count(info.likes) or 0,
        variants,
        projectors,
    )


def card_summary(repo: str, abort: Abort | None = None) -> str:
    """Return the beginning of the model card as plain text, empty when there is none. Raises HubError."""
    try:
        with request(file_url(repo, "main", "README.md"), {}, abort or Abort(), repo) as answer:
            if answer.headers.get_content_type() == "text/html":
                raise login_page(answer.host, repo)
            if answer.headers.get("Content-Encoding", "identity") != "identity":
                return ""
            text = answer.read(_MOST_CARD_BYTES, whole=True).decode("utf-8", "replace")
    except NotOnHubError:
        return ""
    return plain_text(text)


def plain_text(card: str) -> str:
    """Return what a card says, without its front matter, tables, code, pictures, HTML and addresses."""
    text = card.replace("\r\n", "\n")
    text = re.sub(r"\A\s*---\n.*?\n---\n", "", text, flags=re.DOTALL)
    text = re.sub(r"```.*?(```|\Z)", "", text, flags=re.DOTALL)
    text = re.sub(r"(?is)<(script|style)\b.*?(</\1\s*>|\Z)", "", text)
    text = re.sub(r"<[^<>]*>", "", text)
    text = html.unescape(text)
    text = re.sub(r"!\[[^\[\]]*\]\([^()\s]*\)", "", text)
    text = re.sub(r"\[([^\[\]]*)\]\((?:[^()\n]|\([^()\n]*\))*\)", r"\1", text)
    lines = [line.strip() for line in text.split("\n") if not line.lstrip().startswith(("|", "#"))]
    text = re.sub(r"(\*{1,3}|`|~~|__)(\S[^*`~\n]*?)\1", r"\2", "\n".join(lines))
    text = re.sub(r"\n{2,}", "\n\n", printable(text)).strip()
    if len(text) <= _MOST_SUMMARY_CHARS:
        return text
    return text[:_MOST_SUMMARY_CHARS].rsplit(" ", 1)[0] + " …"


def _askable(text: str) -> str:
    return text.strip()[:_MOST_TEXT_CHARS].encode("utf-8", "replace").decode("utf-8")


def _found(model: ModelInfo) -> FoundModel:
    return FoundModel(
        model.id,
        _count(model.downloads) or 0,
        _count(model.likes) or 0,
        model.last_modified,
        bool(model.gated),
        _count(model.gguf.get("total")) if isinstance(model.gguf, dict) else None,
    )


def _remotes(repo: str, commit: str, siblings: Iterable[RepoSibling]) -> Iterator[RemoteFile]:
    for sibling in siblings:
        if isinstance(name := sibling.rfilename, str) and _may_be_asked_for(name):
            size, sha256 = (sibling.lfs.size, str(sibling.lfs.sha256).lower()) if sibling.lfs else (sibling.size, "")
            yield RemoteFile(repo, name, commit, _count(size), sha256 if _SHA256.fullmatch(sha256) else "")


def _may_be_asked_for(name: str) -> bool:
    """Whether it is the name of a file: JSON may hold half a character, and names without end."""
    try:
        return len(name.encode()) <= _MOST_NAME_BYTES
    except UnicodeEncodeError:
        return False


def _licence(card: Any) -> str:
    """Return the licence's short name; that of one with a name of its own is another key."""
    licence, own = getattr(card, "license", None), getattr(card, "license_name", None)
    licence = licence[0] if isinstance(licence, list) and licence else licence
    shown = own if licence == "other" and isinstance(own, str) else licence
    return word(shown) if isinstance(shown, str) else ""


def _count(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST_NUMBER
    return value if is_count else None
