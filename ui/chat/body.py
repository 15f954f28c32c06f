"""The text of an answer: a column of segments made from markdown that may still be growing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, QUrl, Signal, Slot
from PySide6.QtWidgets import QWidget

from ui.chat.code_block import Code
from ui.chat.plain_text import PlainSegment
from ui.chat.prose import Prose
from ui.chat.scanner import Scanner, Segment, SegmentKind
from ui.chat.table import Table

if TYPE_CHECKING:
    from ui.chat.style import Style
    from ui.chat.text_browser import SafeTextBrowser

BUDGET_CHARS = 16_000
SegmentWidget = Prose | Code | Table | PlainSegment


class MarkdownBody(QWidget):
    """Shows a markdown text; closed segments are never touched again.

    Signals:
        link_activated: of any segment.
        resized: more of a long text has been shown.
    """

    link_activated = Signal(QUrl)
    resized = Signal()

    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self._style = style
        self._scanner = Scanner()
        self._widgets: list[SegmentWidget] = []
        self._heights: list[int] = []
        self._closed = 0
        self._arranged = 0
        self._width = 0
        self._more_timer = QTimer(self, singleShot=True, interval=0)
        self._more_timer.timeout.connect(self._on_more_timeout)

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
        self._arranged = min(self._closed, len(self._widgets))
        return y + self._height_to_come(y)

    @Slot()
    def _on_more_timeout(self) -> None:
        self._sync()
        self.resized.emit()

    def _height_to_come(self, height: int) -> int:
        """Guess the height of the segments that wait for their turn from that of those shown."""
        segments = self._scanner.segments
        waiting = sum(segment.size for segment in segments[len(self._widgets) :])
        shown = sum(segment.size for segment in segments[: len(self._widgets)])
        return round(height * waiting / shown) if waiting and shown else 0

    def _sync(self) -> None:
        """Bring the widgets up to date, of a long text no more at once than a frame or two allows."""
        segments = self._scanner.segments
        partial = self._scanner.visible_partial()
        self._arranged = min(self._arranged, self._closed)
        budget = BUDGET_CHARS
        for index in range(self._closed, len(segments)):
            segment = segments[index]
            if budget < 0:
                self._more_timer.start()
                return
            if segment.kind is not SegmentKind.CODE:
                budget -= segment.size
            if index < len(self._widgets) and self._widgets[index].segment is not segment:
                self._widgets[index].hide()
                self._widgets.pop(index).deleteLater()
            if index == len(self._widgets):
                self._add(segment)
            if segment.closed:
                self._widgets[index].close_segment()
                self._closed += 1
            else:
                self._widgets[index].grow(partial)

    @Slot()
    def _on_code_resized(self) -> None:
        self._arranged = 0
        self.resized.emit()

    def _add(self, segment: Segment) -> None:
        gap = bool(self._widgets)
        widget: SegmentWidget
        match segment.kind:
            case SegmentKind.CODE:
                widget = Code(segment, self._style, gap, self)
            case SegmentKind.TABLE:
                widget = Table(segment, self._style, gap, self)
            case SegmentKind.PLAIN:
                widget = PlainSegment(segment, self._style, gap, self)
            case _:
                widget = Prose(segment, self._style, gap, self)
        self._widgets.append(widget)
        if isinstance(widget, Code):
            widget.resized.connect(self._on_code_resized)
        self.browsers[-1].link_activated.connect(self.link_activated)
        widget.show()
