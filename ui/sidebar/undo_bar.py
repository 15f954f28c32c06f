"""A bar that says what was just done and offers to take it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from ui.icons import keep_icon

if TYPE_CHECKING:
    from collections.abc import Callable

    from ui.theme import Theme


class UndoBar(QFrame):
    """Hidden until something can be undone; only the last deed is offered, until it is closed."""

    undone = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("undo_bar")
        self.setProperty("role", "card")
        self._undo: Callable[[], None] | None = None
        self._label = QLabel(wordWrap=True)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._undo_button = QPushButton()
        self._undo_button.setObjectName("undo_button")
        self._close_button = QToolButton()
        keep_icon(self._close_button, "x", theme, "muted")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 4, 4, 4)
        layout.addWidget(self._label, 1)
        layout.addWidget(self._undo_button)
        layout.addWidget(self._close_button)
        self._undo_button.clicked.connect(self.undo)
        self._close_button.clicked.connect(self.dismiss)
        self._retranslate()
        self.hide()

    def offer(self, sentence: str, undo: Callable[[], None]) -> None:
        """Say what was done; `undo` takes it back."""
        self._label.setText(sentence)
        self._undo = undo
        self.show()

    @Slot()
    def undo(self) -> None:
        """Take the last deed back."""
        undo, self._undo = self._undo, None
        self.hide()
        if undo is not None:
            undo()

    @Slot()
    def dismiss(self) -> None:
        """Keep what was done."""
        self._undo = None
        self.hide()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self._undo_button.setText(self.tr("Undo"))
        self._close_button.setAccessibleName(self.tr("Close"))
        self._close_button.setToolTip(self.tr("Close"))
        self.setAccessibleName(self.tr("Undo"))
