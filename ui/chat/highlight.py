"""Colours code with Pygments' lexers, in slices so that a long block does not stall the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pygments.token import Token
from pygments.util import ClassNotFound
from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QColor, QTextCharFormat, QTextLayout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pygments.lexer import Lexer
    from PySide6.QtGui import QTextBlock, QTextDocument

WHOLE_LINES = 150
SLICE_LINES = 80
LIMIT_CHARS = 200_000
MAX_LINE_CHARS = 2000

_LIGHT = {
    Token.Comment: "#5b6670",
    Token.Keyword: "#a3207f",
    Token.Literal.String: "#1a6b2d",
    Token.Literal.Number: "#8a4a00",
    Token.Name.Function: "#0a5ca8",
    Token.Name.Class: "#0a5ca8",
    Token.Name.Decorator: "#6b46a8",
    Token.Name.Builtin: "#6b46a8",
    Token.Name.Tag: "#0a5ca8",
    Token.Name.Attribute: "#8a4a00",
    Token.Operator.Word: "#a3207f",
    Token.Generic.Deleted: "#a8201a",
    Token.Generic.Inserted: "#1a6b2d",
    Token.Generic.Heading: "#0a5ca8",
}
_DARK = {
    Token.Comment: "#8b96a2",
    Token.Keyword: "#e59ad0",
    Token.Literal.String: "#9bd3a0",
    Token.Literal.Number: "#e8b27a",
    Token.Name.Function: "#7dbdf5",
    Token.Name.Class: "#7dbdf5",
    Token.Name.Decorator: "#c3a6f0",
    Token.Name.Builtin: "#c3a6f0",
    Token.Name.Tag: "#7dbdf5",
    Token.Name.Attribute: "#e8b27a",
    Token.Operator.Word: "#e59ad0",
    Token.Generic.Deleted: "#ff9a90",
    Token.Generic.Inserted: "#9bd3a0",
    Token.Generic.Heading: "#7dbdf5",
}


def find_lexer(language: str) -> Lexer | None:
    """Return the lexer of a fence's language, if Pygments knows it."""
    from pygments.lexers import get_lexer_by_name  # not above: it would come before the window's first frame

    try:
        return get_lexer_by_name(language.strip("{}.").lower(), stripnl=False, ensurenl=False) if language else None
    except ClassNotFound:
        return None


class Highlighter(QObject):
    """Lays colours over the lines of a finished code document; the text itself is not touched."""

    def __init__(self, document: QTextDocument, lexer: Lexer, dark: bool) -> None:
        super().__init__(document)
        self._document = document
        self._colours = _DARK if dark else _LIGHT
        self._formats: dict[object, QTextCharFormat | None] = {}
        self._lines = self._lex(lexer, document.toPlainText())
        self._block: QTextBlock = document.firstBlock()
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._take_slice)
        if document.blockCount() <= WHOLE_LINES:
            self._colour(WHOLE_LINES)
        else:
            self._timer.start()

    @property
    def is_done(self) -> bool:
        """Whether all lines have been coloured."""
        return not self._timer.isActive()

    @Slot()
    def _take_slice(self) -> None:
        if not self._colour(SLICE_LINES):
            self._timer.stop()

    def _colour(self, lines: int) -> bool:
        """Colour the next lines; return whether there are more."""
        start = self._block.position()
        for _ in range(lines):
            spans = next(self._lines, None)
            if spans is None or not self._block.isValid():
                break
            if spans and self._block.length() <= MAX_LINE_CHARS:
                self._block.layout().setFormats(spans)
            self._block = self._block.next()
        end = self._block.position() if self._block.isValid() else self._document.characterCount()
        self._document.markContentsDirty(start, end - start)
        return self._block.isValid()

    def _lex(self, lexer: Lexer, text: str) -> Iterator[list[QTextLayout.FormatRange]]:
        """Yield the coloured spans of line after line, lexing no further than asked for."""
        spans: list[QTextLayout.FormatRange] = []
        column = 0
        for kind, value in lexer.get_tokens(text):
            colour = self._format(kind)
            for number, part in enumerate(value.split("\n")):
                if number:
                    yield spans
                    spans, column = [], 0
                units = len(part) if part.isascii() else len(part.encode("utf-16-le")) // 2
                if colour is not None and units:
                    span = QTextLayout.FormatRange()
                    span.start, span.length, span.format = column, units, colour
                    spans.append(span)
                column += units
        yield spans

    def _format(self, kind: object) -> QTextCharFormat | None:
        if kind not in self._formats:
            ancestor = kind
            while ancestor is not None and ancestor not in self._colours:
                ancestor = ancestor.parent  # type: ignore[attr-defined]
            result = None
            if ancestor is not None:
                result = QTextCharFormat()
                result.setForeground(QColor(self._colours[ancestor]))
            self._formats[kind] = result
        return self._formats[kind]
