"""One window per data folder: a second start tells the first what it was asked for and ends."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QObject, Signal, Slot

from app.storage.lock import InstanceLock

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtNetwork import QLocalServer, QLocalSocket

CONNECT_TIMEOUT_S = 3.0
REPLY_TIMEOUT_MS = 2000
MAX_MESSAGE_BYTES = 65536


class SingleInstance(QObject):
    """Owns the lock and the socket of a data folder. The network library is imported when the socket is wanted.

    Signals:
        called: what a later start sent (dict).
    """

    called = Signal(object)

    def __init__(self, data_folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = data_folder
        self._lock = InstanceLock(data_folder / "instance.lock")
        self._server: QLocalServer | None = None

    def claim(self) -> bool:
        """Become the first instance; False when there is one. Raises StorageError when the folder is unusable."""
        return self._lock.acquire()

    @Slot()
    def listen(self) -> None:
        """Hear from later starts, from now on; those before wait a little. For the first instance."""
        from PySide6.QtNetwork import QLocalServer

        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connected)
        name = socket_name(self._folder)
        # Whoever holds the lock owns the name: a socket that is there is the remains of a killed window.
        QLocalServer.removeServer(name)
        self._server.listen(name)

    def call_first(self, message: dict[str, Any]) -> bool:
        """Send a message to the first instance; False when it does not answer. Waits for it to start listening."""
        from PySide6.QtNetwork import QLocalSocket

        name, socket = socket_name(self._folder), QLocalSocket()
        deadline = time.monotonic() + CONNECT_TIMEOUT_S
        while True:
            socket.connectToServer(name)
            if socket.waitForConnected(REPLY_TIMEOUT_MS):
                break
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        socket.write(json.dumps(message).encode() + b"\n")
        return socket.waitForReadyRead(REPLY_TIMEOUT_MS)

    def release(self) -> None:
        """Let another instance be the first."""
        if self._server is not None:
            self._server.close()
        self._lock.release()

    @Slot()
    def _on_connected(self) -> None:
        while self._server is not None and (socket := self._server.nextPendingConnection()):
            socket.readyRead.connect(self._on_ready)
            socket.disconnected.connect(socket.deleteLater)
            if socket.canReadLine():
                self._read(socket)

    @Slot()
    def _on_ready(self) -> None:
        self._read(cast("QLocalSocket", self.sender()))

    def _read(self, socket: QLocalSocket) -> None:
        if not socket.canReadLine():
            if socket.bytesAvailable() > MAX_MESSAGE_BYTES:
                socket.abort()
            return
        try:
            message = json.loads(bytes(socket.readLine().data()))
        except ValueError:
            socket.abort()
            return
        socket.write(b"ok\n")
        socket.flush()
        if isinstance(message, dict):
            self.called.emit(message)


def socket_name(data_folder: Path) -> str:
    """Return the name of the socket of a user's data folder."""
    import getpass
    import hashlib

    key = f"{getpass.getuser()}\n{data_folder.resolve()}"
    return f"tokometer-{hashlib.sha256(key.encode(errors='replace')).hexdigest()[:16]}"
