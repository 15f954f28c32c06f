"""Cutting a growing text into segments."""

from __future__ import annotations

import random
import time

import pytest

from tests.ui.chat.samples import ANSWER, TRICKY
from ui.chat.scanner import CUT_CHARS, LONG_LINE_CHARS, Scanner, SegmentKind, scan

PROSE, CODE, TABLE, PLAIN = SegmentKind.PROSE, SegmentKind.CODE, SegmentKind.TABLE, SegmentKind.PLAIN


def kinds(text: str) -> list[SegmentKind]:
    return [segment.kind for segment in scan(text)]


def facts(text: str):
    return [(s.kind, s.info, s.indent, s.tight, s.closed, s.text) for s in scan(text)]


def test_an_answer_is_prose_code_and_tables():
    segments = scan(ANSWER)
    assert [s.kind for s in segments] == [PROSE, CODE, TABLE, PROSE, CODE, PROSE]
    assert segments[1].info == "python"
    assert segments[1].text == "def tpot(turn):\n    return 1 / turn.rate  # seconds\n"
    assert segments[2].text.count("\n") == 4
    assert all(segment.closed for segment in segments)


def test_nothing_gets_lost():
    text = "".join(segment.text for segment in scan(ANSWER))
    for line in ANSWER.splitlines():
        if line.strip() and not line.strip().startswith("```"):
            assert line.strip() in text


def test_a_fence_in_a_list_loses_its_indent_and_so_does_what_follows_in_the_item():
    segments = scan("1. a\n   ```sh\n   run\n     more\n   ```\n   after\n2. b\n   same item\n")
    assert segments[1].text == "run\n  more\n"
    assert segments[1].indent == 3
    assert segments[2].text == "after\n2. b\n   same item\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("````\n```\n````\n", "```\n"),
        ("~~~\n```\n~~~\n", "```\n"),
        ("```\nno end", "no end\n"),
        ("```\n``` x\n```\n", "``` x\n"),
        ("```\n\n\n```", "\n\n"),
    ],
)
def test_what_closes_a_fence(text, expected):
    (segment,) = scan(text)
    assert (segment.kind, segment.text) == (CODE, expected)


def test_what_looks_like_a_fence_or_a_table_and_is_none():
    assert kinds("``` a`b\nx") == [PROSE]
    assert kinds("``x``") == [PROSE]
    assert kinds("|x| is positive\nso there") == [PROSE]
    assert kinds("| a | b |\n|---|\n") == [PROSE]
    assert kinds("| a \\| b |\n|---|\n| c |") == [TABLE]


def test_a_table_of_very_many_columns_is_left_as_text():
    assert kinds("|" + "a|" * 400 + "\n|" + "-|" * 400 + "\n") == [PROSE]


def test_an_endless_line_is_shown_plainly():
    line = "x" * (LONG_LINE_CHARS + 1)
    segments = scan(f"before\n{line}\nafter")
    assert [s.kind for s in segments] == [PROSE, PLAIN, PROSE]
    assert segments[1].text == line + "\n"


def test_long_prose_is_cut_where_it_shows_least():
    paragraphs = "\n\n".join(f"paragraph {i} " + "word " * 40 for i in range(100))
    segments = scan(paragraphs)
    assert len(segments) > 5
    assert all(s.kind is PROSE and not s.tight and s.text.startswith("paragraph") for s in segments)
    items = scan("\n".join(f"{i}. item {i} " + "word " * 10 for i in range(1000)))
    assert all(s.tight and s.text[0].isdigit() for s in items[1:])
    lines = scan("\n".join("word " * 10 for _ in range(1000)))
    assert max(s.size for s in (*segments, *items, *lines)) <= CUT_CHARS + 200


@pytest.mark.parametrize("text", [ANSWER, *TRICKY])
def test_the_pieces_do_not_matter(text):
    whole = facts(text)
    for size in (1, 2, 3, 7):
        scanner = Scanner()
        for start in range(0, len(text), size):
            scanner.feed(text[start : start + size])
        scanner.finish()
        assert [(s.kind, s.info, s.indent, s.tight, s.closed, s.text) for s in scanner.segments] == whole


def test_random_texts_in_random_pieces():
    chance = random.Random(7)
    parts = [
        "```",
        "~~~",
        "\n",
        "\n\n",
        "   ",
        "| a | b |",
        "|---|---|",
        "- ",
        "1. ",
        "> ",
        "x",
        "word ",
        "`",
        "|",
        "#",
    ]
    for _ in range(400):
        text = "".join(chance.choices(parts, k=chance.randint(1, 60)))
        whole = facts(text)
        scanner = Scanner()
        rest = text
        while rest:
            size = chance.randint(1, 5)
            scanner.feed(rest[:size])
            rest = rest[size:]
        scanner.finish()
        assert [(s.kind, s.info, s.indent, s.tight, s.closed, s.text) for s in scanner.segments] == whole, repr(text)


def test_what_has_been_shown_of_code_is_never_taken_back():
    text = "```py\n" + "a = '```'\n``\n`x`\n  ``  `\n" * 3 + "```\n"
    scanner = Scanner()
    shown = ""
    for character in text:
        scanner.feed(character)
        if scanner.segments:
            now = scanner.segments[-1].text + scanner.visible_partial()
            assert now.startswith(shown)
            shown = now


def test_a_beginning_fence_or_table_is_held_back():
    scanner = Scanner()
    scanner.feed("text\n``")
    assert scanner.visible_partial() == ""
    scanner.feed("x")
    assert scanner.visible_partial() == "``x"
    scanner.feed("\n| a | b |\n|--")
    assert scanner.visible_partial() == ""
    scanner.feed("nothing of the kind")
    assert scanner.visible_partial() == "| a | b |\n|--nothing of the kind"


def test_the_time_grows_with_the_length_only():
    def seconds(lines: int) -> float:
        text = ("word " * 12 + "\n") * lines
        begin = time.process_time()  # what else the machine does is not counted
        scanner = Scanner()
        for start in range(0, len(text), 30):
            scanner.feed(text[start : start + 30])
        scanner.finish()
        return time.process_time() - begin

    # Linear is 8 times. The best of three: a collection of garbage may fall into any of them.
    assert min(seconds(8000) for _ in range(3)) < 16 * min(seconds(1000) for _ in range(3))
