"""Where the hub is and who asks: HF_ENDPOINT, HF_HUB_OFFLINE, and the token, as huggingface_hub reads them."""

from __future__ import annotations

import os
from urllib.parse import quote, urlsplit

from app.errors import BadInputError, HubError, Sentence

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
    return any(os.environ.get(name, "").upper() in _TRUE for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"))


def check_online() -> None:
    """Raises OfflineError when HF_HUB_OFFLINE is set."""
    if is_offline():
        raise OfflineError(Sentence("HF_HUB_OFFLINE is set: unset it to search the hub and to download."))


def token() -> str | None:
    """Return HF_TOKEN or the token that `hf auth login` stored; None without one. Raises BadInputError."""
    from huggingface_hub import get_token  # heavy

    secret: str | None = get_token()
    if secret and not (secret.isascii() and secret.isprintable()):
        raise BadInputError(
            Sentence(
                "The token in HF_TOKEN or of “hf auth login” has characters that no token has: copy it again from "
                "{tokens}.",
                tokens=f"{endpoint()}/settings/tokens",
            )
        )
    return secret


def page_of(sentence: str) -> str:
    """Return the hub's page where the user can do something about what a sentence says; mostly empty."""
    return str(sentence.values.get("page", "")) if isinstance(sentence, Sentence) else ""


def file_url(repo: str, revision: str, name: str) -> str:
    """Return where a file of a repository is fetched."""
    return f"{endpoint()}/{quote(repo)}/resolve/{quote(revision, safe='')}/{quote(name)}"
