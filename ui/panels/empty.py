"""What an empty chart says: what will appear in it, and when."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget


class EmptyState(QWidget):
    """A sentence in the middle of the chart's place."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setWordWrap(True)
        self._label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._label.setProperty("role", "muted")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 0, 16, 0)
        layout.addWidget(self._label)

    @property
    def text(self) -> str:
        """The sentence."""
        return self._label.text()

    def set_text(self, text: str) -> None:
        """Say what will appear."""
        self._label.setText(text)
