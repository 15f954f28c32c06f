"""Requests through proxies, and their end."""

from __future__ import annotations

import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest

from app.errors import HubError
from app.hub.connection import Abort, StoppedError, request
from app.hub.problems import TransientError
from app.hub.search import card_summary, repository, search
from tests.hub_server import Fault
from tests.socks_server import SocksServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REPO = "maker/model-GGUF"


@pytest.fixture
def socks(hub, monkeypatch) -> Iterator[SocksServer]:
    """The only way to the hub."""
    hub.add(REPO, "m-Q4_0.gguf", b"GGUF")
    server = SocksServer(hub.hub.server_port)
    monkeypatch.setenv("HF_ENDPOINT", "http://hub.invalid")
    monkeypatch.delenv("NO_PROXY")
    yield server
    server.close()


@pytest.mark.parametrize("variable", ["ALL_PROXY", "http_proxy"])
@pytest.mark.parametrize("scheme", ["socks5", "socks5h", "socks4", "socks4a", "socks"])
def test_a_socks_proxy_is_used_and_looks_the_hub_up(socks, monkeypatch, variable, scheme):
    monkeypatch.setenv(variable, f"{scheme}://{socks.address}")
    assert [found.repo for found in search("model")] == [REPO]
    assert socks.asked == [("hub.invalid", 80)]


def test_a_socks_proxy_is_given_its_name_and_password(socks, monkeypatch):
    socks.credentials = (b"me", b"pass:word")
    monkeypatch.setenv("ALL_PROXY", f"socks5://me:pass%3Aword@{socks.address}")
    assert [found.repo for found in search("model")] == [REPO]
    monkeypatch.setenv("ALL_PROXY", f"socks5://me:wrong@{socks.address}")
    with pytest.raises(TransientError, match=r"The proxy 127\.0\.0\.1 does not connect to hub\.invalid") as raised:
        search("model")
    assert "wrong" not in str(raised.value)


def test_a_host_that_needs_no_proxy_is_asked_without(hub, socks, monkeypatch):
    monkeypatch.setenv("ALL_PROXY", f"socks5://{socks.address}")
    monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert [found.repo for found in search("model")] == [REPO]
    assert socks.asked == []


@pytest.mark.parametrize("scheme", ["socks5", "socks4"])
def test_a_socks_proxy_that_refuses_is_said(socks, monkeypatch, scheme):
    socks.reply = 5
    monkeypatch.setenv("ALL_PROXY", f"{scheme}://{socks.address}")
    with pytest.raises(TransientError, match=r"The proxy 127\.0\.0\.1 does not connect to hub\.invalid"):
        search("model")


@pytest.mark.parametrize(
    ("proxy", "sentence"),
    [
        (
            "socks5://127.0.0.1:9",
            r"^The proxy 127\.0\.0\.1 does not connect to hub\.invalid \(the connection was refused",
        ),
        (
            "socks5://nowhere.invalid",
            r"^The proxy nowhere\.invalid does not connect to hub\.invalid \(.*(address|name ser)",
        ),
        ("socks5://", "^socks5:// is no address in the network"),
        ("socks5://me:secret@:1080", "^socks5://:1080 is no address in the network"),
        ("socks5://127.0.0.1:x", "^socks5://127.0.0.1:x is no address in the network"),
    ],
)
def test_a_socks_proxy_that_is_none_is_said(socks, monkeypatch, proxy, sentence):
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(HubError, match=sentence) as raised:
        search("model")
    assert "secret" not in str(raised.value)


def end_when(are_waiting: Callable[[], object], count: int) -> list[type[BaseException]]:
    """Start searches with one end in common, use it once they wait, and return how they ended within ten seconds."""
    abort, outcomes = Abort(), []

    def ask() -> None:
        try:
            search("model", abort=abort)
        except (StoppedError, HubError) as error:
            outcomes.append(type(error))

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    are_waiting()
    abort.set()
    for thread in threads:
        thread.join(10 / count)
    return outcomes


