"""The text of an answer: a column of segments made from markdown that may still be growing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl, Signal
from PySide6.QtWidgets import QWidget

from ui.chat.prose import Prose
from ui.chat.scanner import Scanner, Segment, SegmentKind
from ui.chat.segments import Code, PlainSegment, Table

if TYPE_CHECKING:
    from ui.chat.document_writer import Style
    from ui.chat.text_browser import SafeTextBrowser
    from ui.theme import Theme

SegmentWidget = Prose | Code | Table | PlainSegment


class MarkdownBody(QWidget):
    """Shows a markdown text; closed segments are never touched again.

    Signals:
        link_activated: of any segment.
    """

    link_activated = Signal(QUrl)

    def __init__(self, style: Style, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._style = style
        self._theme = theme
        self._scanner = Scanner()
        self._widgets: list[SegmentWidget] = []
        self._heights: list[int] = []
        self._closed = 0
        self._arranged = 0
        self._width = 0

    @property
    def browsers(self) -> list[SafeTextBrowser]:
        """The text widgets in order."""
        return [w.browser if isinstance(w, (Code, Table)) else w for w in self._widgets]

    def append(self, text: str) -> None:
        """Take more text."""
        self._scanner.feed(text)
        self._sync()

    def finish(self) -> None:
        """The text is complete."""
        self._scanner.finish()
        self._sync()

    def arrange(self, width: int) -> int:
        """Place the segments below each other; return the height. Closed segments are measured once per width."""
        first = self._arranged if width == self._width else 0
        self._width = width
        del self._heights[first:]
        y = sum(self._heights)
        for widget in self._widgets[first:]:
            height = widget.arrange(width)
            widget.setGeometry(0, y, width, height)
            self._heights.append(height)
            y += height
        self._arranged = self._closed
        return y

    def _sync(self) -> None:
        segments = self._scanner.segments
        partial = self._scanner.visible_partial()
        self._arranged = min(self._arranged, self._closed)
        for index in range(self._closed, len(segments)):
            segment = segments[index]
            if index == len(self._widgets):
                self._add(segment)
            if segment.closed:
                self._widgets[index].close_segment()
                self._closed += 1
            else:
                self._widgets[index].grow(partial)

    def _add(self, segment: Segment) -> None:
        gap = bool(self._widgets)
        widget: SegmentWidget
        match segment.kind:
            case SegmentKind.CODE:
                widget = Code(segment, self._style, self._theme, gap, self)
            case SegmentKind.TABLE:
                widget = Table(segment, self._style, gap, self)
            case SegmentKind.PLAIN:
                widget = PlainSegment(segment, self._style, gap, self)
            case _:
                widget = Prose(segment, self._style, gap, self)
        self._widgets.append(widget)
        self.browsers[-1].link_activated.connect(self.link_activated)
        widget.show()
