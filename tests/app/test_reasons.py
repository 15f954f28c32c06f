"""Why it failed, in our own words: for errors as the system, the network and Windows raise them."""

from __future__ import annotations

import errno
import http.client
import os
import re
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import threading
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import URLError

import pytest

from app.errors import Sentence
from app.reasons import reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[2]
FOREIGN = "die Worte des Systems"
WORDS = {
    "ENOENT": "there is no such file or folder",
    "EACCES": "permission denied",
    "EPERM": "permission denied",
    "ENOSPC": "the disk is full",
    "EDQUOT": "the disk quota is used up",
    "EFBIG": "the file is too large for this disk",
    "EROFS": "the disk is write-protected",
    "EIO": "the disk reports an error",
    "EISDIR": "it is a folder, not a file",
    "ENOTDIR": "a part of the path is a file, not a folder",
    "EEXIST": "a file of that name is there already",
    "ENAMETOOLONG": "the name is too long",
    "ELOOP": "its links lead in a circle",
    "EXDEV": "it is on another disk",
    "EBUSY": "another program is using it",
    "ETXTBSY": "another program is using it",
    "ENODEV": "the device is not connected",
    "ENXIO": "the device is not connected",
    "EMFILE": "too many files are open",
    "ENFILE": "too many files are open",
    "ENOMEM": "there is not enough memory",
    "ENOTSUP": "the disk or the system does not support it",
    "ENOSYS": "the disk or the system does not support it",
    "ECONNREFUSED": "the connection was refused",
    "ECONNRESET": "the other side ended the connection",
    "ECONNABORTED": "the other side ended the connection",
    "EPIPE": "the other side ended the connection",
    "ENOTCONN": "the connection was lost",
    "ESTALE": "the connection was lost",
    "ETIMEDOUT": "no answer came in time",
    "EHOSTUNREACH": "no connection leads there",
    "EHOSTDOWN": "no connection leads there",
    "ENETUNREACH": "there is no network connection",
    "ENETDOWN": "there is no network connection",
    "EADDRNOTAVAIL": "there is no network connection",
}
CERTIFICATES = {
    9: "its certificate is not valid yet",
    10: "its certificate has expired",
    18: "its certificate is self-signed",
    19: "its certificate is self-signed",
    20: "nobody trusted here vouches for its certificate",
    21: "nobody trusted here vouches for its certificate",
    23: "its certificate was revoked",
    62: "its certificate belongs to another name",
    64: "its certificate belongs to another name",
    3: "its certificate is not accepted",
}
WINDOWS = [  # winerror, the errno that Python makes of it
    (19, errno.EACCES, "the disk is write-protected"),
    (21, errno.EACCES, "the device is not connected"),
    (23, errno.EACCES, "the disk reports an error"),
    (32, errno.EACCES, "another program is using it"),
    (33, errno.EACCES, "another program is using it"),
    (39, errno.EINVAL, "the disk is full"),
    (53, errno.ENOENT, "the connection was lost"),
    (64, errno.EINVAL, "the connection was lost"),
    (121, errno.EINVAL, "no answer came in time"),
    (123, errno.EINVAL, "the name has characters that are not allowed"),
    (206, errno.ENOENT, "the name is too long"),
    (223, errno.EINVAL, "the file is too large for this disk"),
    (1117, errno.EINVAL, "the disk reports an error"),
    (1167, errno.EINVAL, "the device is not connected"),
    (1224, errno.EINVAL, "another program is using it"),
    (1231, errno.EINVAL, "there is no network connection"),
    (1295, errno.EINVAL, "the disk quota is used up"),
    (2, errno.ENOENT, "there is no such file or folder"),
    (112, errno.ENOSPC, "the disk is full"),
]


@pytest.mark.parametrize("name", WORDS)
def test_every_number_has_words_that_are_not_the_systems(name):
    reason = reason_of(OSError(getattr(errno, name), FOREIGN))
    assert isinstance(reason, Sentence)
    assert reason == WORDS[name]


