"""Markdown as blocks of a document."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QTextBlockFormat, QTextDocument, QTextListFormat, QTextTable

from tests.ui.chat.documents import blocks, looks
from ui.chat.document_writer import QUOTE_LEVEL, RULE, DocumentWriter
from ui.chat.markdown import parser
from ui.chat.style import Style


@pytest.fixture
def style(theme):
    return Style(theme)


def write(style: Style, text: str) -> QTextDocument:
    document = QTextDocument()
    DocumentWriter(document, style, gap_before=False).write(parser().parse(text))
    return document


def test_words_in_their_looks(style):
    document = write(style, "plain **bold *both*** ~~struck~~ `code` [link](https://a.b)\nnext line")
    runs = {run[0]: run for run in looks(document)[0][-1]}
    assert runs["bold "][1] > runs["plain "][1]
    assert runs["both"][2]
    assert runs["struck"][3]
    assert runs["code"][7] == style.colours.code_background
    assert runs["link"][5] == "https://a.b"
    assert blocks(document)[0].text().endswith("link\u2028next line")


def test_headings_are_larger_and_bold(style):
    document = write(style, "# one\n\n## two\n\ntext")
    sizes = [looks(document)[line][-1][0][4] for line in range(3)]
    assert sizes[0] > sizes[1] > style.font.pointSizeF()
    assert sizes[2] == 0.0  # the document's own


def test_lists_keep_numbers_and_depth(style):
    document = write(style, "3. three\n4. four\n   - deep\n\n     more of deep\n5) other")
    three, four, deep, more, other = blocks(document)
    assert three.textList().format().start() == 3
    assert four.textList() is not None
    assert three.textList().itemText(three) == "3."
    assert four.textList().itemText(four) == "4."
    assert deep.textList().format().indent() == 2
    assert deep.textList().format().style() == QTextListFormat.Style.ListCircle
    assert more.textList() is None
    assert more.blockFormat().indent() == 2
    assert other.textList().itemText(other) == "5)"


def test_empty_items_and_task_boxes(style):
    document = write(style, "- \n- [ ] open\n- [x] done\n- [y] no box\n\n[ ] no item")
    found = blocks(document)
    assert [block.text() for block in found] == ["", "open", "done", "[y] no box", "[ ] no item"]
    assert all(block.textList() is not None for block in found[:4])
    markers = [block.blockFormat().marker() for block in found[:4]]
    marker = QTextBlockFormat.MarkerType
    assert markers == [marker.NoMarker, marker.Unchecked, marker.Checked, marker.NoMarker]


def test_quotes_and_rules_are_marked_for_painting(style):
    document = write(style, "> one\n>\n> > two\n\n---\n\ntext")
    levels = [block.blockFormat().intProperty(QUOTE_LEVEL) for block in blocks(document)]
    assert levels == [1, 2, 0, 0]
    assert [block.blockFormat().boolProperty(RULE) for block in blocks(document)] == [False, False, True, False]


def test_a_table_with_its_alignments(style):
    document = write(style, "| a | b | c |\n|:--|--:|:-:|\n| 1 | **2** | |\n")
    (table,) = document.rootFrame().childFrames()
    assert isinstance(table, QTextTable)
    assert (table.rows(), table.columns()) == (2, 3)
    texts = [[table.cellAt(r, c).firstCursorPosition().block().text() for c in range(3)] for r in range(2)]
    assert texts == [["a", "b", "c"], ["1", "2", ""]]
    side = table.cellAt(1, 1).firstCursorPosition().blockFormat().alignment()
    assert side.name == "AlignRight|AlignAbsolute"


def test_a_table_between_paragraphs(style):
    document = write(style, "before\n\n> | a |\n> |---|\n> | 1 |\n\nafter")
    assert document.toPlainText().startswith("before\n")
    assert document.toPlainText().endswith("\nafter")
    assert blocks(document)[-1].blockFormat().intProperty(QUOTE_LEVEL) == 0


def test_code_in_a_quote_keeps_its_lines(style):
    document = write(style, "> ```\n> a\n>\n>   b\n> ```\n")
    assert document.toPlainText() == "a\n\n  b"


def test_bare_addresses_become_links(style):
    document = write(style, "See https://en.wikipedia.org/wiki/A_(b), (http://x.org/y). Not http:// or ftp://z.org.")
    links = [run[5] for run in looks(document)[0][-1] if run[5]]
    assert links == ["https://en.wikipedia.org/wiki/A_(b)", "http://x.org/y"]


def test_rewinding_leaves_no_trace(style):
    document = write(style, "")
    writer = DocumentWriter(document, style, gap_before=True)
    marks = [writer.bookmark()]
    states = [looks(document)]
    for text in ("para", "- item", "> quote", "---", "# head", "1. one\n   - two"):
        writer.write(parser().parse(text))
        marks.append(writer.bookmark())
        states.append(looks(document))
    while marks:
        writer.write(parser().parse("more\n\n- of\n\n> this"))
        writer.rewind(marks.pop())
        assert looks(document) == states.pop()