def test_all_requests_that_share_an_end_are_ended(hub):
    hub.api_held = threading.Event()

    def are_waiting() -> None:
        while len(hub.hub_requests) < 3:
            time.sleep(0.005)

    assert end_when(are_waiting, 3) == [StoppedError] * 3
    hub.api_held.set()


def test_a_request_is_ended_while_its_proxy_says_nothing(monkeypatch, hub):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.delenv("NO_PROXY")
        monkeypatch.setenv("HF_ENDPOINT", "https://hub.invalid")
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{silent.getsockname()[1]}")
        lines = []

        def is_waiting() -> None:
            lines.append(silent.accept()[0])
            assert lines[0].recv(7) == b"CONNECT"

        assert end_when(is_waiting, 1) == [StoppedError]
        lines[0].close()


def test_a_request_that_is_ended_while_it_connects_leaves_no_socket(hub, monkeypatch):
    abort, made = Abort(), []
    connect = socket.create_connection

    def connect_and_end(*args) -> socket.socket:
        made.append(connect(*args))
        abort.set()
        return made[0]

    monkeypatch.setattr(socket, "create_connection", connect_and_end)
    with pytest.raises(StoppedError):
        request(hub.endpoint, {}, abort, "x")
    assert made[0].fileno() == -1


def test_a_request_is_not_begun_after_its_end(hub):
    abort = Abort()
    abort.set()
    with pytest.raises(StoppedError):
        request(hub.endpoint, {}, abort, "x")
    assert hub.hub_requests == []


def test_a_request_is_ended_while_its_host_does_not_let_it_in(monkeypatch, hub):
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{full.getsockname()[1]}")
        waiting = [socket.socket() for _ in range(4)]
        for line in waiting:
            line.setblocking(False)
            line.connect_ex(full.getsockname())
        begun = time.monotonic()
        assert end_when(lambda: time.sleep(0.2), 1) == [StoppedError]
        assert time.monotonic() - begun < 5
        for line in waiting:
            line.close()


def test_a_request_is_ended_while_its_host_agrees_on_no_key(monkeypatch, hub):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("HF_ENDPOINT", f"https://127.0.0.1:{silent.getsockname()[1]}")
        lines = []

        def is_waiting() -> None:
            lines.append(silent.accept()[0])
            assert lines[0].recv(1) == b"\x16"

        begun = time.monotonic()
        assert end_when(is_waiting, 1) == [StoppedError]
        assert time.monotonic() - begun < 5
        lines[0].close()


def test_a_proxy_that_wants_a_login_is_said(hub):
    hub.api_faults.append(Fault(status=407))
    with pytest.raises(TransientError, match=r"cannot be reached \(the proxy answers with HTTP 407\): check"):
        search("model")


def test_an_answer_about_a_range_nobody_asked_for_is_none(hub):
    for ask in (lambda: search("model"), lambda: repository(REPO), lambda: card_summary(REPO)):
        hub.api_faults.append(Fault(status=416))
        hub.files[REPO] = {"README.md": hub.add(REPO, "README.md", b"")}
        hub.faults.append(Fault(status=416))
        with pytest.raises(HubError, match=r"answered with HTTP 416; try again later\.$"):
            ask()
        hub.api_faults.clear()
        hub.faults.clear()


def test_an_answer_that_is_cut_is_a_connection_that_was_dropped(hub, monkeypatch):
    def cut(handler, *_) -> None:
        handler.answer(200, b'[{"id": "a/b"}]', Content_Length="5000")
        handler.close_connection = True

    def cut_in_chunks(handler, *_) -> None:
        handler.answer(200, b"f\r\n[{", Transfer_Encoding="chunked", Content_Length="")
        handler.close_connection = True

    for answer in (cut, cut_in_chunks):
        for name in ("list", "info", "resolve"):
            monkeypatch.setattr(hub.hub.RequestHandlerClass, name, answer)
        for ask in (lambda: search("model"), lambda: repository(REPO), lambda: card_summary(REPO)):
            with pytest.raises(TransientError, match="was dropped \\(the other side ended the connection"):
                ask()
