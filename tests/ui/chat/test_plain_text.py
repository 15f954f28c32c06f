"""Text shown as it is."""

from __future__ import annotations

import random

from PySide6.QtGui import QTextDocument

from ui.chat.plain_text import BREAK_AFTER_CHARS, PlainAppender


def shown(*pieces: str) -> QTextDocument:
    document = QTextDocument()
    appender = PlainAppender(document, 100)
    for piece in pieces:
        appender.append(piece)
    return document


def test_lines_and_pieces():
    assert shown("a", "b\nc", "\n", "\nd").toPlainText() == "ab\nc\n\nd"


def test_no_block_is_long():
    document = shown(*["x" * 700] * 20)
    block, lengths = document.firstBlock(), []
    while block.isValid():
        lengths.append(len(block.text()))
        block = block.next()
    assert max(lengths) == BREAK_AFTER_CHARS
    assert sum(lengths) == 14_000


def test_pieces_do_not_matter():
    chance = random.Random(3)
    text = "".join(chance.choices(["x" * 900, "\n", "word ", "中", "😀", "\r"], k=200))
    pieces, rest = [], text
    while rest:
        size = chance.randint(1, 1500)
        pieces.append(rest[:size])
        rest = rest[size:]
    assert shown(*pieces).toPlainText() == shown(text).toPlainText()
