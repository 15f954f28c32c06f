"""Why the system or the network refused, in words that can be translated: its own are in the system's language."""

from __future__ import annotations

import errno
import re

from app.errors import Sentence

_FULL = Sentence("the disk is full")
_TOO_LARGE = Sentence("the file is too large for this disk")
_QUOTA = Sentence("the disk quota is used up")
_READ_ONLY = Sentence("the disk is write-protected")
_DISK_ERROR = Sentence("the disk reports an error")
_IN_USE = Sentence("another program is using it")
_LONG_NAME = Sentence("the name is too long")
_NO_DEVICE = Sentence("the device is not connected")
_ENDED = Sentence("the other side ended the connection")
_LOST = Sentence("the connection was lost")
_TIMED_OUT = Sentence("no answer came in time")

_BY_NAME = {
    ("ENOENT",): Sentence("there is no such file or folder"),
    ("EACCES", "EPERM"): Sentence("permission denied"),
    ("ENOSPC",): _FULL,
    ("EDQUOT",): _QUOTA,
    ("EFBIG",): _TOO_LARGE,
    ("EROFS",): _READ_ONLY,
    ("EIO",): _DISK_ERROR,
    ("EISDIR",): Sentence("it is a folder, not a file"),
    ("ENOTDIR",): Sentence("a part of the path is a file, not a folder"),
    ("EEXIST",): Sentence("a file of that name is there already"),
    ("ENAMETOOLONG",): _LONG_NAME,
    ("ELOOP",): Sentence("its links lead in a circle"),
    ("EXDEV",): Sentence("it is on another disk"),
    ("EBUSY", "ETXTBSY"): _IN_USE,
    ("ENODEV", "ENXIO"): _NO_DEVICE,
    ("EMFILE", "ENFILE"): Sentence("too many files are open"),
    ("ENOMEM",): Sentence("there is not enough memory"),
    ("ENOTSUP", "EOPNOTSUPP", "ENOSYS"): Sentence("the disk or the system does not support it"),
    ("ECONNREFUSED",): Sentence("the connection was refused"),
    ("ECONNRESET", "ECONNABORTED", "EPIPE"): _ENDED,
    ("ENOTCONN", "ENETRESET", "ESTALE"): _LOST,
    ("ETIMEDOUT",): _TIMED_OUT,
    ("EHOSTUNREACH", "EHOSTDOWN"): Sentence("no connection leads there"),
    ("ENETUNREACH", "ENETDOWN", "EADDRNOTAVAIL"): Sentence("there is no network connection"),
}
_BY_ERRNO = {
    number: reason
    for names, reason in _BY_NAME.items()
    for number in (getattr(errno, name, None) for name in names)  # Windows lacks some
    if number is not None
}
_BY_WINERROR = {  # those that Python turns into an errno that says less
    19: _READ_ONLY,
    21: _NO_DEVICE,
    23: _DISK_ERROR,
    32: _IN_USE,
    33: _IN_USE,
    39: _FULL,
    53: _LOST,
    64: _LOST,
    67: _LOST,
    121: _TIMED_OUT,
    123: Sentence("the name has characters that are not allowed"),
    206: _LONG_NAME,
    223: _TOO_LARGE,
    1117: _DISK_ERROR,
    1167: _NO_DEVICE,
    1224: _IN_USE,
    1231: _BY_ERRNO[errno.ENETUNREACH],
    1295: _QUOTA,
}
_BY_CLASS = (  # those that Python raises without a number
    (ConnectionResetError, _ENDED),
    (TimeoutError, _TIMED_OUT),
)
_CERTIFICATES = {  # OpenSSL's x509_vfy.h, X509_V_ERR_...
    9: Sentence("its certificate is not valid yet"),
    10: Sentence("its certificate has expired"),
    18: Sentence("its certificate is self-signed"),
    19: Sentence("its certificate is self-signed"),
    20: Sentence("nobody trusted here vouches for its certificate"),
    21: Sentence("nobody trusted here vouches for its certificate"),
    23: Sentence("its certificate was revoked"),
    62: Sentence("its certificate belongs to another name"),
    64: Sentence("its certificate belongs to another name"),
}
_PROXY = re.compile(r"Tunnel connection failed: (\d{3})\b")


def reason_of(error: BaseException) -> str:
    """Return why it failed, to stand in a sentence: a `Sentence`, or the error's own words where we have none."""
    own = _of_system(error) if isinstance(error, OSError) else _of_protocol(error)
    return own or getattr(error, "strerror", None) or str(error) or type(error).__name__


def proxy_refusal(status: int) -> Sentence:
    """Return why a proxy lets nothing through, by the HTTP status it answers with."""
    return Sentence("the proxy answers with HTTP {status}", status=status)


def _of_system(error: OSError) -> Sentence | None:
    import socket  # not above, like those below: nothing slow is imported before the first frame
    import ssl

    match error:  # the numbers of the first three are not the system's
        case ssl.SSLCertVerificationError():
            return _CERTIFICATES.get(getattr(error, "verify_code", 0), Sentence("its certificate is not accepted"))
        case ssl.SSLError():
            ended = isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError)
            return _ENDED if ended else Sentence("no secure connection could be made")
        case socket.gaierror():
            silent = error.errno in (socket.EAI_AGAIN, socket.EAI_FAIL)
            return Sentence("the name server does not answer") if silent else Sentence("its address cannot be found")
    if error.errno is None:
        if proxy := _PROXY.match(str(error)):
            return proxy_refusal(int(proxy[1]))
        return next((reason for kind, reason in _BY_CLASS if isinstance(error, kind)), None)
    return _BY_WINERROR.get(getattr(error, "winerror", None) or 0) or _BY_ERRNO.get(error.errno)


def _of_protocol(error: BaseException) -> Sentence | None:
    import http.client

    match error:
        case http.client.IncompleteRead():
            return _ENDED
        case http.client.BadStatusLine():
            return Sentence("its answer is not HTTP")
        case MemoryError():
            return _BY_ERRNO[errno.ENOMEM]
    return None
