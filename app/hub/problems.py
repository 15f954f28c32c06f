"""What can go wrong between the hub and the disk, each with its sentence."""

from __future__ import annotations

import email.utils
import time
from typing import TYPE_CHECKING

from app.errors import HubError, NotOnHubError, Sentence
from app.hub.endpoint import endpoint
from app.hub.names import printable
from app.reasons import proxy_refusal, reason_of
from app.units import size_text

if TYPE_CHECKING:
    from email.message import Message
    from pathlib import Path

_BUSY = (408, 429, 500, 502, 503, 504)
"""It may go well the next time."""
_FAULTY = (500, 502)
"""Those of them with which a server says that it failed."""
_PROXY_LOGIN = 407
_LOGIN = 511
"""A network that wants a login first, RFC 6585."""
_LONGEST_WAIT_S = 600.0


class TransientError(HubError):
    """It may go well the next time.

    Attributes:
        retry_after_s: how long the server asked to wait.
        reason: the sentence without what the user can do, for when it is tried again by itself.
    """

    def __init__(self, sentence: str, retry_after_s: float = 0.0, reason: str = "") -> None:
        super().__init__(sentence)
        self.retry_after_s = retry_after_s
        self.reason = reason or sentence


def dropped(host: str, error: Exception) -> TransientError:
    """A connection that ended too early."""
    return TransientError(Sentence("The connection to {host} was dropped ({reason}).", host=host, reason=said(error)))


def unreachable(host: str, reason: str) -> TransientError:
    """A server that no connection leads to."""
    return TransientError(Sentence("{host} cannot be reached ({error}): check the network.", host=host, error=reason))


def said(error: BaseException | str) -> str:
    """Return why a request failed; what is not ours may hold what the other side sent."""
    reason = error if isinstance(error, str) else reason_of(error)
    return reason if isinstance(reason, Sentence) else printable(reason)[:200]


def login_page(host: str, what: str) -> HubError:
    """HTML where a file should be."""
    return HubError(
        Sentence(
            "{host} answered with a web page instead of {what}: log in to this network in a browser, then try again.",
            host=host,
            what=what,
        )
    )


def not_the_hub(reason: str) -> HubError:
    """Something answers that is no hub, or one that is out of order."""
    return HubError(
        Sentence(
            "{host} does not answer as the hub does ({error}): check the network and HF_ENDPOINT.",
            host=endpoint(),
            error=reason,
        )
    )


def no_room(file: str, folder: Path, needed: int, free: int, spare: int) -> HubError:
    """A disk that is too full, all in bytes; `spare` are those that a download leaves free."""
    return HubError(
        Sentence(
            "{file} needs {needed} more and {spare} must stay free, but the disk of {folder} has {free}: make room, "
            "then try again.",
            file=file,
            needed=size_text(needed),
            folder=folder,
            free=size_text(free),
            spare=size_text(spare),
        )
    )


def wrong_length(file: str, size: int, promised: int) -> HubError:
    """A file that is not the one the hub spoke of."""
    return HubError(
        Sentence(
            "{file} has {size:,} bytes where the hub promised {promised:,}: it was removed; try again later.",
            file=file,
            size=size,
            promised=promised,
        )
    )


def not_written(target: Path, error: OSError) -> HubError:
    """A disk that refuses."""
    return HubError(
        Sentence(
            "{file} cannot be written to {folder} ({error}): check its permissions.",
            file=target.name,
            folder=target.parent,
            error=reason_of(error),
        )
    )


def status_error(status: int, headers: Message, what: str, host: str, *, at_hub: bool) -> HubError:
    """Return the error for a status that is neither success nor a redirect."""
    code = headers.get("X-Error-Code", "")
    if status in _BUSY:
        wait = _retry_after(headers)
        busy = (
            Sentence("{host} has an error (HTTP {status})", host=host, status=status)
            if status in _FAULTY
            else Sentence("{host} is busy (HTTP {status})", host=host, status=status)
        )
        if wait > _LONGEST_WAIT_S:
            return HubError(
                Sentence("{busy} and asks to wait {minutes:.0f} minutes: try again then.", busy=busy, minutes=wait / 60)
            )
        return TransientError(Sentence("{busy}: try again later.", busy=busy), wait, Sentence("{busy}.", busy=busy))
    if status == _LOGIN:
        return login_page(host, what)
    if status == _PROXY_LOGIN:
        return unreachable(host, proxy_refusal(status))
    if not at_hub and status in (401, 403):  # a signed address that has expired: the hub gives another
        return TransientError(Sentence("{host} no longer accepts the address the hub gave.", host=host))
    if status == 404 or code in ("RepoNotFound", "EntryNotFound", "RevisionNotFound"):
        return NotOnHubError(
            Sentence(
                "{what} is not on {host}: it may have been renamed or removed, or it is private and needs a token "
                "(HF_TOKEN).",
                what=what,
                host=host,
            )
        )
    is_token = "invalid credentials" in headers.get("X-Error-Message", "").lower() or "/" not in what
    if status in (401, 403) and code != "GatedRepo" and is_token:  # a search asks for nothing that could be gated
        return HubError(
            Sentence(
                "{host} refuses to answer (HTTP {status}): the token in HF_TOKEN or of “hf auth login” may be wrong or "
                "expired; make a new one at {tokens}.",
                host=host,
                status=status,
                tokens=f"{endpoint()}/settings/tokens",
            )
        )
    if status in (401, 403):
        return NotOnHubError(_gated(status, "/".join(what.split("/")[:2])))
    return HubError(
        Sentence("{what}: {host} answered with HTTP {status}; try again later.", what=what, host=host, status=status)
    )


def _gated(status: int, repo: str) -> Sentence:
    """With 401 the hub was given no token, with 403 one that may not read the repository."""
    page, tokens = f"{endpoint()}/{repo}", f"{endpoint()}/settings/tokens"
    if status == 401:
        return Sentence(
            "{repo} is gated: accept its licence at {page}, make a token at {tokens}, and give it in the environment "
            "variable HF_TOKEN or with “hf auth login”.",
            repo=repo,
            page=page,
            tokens=tokens,
        )
    return Sentence(
        "{repo} is gated, and the token in HF_TOKEN or of “hf auth login” has no access to it: accept its licence at "
        "{page}, and allow the token to read gated repositories at {tokens}.",
        repo=repo,
        page=page,
        tokens=tokens,
    )


def _retry_after(headers: Message) -> float:
    """Return the seconds a server asks to wait, given as a number or as a date; 0 when it says nothing."""
    value = headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return 0.0
