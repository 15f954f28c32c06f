"""What the hub has: models by text, a repository's files, and its card as plain text."""

from __future__ import annotations

import html
import importlib
import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from app.errors import HubError, NotOnHubError, Sentence
from app.hub.connection import Abort, request
from app.hub.endpoint import endpoint, file_url, token
from app.hub.names import printable
from app.hub.partial import RemoteFile
from app.hub.problems import login_page, status_error
from app.hub.variants import Variant, group

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
Sort = Literal["downloads", "likes", "recent"]
SORTS: tuple[Sort, ...] = ("downloads", "likes", "recent")

_HUB_SORTS = {"downloads": "downloads", "likes": "likes", "recent": "last_modified"}
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOST_CARD_BYTES = 256 * 1024
_MOST_SUMMARY_CHARS = 1200
_LARGEST_FILE = 2**50
"""A larger size is not one."""


@dataclass(frozen=True, slots=True)
class FoundModel:
    """One hit of a search.

    Attributes:
        modified: when it was last changed, None when the hub does not say.
        gated: its licence must be accepted before it is downloaded.
    """

    repo: str
    downloads: int
    likes: int
    modified: datetime | None
    gated: bool


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


def search(text: str, sort: Sort = "downloads", limit: int = 20) -> tuple[FoundModel, ...]:
    """Return models with GGUF files. Raises HubError."""

    def ask(api: Any) -> tuple[FoundModel, ...]:
        models = api.list_models(search=text or None, filter="gguf", sort=_HUB_SORTS[sort], limit=limit)
        return tuple(
            FoundModel(
                printable(str(model.id)),
                _count(model.downloads),
                _count(model.likes),
                model.last_modified if isinstance(model.last_modified, datetime) else None,
                bool(model.gated),
            )
            for model in models
        )

    return _asked(ask, text)


def repository(repo: str) -> Repository:
    """Return what a repository holds. Raises HubError, NotOnHubError when there is none of that name."""

    def ask(api: Any) -> Repository:
        info = api.model_info(repo, files_metadata=True)
        commit = info.sha if isinstance(info.sha, str) and info.sha else "main"
        variants, projectors = group(_remote(repo, commit, sibling) for sibling in info.siblings or ())
        card = info.card_data
        licence = card.get("license") if card is not None else None
        return Repository(
            repo,
            commit,
            printable(licence) if isinstance(licence, str) else "",
            bool(info.gated),
            _count(info.downloads),
            _count(info.likes),
            variants,
            projectors,
        )

    return _asked(ask, repo)


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


def _asked(ask: Callable[[Any], T], what: str) -> T:
    address = endpoint()
    _check_reachable(address)
    from huggingface_hub import HfApi, get_session  # heavy
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    # Its HTTP library was httpx and is httpx2 now.
    library = importlib.import_module(type(get_session()).__module__.partition(".")[0])
    try:
        return ask(HfApi(endpoint=address, token=token() or False))
    except HFValidationError:
        raise NotOnHubError(
            Sentence("{repo} is no name of a repository: it is owner/name, as on the hub.", repo=printable(what))
        ) from None
    except HfHubHTTPError as error:
        answer = error.response
        host = address.partition("://")[2]
        raise status_error(answer.status_code, answer.headers, what, host, at_hub=True) from None  # type: ignore[arg-type]  # has `get`
    except (library.HTTPError, OSError, RuntimeError, ValueError, TypeError, AttributeError, KeyError) as error:
        raise HubError(
            Sentence("{host} does not answer as the hub does ({error}): check the network and HF_ENDPOINT.",
                     host=address, error=printable(str(error)[:200]) or type(error).__name__)
        ) from None  # fmt: skip


def _check_reachable(address: str) -> None:
    """Raises HubError at once where huggingface_hub would try for half a minute and say so on standard error."""
    with request(f"{address}/api/models?limit=1", {}, Abort(), "api/models") as answer:
        if answer.headers.get_content_type() == "text/html":
            raise login_page(answer.host, "api/models")


def _remote(repo: str, commit: str, sibling: Any) -> RemoteFile:
    lfs = sibling.lfs
    size = sibling.size if lfs is None else lfs.size
    sha256 = "" if lfs is None else str(lfs.sha256).lower()
    return RemoteFile(
        repo,
        str(sibling.rfilename),
        commit,
        size if isinstance(size, int) and 0 <= size <= _LARGEST_FILE else None,
        sha256 if _SHA256.fullmatch(sha256) else "",
    )


def _count(value: object) -> int:
    return value if isinstance(value, int) and value >= 0 else 0
