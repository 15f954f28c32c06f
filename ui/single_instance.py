"""One window per data folder: a second start tells the first what it was asked for and ends."""

from __future__ import annotations

import getpass
import hashlib
import json
import time
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from app.storage.lock import InstanceLock

if TYPE_CHECKING:
    from pathlib import Path

CONNECT_TIMEOUT_S = 3.0
REPLY_TIMEOUT_MS = 2000
MAX_MESSAGE_BYTES = 65536


class SingleInstance(QObject):
    """Owns the lock and the socket of a data folder.

    Signals:
        called: what a later start sent (dict).
    """

    called = Signal(object)

    def __init__(self, data_folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        key = f"{getpass.getuser()}\n{data_folder.resolve()}"
        self._name = f"tokometer-{hashlib.sha256(key.encode(errors='replace')).hexdigest()[:16]}"
        self._lock = InstanceLock(data_folder / "instance.lock")
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connected)

    def claim(self) -> bool:
        """Become the first instance; False when there is one. Raises StorageError when the folder is unusable."""
        if not self._lock.acquire():
            return False
        # Whoever holds the lock owns the name: a socket that is there is the remains of a killed window.
        QLocalServer.removeServer(self._name)
        self._server.listen(self._name)
        return True

    def call_first(self, message: dict[str, Any]) -> bool:
        """Send a message to the first instance; False when it does not answer. Waits for it to start listening."""
        socket = QLocalSocket()
        deadline = time.monotonic() + CONNECT_TIMEOUT_S
        while True:
            socket.connectToServer(self._name)
            if socket.waitForConnected(REPLY_TIMEOUT_MS):
                break
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        socket.write(json.dumps(message).encode() + b"\n")
        return socket.waitForReadyRead(REPLY_TIMEOUT_MS)

    def release(self) -> None:
        """Let another instance be the first."""
        self._server.close()
        self._lock.release()

    @Slot()
    def _on_connected(self) -> None:
        while socket := self._server.nextPendingConnection():
            socket.readyRead.connect(self._on_ready)
            socket.disconnected.connect(socket.deleteLater)
            if socket.canReadLine():
                self._read(socket)

    @Slot()
    def _on_ready(self) -> None:
        socket = self.sender()
        if isinstance(socket, QLocalSocket):
            self._read(socket)

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
