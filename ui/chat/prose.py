"""Running text: a browser whose last block is replaced while it grows and whose finished blocks are left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QTextCursor

from ui.chat.document_writer import QUOTE_LEVEL, RULE, DocumentWriter
from ui.chat.markdown import continues_plainly, ends_plain, parser
from ui.chat.text_browser import SafeTextBrowser

if TYPE_CHECKING:
    from markdown_it.token import Token
    from PySide6.QtGui import QPaintEvent
    from PySide6.QtWidgets import QWidget

    from ui.chat.scanner import Segment
    from ui.chat.style import Style


class Prose(SafeTextBrowser):
    """A segment of paragraphs, headings, lists and quotes."""

    def __init__(self, segment: Segment, style: Style, gap_before: bool, parent: QWidget) -> None:
        super().__init__(parent)
        for part in (self, self.viewport()):
            part.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self._style = style
        self.segment = segment
        self._writer = DocumentWriter(self.document(), style, gap_before, segment.tight)
        self._mark = self._writer.bookmark()
        self._tail_start = 0
        self._shown = ""
        self._ends_plain = False

    def show_source(self, partial: str = "") -> None:
        """Show the segment's text and, behind it, an unfinished line."""
        source = self.segment.text
        former, self._shown = self._shown, source + partial
        if self._shown == former:
            return
        if self._ends_plain and self._shown.startswith(former) and continues_plainly(former, self._shown):
            self._extend(former)
        else:
            self._write_tail(source)

    def _extend(self, former: str) -> None:
        """Put at the end what has come, which reads as it stands."""
        written = len(former.rstrip(" "))
        with self.still_selection():
            edit = QTextCursor(self.document())
            edit.movePosition(QTextCursor.MoveOperation.End)
            edit.insertText(self._shown[written:].rstrip(" "))

    def _write_tail(self, source: str) -> None:
        """Write anew what may read differently now."""
        complete_lines = source.count("\n", self._tail_start)
        tokens = parser().parse(self._shown[self._tail_start :])
        split, line = _last_block(tokens, complete_lines)
        with self.still_selection():
            edit = QTextCursor(self.document())
            edit.beginEditBlock()
            self._writer.rewind(self._mark)
            if split:
                self._writer.write(tokens[:split])
                self._mark = self._writer.bookmark()
                self._tail_start = _line_start(self._shown, self._tail_start, line)
            self._writer.write(tokens[split:])
            edit.endEditBlock()
        self._ends_plain = ends_plain(tokens)

    def grow(self, partial: str) -> None:
        """Take what the segment has got since the last call."""
        self.show_source(partial)

    def close_segment(self) -> None:
        """The segment is complete."""
        self.show_source()

    def arrange(self, width: int) -> int:
        """Return the height the text takes in this width."""
        return self.fit(width)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._writer.has_marks:
            painter = QPainter(self.viewport())
            self._paint_marks(painter)
            painter.end()

    def _paint_marks(self, painter: QPainter) -> None:
        """Draw the bars of quotes and the rules."""
        layout = self.document().documentLayout()
        colour = QColor(self._style.colours.border)
        em, width = self._style.em, self.viewport().width()
        block = self.document().firstBlock()
        while block.isValid():
            level = block.blockFormat().intProperty(QUOTE_LEVEL)
            rule = block.blockFormat().boolProperty(RULE)
            if level or rule:
                box = layout.blockBoundingRect(block)
                rtl = block.textDirection() == Qt.LayoutDirection.RightToLeft
                for bar in range(level):
                    x = bar * em
                    painter.fillRect(QRectF(width - x - 3 if rtl else x, box.top(), 3, box.height()), colour)
                if rule:
                    painter.fillRect(QRectF(0, box.center().y(), width, 1), colour)
            block = block.next()


def _last_block(tokens: list[Token], complete_lines: int) -> tuple[int, int]:
    """Return (token index, line) of the last top-level block that begins in a complete line; (0, 0) for the first.

    A block that begins in the unfinished line does not close the one before: "#" may yet become "#hashtag".
    """
    for index in range(len(tokens) - 1, 0, -1):
        token = tokens[index]
        if token.level == 0 and token.nesting >= 0 and token.map and token.map[0] < complete_lines:
            return index, token.map[0]
    return 0, 0


def _line_start(text: str, start: int, lines: int) -> int:
    for _ in range(lines):
        start = text.index("\n", start) + 1
    return start
