"""A panel's head: its title, its number, and beside it what else there is room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from ui.icons import keep_icon
from ui.panels.labels import ElidedLabel, PlainLabel

if TYPE_CHECKING:
    from PySide6.QtGui import QMouseEvent

    from ui.theme import Theme


class Heading(QWidget):
    """Title at the left, value at the right, the detail before the value when it fits.

    Signals:
        explanation_requested: the user clicked on the title or the number to know what it is.
    """

    explanation_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = ElidedLabel(self)
        self._title.setProperty("role", "title")
        self._detail = ElidedLabel(self, all_or_nothing=True)
        self._detail.setProperty("role", "muted")
        self._detail.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._value = PlainLabel(self)
        self._value.setProperty("role", "title")
        for label in (self._title, self._value):
            label.setCursor(Qt.CursorShape.WhatsThisCursor)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self._title)
        layout.addWidget(self._detail, 1)
        layout.addWidget(self._value)

    def set_title(self, title: str, definition: str) -> None:
        """Name the number; its definition is the tooltip."""
        self._title.setText(title)
        for label in (self._title, self._value):
            label.setToolTip(definition)

    def set_value(self, value: str, detail: str = "", detail_tooltip: str = "") -> None:
        """Show the number as it stands."""
        self._value.setText(value)
        self._detail.setText(detail)
        self._detail.setToolTip(detail_tooltip)

    def add_button(self, icon: str, theme: Theme) -> QPushButton:
        """Append a button without text."""
        button = QPushButton(self)
        button.setProperty("role", "flat")
        policy = button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        button.setSizePolicy(policy)
        keep_icon(button, icon, theme, "muted")
        side = self._title.sizeHint().height() + 4
        button.setFixedSize(side, side)
        layout = self.layout()
        assert layout is not None
        layout.addWidget(button)
        return button

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        shown = self.childAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and shown in (self._title, self._value):
            self.explanation_requested.emit()
        else:
            super().mouseReleaseEvent(event)

    @property
    def definition(self) -> str:
        """What the number means."""
        return self._value.toolTip()

    @property
    def value(self) -> str:
        """The number."""
        return self._value.text()

    @property
    def detail(self) -> str:
        """What stands beside it."""
        return self._detail.text()
