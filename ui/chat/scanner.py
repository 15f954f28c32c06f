"""Cuts a growing markdown text into segments, line by line and each line once.

Only complete lines are classified, so the segments depend on the text alone and not on the pieces it came in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum

LONG_LINE_CHARS = 8192
CUT_AT_PARAGRAPH_CHARS = 2048
CUT_AT_ITEM_CHARS = 3072
CUT_CHARS = 8192
MAX_HELD_CHARS = 400
MAX_COLUMNS = 64

_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})[ \t]*([^\n]*)\Z")
_MAYBE_FENCE = re.compile(r"[ \t]*(?:`{1,2}|~{1,2}|`{3,}[^`]*|~{3,}.*)\Z")
_TABLE_LINE = re.compile(r" {0,3}\|")
_DELIMITER = re.compile(r" {0,3}\|[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")
_LIST_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]")


class SegmentKind(Enum):
    """How a segment is shown."""

    PROSE = "prose"
    CODE = "code"
    TABLE = "table"
    PLAIN = "plain"


@dataclass(slots=True)
class Segment:
    """A run of lines shown by one widget.

    Attributes:
        info: the fence's language.
        indent: columns the fence was indented by, in a list for instance.
        tight: the segment goes on where the one before was cut, without a blank line.
        closed: nothing will be added any more.
    """

    kind: SegmentKind
    info: str = ""
    indent: int = 0
    tight: bool = False
    closed: bool = False
    pieces: list[str] = field(default_factory=list)
    size: int = 0

    @property
    def text(self) -> str:
        """The source of the segment so far."""
        return "".join(self.pieces)

    def add(self, text: str) -> None:
        """Append source text."""
        self.pieces.append(text)
        self.size += len(text)


class Scanner:
    """Takes text in pieces and keeps the list of segments.

    Attributes:
        segments: in order; only the last one may be open. While it is empty another may yet take its place.
    """

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self._partial = ""
        self._header: str | None = None
        self._fence = ""
        self._mid_line = False
        self._dedent = 0
        self._blank = False

    def feed(self, text: str) -> None:
        """Take the next piece of the text."""
        lines = text.split("\n")
        lines[0] = self._partial + lines[0]
        self._partial = lines.pop()
        for line in lines:
            self._take_line(line.removesuffix("\r"), "\n")
        if self._open(SegmentKind.TABLE) and self._partial.strip() and not _TABLE_LINE.match(self._partial):
            self._close()
        if self._mid_line or len(self._partial) > LONG_LINE_CHARS:
            line, self._partial = self._partial, ""
            self._take_line(line, "")
        if not self._fence and self.visible_partial().strip() and not self._open(SegmentKind.PROSE):
            self._start(SegmentKind.PROSE)  # provisionally, and empty as yet

    def finish(self) -> None:
        """Close the last segment: the text is complete."""
        line, self._partial = self._partial.removesuffix("\r"), ""
        if line:
            self._take_line(line, "\n")
        self._release_header()
        self._close()

    def visible_partial(self) -> str:
        """The part of the unfinished last line that may be shown already at the end of the last segment."""
        line = self._partial
        if self._fence:
            may_close = not line.strip(" \t" + self._fence[0])
            return "" if may_close else self._without_indent(line)
        if self._header is not None:
            held = not line.strip(" \t|:-") and len(line) < MAX_HELD_CHARS
            return "" if held else f"{self._header}\n{line}"
        if self._open(SegmentKind.TABLE) or (_TABLE_LINE.match(line) and len(line) < MAX_HELD_CHARS):
            return ""
        return "" if _MAYBE_FENCE.match(line) else line

    def _take_line(self, line: str, end: str) -> None:
        if self._mid_line:
            self.segments[-1].add(line + end)
            self._end_long_line(end)
        elif self._fence:
            self._take_code(line, end)
        else:
            self._take_prose_or_table(line, end)

    def _take_code(self, line: str, end: str) -> None:
        if end and len(line) <= LONG_LINE_CHARS and _closes(line, self._fence):
            self._dedent = self.segments[-1].indent
            self._fence = ""
            self._close()
            return
        self.segments[-1].add(self._without_indent(line) + end)
        self._mid_line = not end

    def _take_prose_or_table(self, line: str, end: str) -> None:
        if len(line) > LONG_LINE_CHARS or not end:
            self._release_header()
            self._start(SegmentKind.PLAIN).add(line + end)
            self._end_long_line(end)
            return
        if self._open(SegmentKind.TABLE):
            if _TABLE_LINE.match(line):
                self.segments[-1].add(line + end)
                return
            self._close()
        if self._header is not None and _is_delimiter(line, self._header):
            header, self._header = self._header, None
            self._start(SegmentKind.TABLE).add(f"{header}\n{line}\n")
            return
        self._release_header()
        fence = _FENCE.match(line)
        if fence and not (fence[2][0] == "`" and "`" in fence[3]):
            indent, self._fence, info = fence.groups()
            segment = self._start(SegmentKind.CODE)
            segment.indent = len(indent.expandtabs(4))
            segment.info = info.split(maxsplit=1)[0][:40] if info.strip() else ""
        elif _TABLE_LINE.match(line):
            self._header = line
        else:
            self._take_prose(line)

    def _take_prose(self, line: str) -> None:
        if self._dedent and line.strip():
            if len(line) - len(line.lstrip(" ")) >= self._dedent:
                line = line[self._dedent :]
            else:
                self._dedent = 0
        if not line.strip() and not self._open(SegmentKind.PROSE):
            return
        if self._open(SegmentKind.PROSE):
            segment = self.segments[-1]
            new_block = self._blank and not line[:1].isspace()
            if (
                (segment.size > CUT_AT_PARAGRAPH_CHARS and new_block and line)
                or (segment.size > CUT_AT_ITEM_CHARS and _LIST_ITEM.match(line))
                or segment.size + len(line) > CUT_CHARS
            ):
                self._start(SegmentKind.PROSE, tight=not self._blank)
        else:
            self._start(SegmentKind.PROSE)
        self.segments[-1].add(line + "\n")
        self._blank = not line.strip()

    def _release_header(self) -> None:
        if self._header is not None:
            header, self._header = self._header, None
            self._take_prose(header)

    def _end_long_line(self, end: str) -> None:
        self._mid_line = not end
        if end and not self._fence:
            self._close()

    def _open(self, kind: SegmentKind) -> bool:
        return bool(self.segments) and self.segments[-1].kind is kind and not self.segments[-1].closed

    def _start(self, kind: SegmentKind, tight: bool = False) -> Segment:
        if self._open(SegmentKind.PROSE) and not self.segments[-1].size:
            self.segments.pop()
        self._close()
        segment = Segment(kind, tight=tight)
        self.segments.append(segment)
        self._blank = False
        return segment

    def _close(self) -> None:
        if self.segments:
            self.segments[-1].closed = True

    def _without_indent(self, line: str) -> str:
        indent = self.segments[-1].indent
        return line[min(indent, len(line) - len(line.lstrip(" \t"))) :] if indent else line


def _closes(line: str, fence: str) -> bool:
    """Say whether a line closes a code block: the same sign, at least as often, and nothing else."""
    stripped = line.strip()
    return len(stripped) >= len(fence) and not stripped.strip(fence[0])


def _is_delimiter(line: str, header: str) -> bool:
    if not _DELIMITER.match(line):
        return False
    columns = _columns(line)
    return columns == _columns(header) and columns <= MAX_COLUMNS


def _columns(line: str) -> int:
    return len(re.split(r"(?<!\\)\|", line.strip().strip("|")))


def scan(text: str) -> list[Segment]:
    """Cut a complete text."""
    scanner = Scanner()
    scanner.feed(text)
    scanner.finish()
    return scanner.segments
