"""The model's markdown, parsed with nothing in it that could reach a file or the network."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

SAFE_SCHEMES = ("https", "http", "mailto")
_SAFE_LINK = re.compile(r"(?:https?://|mailto:)[^\s]+\Z", re.IGNORECASE)
_BARE_LINK = re.compile(r"https?://[^\s<>\"'`|\\^{}\u3000-\u303f\uff00-\uffef]+", re.IGNORECASE)
_BIDI_CONTROLS = dict.fromkeys([0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)])
_PLAIN = re.compile(r"(?:[^\W_]|[ ,.:'\"?!-]|[，。、：；！？（）「」『』《》“”‘’…—–])+\Z")
# Qt uses these code points inside its documents for frames, objects and paragraph ends.
_DOCUMENT_MARKS = dict.fromkeys([0x0000, 0x2029, 0xFDD0, 0xFDD1, 0xFFFC], "\N{REPLACEMENT CHARACTER}")


def is_safe_link(url: str) -> bool:
    """Say whether a link may be offered for opening at all."""
    return _SAFE_LINK.match(url) is not None


def strip_bidi(text: str) -> str:
    """Remove the controls that make code or a link read differently from what it is."""
    return text.translate(_BIDI_CONTROLS)


def clean(text: str) -> str:
    """Replace the characters that have a meaning of their own inside a QTextDocument."""
    return text.translate(_DOCUMENT_MARKS)


def find_links(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of the bare web addresses in plain text."""
    spans = []
    for match in _BARE_LINK.finditer(text):
        url = match.group().rstrip(".,;:!?*_~")
        while url.endswith(")") and url.count(")") > url.count("("):
            url = url[:-1].rstrip(".,;:!?*_~")
        if len(url) > len("https://"):
            spans.append((match.start(), match.start() + len(url)))
    return spans


@cache
def parser() -> MarkdownIt:
    """Return the one parser: CommonMark with tables and strike-through, raw HTML as text, safe links only.

    Link definitions ("[1]: https://...") stay text: one that comes late would change what has been shown long ago.
    """
    from markdown_it import MarkdownIt  # not above: it would come before the window's first frame

    markdown = MarkdownIt("commonmark", {"html": False, "maxNesting": 20})
    markdown.enable(["table", "strikethrough"]).disable("reference")
    markdown.validateLink = is_safe_link  # type: ignore[method-assign]
    return markdown


def ends_plain(tokens: Sequence[Token]) -> bool:
    """Say whether a parsed text ends in plain words of a paragraph, which more plain words only lengthen."""
    last = len(tokens) - 1
    while last > 0 and tokens[last].nesting < 0:
        last -= 1
    if last < 0 or tokens[last].type != "inline" or tokens[last + 1].type != "paragraph_close":
        return False
    inline = tokens[last]
    if not inline.children or inline.content.startswith("["):  # "[x]" and a space begin a task
        return False
    end = inline.children[-1]
    return end.type == "text" and bool(end.content.strip()) and "://" not in end.content


def continues_plainly(former: str, text: str) -> bool:
    """Say whether a text that ended plainly goes on with nothing that markdown could read as anything but words.

    Signs of emphasis at its end depend on what comes behind them, a backslash makes the next sign a plain one, in the
    first signs of a line is what kind of block it belongs to, and of space at its end only blanks are known to return.
    """
    line = former[former.rfind("\n") + 1 :]
    return (
        former[-1:] not in ("*", "_", "~", "\\")
        and former.rstrip() == former.rstrip(" ")
        and any(map(str.isalpha, line))
        and _PLAIN.match(text, len(former)) is not None
    )
