"""Colouring code in the background of its text."""

from __future__ import annotations

import time

import pytest
from PySide6.QtGui import QTextCursor, QTextDocument

from ui.chat.highlight import LIMIT_S, Highlighter, find_lexer


def document(text: str) -> QTextDocument:
    result = QTextDocument()
    QTextCursor(result).insertText(text)
    return result


def coloured(doc: QTextDocument, line: int) -> list[str]:
    block = doc.findBlockByNumber(line)
    spans = sorted(block.layout().formats(), key=lambda span: span.start)
    units = block.text().encode("utf-16-le")
    return [units[2 * span.start : 2 * (span.start + span.length)].decode("utf-16-le") for span in spans]


def test_known_and_unknown_languages():
    assert find_lexer("python").name == "Python"
    assert find_lexer("{.PY}").name == "Python"
    assert find_lexer("") is None
    assert find_lexer("klingon") is None
    assert find_lexer("../../etc/passwd") is None


def done(qtbot, doc: QTextDocument, language: str, dark: bool = False) -> None:
    highlighter = Highlighter(doc, find_lexer(language), dark)
    qtbot.waitUntil(lambda: highlighter.is_done)


def test_words_get_colours_and_the_text_stays(qtbot):
    text = 'def tpot(turn):\n    return 1  # 中文 😀\n\nname = "x"'
    doc = document(text)
    done(qtbot, doc, "python")
    assert coloured(doc, 0)[:2] == ["def", "tpot"]
    assert coloured(doc, 1) == ["return", "1", "# 中文 😀"]
    assert doc.toPlainText() == text


def test_spans_over_several_lines(qtbot):
    doc = document('x = """one\ntwo\nthree"""\ny = 1')
    done(qtbot, doc, "python", dark=True)
    assert coloured(doc, 1) == ["two"]
    assert "1" in coloured(doc, 3)


def test_long_code_is_coloured_in_slices(qtbot):
    doc = document("\n".join(f"x = {i}" for i in range(1000)))
    highlighter = Highlighter(doc, find_lexer("python"), dark=False)
    assert not highlighter.is_done
    assert coloured(doc, 999) == []
    qtbot.waitUntil(lambda: highlighter.is_done)
    assert coloured(doc, 0) == ["0"]
    assert coloured(doc, 999) == ["999"]


@pytest.mark.parametrize("language", ["python", "html", "json", "bash", "diff", "c++", "rust", "markdown"])
@pytest.mark.parametrize("text", ["", "\n\n", "{<\\\"'`", "\ufffd\u0301", "```\n"])
def test_broken_code_does_no_harm(qtbot, language, text):
    doc = document(text)
    done(qtbot, doc, language)
    assert doc.toPlainText() == text


def test_a_document_that_goes_away_stops_its_colouring(qtbot):
    doc = document("\n".join(f"x = {i}" for i in range(1000)))
    highlighter = Highlighter(doc, find_lexer("python"), dark=False)
    with qtbot.waitSignal(highlighter.destroyed):
        doc.deleteLater()


def test_a_lexer_that_takes_for_ever_is_given_up(qtbot):
    """Pygments' Java lexer looks for the bracket of a method from every word on."""
    doc = document("x\n" * 20_000)
    slices = []
    begin = time.perf_counter()
    highlighter = Highlighter(doc, find_lexer("java"), dark=False)
    slices.append(time.perf_counter() - begin)
    while not highlighter.is_done:
        begin = time.perf_counter()
        highlighter._take_slice()
        slices.append(time.perf_counter() - begin)
    assert sum(slices) < 3 * LIMIT_S
    assert sorted(slices)[len(slices) // 2] < 0.2
    assert doc.toPlainText() == "x\n" * 20_000
