"""What a document shows, as plain values to compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtGui import QTextBlock, QTextDocument
    from PySide6.QtWidgets import QWidget

    from ui.chat.body import MarkdownBody


def blocks(document: QTextDocument) -> list[QTextBlock]:
    found = []
    block = document.firstBlock()
    while block.isValid():
        found.append(block)
        block = block.next()
    return found


def looks(document: QTextDocument) -> list[tuple[object, ...]]:
    """Every block with what decides its look: format, list, and its runs of characters."""
    result: list[tuple[object, ...]] = []
    for block in blocks(document):
        shape = block.blockFormat()
        text_list = block.textList()
        numbering = None
        if text_list is not None:
            of_list = text_list.format()
            numbering = (of_list.style(), of_list.indent(), of_list.start(), text_list.itemNumber(block))
        runs = []
        iterator = block.begin()
        while not iterator.atEnd():
            run = iterator.fragment()
            look = run.charFormat()
            runs.append(
                (
                    run.text(),
                    look.fontWeight(),
                    look.fontItalic(),
                    look.fontStrikeOut(),
                    look.fontPointSize(),
                    look.anchorHref(),
                    look.foreground().color().name(),
                    look.background().color().name(),
                )
            )
            iterator += 1
        result.append(
            (
                block.text(),
                shape.indent(),
                shape.leftMargin(),
                shape.topMargin(),
                shape.lineHeight(),
                shape.alignment(),
                shape.background().color().name(),
                sorted(shape.properties()),
                numbering,
                block.charFormat().fontPointSize(),
                runs,
            )
        )
    return result


def segment_looks(body: MarkdownBody) -> list[tuple[str, list[tuple[object, ...]]]]:
    return [(type(browser.parent()).__name__, looks(browser.document())) for browser in body.browsers]


def texts(widget: QWidget) -> str:
    """All that the text widgets below a widget show."""
    from ui.chat.text_browser import SafeTextBrowser

    return "\n".join(browser.toPlainText() for browser in widget.findChildren(SafeTextBrowser))
