"""Writes parsed markdown into a QTextDocument block by block; no HTML is ever made from the model's words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QTextListFormat,
    QTextTableFormat,
)

from ui.chat.markdown import clean, find_links, strip_bidi
from ui.chat.style import LINE_HEIGHT_PERCENT, Look, Style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.token import Token
    from PySide6.QtGui import QTextDocument, QTextList


LINE_BREAK = "\u2028"
MAX_DEPTH = 8
_NO_LIMIT = 99.0
QUOTE_LEVEL = QTextFormat.Property.BlockQuoteLevel
RULE = QTextFormat.Property.UserProperty
_ALIGNMENTS = {
    "text-align:right": Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute,
    "text-align:center": Qt.AlignmentFlag.AlignHCenter,
}
_TASK_BOXES = {
    "[ ] ": QTextBlockFormat.MarkerType.Unchecked,
    "[x] ": QTextBlockFormat.MarkerType.Checked,
    "[X] ": QTextBlockFormat.MarkerType.Checked,
}
_BULLETS = (QTextListFormat.Style.ListDisc, QTextListFormat.Style.ListCircle, QTextListFormat.Style.ListSquare)


@dataclass(slots=True)
class _List:
    ordered: bool
    start: int
    delimiter: str
    target: QTextList | None = None
    first: bool = True


class DocumentWriter:
    """Appends blocks to the end of a document.

    Attributes:
        has_marks: something was written that the widget has to paint itself (quote bars, rules).
    """

    def __init__(self, document: QTextDocument, style: Style, gap_before: bool, tight: bool = False) -> None:
        self._document = document
        self._style = style
        self._gap_limit = (0.15 if tight else _NO_LIMIT) if gap_before else 0.0
        self._empty = True
        self._lists: list[_List] = []
        self._item_open = False
        self._quotes = 0
        self._look = Look()
        self.has_marks = False
        document.setDefaultFont(style.font)
        document.setIndentWidth(style.em * 1.6)
        self._cursor = QTextCursor(document)

    def bookmark(self) -> Bookmark:
        """Return the end of what is written, to come back to with `rewind`."""
        self._cursor.movePosition(QTextCursor.MoveOperation.End)
        block = self._cursor.block()
        return Bookmark(self._cursor.position(), block.blockFormat(), block.charFormat(), self._empty)

    def rewind(self, mark: Bookmark) -> None:
        """Remove everything written after the bookmark."""
        cursor = self._cursor
        cursor.setPosition(mark.position)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        if cursor.hasSelection():
            cursor.removeSelectedText()
        if cursor.blockFormat() != mark.block_format:
            cursor.setBlockFormat(mark.block_format)
        if cursor.blockCharFormat() != mark.block_char_format:
            cursor.setBlockCharFormat(mark.block_char_format)
        self._empty = mark.empty

    def write(self, tokens: Sequence[Token]) -> None:
        """Append top-level blocks."""
        self._cursor.movePosition(QTextCursor.MoveOperation.End)
        index = 0
        while index < len(tokens):
            if tokens[index].type == "table_open":
                end = next(i for i in range(index, len(tokens)) if tokens[i].type == "table_close")
                self._write_table(tokens[index : end + 1])
                index = end
            else:
                self._write_token(tokens[index])
            index += 1

    def _write_token(self, token: Token) -> None:
        match token.type:
            case "paragraph_open":
                self._start_block(0.15 if token.hidden else 0.6)
            case "heading_open":
                self._look.heading = int(token.tag[1:])
                self._start_block(1.2)
            case "heading_close":
                self._look.heading = 0
            case "inline":
                self._write_inline(self._without_task_box(token.children or []))
            case "bullet_list_open" | "ordered_list_open":
                ordered = token.type == "ordered_list_open"
                self._lists.append(_List(ordered, int(token.attrGet("start") or 1) if ordered else 1, token.markup))
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_open":
                self._item_open = True
            case "list_item_close":
                if self._item_open:
                    self._start_block(0.15)
            case "blockquote_open":
                self._quotes += 1
                self._look.quoted = True
            case "blockquote_close":
                self._quotes -= 1
                self._look.quoted = self._quotes > 0
            case "fence" | "code_block":
                self._write_code(token.content)
            case "hr":
                block_format = self._start_block(0.6)
                block_format.setProperty(RULE, True)
                self._cursor.setBlockFormat(block_format)
                self.has_marks = True

    def _start_block(self, gap_em: float) -> QTextBlockFormat:
        block_format = QTextBlockFormat()
        in_item, self._item_open = self._item_open, False
        if self._lists and in_item and self._lists[-1].first:
            gap_em = 0.6 if len(self._lists) == 1 else 0.15
        gap = round((min(gap_em, self._gap_limit) if self._empty else gap_em) * self._style.em)
        if self._empty and self._cursor.position() == 0:
            self._set_gap_at_top(gap)
        else:
            block_format.setTopMargin(gap)
        block_format.setLineHeight(LINE_HEIGHT_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        if self._quotes:
            block_format.setLeftMargin(min(self._quotes, MAX_DEPTH) * self._style.em)
            block_format.setProperty(QUOTE_LEVEL, min(self._quotes, MAX_DEPTH))
            self.has_marks = True
        depth = min(len(self._lists), MAX_DEPTH)
        if depth and not in_item:
            block_format.setIndent(depth)
        if self._empty:
            self._cursor.setBlockFormat(block_format)
        else:
            self._cursor.insertBlock(block_format, QTextCharFormat())
        self._cursor.setBlockCharFormat(self._style.characters(self._look))
        self._empty = False
        if depth and in_item:
            self._join_list(self._lists[-1], depth)
        return self._cursor.blockFormat()

    def _set_gap_at_top(self, gap: int) -> None:
        """Keep the gap above the document, since Qt ignores the margin above its first block."""
        frame = self._document.rootFrame()
        frame_format = frame.frameFormat()
        if frame_format.topMargin() != gap:
            frame_format.setTopMargin(gap)
            frame.setFrameFormat(frame_format)

    def _join_list(self, level: _List, depth: int) -> None:
        if level.target is not None:
            level.target.add(self._cursor.block())
            return
        list_format = QTextListFormat()
        list_format.setIndent(depth)
        if level.ordered:
            list_format.setStyle(QTextListFormat.Style.ListDecimal)
            list_format.setNumberSuffix(level.delimiter)
            list_format.setStart(level.start)
        else:
            list_format.setStyle(_BULLETS[(depth - 1) % len(_BULLETS)])
        level.target = self._cursor.createList(list_format)
        level.first = False

    def _without_task_box(self, children: Sequence[Token]) -> Sequence[Token]:
        """Turn "[ ] " or "[x] " at the beginning of a list item into a check box."""
        first = children[0] if children else None
        if first is None or self._cursor.block().textList() is None or first.content[:4] not in _TASK_BOXES:
            return children
        block_format = self._cursor.blockFormat()
        block_format.setMarker(_TASK_BOXES[first.content[:4]])
        self._cursor.setBlockFormat(block_format)
        return [replace(first, content=first.content[4:]), *children[1:]]

    def _write_inline(self, children: Sequence[Token]) -> None:
        look = self._look
        for child in children:
            match child.type:
                case "text":
                    self._write_text(child.content)
                case "softbreak" | "hardbreak":
                    self._insert(LINE_BREAK)
                case "code_inline":
                    look.code = True
                    self._insert(strip_bidi(child.content))
                    look.code = False
                case "strong_open" | "strong_close":
                    look.bold += child.nesting
                case "em_open" | "em_close":
                    look.italic += child.nesting
                case "s_open" | "s_close":
                    look.struck += child.nesting
                case "link_open":
                    look.href = strip_bidi(str(child.attrGet("href") or ""))
                case "link_close":
                    look.href = ""
                case "image":
                    self._insert(_image_text(child.content))

    def _write_text(self, text: str) -> None:
        if self._look.href:
            self._insert(strip_bidi(text))
            return
        done = 0
        for start, end in find_links(text) if "://" in text else ():
            self._insert(text[done:start])
            url = strip_bidi(text[start:end])
            self._look.href = url
            self._insert(url)
            self._look.href = ""
            done = end
        self._insert(text[done:])

    def _insert(self, text: str) -> None:
        if text:
            self._cursor.insertText(clean(text), self._style.characters(self._look))

    def _write_code(self, text: str) -> None:
        self._look.code = True
        for number, line in enumerate(clean(strip_bidi(text)).removesuffix("\n").split("\n")):
            block_format = self._start_block(0.6 if number == 0 else 0.0)
            block_format.setBackground(QBrush(QColor(self._style.colours.code_background)))
            block_format.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
            self._cursor.setBlockFormat(block_format)
            self._cursor.insertText(line, self._style.characters(self._look))
        self._look.code = False

    def _write_table(self, tokens: Sequence[Token]) -> None:
        rows: list[list[tuple[Token, Token]]] = []
        for position, token in enumerate(tokens):
            if token.type == "tr_open":
                rows.append([])
            elif token.type in ("th_open", "td_open"):
                rows[-1].append((token, tokens[position + 1]))
        if not self._empty or self._lists or self._quotes:
            self._start_block(0.6)
        table_format = QTextTableFormat()
        table_format.setBorder(0)  # Qt's own collapsed borders take eight times as long to paint
        table_format.setCellSpacing(0)
        table_format.setCellPadding(round(self._style.em * 0.45))
        table_format.setHeaderRowCount(1)
        columns = max(map(len, rows))
        table = self._cursor.insertTable(len(rows), columns, table_format)
        for row, cells in enumerate(rows):
            for column, (opening, inline) in enumerate(cells):
                self._cursor = table.cellAt(row, column).firstCursorPosition()
                side = str(opening.attrGet("style") or "")
                if side in _ALIGNMENTS:
                    block_format = QTextBlockFormat()
                    block_format.setAlignment(_ALIGNMENTS[side])
                    self._cursor.setBlockFormat(block_format)
                self._look.bold += row == 0
                self._write_inline(inline.children or [])
                self._look.bold -= row == 0
        self._cursor = QTextCursor(self._document)
        self._cursor.movePosition(QTextCursor.MoveOperation.End)
        self._cursor.setBlockFormat(QTextBlockFormat())
        self._empty = True
        self._gap_limit = _NO_LIMIT


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A place at the end of a document, with what a removal of the text behind it would spoil."""

    position: int
    block_format: QTextBlockFormat
    block_char_format: QTextCharFormat
    empty: bool


def _image_text(description: str) -> str:
    """Return what stands in the place of a picture, which is never loaded."""
    if not description:
        return QCoreApplication.translate("document", "[image]")
    return QCoreApplication.translate("document", "[image: {}]").format(description)
