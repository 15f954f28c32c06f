"""`huggingface_hub` asks about names and sizes, and knows the token; its questions travel by our `connection`.

So they can be ended from another thread, an answer has a greatest size, redirects never see the token, and what goes
wrong is said in our sentences. The library's own client is replaced in this process, as it foresees.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

import httpx2
from huggingface_hub import constants
from huggingface_hub.errors import OIDCError
from huggingface_hub.hf_api import HfApi  # the package's own name for it prints why it cannot be imported
from huggingface_hub.utils import HFValidationError, get_token, set_client_factory, validate_repo_id

from app.errors import BadInputError, HubError, Sentence
from app.hub.connection import Abort, request
from app.hub.endpoint import endpoint, origin
from app.hub.names import printable, word
from app.hub.problems import login_page, not_the_hub

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_BYTES = 16 * 1024 * 1024
"""Of all answers to one question: a repository of 10,000 files takes 4 MiB."""
_MOST_VALUES = 500_000
"""In one answer, by its brackets and commas: 10,000 files have 90,000. Who parses more holds up all other threads."""
_ODD_ANSWERS = (LookupError, TypeError, ValueError, AttributeError, RecursionError)
"""What the library raises over JSON that is no hub's."""
_MOST_REQUESTS = 32
"""For one question: a list comes in pages."""


@contextmanager
def asking(what: str, abort: Abort | None = None) -> Iterator[HfApi]:
    """Give the library's client; what it is asked within is asked of `endpoint`.

    Args:
        what: the list or the repository, for the sentence when it fails.

    Raises:
        HubError: the hub cannot be asked, or does not answer as one.
        StoppedError: it was aborted.
    """
    before = _question.set(_Question(what, abort or Abort()))
    try:
        yield HfApi(endpoint(), token=False)
    except (httpx2.HTTPError, httpx2.InvalidURL, *_ODD_ANSWERS) as error:
        raise not_the_hub(word(str(error)) or type(error).__name__) from None
    finally:
        _question.reset(before)


def is_repository(name: object) -> bool:
    """Whether a repository may be called that: owner/name or, for the hub's oldest, name."""
    try:
        validate_repo_id(name)  # type: ignore[arg-type]  # which it looks at, but for None
    except HFValidationError:
        return False
    return name is not None


def token(abort: Abort | None = None) -> str:
    """Return HF_TOKEN or the token that `hf auth login` stored, renewed when it is about to expire; empty without one.

    Args:
        abort: ends the renewal; the token is the old one then.

    Raises:
        BadInputError: it is damaged, or the program that should give it does not.
    """
    if constants.HF_HUB_DISABLE_IMPLICIT_TOKEN:
        return ""
    before = _renewal.set(abort or Abort())
    try:
        secret = get_token() or ""
    except UnicodeDecodeError:
        secret = "\0"
    except OSError:  # a stored one that cannot be read
        return ""
    except OIDCError as error:
        raise BadInputError(
            Sentence("The token for the hub cannot be had ({error}): unset HF_OIDC_RESOURCE.", error=word(str(error)))
        ) from None
    finally:
        _renewal.reset(before)
    if secret and not (secret.isascii() and secret.isprintable()):
        raise BadInputError(
            Sentence(
                "The token in HF_TOKEN or of “hf auth login” has characters that no token has: copy it again from "
                "{tokens}.",
                tokens=f"{endpoint()}/settings/tokens",
            )
        )
    return secret


class _Question:
    """What one thread asks, in one request or, for a list, in several."""

    def __init__(self, what: str, abort: Abort) -> None:
        self._what = what
        self._abort = abort
        self._requests = _MOST_REQUESTS
        self._bytes = _MOST_BYTES

    def send(self, url: str) -> httpx2.Response:
        with request(url, {}, self._abort, self._what) as answer:
            if answer.headers.get_content_type() == "text/html":
                raise login_page(answer.host, self._what)
            data = answer.read(self._bytes + 1, whole=True)
            link = answer.headers.get("Link", "").encode("iso-8859-1")
        self._requests -= 1
        self._bytes -= len(data)
        n_values = sum(data.count(mark) for mark in (b"{", b"[", b","))
        if self._bytes < 0 or self._requests < 0 or n_values > _MOST_VALUES:
            raise HubError(Sentence("{what} is too long a list: choose another model.", what=printable(self._what)))
        response = httpx2.Response(answer.status, headers={b"Link": link}, content=data)
        if origin(response.links.get("next", {}).get("url", "")) != origin(endpoint()):
            del response.headers["Link"]
        return response


_question: ContextVar[_Question] = ContextVar("question")
_renewal: ContextVar[Abort] = ContextVar("renewal")


class _Transport(httpx2.BaseTransport):
    """Of what the library would send the address is enough: `connection` knows the token and the user agent."""

    def handle_request(self, asked: httpx2.Request) -> httpx2.Response:
        body = asked.read()
        return _renewed(str(asked.url), body) if body else _question.get().send(str(asked.url))


def _renewed(url: str, form: bytes) -> httpx2.Response:
    """Carry what `get_token` sends by itself to renew a login."""
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    with request(url, headers, _renewal.get(), Sentence("the login"), form=form) as answer:
        return httpx2.Response(answer.status, content=answer.read(_MOST_BYTES, whole=True))


constants.HF_HUB_DISABLE_TELEMETRY = True  # it would ask the hub which programs may have started this one
for name in ("huggingface_hub", "httpx2"):  # what is looked for and what a repository says is for no log
    logging.getLogger(name).setLevel(logging.CRITICAL)
set_client_factory(lambda: httpx2.Client(transport=_Transport(), trust_env=False))
