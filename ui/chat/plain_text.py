"""Text shown as it is, added so that no single line can stall the layout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument

from ui.chat.markdown import clean
from ui.chat.style import LINE_HEIGHT_PERCENT
from ui.chat.text_browser import SafeTextBrowser

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from ui.chat.scanner import Segment
    from ui.chat.style import Style

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


class Plain(SafeTextBrowser):
    """Text shown as it is: the user's words, thinking, and lines too long to be prose."""

    def __init__(self, style: Style, parent: QWidget, muted: bool = False) -> None:
        super().__init__(parent)
        self.setFont(style.font)
        self.document().setDefaultFont(style.font)
        if muted:
            self.setTextColor(QColor(style.colours.muted))
            palette = self.palette()
            palette.setColor(palette.ColorRole.Text, QColor(style.colours.muted))
            self.setPalette(palette)
        self._appender = PlainAppender(self.document(), LINE_HEIGHT_PERCENT)

    def append_text(self, text: str) -> None:
        """Add to the end."""
        with self.still_selection():
            self._appender.append(text)

    def arrange(self, width: int) -> int:
        """Return the height the text takes in this width."""
        return self.fit(width)


class PlainSegment(Plain):
    """A line beyond all measure, not taken for markdown."""

    def __init__(self, segment: Segment, style: Style, gap_before: bool, parent: QWidget) -> None:
        super().__init__(style, parent)
        self.segment = segment
        self._shown_pieces = 0

    def grow(self, partial: str) -> None:
        """Append what the segment has got since the last call."""
        new = self.segment.pieces[self._shown_pieces :]
        self._shown_pieces += len(new)
        self.append_text("".join(new).removesuffix("\n"))

    def close_segment(self) -> None:
        """Show the rest."""
        self.grow("")
