"""Tables that fit, wrap or scroll."""

from __future__ import annotations

from tests.ui.chat.test_transcript import settle, view_of
from ui.chat.table import Table
from ui.chat.transcript import Item, Kind, State


def table_of(transcript, text: str) -> Table:
    transcript.set_items([Item("a", Kind.ASSISTANT, "M", text)])
    return view_of(transcript, "a").findChild(Table)


def rows(cells: str, columns: int, count: int = 3) -> str:
    return f"|{cells}" * columns + "|\n" + "|---" * columns + "|\n" + (f"|{cells}" * columns + "|\n") * count


def test_a_small_table_has_no_scroll_bar(transcript):
    browser = table_of(transcript, rows("a", 3)).browser
    assert browser.horizontalScrollBar().maximum() == 0
    assert browser.verticalScrollBar().maximum() == 0


def test_sentences_wrap_in_few_columns(qtbot, transcript):
    browser = table_of(transcript, rows("a sentence that is rather long for a cell", 3)).browser
    settle(qtbot, transcript)
    assert browser.horizontalScrollBar().maximum() == 0
    assert browser.document().idealWidth() <= browser.width()


def test_many_columns_scroll_from_the_beginning(qtbot, transcript):
    browser = table_of(transcript, rows("some words here", 20)).browser
    settle(qtbot, transcript)
    assert browser.horizontalScrollBar().maximum() > 0
    assert browser.horizontalScrollBar().value() == 0
    assert browser.verticalScrollBar().maximum() == 0


def test_many_narrow_columns_need_no_scroll_bar(qtbot, transcript):
    browser = table_of(transcript, rows("1", 12)).browser
    settle(qtbot, transcript)
    assert browser.horizontalScrollBar().maximum() == 0


def test_rows_come_in_and_the_place_is_kept(qtbot, transcript):
    transcript.append_item(Item("s", Kind.ASSISTANT, "M", state=State.STREAMING))
    transcript.append_text("s", "answer", rows("some words here", 20, 2))
    table = view_of(transcript, "s").findChild(Table)
    qtbot.waitUntil(lambda: table.browser.horizontalScrollBar().maximum() > 0)
    table.browser.horizontalScrollBar().setValue(100)
    for _ in range(10):
        transcript.append_text("s", "answer", "|some words here" * 20 + "|\n")
        transcript._on_flush_timeout()
    transcript.finish(Item("s", Kind.ASSISTANT, "M", transcript.items()[0].text))
    assert table.browser.toPlainText().count("some words here") == 20 * 13
    assert table.browser.horizontalScrollBar().value() == 100
