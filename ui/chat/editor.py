"""The text field of the composer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QSize, Qt, Signal, Slot
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QInputMethodEvent, QKeyEvent, QResizeEvent

MAX_LINES = 8
BREAK_AFTER_CHARS = 2000
BREAK_MARK = "\u2064"  # the invisible plus: takes no room, and nobody writes it
_LONG_RUN = re.compile(rf"([^\n]{{{BREAK_AFTER_CHARS}}})(?=[^\n])")


class Editor(QPlainTextEdit):
    """Grows with its text up to `MAX_LINES`; Enter is a request, Shift+Enter a line break.

    A line of a million characters takes Qt minutes to wrap. Longer lines than `BREAK_AFTER_CHARS` are therefore kept
    in several blocks, with a mark at the end of each that `text` takes out again.

    Signals:
        send_requested: Enter, while no input method is composing.
        stop_requested: Escape.
    """

    send_requested = Signal()
    stop_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._is_composing = False
        self.setProperty("role", "bare")
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().documentLayout().documentSizeChanged.connect(self._on_size_changed)

    def sizeHint(self) -> QSize:
        lines = max(1, int(self.document().size().height()))
        margins = self.contentsMargins()
        extra = 2 * self.document().documentMargin() + margins.top() + margins.bottom() + 2
        height = round(min(lines, MAX_LINES) * self.fontMetrics().lineSpacing() + extra)
        return QSize(super().sizeHint().width(), height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.document().size().height() <= MAX_LINES:
            self.verticalScrollBar().setValue(0)  # what had scrolled out before the box grew fits now

    @Slot()
    def _on_size_changed(self) -> None:
        scrolls = self.document().size().height() > MAX_LINES
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if scrolls else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(policy)
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.sizeHint().height())

    def text(self) -> str:
        """What has been written, without the marks."""
        return without_marks(self.toPlainText())

    def set_text(self, text: str) -> None:
        """Replace what has been written."""
        self.setPlainText(with_marks(text))
        self.moveCursor(QTextCursor.MoveOperation.End)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if source.hasText():
            self.insertPlainText(with_marks(source.text()))
            self.ensureCursorVisible()

    def createMimeDataFromSelection(self) -> QMimeData:
        data = QMimeData()
        data.setText(without_marks(self.textCursor().selection().toPlainText()))
        return data

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self._is_composing:
            if event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier):
                self.insertPlainText("\n")
                self.ensureCursorVisible()
            else:
                self.send_requested.emit()
        elif event.key() == Qt.Key.Key_Escape and not self._is_composing:
            self.stop_requested.emit()
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._is_composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._is_composing = False
        super().focusOutEvent(event)


def with_marks(text: str) -> str:
    """Break lines beyond `BREAK_AFTER_CHARS` with marked line feeds."""
    if len(text) <= BREAK_AFTER_CHARS:
        return text
    return _LONG_RUN.sub(rf"\1{BREAK_MARK}\n", text)


def without_marks(text: str) -> str:
    """Undo `with_marks`, also where the user has deleted one of the line feeds."""
    return text.replace(f"{BREAK_MARK}\n", "").replace(BREAK_MARK, "") if BREAK_MARK in text else text
