"""Buttons from left to right, in further rows where they do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, QSize
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

GAP = 8


class ButtonRow(QWidget):
    """As wide as its place, and as high as its rows then are; hidden buttons take no room.

    Its buttons are made with it as their parent, then added.
    """

    def __init__(self, parent: QWidget | None = None, *, is_centred: bool = False) -> None:
        super().__init__(parent)
        self.buttons: list[QPushButton] = []
        self._is_centred = is_centred
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def add(self, button: QPushButton) -> None:
        """Append a button and show it."""
        self.buttons.append(button)
        button.show()
        self._adapt()

    def clear(self) -> None:
        """Take all buttons away."""
        for button in self.buttons:
            button.hide()
            button.deleteLater()
        self.buttons.clear()
        self._adapt()

    def sizeHint(self) -> QSize:
        height = max((button.sizeHint().height() for button in self.buttons), default=0)
        return QSize(0, height)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.heightForWidth(self.width()))

    def heightForWidth(self, width: int) -> int:
        return self._place(width, is_trial=True)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # a button's text is another, or it was shown or hidden
            self._adapt()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._adapt()

    def _adapt(self) -> None:
        self._place(self.width())
        self.updateGeometry()

    def _place(self, width: int, *, is_trial: bool = False) -> int:
        """Return the height."""
        rows: list[list[tuple[QPushButton, QRect]]] = []
        x = y = bottom = 0
        for button in self.buttons:
            if button.isHidden():
                continue
            size = button.sizeHint().boundedTo(QSize(max(width, 1), 1000))
            if not rows or x + size.width() > width:
                rows.append([])
                x, y = 0, bottom + GAP if bottom else 0
            rows[-1].append((button, QRect(x, y, size.width(), size.height())))
            x += size.width() + GAP
            bottom = y + size.height()
        for row in () if is_trial else rows:
            left = (width - row[-1][1].right() - 1) // 2 if self._is_centred else 0
            for button, place in row:
                button.setGeometry(place.translated(left, 0))
        return bottom