@pytest.mark.parametrize(("winerror", "number", "words"), WINDOWS)
def test_windows_says_more_than_the_number(winerror, number, words):
    error = OSError(number, FOREIGN)
    error.winerror = winerror
    assert reason_of(error) == words


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.EILSEQ, FOREIGN), FOREIGN),
        (OSError("its own words"), "its own words"),
        (ValueError("its own words"), "its own words"),
        (EOFError(), "EOFError"),
        (MemoryError(), "there is not enough memory"),
        (http.client.IncompleteRead(b""), "the other side ended the connection"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_has_no_words_of_ours_keeps_its_own(error, words):
    assert reason_of(error) == words


@pytest.mark.parametrize("code", CERTIFICATES)
def test_what_is_wrong_with_a_certificate(code):
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_code = code
    assert reason_of(error) == CERTIFICATES[code]


def test_only_one_place_has_the_systems_words():
    """Those of Python and of Qt are in the system's language, in the middle of a sentence in the window's."""
    places = [
        str(path.relative_to(ROOT))
        for room in ("app", "ui")
        for path in sorted((ROOT / room).rglob("*.py"))
        if re.search(r"strerror|errorString\(|verify_message", path.read_text(encoding="utf-8"))
    ]
    assert places == ["app/reasons.py"]


def caught(action: Callable[[], object]) -> OSError:
    """Return what is raised in truth."""
    try:
        action()
    except OSError as error:
        return error
    pytest.fail("nothing was refused")


# -- files ------------------------------------------------------------------------------------------------------------

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="as Linux refuses")


@contextmanager
def at_most(name: str, most: int) -> Iterator[None]:
    """Set a limit of this process."""
    import resource  # not on Windows

    limit = getattr(resource, name)
    soft, hard = resource.getrlimit(limit)
    resource.setrlimit(limit, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(limit, (soft, hard))


def write_too_much(folder: Path) -> None:
    with at_most("RLIMIT_FSIZE", 1000), (folder / "large").open("wb", buffering=0) as file:
        file.write(bytes(1000))
        file.write(b"one more")


def open_too_many(folder: Path) -> None:
    (folder / "file").touch()
    with at_most("RLIMIT_NOFILE", 0):
        (folder / "file").open("rb")


def link_in_a_circle(folder: Path) -> None:
    (folder / "circle").symlink_to("circle")
    (folder / "circle").read_bytes()


def write_to_a_running_program(folder: Path) -> None:
    program = folder / "sleep"
    shutil.copy(shutil.which("sleep") or "", program)
    with subprocess.Popen([program, "60"]) as process:
        try:
            program.write_bytes(b"")
        finally:
            process.kill()


def below_a_file(folder: Path) -> None:
    (folder / "file").touch()
    (folder / "file" / "below").read_bytes()


@pytest.mark.parametrize(
    ("action", "words"),
    [
        pytest.param(lambda folder: (folder / "missing").read_bytes(), WORDS["ENOENT"], id="missing"),
        pytest.param(lambda folder: folder.write_bytes(b""), WORDS["EISDIR"], id="folder"),
        pytest.param(below_a_file, WORDS["ENOTDIR"], id="below a file"),
        pytest.param(lambda folder: folder.mkdir(), WORDS["EEXIST"], id="there already"),
        pytest.param(lambda folder: (folder / ("a" * 300)).touch(), WORDS["ENAMETOOLONG"], id="long name"),
        pytest.param(link_in_a_circle, WORDS["ELOOP"], id="circle"),
        pytest.param(write_too_much, WORDS["EFBIG"], id="too large"),
        pytest.param(open_too_many, WORDS["EMFILE"], id="too many"),
        pytest.param(lambda folder: os.link(folder, folder / "link"), WORDS["EPERM"], id="not permitted"),
        pytest.param(write_to_a_running_program, WORDS["ETXTBSY"], id="in use"),
        pytest.param(lambda _: Path("/dev/full").write_bytes(b"x"), WORDS["ENOSPC"], id="full"),
        pytest.param(lambda folder: os.link("/proc/version", folder / "link"), WORDS["EXDEV"], id="another disk"),
    ],
)
@on_linux
def test_what_a_file_refuses(tmp_path, action, words):
    assert reason_of(caught(lambda: action(tmp_path))) == words


# -- the network ------------------------------------------------------------------------------------------------------


@contextmanager
def server(answer: Callable[[socket.socket], object]) -> Iterator[str]:
    """Listen on 127.0.0.1 and answer one connection; yields the address."""

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            answer(connection)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}"
        finally:
            thread.join()


