"""Where the hub is and whether it may be asked: HF_ENDPOINT and HF_HUB_OFFLINE, as huggingface_hub reads them."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from app.errors import BadInputError, HubError, Sentence
from app.hub.names import word

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEFAULT = "https://huggingface.co"
_TRUE = ("1", "ON", "YES", "TRUE")
_PORTS = {"https": 443, "http": 80}


class OfflineError(HubError):
    """HF_HUB_OFFLINE forbids to ask."""


def endpoint() -> str:
    """Return the hub's address without a slash at its end. Raises BadInputError when HF_ENDPOINT is none."""
    address = os.environ.get("HF_ENDPOINT", "").strip().rstrip("/") or _DEFAULT
    if origin(address)[0] not in _PORTS or not all(origin(address)):
        raise BadInputError(
            Sentence("HF_ENDPOINT is {address}: give it an address such as {example}.", address=address,
                     example=_DEFAULT)
        )  # fmt: skip
    return address


def origin(url: str) -> tuple[str, str, int]:
    """Return scheme, host and port: what a token may be sent to. What is no address has an empty scheme, or port 0."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", "", 0
    try:
        port = parts.port
    except ValueError:
        port = 0
    return parts.scheme, (parts.hostname or "").lower(), _PORTS.get(parts.scheme, 0) if port is None else port


def is_offline() -> bool:
    """Whether HF_HUB_OFFLINE forbids every request."""
    return any(os.environ.get(name, "").upper() in _TRUE for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"))


def check_online() -> None:
    """Raises OfflineError when HF_HUB_OFFLINE is set."""
    if is_offline():
        raise OfflineError(Sentence("HF_HUB_OFFLINE is set: unset it to search the hub and to download."))


@contextmanager
def importing_the_library() -> Iterator[None]:
    """Say why `app.hub.api` cannot be imported: the library stumbles over settings that it cannot read.

    Raises:
        BadInputError: HF_ENDPOINT is no address. HubError: for any other reason.
    """
    endpoint()
    try:
        yield
    except (ImportError, ValueError) as error:
        raise HubError(
            Sentence(
                "The library huggingface_hub cannot be used ({error}): check the environment variables whose names "
                "begin with HF_, or install it again.",
                error=word(str(error)),
            )
        ) from None


def page_of(sentence: str) -> str:
    """Return the hub's page where the user can do something about what a sentence says; mostly empty."""
    return str(sentence.values.get("page", "")) if isinstance(sentence, Sentence) else ""


def file_url(repo: str, revision: str, name: str) -> str:
    """Return where a file of a repository is fetched."""
    return f"{endpoint()}/{quote(repo)}/resolve/{quote(revision, safe='')}/{quote(name)}"
