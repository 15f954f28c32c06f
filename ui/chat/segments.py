"""The parts of a message beside running text: code, tables, plain text and the thinking fold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPen, QTextOption
from PySide6.QtWidgets import QTextEdit, QWidget

from ui.chat.controls import CopyButton, FlatButton, PlainLabel
from ui.chat.document_writer import DocumentWriter
from ui.chat.highlight import LIMIT_CHARS, Highlighter, find_lexer
from ui.chat.markdown import parser, strip_bidi
from ui.chat.plain_text import PlainAppender
from ui.chat.style import LINE_HEIGHT_PERCENT
from ui.chat.text_browser import SafeTextBrowser

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from ui.chat.scanner import Segment
    from ui.chat.style import Style

GAP = 8
GAP_BELOW = 6
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


class Table(QWidget):
    """A table that keeps a readable column width and scrolls sideways when it is wider than the message."""

    def __init__(self, segment: Segment, style: Style, gap_before: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self.segment = segment
        self._style = style
        self._gap = GAP + 4 if gap_before else 0
        self._shown_chars = 0
        self._columns = 1
        self._natural = 0.0
        self.browser = SafeTextBrowser(self)
        self.browser.setAccessibleName(self.tr("Table"))
        self.browser.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)

    def grow(self, partial: str) -> None:
        """Show the complete rows."""
        grown_by = self.segment.size - self._shown_chars
        if not grown_by or (not self.segment.closed and grown_by < self._shown_chars // 8):
            return  # a long table is made anew only when it has grown by an eighth: linear in all
        self._shown_chars = self.segment.size
        document = self.browser.document()
        document.clear()
        tokens = parser().parse(self.segment.text)
        self._columns = max(1, sum(token.type == "th_open" for token in tokens))
        DocumentWriter(document, self._style, gap_before=False).write(tokens)
        self.browser.setLineWrapColumnOrWidth(100_000)
        self._natural = document.idealWidth()

    def close_segment(self) -> None:
        """Show all rows."""
        self.grow("")

    def arrange(self, width: int) -> int:
        """Wrap cells down to about nine ems a column, scroll sideways below that; return the height."""
        least = self._columns * 9 * self._style.em
        text_width = round(min(self._natural + 2, max(width, least)))
        overflows = text_width > width
        self.browser.setLineWrapColumnOrWidth(text_width)
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOn if overflows else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.browser.setHorizontalScrollBarPolicy(policy)
        bar = self.browser.horizontalScrollBar().sizeHint().height() if overflows else 0
        height = round(self.browser.document().size().height() + 0.49) + bar
        self.browser.setGeometry(0, self._gap, width, height)
        return self._gap + height + GAP_BELOW


class Plain(SafeTextBrowser):
    """Text shown as it is: the user's words, thinking, and lines too long to be prose."""

    def __init__(self, style: Style, parent: QWidget, muted: bool = False) -> None:
        super().__init__(parent)
        self.setFont(style.font)
        self.document().setDefaultFont(style.font)
        if muted:
            self.setTextColor(QColor(style.colours.muted))
            palette = self.palette()
            palette.setColor(palette.ColorRole.Text, QColor(style.colours.muted))
            self.setPalette(palette)
        self._appender = PlainAppender(self.document(), LINE_HEIGHT_PERCENT)

    def append_text(self, text: str) -> None:
        """Add to the end."""
        with self.still_selection():
            self._appender.append(text)

    def arrange(self, width: int) -> int:
        """Return the height the text takes in this width."""
        return self.fit(width)


class PlainSegment(Plain):
    """A line beyond all measure, not taken for markdown."""

    def __init__(self, segment: Segment, style: Style, gap_before: bool, parent: QWidget) -> None:
        super().__init__(style, parent)
        self.segment = segment
        self._shown_pieces = 0

    def grow(self, partial: str) -> None:
        """Append what the segment has got since the last call."""
        new = self.segment.pieces[self._shown_pieces :]
        self._shown_pieces += len(new)
        self.append_text("".join(new).removesuffix("\n"))

    def close_segment(self) -> None:
        """Show the rest."""
        self.grow("")


class Fold(QWidget):
    """A heading with an arrow that shows or hides what belongs to it.

    Signals:
        toggled: by the user; the height changes.
    """

    toggled = Signal(bool)

    def __init__(self, label: str, style: Style, is_open: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self._style = style
        self.is_open = is_open
        self.button = FlatButton(label, style, self)
        self.button.clicked.connect(self._on_clicked)
        self.content: QWidget | None = None
        self._show_arrow()

    def set_label(self, label: str) -> None:
        """Change the heading."""
        self.button.setText(label.replace("&", "&&"))
        self.button.setAccessibleName(label)

    @Slot()
    def _on_clicked(self) -> None:
        self.is_open = not self.is_open
        self._show_arrow()
        self.toggled.emit(self.is_open)

    def _show_arrow(self) -> None:
        self.button.setIcon(self._style.icon("chevron-down" if self.is_open else "chevron-right"))
