"""A fenced block of code with its language, Copy and its own sideways scrolling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPen, QTextOption
from PySide6.QtWidgets import QTextEdit, QWidget

from ui.chat.controls import CopyButton, PlainLabel
from ui.chat.geometry import GAP, GAP_BELOW
from ui.chat.highlight import LIMIT_CHARS, Highlighter, find_lexer
from ui.chat.markdown import strip_bidi
from ui.chat.plain_text import PlainAppender
from ui.chat.style import LINE_HEIGHT_PERCENT
from ui.chat.text_browser import SafeTextBrowser

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from ui.chat.scanner import Segment
    from ui.chat.style import Style

SLICE_LINES = 200
SLICE_CHARS = 16_000


class Code(QWidget):
    """A fenced block: a head with the language and Copy, and unwrapped lines that scroll sideways by themselves.

    Signals:
        resized: a long block has been shown completely.
    """

    resized = Signal()

    def __init__(self, segment: Segment, style: Style, gap_before: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self.segment = segment
        self._style = style
        self._gap = GAP + 4 if gap_before else 0
        self._indent = round(style.em * 1.6) if segment.indent else 0
        self._taken_chars = 0
        self._lines = 0
        self._waiting = ""
        self._slice_timer = QTimer(self, singleShot=True, interval=0)
        self._slice_timer.timeout.connect(self._on_slice_timeout)
        self._label = PlainLabel(strip_bidi(segment.info) or self.tr("text"), self, "muted")
        self._label.setFont(style.small_font)
        self._copy = CopyButton(lambda: segment.text.removesuffix("\n"), style, self, self.tr("Copy code"))
        self.browser = SafeTextBrowser(self)
        self.browser.setAccessibleName(self.tr("Code"))
        self.browser.setLineWrapMode(QTextEdit.LineWrapMode.NoWrap)
        self.browser.setWordWrapMode(QTextOption.WrapMode.NoWrap)
        self.browser.setFont(style.code_font)
        document = self.browser.document()
        document.setDefaultFont(style.code_font)
        option = document.defaultTextOption()
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        option.setTabStopDistance(4 * self.browser.fontMetrics().horizontalAdvance(" "))
        document.setDefaultTextOption(option)
        self._appender = PlainAppender(document, LINE_HEIGHT_PERCENT)

    def grow(self, partial: str) -> None:
        """Append what the segment has got since the last call; nothing shown is ever taken back."""
        visible = (self.segment.text + partial).removesuffix("\n")
        if len(visible) > self._taken_chars:
            self._waiting += strip_bidi(visible[self._taken_chars :])
            self._taken_chars = len(visible)
            self._lines = visible.count("\n") + 1
        if self._waiting and not self._slice_timer.isActive():
            self._show_slice()

    def close_segment(self) -> None:
        """Show the rest and colour the whole."""
        self.grow("")
        self._colour_when_complete()

    @Slot()
    def _on_slice_timeout(self) -> None:
        self._show_slice()
        self._colour_when_complete()
        if not self._waiting:
            self.resized.emit()

    def _show_slice(self) -> None:
        """Show no more at once than can be laid out within a frame or two."""
        end = -1
        for _ in range(SLICE_LINES):
            end = self._waiting.find("\n", end + 1, SLICE_CHARS)
            if end < 0:
                break
        end = end if end > 0 else SLICE_CHARS
        with self.browser.still_selection():
            self._appender.append(self._waiting[:end])
        self._waiting = self._waiting[end:]
        if self._waiting:
            self._slice_timer.start()

    def _colour_when_complete(self) -> None:
        if self._waiting or not self.segment.closed:
            return
        lexer = find_lexer(self.segment.info) if self.segment.size <= LIMIT_CHARS else None
        if lexer is not None:
            Highlighter(self.browser.document(), lexer, self._style.is_dark)

    def arrange(self, width: int) -> int:
        """Lay head and lines out; return the height."""
        padding = GAP + 4
        head = self._copy.sizeHint().height() + GAP // 2
        x = self._indent
        inner = max(40, width - x - 2 * padding)
        document = self.browser.document()
        lines = round(document.size().height() + 0.49)
        if self._waiting:
            lines = max(lines, round(lines / document.blockCount() * self._lines))
        overflows = document.idealWidth() > inner
        bar = self.browser.horizontalScrollBar().sizeHint().height() if overflows else 0
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOn if overflows else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.browser.setHorizontalScrollBarPolicy(policy)
        top = self._gap
        copy = self._copy.sizeHint()
        self._copy.setGeometry(width - copy.width() - 4, top + 2, copy.width(), copy.height())
        self._label.setGeometry(x + padding, top, max(0, width - x - padding - copy.width() - GAP), head + 2)
        self.browser.setGeometry(x + padding, top + head + GAP // 2, inner, lines + bar)
        return top + head + GAP // 2 + lines + bar + (GAP // 2 if bar else padding) + GAP_BELOW

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = self._style.colours
        painter.setBrush(QColor(colours.code_background))
        painter.setPen(QPen(QColor(colours.border), 1))
        box = QRectF(self.rect()).adjusted(self._indent + 0.5, self._gap + 0.5, -0.5, -0.5 - GAP_BELOW)
        painter.drawRoundedRect(box, 8, 8)
        painter.end()
