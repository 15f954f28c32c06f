"""The values under the pointer, or under the keyboard's cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtWidgets import QLabel, QWidget

if TYPE_CHECKING:
    from ui.theme import Theme

_DISTANCE = 12


class Readout(QLabel):
    """A small box of plain text that lies over its panel, beside a place on the x axis.

    Attributes:
        position: that place, None while nothing is shown.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.position: float | None = None
        self._theme = theme
        self._panel = parent
        self.setProperty("role", "readout")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_at(self, position: float, text: str, anchor: QPoint) -> None:
        """Show a text beside `anchor`, a point of the parent, and within the parent."""
        self.position = position
        self.setText(text)
        self.adjustSize()
        room = self._panel.width()
        x = anchor.x() + _DISTANCE
        if x + self.width() > room:
            x = anchor.x() - _DISTANCE - self.width()
        self.move(max(2, min(x, room - self.width() - 2)), anchor.y())
        self.show()
        self.raise_()

    def clear_position(self) -> None:
        """Show nothing."""
        self.position = None
        self.hide()

    @Slot()
    def _restyle(self) -> None:
        self.setFont(self._theme.font(delta_points=-1))