def fetched(url: str, **handlers: object) -> BaseException:
    """Return why a request fails."""
    proxies = urllib.request.ProxyHandler(handlers.pop("proxies", {}))
    https = urllib.request.HTTPSHandler(context=handlers.pop("context", ssl.create_default_context()))
    with pytest.raises((OSError, http.client.HTTPException)) as error:
        urllib.request.build_opener(proxies, https).open(url, timeout=10)
    return error.value.reason if isinstance(error.value, URLError) else error.value


def reset(connection: socket.socket) -> None:
    connection.recv(1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def said(text: bytes) -> Callable[[socket.socket], object]:
    def answer(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(text)

    return answer


@pytest.mark.parametrize(
    ("answer", "scheme", "words"),
    [
        pytest.param(reset, "http", WORDS["ECONNRESET"], id="reset"),
        pytest.param(said(b""), "http", WORDS["ECONNRESET"], id="silent"),
        pytest.param(said(b"What do you want?\r\n\r\n"), "http", "its answer is not HTTP", id="not HTTP"),
        pytest.param(said(b"HTTP/1.1 400 No TLS\r\n\r\n"), "https", "no secure connection could be made", id="no TLS"),
        pytest.param(said(b""), "https", WORDS["ECONNRESET"], id="silent in the handshake"),
    ],
)
def test_what_a_server_does_wrong(answer, scheme, words):
    with server(answer) as address:
        assert reason_of(fetched(f"{scheme}://{address}/")) == words


def test_nobody_listens():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert reason_of(fetched(f"http://127.0.0.1:{port}/")) == WORDS["ECONNREFUSED"]


def test_a_proxy_that_refuses():
    with server(said(b"HTTP/1.1 407 Pay \x1b[31m first\r\n\r\n")) as proxy:
        error = fetched("https://example.invalid/", proxies={"https": f"http://{proxy}"})
        assert reason_of(error) == "the proxy answers with HTTP 407"


def test_no_answer_in_time():
    here, there = socket.socketpair()
    with here, there:
        here.settimeout(0.01)
        assert reason_of(caught(lambda: here.recv(1))) == WORDS["ETIMEDOUT"]


def test_a_pipe_without_a_reader():
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert reason_of(caught(lambda: os.write(writer, b"x"))) == WORDS["EPIPE"]
    finally:
        os.close(writer)


def test_a_name_without_an_address():
    error = caught(lambda: socket.getaddrinfo("no.such.name", 80, flags=socket.AI_NUMERICHOST))
    assert reason_of(error) == "its address cannot be found"
    assert reason_of(socket.gaierror(socket.EAI_AGAIN, FOREIGN)) == "the name server does not answer"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> tuple[Path, Path]:
    """A certificate that nobody signed, for localhost, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("certificate")
    made, key = folder / "certificate.pem", folder / "key.pem"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2", "-nodes"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-keyout", key, "-out", made, *subject]
    subprocess.run(command, check=True, capture_output=True)
    return made, key


@pytest.mark.parametrize(("is_trusted", "words"), [(False, CERTIFICATES[18]), (True, CERTIFICATES[64])])
def test_a_server_that_is_another(certificate, is_trusted, words):
    of_server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    of_server.load_cert_chain(*certificate)

    def shake_hands(connection: socket.socket) -> None:
        with pytest.raises(ssl.SSLError):
            of_server.wrap_socket(connection, server_side=True)

    context = ssl.create_default_context(cafile=certificate[0] if is_trusted else None)
    with server(shake_hands) as address:
        assert reason_of(fetched(f"https://{address}/", context=context)) == words
