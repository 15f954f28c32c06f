"""A table that scrolls sideways by itself when it is wider than the message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QTextCursor, QTextTable
from PySide6.QtWidgets import QTextEdit, QWidget

from ui.chat.document_writer import DocumentWriter
from ui.chat.geometry import GAP, GAP_BELOW
from ui.chat.markdown import parser
from ui.chat.text_browser import SafeTextBrowser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.token import Token
    from PySide6.QtGui import QPaintEvent

    from ui.chat.scanner import Segment
    from ui.chat.style import Style

LEAST_COLUMN_EM = 9


class _Ruled(SafeTextBrowser):
    """Draws a line below each row, stronger below the head."""

    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(parent)
        self._style = style
        self._rules: list[float] = []

    def measure_rows(self) -> None:
        """Note where the rows end."""
        document = self.document()
        tables = [frame for frame in document.rootFrame().childFrames() if isinstance(frame, QTextTable)]
        layout, padding = document.documentLayout(), tables[0].format().cellPadding() if tables else 0
        self._rules = [
            layout.blockBoundingRect(table.cellAt(row, 0).firstCursorPosition().block()).top() - padding
            for table in tables
            for row in range(1, table.rows())
        ]

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        colours = self._style.colours
        width = min(self.viewport().width(), self.document().idealWidth())
        for number, y in enumerate(self._rules):
            colour = QColor(colours.muted if number == 0 else colours.border)
            painter.fillRect(QRectF(0, round(y), width, 1), colour)
        painter.end()


class Table(QWidget):
    """Wraps its cells down to about `LEAST_COLUMN_EM` a column; below that it scrolls.

    Qt lays a whole table out for every change in it, so that it is made at once, at its final width, and a growing
    one only when it has grown by an eighth: the work stays in proportion to its length.
    """

    def __init__(self, segment: Segment, style: Style, gap_before: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self.segment = segment
        self._style = style
        self._gap = GAP + 4 if gap_before else 0
        self._shown_chars = 0
        self._least = 0
        self._width = 0
        self.browser = _Ruled(style, self)
        self.browser.setAccessibleName(self.tr("Table"))
        self.browser.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)

    def grow(self, partial: str) -> None:
        """Rows are taken in when the table is laid out."""

    def close_segment(self) -> None:
        """Rows are taken in when the table is laid out."""

    def arrange(self, width: int) -> int:
        """Take new rows in and return the height."""
        grown_by = self.segment.size - self._shown_chars
        is_stale = grown_by > 0 and (self.segment.closed or grown_by >= self._shown_chars // 8)
        if is_stale or width != self._width:
            self._width = width
            tokens = parser().parse(self.segment.text) if is_stale else []
            if is_stale:
                columns = sum(token.type == "th_open" for token in tokens)
                self._least = round(columns * LEAST_COLUMN_EM * self._style.em)
            self.browser.resize(width, max(1, self.browser.height()))
            self.browser.setLineWrapColumnOrWidth(max(width, self._least))
            if is_stale:
                self._write(tokens)
            if self._least > width >= self.browser.document().idealWidth():
                self.browser.setLineWrapColumnOrWidth(width)
            self.browser.measure_rows()
        document = self.browser.document()
        overflows = document.idealWidth() > width
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOn if overflows else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.browser.setHorizontalScrollBarPolicy(policy)
        bar = self.browser.horizontalScrollBar().sizeHint().height() if overflows else 0
        height = round(document.size().height() + 0.49) + bar
        self.browser.setGeometry(0, self._gap, width, height)
        return self._gap + height + GAP_BELOW

    def _write(self, tokens: Sequence[Token]) -> None:
        self._shown_chars = self.segment.size
        document = self.browser.document()
        scrolled = self.browser.horizontalScrollBar().value()
        with self.browser.still_selection():
            edit = QTextCursor(document)
            edit.beginEditBlock()
            document.clear()
            DocumentWriter(document, self._style, gap_before=False).write(tokens)
            edit.endEditBlock()
        self.browser.horizontalScrollBar().setValue(scrolled)
