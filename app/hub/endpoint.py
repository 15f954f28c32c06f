"""Where the hub is and who asks: HF_ENDPOINT, HF_HUB_OFFLINE, and the token, as huggingface_hub reads them."""

from __future__ import annotations

import os
from contextlib import suppress
from urllib.parse import quote, urlsplit

from app.errors import BadInputError, HubError, Sentence
from app.hub.sources import hugging_face_token

_DEFAULT = "https://huggingface.co"
_TRUE = ("1", "ON", "YES", "TRUE")
_PORTS = {"https": 443, "http": 80}


class OfflineError(HubError):
    """HF_HUB_OFFLINE forbids to ask."""


def endpoint() -> str:
    """Return the hub's address without a slash at its end. Raises BadInputError when HF_ENDPOINT is none."""
    address = os.environ.get("HF_ENDPOINT", "").strip().rstrip("/") or _DEFAULT
    if origin(address)[0] not in _PORTS or not origin(address)[1]:
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
    return _is_true("HF_HUB_OFFLINE") or _is_true("TRANSFORMERS_OFFLINE")


def check_online() -> None:
    """Raises OfflineError when HF_HUB_OFFLINE is set."""
    if is_offline():
        raise OfflineError(Sentence("HF_HUB_OFFLINE is set: unset it to search the hub and to download."))


def token() -> str:
    """Return HF_TOKEN or the token that `hf auth login` stored; empty without one. Raises BadInputError.

    The library's `get_token` is not asked: it may send requests of its own, to renew a login, and wait for them.
    """
    if _is_true("HF_HUB_DISABLE_IMPLICIT_TOKEN"):
        return ""
    secret = _in_one_line(os.environ.get("HF_TOKEN") or os.environ.get("HUGGING_FACE_HUB_TOKEN") or "")
    if not secret:
        with suppress(OSError):
            secret = _in_one_line(hugging_face_token().read_text("utf-8", "replace"))
    if secret and not (secret.isascii() and secret.isprintable()):
        raise BadInputError(
            Sentence(
                "The token in HF_TOKEN or of “hf auth login” has characters that no token has: copy it again from "
                "{tokens}.",
                tokens=f"{endpoint()}/settings/tokens",
            )
        )
    return secret


def _in_one_line(secret: str) -> str:
    return secret.replace("\r", "").replace("\n", "").strip()


def _is_true(variable: str) -> bool:
    return os.environ.get(variable, "").upper() in _TRUE


def file_url(repo: str, revision: str, name: str) -> str:
    """Return where a file of a repository is fetched."""
    return f"{endpoint()}/{quote(repo)}/resolve/{quote(revision, safe='')}/{quote(name)}"
