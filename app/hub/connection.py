"""HTTP requests that another thread can end, through redirects that never see the hub's token.

The standard library's client: proxies as the environment names them, SOCKS too, certificates as the system has them.
"""

from __future__ import annotations

import contextlib
import http.client
import importlib
import socket
import ssl
import string
import sys
import threading
import urllib.request
from concurrent.futures import Future, wait
from functools import partial
from typing import TYPE_CHECKING, Any, Self
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urljoin, urlsplit
from weakref import WeakSet

from app import __version__
from app.errors import HubError, Sentence
from app.hub.endpoint import check_online, endpoint, importing_the_library, origin
from app.hub.names import printable
from app.hub.problems import TransientError, dropped, said, status_error, unreachable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from email.message import Message

_TIMEOUT_S = 20.0
_POLL_S = 0.02
_MOST_REDIRECTS = 8
_SOCKS_PORT = 1080
"""RFC 1928."""
_MOST_CHARS = 200
"""Of an address in a sentence."""
_REDIRECTS = (301, 302, 303, 307, 308)


class StoppedError(Exception):
    """`Abort.set` ended the request."""


class Abort:
    """Ends what waits for the network, from any thread."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._lines: WeakSet[socket.socket] = WeakSet()

    @property
    def is_set(self) -> bool:
        """Whether `set` was called."""
        return self._event.is_set()

    def set(self) -> None:
        """End the requests under way and those to come."""
        with self._lock:
            self._event.set()
            for line in self._lines:
                with contextlib.suppress(OSError):
                    # Not SSLSocket's own: it takes away the object that the reading thread is using.
                    socket.socket.shutdown(line, socket.SHUT_RDWR)

    def wait(self, seconds: float) -> bool:
        """Wait; returns at once, and true, when `set` is or was called."""
        return self._event.wait(seconds)

    def check(self) -> None:
        """Raises StoppedError after `set`."""
        if self._event.is_set():
            raise StoppedError

    def watch(self, line: socket.socket) -> None:
        """Shut this socket down on `set`."""
        with self._lock:
            self._lines.add(line)
        self.check()


class Answer:
    """A response whose body is still to be read.

    Attributes:
        url: where it came from after all redirects.
        hub: headers that the hub itself sent, with a redirect or with the body.
    """

    def __init__(self, response: Any, url: str, hub: Mapping[str, str], abort: Abort) -> None:
        self._response = response
        self._abort = abort
        self.url = url
        self.hub = hub
        self.status: int = response.status
        self.headers: Message = response.headers

    @property
    def host(self) -> str:
        """Who sent it."""
        return urlsplit(self.url).hostname or ""

    def read(self, count: int, *, whole: bool = False) -> bytes:
        """Return the bytes that are there, at most `count`, empty at the end; with `whole` wait for all of them.

        Raises:
            TransientError: the connection was dropped.
            StoppedError: it was aborted.
        """
        cut = False
        try:
            data: bytes = self._response.read(count) if whole else self._response.read1(count)
        except http.client.IncompleteRead as error:
            data = error.partial
            cut = True
        except (OSError, http.client.HTTPException, ValueError) as error:
            self._abort.check()
            raise dropped(self.host, error) from None
        self._abort.check()
        if whole and (cut or (len(data) < count and self._response.length)):
            raise dropped(self.host, ConnectionResetError())
        return data

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._response.close()


def request(url: str, headers: Mapping[str, str], abort: Abort, what: str, *, form: bytes | None = None) -> Answer:
    """Ask for a URL; the token goes along to the hub's own origin only.

    Args:
        what: the repository or file, for the sentence when it fails.
        form: sent there and nowhere else, without the token.

    Raises:
        TransientError: try again: dropped, busy, too many requests, or no network.
        HubError: refused, not there, or HF_HUB_OFFLINE is set.
        StoppedError: it was aborted.
    """
    check_online()
    with importing_the_library():
        from app.hub.api import token  # heavy
    hub_origin = origin(endpoint())
    hub: dict[str, str] = {}
    for _ in range(_MOST_REDIRECTS):
        abort.check()
        asked = urllib.request.Request(url, form, {"User-Agent": f"tokometer/{__version__}", **headers})
        at_hub = origin(url) == hub_origin
        if at_hub and form is None and (secret := token(abort)):
            asked.add_unredirected_header("Authorization", f"Bearer {secret}")
        answer = Answer(_open(asked, abort), url, hub, abort)
        if at_hub:
            hub.update({name.lower(): value for name, value in answer.headers.items()})
        if answer.status in (200, 206) or (answer.status == 416 and "Range" in headers):
            return answer
        with answer:
            if answer.status not in _REDIRECTS or form is not None or not (target := answer.headers.get("Location")):
                raise status_error(answer.status, answer.headers, what, answer.host, at_hub=at_hub)
        url = _next(url, target)
    raise HubError(Sentence("{what}: the hub sends from one address to the next without end.", what=what))


def _next(url: str, target: str) -> str:
    # Bytes that no address may hold are encoded, as browsers do and `urllib` with the redirects it follows itself.
    try:
        following = urljoin(url, quote(target, encoding="iso-8859-1", safe=string.punctuation))
        scheme = urlsplit(following).scheme
    except ValueError:
        raise _no_address(target) from None
    if scheme not in ("http", "https") or (urlsplit(url).scheme == "https" and scheme == "http"):
        raise HubError(
            Sentence(
                "{host} sends to an address that is not secure; nothing was fetched from there.",
                host=urlsplit(url).hostname,
            )
        )
    return following


def _no_address(text: str) -> HubError:
    address = printable(text.partition("?")[0])[:_MOST_CHARS]
    return HubError(
        Sentence("{address} is no address in the network: nothing was fetched from there.", address=address)
    )


def _open(asked: urllib.request.Request, abort: Abort) -> Any:
    host = urlsplit(asked.full_url).hostname or ""
    proxies = _proxies()
    proxy = proxies.get(asked.type, "")
    dial = partial(_dial, abort, proxy if _is_socks(proxy) and not urllib.request.proxy_bypass(asked.host) else "")
    others = urllib.request.ProxyHandler({kind: proxy for kind, proxy in proxies.items() if not _is_socks(proxy)})
    opener = urllib.request.build_opener(others, _NoRedirect, _Http(dial, abort), _Https(dial, abort))
    try:
        return opener.open(asked, timeout=_TIMEOUT_S)
    except HTTPError as error:
        return error
    except URLError as error:
        abort.check()
        reason = said(error.reason)
        if isinstance(error.reason, ssl.SSLCertVerificationError):
            raise HubError(
                Sentence(
                    "{host} cannot prove who it is ({error}): a proxy or a login page may stand between.",
                    host=host,
                    error=reason,
                )
            ) from None
        if isinstance(error.reason, ConnectionResetError | TimeoutError):
            raise dropped(host, error.reason) from None
        raise unreachable(host, reason) from None
    except (OSError, http.client.HTTPException) as error:
        abort.check()
        raise dropped(host, error) from None
    except ValueError:  # a name that no name server can be asked for
        raise _no_address(asked.full_url) from None


def _proxies() -> dict[str, str]:
    """As `urllib` finds them, and ALL_PROXY, which it does not know, for what has none of its own."""
    proxies = urllib.request.getproxies()
    if every := proxies.get("all"):
        proxies = {"http": every, "https": every, **proxies}
    return proxies


def _is_socks(proxy: str) -> bool:
    return proxy.startswith("socks")


def _dial(abort: Abort, socks: str, address: tuple[str, int], timeout: float, *_: Any) -> socket.socket:
    """Connect, through a SOCKS proxy if one is named; that proxy looks the host up.

    In a thread of its own: neither a name server nor a host that says nothing can be told to stop.
    """
    connect = partial(_dial_through, socks) if socks else socket.create_connection
    dialled: Future[socket.socket] = Future()

    def dial() -> None:
        try:
            dialled.set_result(connect(address, timeout))
        except Exception as error:  # noqa: BLE001 - raised again where it is waited for
            dialled.set_exception(error)

    threading.Thread(target=dial, name="dial", daemon=True).start()
    try:
        while not wait([dialled], _POLL_S).done:
            abort.check()
        abort.watch(dialled.result())
    except StoppedError:
        dialled.add_done_callback(_hang_up)
        raise
    return dialled.result()


def _hang_up(dialled: Future[socket.socket]) -> None:
    if dialled.exception() is None:
        dialled.result().close()


def _dial_through(socks: str, address: tuple[str, int], timeout: float) -> socket.socket:
    from python_socks import ProxyConnectionError, ProxyError, ProxyType
    from python_socks.sync import Proxy

    parts = urlsplit(socks)
    kind = ProxyType.SOCKS4 if parts.scheme.startswith("socks4") else ProxyType.SOCKS5
    name, word = (unquote(text) if text else None for text in (parts.username, parts.password))
    try:
        host, port = parts.hostname, parts.port or _SOCKS_PORT
    except ValueError:
        host, port = None, 0
    if not host:
        raise _no_address(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}")
    try:
        line: socket.socket = Proxy(kind, host, port, name, word, rdns=True).connect(*address, timeout=timeout)
    except (ProxyError, ProxyConnectionError) as error:
        raise TransientError(
            Sentence(
                "The proxy {proxy} does not connect to {host} ({error}): check the proxy.",
                proxy=host,
                host=address[0],
                error=said(error.__cause__ or error),
            )
        ) from None
    return line


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def _leave(self, *_: Any) -> None:
        return None

    http_error_301 = http_error_302 = http_error_303 = http_error_307 = http_error_308 = _leave  # type: ignore[assignment]


class _Http(urllib.request.HTTPHandler):
    def __init__(self, dial: Callable[..., socket.socket], abort: Abort) -> None:
        super().__init__()
        self._connection = _connection(http.client.HTTPConnection, dial, abort)

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._connection, req)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, dial: Callable[..., socket.socket], abort: Abort) -> None:
        super().__init__()
        self._connection = _connection(http.client.HTTPSConnection, dial, abort)
        self._secure_line = _secure_line(abort)

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        context = _context()
        context.sslsocket_class = self._secure_line
        return self.do_open(self._connection, req, context=context)


def _connection(kind: type[http.client.HTTPConnection], dial: Callable[..., socket.socket], abort: Abort) -> Any:
    """Return that class with its sockets from `dial`, and watched once there is a secure one around them."""

    class Connection(kind):  # type: ignore[misc,valid-type]
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._create_connection = dial

        def connect(self) -> None:
            super().connect()
            abort.watch(self.sock)

    return Connection


def _secure_line(abort: Abort) -> type[ssl.SSLSocket]:
    """Return a class of sockets that can be ended while they agree on a key."""

    class SecureLine(ssl.SSLSocket):
        def do_handshake(self, block: bool = False) -> None:
            abort.watch(self)
            super().do_handshake(block)

    return SecureLine


def _context() -> ssl.SSLContext:
    """The system's certificates; where Python was built without knowing them, those of the hub library's client."""
    known = ssl.get_default_verify_paths()
    if sys.platform != "win32" and not (known.cafile or known.capath):
        with contextlib.suppress(ImportError):
            context: ssl.SSLContext = importlib.import_module("truststore").SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            return context
        with contextlib.suppress(ImportError):
            return ssl.create_default_context(cafile=importlib.import_module("certifi").where())
    return ssl.create_default_context()
