"""The text of a summary: it comes as it is written, and can then be edited."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget


class TextField(QPlainTextEdit):
    """Plain text.

    Signals:
        edited: by the user.
    """

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, readOnly=True, tabChangesFocus=True)
        self.setObjectName("summary_text")
        self.setAccessibleName(self.tr("Text of the summary"))
        self.textChanged.connect(self._on_changed)

    @property
    def body(self) -> str:
        """The text without white space around it."""
        return self.toPlainText().strip()

    def set_body(self, text: str) -> None:
        """Show a text."""
        with QSignalBlocker(self):
            self.setPlainText(text)

    def show_written(self, text: str) -> None:
        """Show what has been written so far; what is there is not drawn anew."""
        shown = self.toPlainText()
        if not text.startswith(shown):
            self.set_body(text)
            return
        with QSignalBlocker(self):
            cursor = QTextCursor(self.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(text[len(shown) :])

    @Slot()
    def _on_changed(self) -> None:
        self.edited.emit()
