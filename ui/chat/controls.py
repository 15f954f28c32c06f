"""The small widgets messages are made of: plain labels and flat buttons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton

from ui.chat.text_browser import plain_tooltip
from ui.icons import keep_icon

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from ui.theme import Theme

COPIED_MS = 1500


class PlainLabel(QLabel):
    """A label that never takes its text for HTML."""

    def __init__(self, text: str, parent: QWidget, role: str = "", tooltip: str = "") -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)
        self.setToolTip(plain_tooltip(tooltip))
        if role:
            self.setProperty("role", role)


class FlatButton(QPushButton):
    """A quiet button inside a message; it is reached from the keyboard through its message, not by Tab alone."""

    def __init__(self, label: str, theme: Theme, parent: QWidget, icon: str = "", primary: bool = False) -> None:
        super().__init__(parent)
        self.setText(label.replace("&", "&&"))
        self.setAccessibleName(label)
        self.setProperty("role", "primary" if primary else "flat")
        self.setFont(theme.font(delta_points=-1))
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAutoDefault(False)
        if icon:
            keep_icon(self, icon, theme, "on_accent" if primary else "muted")


class CopyButton(FlatButton):
    """Puts a text, asked for when pressed, on the clipboard and says so for a moment."""

    def __init__(self, source: Callable[[], str], theme: Theme, parent: QWidget, name: str) -> None:
        super().__init__("", theme, parent, "copy")
        self._source = source
        self._theme = theme
        self._label = self.tr("Copy")
        self.setText(self._label)
        self.setAccessibleName(name)
        self._timer = QTimer(self, singleShot=True, interval=COPIED_MS)
        self._timer.timeout.connect(self._on_timeout)
        self.clicked.connect(self._on_clicked)

    @Slot()
    def _on_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self._source())
        self.setText(self.tr("Copied"))
        keep_icon(self, "check", self._theme, "muted")
        self._timer.start()

    @Slot()
    def _on_timeout(self) -> None:
        self.setText(self._label)
        keep_icon(self, "copy", self._theme, "muted")
