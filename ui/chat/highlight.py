"""Colours code with Pygments' lexers, in slices of time so that nothing stalls the window."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pygments.token import Token
from pygments.util import ClassNotFound
from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QColor, QTextCharFormat, QTextLayout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pygments.lexer import Lexer
    from PySide6.QtGui import QTextBlock, QTextDocument

LIMIT_CHARS = 200_000
SLICE_S = 0.012
LIMIT_S = 3.0

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
    """Lays colours over the lines of a finished code document; the text itself is not touched.

    Some lexers take a time that grows with the square of the text, so the work goes on in slices of `SLICE_S` and is
    given up after `LIMIT_S`; what has no colour by then stays plain.
    """

    def __init__(self, document: QTextDocument, lexer: Lexer, dark: bool) -> None:
        super().__init__(document)
        self._document = document
        self._colours = _DARK if dark else _LIGHT
        self._formats: dict[object, QTextCharFormat | None] = {}
        self._lines = self._lex(lexer, document.toPlainText())
        self._block: QTextBlock = document.firstBlock()
        self._spent_s = 0.0
        self._pause_at_s = 0.0
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._take_slice)
        self._timer.start()
        self._take_slice()

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to colour."""
        return not self._timer.isActive()

    @Slot()
    def _take_slice(self) -> None:
        begin_s = time.perf_counter()
        self._pause_at_s = begin_s + SLICE_S
        start = self._block.position()
        while self._block.isValid():
            spans = next(self._lines, None)
            if spans is None:
                break
            if spans:
                self._block.layout().setFormats(spans)
            self._block = self._block.next()
        end = self._block.position() if self._block.isValid() else self._document.characterCount()
        self._document.markContentsDirty(start, end - start)
        self._spent_s += time.perf_counter() - begin_s
        if not self._block.isValid() or self._spent_s > LIMIT_S:
            self._timer.stop()

    def _lex(self, lexer: Lexer, text: str) -> Iterator[list[QTextLayout.FormatRange] | None]:
        """Yield the coloured spans of line after line, and None when it is time to pause."""
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
            if time.perf_counter() > self._pause_at_s:
                yield None
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
