"""Appends plain text to a document so that no single line can stall the layout."""

from __future__ import annotations

from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument

from ui.chat.markdown import clean

BREAK_AFTER_CHARS = 2000


class PlainAppender:
    """Writes to the end of a document; a line above `BREAK_AFTER_CHARS` goes on in a new block.

    Qt lays a whole block out again for every change in it, which for one endless line takes a second.
    """

    def __init__(self, document: QTextDocument, line_height_percent: float) -> None:
        self._document = document
        self._column = 0
        self._block_format = QTextBlockFormat()
        self._block_format.setLineHeight(line_height_percent, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor = QTextCursor(document)
        cursor.setBlockFormat(self._block_format)

    def append(self, text: str) -> None:
        """Add text; line feeds start new blocks."""
        cursor = QTextCursor(self._document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        first = True
        for line in clean(text).split("\n"):
            if not first:
                cursor.insertBlock(self._block_format, QTextCharFormat())
                self._column = 0
            first = False
            start = 0
            while start < len(line):
                if self._column >= BREAK_AFTER_CHARS:
                    cursor.insertBlock(self._block_format, QTextCharFormat())
                    self._column = 0
                piece = line[start : start + BREAK_AFTER_CHARS - self._column]
                cursor.insertText(piece)
                self._column += len(piece)
                start += len(piece)
        cursor.endEditBlock()
