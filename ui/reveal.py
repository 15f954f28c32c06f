"""Shows a file in the system's file manager, without a shell in between."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QDir, QProcess, QUrl
from PySide6.QtGui import QDesktopServices

if TYPE_CHECKING:
    from pathlib import Path

_SERVICE, _OBJECT = "org.freedesktop.FileManager1", "/org/freedesktop/FileManager1"


def reveal(path: Path) -> bool:
    """Show the file, selected where the file manager can do that; return whether one was found."""
    if sys.platform == "darwin":
        return bool(QProcess.startDetached("open", ["-R", str(path)])[0])
    if sys.platform == "win32":
        return bool(QProcess.startDetached("explorer.exe", ["/select,", QDir.toNativeSeparators(str(path))])[0])
    return _by_message(path) or QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))


def _by_message(path: Path) -> bool:
    """Ask the desktop's file manager on the session's bus; return whether there is one to ask."""
    from PySide6.QtDBus import QDBusConnection, QDBusMessage  # not above: not every system has it

    bus = QDBusConnection.sessionBus()
    interface = bus.interface() if bus.isConnected() else None
    if interface is None:
        return False
    names = [*interface.registeredServiceNames().value(), *interface.activatableServiceNames().value()]
    if _SERVICE not in names:
        return False
    message = QDBusMessage.createMethodCall(_SERVICE, _OBJECT, _SERVICE, "ShowItems")
    message.setArguments([[QUrl.fromLocalFile(str(path)).toString(QUrl.ComponentFormattingOption.FullyEncoded)], ""])
    return bool(bus.send(message))
