"""What the hub has: models by text, a repository's files, and its card as plain text."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote, urlencode

from app.errors import HubError, NotOnHubError, Sentence
from app.hub.connection import Abort, request
from app.hub.endpoint import endpoint, file_url
from app.hub.names import printable
from app.hub.partial import RemoteFile
from app.hub.problems import login_page
from app.hub.variants import Variant, group

if TYPE_CHECKING:
    from collections.abc import Iterator

Sort = Literal["downloads", "likes", "recent"]
SORTS: tuple[Sort, ...] = ("downloads", "likes", "recent")

_HUB_SORTS = {"downloads": "downloads", "likes": "likes", "recent": "lastModified"}
_ASKED = ("downloads", "likes", "lastModified", "gated", "gguf")
"""Of a hit, beside its name."""
_NAME = re.compile(r"[\w.-]{1,96}(?:/[\w.-]{1,96})?", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOST_ANSWER_BYTES = 16 * 1024 * 1024
"""Of one answer about names and sizes: a repository of 10,000 files takes 4 MiB."""
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
    asked = [("filter", "gguf"), ("sort", _HUB_SORTS[sort]), ("direction", "-1"), ("limit", str(limit))]
    asked += [("search", text.strip())] if text.strip() else []
    query = urlencode([*asked, *(("expand", name) for name in _ASKED)])
    try:
        models = _asked(f"api/models?{query}", Sentence("the list of models"), abort)
    except NotOnHubError:
        raise _not_the_hub("HTTP 404") from None
    return tuple(_found(models))[:limit]


def repository(repo: str, abort: Abort | None = None) -> Repository:
    """Return what a repository holds.

    Raises:
        HubError: the hub cannot be asked; NotOnHubError: it has none of that name.
        StoppedError: it was aborted.
    """
    if not _is_name(repo):
        raise NotOnHubError(
            Sentence("{repo} is no name of a repository: it is owner/name, as on the hub.", repo=printable(repo))
        )
    info = _asked(f"api/models/{quote(repo)}?blobs=true", repo, abort)
    if not isinstance(info, dict):
        raise _not_the_hub(type(info).__name__)
    commit = info.get("sha")
    commit = commit if isinstance(commit, str) and commit else "main"
    variants, projectors = group(_remotes(repo, commit, info.get("siblings")))
    return Repository(
        repo,
        commit,
        _licence(info.get("cardData")),
        bool(info.get("gated")),
        _count(info.get("downloads")) or 0,
        _count(info.get("likes")) or 0,
        variants,
        projectors,
    )


def card_summary(repo: str, abort: Abort | None = None) -> str:
    """Return the beginning of the model card as plain text, empty when there is none. Raises HubError."""
    try:
        with request(file_url(repo, "main", "README.md"), {}, abort or Abort(), repo) as answer:
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


def _asked(path: str, what: str, abort: Abort | None) -> Any:
    """Return what the hub answers to a question about names and sizes."""
    with request(f"{endpoint()}/{path}", {}, abort or Abort(), what) as answer:
        if answer.headers.get_content_type() == "text/html":
            raise login_page(answer.host, what)
        data = answer.read(_MOST_ANSWER_BYTES + 1, whole=True)
    if len(data) > _MOST_ANSWER_BYTES:
        raise HubError(Sentence("{what} is too long a list: choose another model.", what=printable(what)))
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _not_the_hub(printable(str(error)[:200]) or type(error).__name__) from None


def _not_the_hub(reason: str) -> HubError:
    return HubError(
        Sentence(
            "{host} does not answer as the hub does ({error}): check the network and HF_ENDPOINT.",
            host=endpoint(),
            error=reason,
        )
    )


def _is_name(repo: str) -> bool:
    return bool(_NAME.fullmatch(repo)) and all(part.strip(".") for part in repo.split("/"))


def _found(models: Any) -> Iterator[FoundModel]:
    if not isinstance(models, list):
        raise _not_the_hub(type(models).__name__)
    for model in models:
        if isinstance(model, dict) and isinstance(repo := model.get("id"), str) and _is_name(repo):
            gguf = model.get("gguf")
            yield FoundModel(
                repo,
                _count(model.get("downloads")) or 0,
                _count(model.get("likes")) or 0,
                _instant(model.get("lastModified")),
                bool(model.get("gated")),
                _count(gguf.get("total")) if isinstance(gguf, dict) else None,
            )


def _remotes(repo: str, commit: str, siblings: Any) -> Iterator[RemoteFile]:
    for sibling in siblings if isinstance(siblings, list) else ():
        if isinstance(sibling, dict) and isinstance(name := sibling.get("rfilename"), str) and _is_text(name):
            lfs = sibling.get("lfs")
            about = lfs if isinstance(lfs, dict) else {}
            sha256 = str(about.get("sha256", "")).lower()
            size = _count(about.get("size", sibling.get("size")))
            yield RemoteFile(repo, name, commit, size, sha256 if _SHA256.fullmatch(sha256) else "")


def _is_text(name: str) -> bool:
    """Whether it can be asked for: JSON may hold half a character."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _licence(card: Any) -> str:
    """Return the licence's short name; that of one with a name of its own is another key."""
    if not isinstance(card, dict):
        return ""
    licence, own = card.get("license"), card.get("license_name")
    licence = licence[0] if isinstance(licence, list) and licence else licence
    shown = own if licence == "other" and isinstance(own, str) else licence
    return printable(shown) if isinstance(shown, str) else ""


def _instant(value: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None


def _count(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST_NUMBER
    return value if is_count else None
