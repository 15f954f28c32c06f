"""Markdown shown while it grows: what is finished stays, and the end is the same as at once."""

from __future__ import annotations

import random

import pytest
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget

from tests.ui.chat.documents import segment_looks
from tests.ui.chat.samples import ANSWER, TRICKY
from ui.chat.body import MarkdownBody
from ui.chat.markdown import parser
from ui.chat.style import Style


@pytest.fixture
def make_body(qtbot, theme):
    host = QWidget()
    qtbot.addWidget(host)
    style = Style(theme)

    def make(*pieces: str, finish: bool = True) -> MarkdownBody:
        body = MarkdownBody(style, host)
        for piece in pieces:
            body.append(piece)
            body.arrange(500)
        if finish:
            body.finish()
            body.arrange(500)
        return body

    return make


def cut(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


@pytest.mark.parametrize("text", [ANSWER, *TRICKY])
def test_streamed_and_shown_at_once_are_the_same(make_body, text):
    whole = make_body(text)
    for size in (1, 5, 40):
        streamed = make_body(*cut(text, size))
        assert segment_looks(streamed) == segment_looks(whole)
        assert streamed.arrange(500) == whole.arrange(500)


def test_random_texts_in_random_pieces(make_body):
    chance = random.Random(11)
    parts = [
        *("\n", "\n\n", "# ", "- ", "1. ", "   ", "> ", "**", "*", "`", "```\n", "| a | b |\n", "|---|---|\n"),
        *("word ", "x", "中文", "😀", "مرحبا", "---\n", "===\n", "[a](https://b.c)", "\\", "~~", "1) ", "\t"),
    ]
    for _ in range(150):
        text = "".join(chance.choices(parts, k=chance.randint(1, 50)))
        pieces, rest = [], text
        while rest:
            size = chance.randint(1, 6)
            pieces.append(rest[:size])
            rest = rest[size:]
        streamed, whole = make_body(*pieces), make_body(text)
        assert segment_looks(streamed) == segment_looks(whole), repr(text)
        streamed.deleteLater()
        whole.deleteLater()


def test_at_every_step_it_looks_as_if_shown_at_once(make_body):
    chance = random.Random(12)
    words = ["word", " ", "word ", "x", ", and ", ".", ":", "!", "-", " - ", "1", "中文", "，", "é"]
    marks = ["\n", "\n\n", "- ", "1. ", "> ", "# ", "**", "*", "_", "`", "~~", "\\", "[x]", "[", "](", ")", "http://"]
    marks += ["&amp", ";", "\n| a | b |\n|---|---|\n", "\na | b\n--|--\n", "\n```\n", "    ", "\t", "---", "==="]
    for _ in range(25):
        streamed, text = make_body(finish=False), ""
        for _ in range(chance.randint(5, 40)):
            piece = "".join(chance.choices(words if chance.random() < 0.7 else marks, k=chance.randint(1, 3)))
            text += piece
            streamed.append(piece)
            streamed.arrange(500)
            whole = make_body(text, finish=False)
            assert segment_looks(streamed) == segment_looks(whole), repr(text)
            whole.deleteLater()
        streamed.deleteLater()


def test_plain_words_are_parsed_once_a_line(make_body, monkeypatch):
    parsed = []
    monkeypatch.setattr("ui.chat.prose.parser", lambda: parsed.append(True) or parser())
    body = make_body("First, ", finish=False)
    for word in ("there", " were ", "plain", " words.", " 中文，", "more"):
        body.append(word)
    assert len(parsed) == 1
    assert body.browsers[0].toPlainText() == "First, there were plain words. 中文，more"
    body.append(" **bold**")
    assert len(parsed) == 2


def test_emoji_cut_between_their_parts(make_body):
    family = "👩‍👩‍👧 🇩🇪 e\u0301 ok"
    assert make_body(*family).browsers[0].toPlainText() == family


def test_a_finished_block_is_not_touched_by_the_next(make_body):
    body = make_body("First paragraph.\n\nSecond\n", finish=False)
    document = body.browsers[0].document()
    changes = []
    document.contentsChange.connect(lambda position, removed, added: changes.append(position))
    body.append(" goes on\n\n- and a list")
    body.append(" grows")
    assert changes
    assert min(changes) >= len("First paragraph.")


def test_a_selection_in_a_finished_block_is_kept(make_body):
    body = make_body("First paragraph.\n\nSecond\n", finish=False)
    browser = body.browsers[0]
    cursor = browser.textCursor()
    cursor.setPosition(6)
    cursor.setPosition(15, QTextCursor.MoveMode.KeepAnchor)
    browser.setTextCursor(cursor)
    for piece in cut(" goes on\n\n- one\n- two\n\n```\ncode\n```\n\nThe end", 3):
        body.append(piece)
    body.finish()
    assert browser.textCursor().selectedText() == "paragraph"


def test_a_selection_to_the_end_does_not_grow(make_body):
    body = make_body("```\none", finish=False)
    browser = body.browsers[0]
    browser.selectAll()
    body.append("\ntwo")
    assert browser.textCursor().selectedText() == "one"


def test_a_closed_segment_is_not_touched(make_body):
    body = make_body("Text.\n\n```py\nx = 1\n```\n", finish=False)
    changes = []
    for browser in body.browsers:
        browser.document().contentsChange.connect(lambda *change: changes.append(change))
    body.append("\nMore.\n\n```py\ny = 2\n```\n")
    body.finish()
    assert changes == []
    assert len(body.browsers) == 4


def test_code_streams_without_its_fence(make_body):
    body = make_body("```python\nprint(1)\n``", finish=False)
    assert body.browsers[0].toPlainText() == "print(1)"
    body.append("`\n")
    body.finish()
    assert [browser.toPlainText() for browser in body.browsers] == ["print(1)"]


def test_nothing_arrives_selected_or_scrolled(make_body):
    body = make_body(*cut("Some *prose*.\n\n```\n" + "x" * 500 + "\n```\n\n| a | b |\n|-|-|\n| 1 | 2 |\n", 4))
    for browser in body.browsers:
        assert (browser.textCursor().anchor(), browser.textCursor().position()) == (0, 0)
        assert browser.horizontalScrollBar().value() == 0


def test_a_long_text_comes_in_slices_and_becomes_complete(qtbot, make_body):
    text = "\n\n".join(f"paragraph {i} " + "word " * 60 for i in range(200))
    body = make_body(text)
    first = len(body.browsers)
    estimate = body.arrange(500)
    with qtbot.waitSignal(body.resized, check_params_cb=lambda: "paragraph 199 " in body.browsers[-1].toPlainText()):
        pass
    assert len(body.browsers) > first
    assert "".join(b.toPlainText() + "\n" for b in body.browsers).count("paragraph") == 200
    assert body.arrange(500) == pytest.approx(estimate, rel=0.2)


def test_a_long_code_block_comes_in_slices_and_becomes_complete(qtbot, make_body):
    code = "\n".join(f"line_{i} = {i}" for i in range(3000))
    body = make_body(f"```python\n{code}\n```\n")
    assert body.browsers[0].document().blockCount() < 1000
    estimate = body.arrange(500)
    with qtbot.waitSignal(body.resized):
        pass
    assert body.browsers[0].toPlainText() == code
    assert body.arrange(500) == pytest.approx(estimate, rel=0.02)
