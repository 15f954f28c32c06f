"""A SOCKS proxy on 127.0.0.1 that leads every name to one port of this machine, RFC 1928, RFC 1929 and SOCKS 4A."""

from __future__ import annotations

import socket
import struct
import threading
from socketserver import BaseRequestHandler, ThreadingTCPServer


class SocksServer:
    """Keeps what it was asked for.

    Attributes:
        asked: host and port of each connection, in order.
        credentials: name and password, when they must be given.
        reply: what it answers instead of connecting, when that is not 0.
    """

    def __init__(self, leads_to: int) -> None:
        self.leads_to = leads_to
        self.asked: list[tuple[str, int]] = []
        self.credentials: tuple[bytes, bytes] | None = None
        self.reply = 0
        self._server = ThreadingTCPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"proxy": self}))
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # a client may hang up at any time
        self.address = f"127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseRequestHandler):
    proxy: SocksServer

    def take(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            data += self.request.recv(count - len(data)) or self.hang_up()
        return data

    def hang_up(self) -> bytes:
        raise ConnectionError

    def handle(self) -> None:
        if self.take(1) == b"\x05":
            self.serve_5()
        else:
            self.serve_4()

    def serve_5(self) -> None:
        methods = self.take(self.take(1)[0])
        if self.proxy.credentials is None:
            self.request.sendall(b"\x05\x00")
        else:
            self.request.sendall(b"\x05\x02" if 2 in methods else b"\x05\xff")
            self.take(1)
            given = self.take(self.take(1)[0]), self.take(self.take(1)[0])
            self.request.sendall(b"\x01\x00" if given == self.proxy.credentials else b"\x01\x01")
        assert self.take(4) == b"\x05\x01\x00\x03"  # connect to a name
        host = self.take(self.take(1)[0]).decode()
        (port,) = struct.unpack("!H", self.take(2))
        self.serve(host, port, struct.pack("!BBBB4sH", 5, self.proxy.reply, 0, 1, bytes(4), 0))

    def serve_4(self) -> None:
        command, port, address = struct.unpack("!BH4s", self.take(7))
        assert (command, address[:3]) == (1, bytes(3))  # connect to a name
        self.take_word()
        self.serve(
            self.take_word().decode(), port, struct.pack("!BBH4s", 0, 91 if self.proxy.reply else 90, 0, bytes(4))
        )

    def take_word(self) -> bytes:
        word = b""
        while (byte := self.take(1)) != b"\0":
            word += byte
        return word

    def serve(self, host: str, port: int, reply: bytes) -> None:
        self.proxy.asked.append((host, port))
        self.request.sendall(reply)
        if self.proxy.reply:
            return
        with socket.create_connection(("127.0.0.1", self.proxy.leads_to)) as target:
            threading.Thread(target=_copy, args=(target, self.request), daemon=True).start()
            _copy(self.request, target)


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass
