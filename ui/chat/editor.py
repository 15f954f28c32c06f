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
LEAST_LINES = 2
"""Where the window has no room for more."""
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
        self._is_composing = self._is_squeezed = False
        self.setProperty("role", "bare")
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.document().documentLayout().documentSizeChanged.connect(self._on_size_changed)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._height_of(MAX_LINES))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self._height_of(LEAST_LINES))

    def _height_of(self, most_lines: int) -> int:
        """Return what the text takes, or so many lines of it."""
        lines = max(1, int(self.document().size().height()))
        margins = self.contentsMargins()
        extra = 2 * self.document().documentMargin() + margins.top() + margins.bottom() + 2
        return round(min(lines, most_lines) * self.fontMetrics().lineSpacing() + extra)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._is_squeezed = self.height() < self.sizeHint().height()
        self._offer_scrolling()
        if not self._scrolls:
            self.verticalScrollBar().setValue(0)  # what had scrolled out before the box grew fits now

    @Slot()
    def _on_size_changed(self) -> None:
        self._offer_scrolling()
        self.updateGeometry()

    @property
    def _scrolls(self) -> bool:
        return self._is_squeezed or self.document().size().height() > MAX_LINES

    def _offer_scrolling(self) -> None:
        policies = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(policies.ScrollBarAsNeeded if self._scrolls else policies.ScrollBarAlwaysOff)

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
