"""The small widgets messages are made of: plain labels and flat buttons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from ui.chat.tooltip import plain_tooltip

if TYPE_CHECKING:
    from collections.abc import Callable

    from ui.chat.style import Style

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

    def __init__(self, label: str, style: Style, parent: QWidget, icon: str = "", primary: bool = False) -> None:
        super().__init__(parent)
        self.setText(label.replace("&", "&&"))
        self.setAccessibleName(label)
        self.setProperty("role", "primary" if primary else "flat")
        self.setFont(style.small_font)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAutoDefault(False)
        if icon:
            self.setIcon(style.icon(icon, "on_accent" if primary else "muted"))
            self.setIconSize(QSize(style.icon_size, style.icon_size))


class ToolButton(FlatButton):
    """A quiet button with nothing but an icon, whose size is known without asking the style sheet."""

    def __init__(self, icon: str, name: str, style: Style, parent: QWidget) -> None:
        super().__init__("", style, parent, icon)
        self._side = style.icon_size + 12
        self.setAccessibleName(name)
        self.setToolTip(plain_tooltip(name))

    def sizeHint(self) -> QSize:
        return QSize(self._side, self._side)


class CopyButton(FlatButton):
    """Puts a text, asked for when pressed, on the clipboard and says so for a moment."""

    def __init__(self, source: Callable[[], str], style: Style, parent: QWidget, name: str) -> None:
        super().__init__("", style, parent, "copy")
        self._source = source
        self._style = style
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
        self.setIcon(self._style.icon("check"))
        self._timer.start()

    @Slot()
    def _on_timeout(self) -> None:
        self.setText(self._label)
        self.setIcon(self._style.icon("copy"))


class Fold(QWidget):
    """A heading with an arrow that shows or hides what belongs to it.

    Signals:
        toggled: by the user; the height changes.
    """

    toggled = Signal(bool)

    def __init__(self, label: str, style: Style, is_open: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self._style = style
        self.is_open = is_open
        self.button = FlatButton(label, style, self)
        self.button.clicked.connect(self._on_clicked)
        self.content: QWidget | None = None
        self._show_arrow()

    def set_label(self, label: str) -> None:
        """Change the heading."""
        self.button.setText(label.replace("&", "&&"))
        self.button.setAccessibleName(label)

    @Slot()
    def _on_clicked(self) -> None:
        self.is_open = not self.is_open
        self._show_arrow()
        self.toggled.emit(self.is_open)

    def _show_arrow(self) -> None:
        self.button.setIcon(self._style.icon("chevron-down" if self.is_open else "chevron-right"))
