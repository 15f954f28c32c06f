"""The widgets of the four kinds of items: answers, the user's messages, summaries and notices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QRectF, Qt, Slot
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from ui.chat.body import MarkdownBody
from ui.chat.controls import FlatButton, Fold, PlainLabel
from ui.chat.geometry import GAP, INSET
from ui.chat.item import Channel, Item, Kind, State
from ui.chat.item_view import ItemView, ViewState
from ui.chat.plain_text import Plain, PlainAppender

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from ui.chat.style import Style

FOLDED_LINES = 40
FOLD_ABOVE_LINES = 200
FOLD_ABOVE_CHARS = 16_000
FOLDED_CHARS = 4_000
EXPANDED_LINES = 28


def create_view(item: Item, name: str, style: Style, state: ViewState, parent: QWidget) -> ItemView:
    """Return the widget for an item; `name` is what a screen reader says."""
    kinds = {Kind.USER: UserView, Kind.ASSISTANT: AnswerView, Kind.SUMMARY: SummaryView, Kind.NOTICE: NoticeView}
    view = kinds[item.kind](item, style, state, parent)
    view.setAccessibleName(name)
    for stop in view.stops():
        if not stop.accessibleName():
            stop.setAccessibleName(name)
    return view


class AnswerView(ItemView):
    """Author, thinking, text, error, figures."""

    def __init__(self, item: Item, style: Style, state: ViewState, parent: QWidget) -> None:
        super().__init__(item, style, state, parent)
        self._author = PlainLabel(item.author, self)
        self._author.setFont(style.author_font)
        self._author.setVisible(bool(item.author))
        self._fold: Fold | None = None
        self._thinking = ""
        self._thinking_text: Plain | None = None
        self._has_answer = False
        self._body = MarkdownBody(style, self)
        self._body.link_activated.connect(self.link_activated)
        self._body.resized.connect(self._on_body_resized)
        if item.thinking:
            self.append("thinking", item.thinking)
        if item.text:
            self.append("answer", item.text)
        if item.state is not State.STREAMING:
            self.finish()
        self.show_foot(item)

    def append(self, channel: Channel, text: str) -> None:
        if channel == "answer":
            self._body.append(text)
            if not self._has_answer and self._fold is not None:
                self._fold.set_label(self.tr("Thinking"))
            self._has_answer = True
            return
        self._thinking += text
        if self._fold is None:
            self._fold = Fold(self.tr("Thinking..."), self._style, self.state.is_open, self)
            self._fold.toggled.connect(self._on_toggled)
            self._fold.show()
            self._show_thinking()
        elif self._thinking_text is not None:
            self._thinking_text.append_text(text)

    def finish(self) -> None:
        self._body.finish()
        if self._fold is not None:
            self._fold.set_label(self.tr("Thinking"))

    def can_copy(self) -> bool:
        return bool(self.item.text) and self.item.state is not State.STREAMING

    def stops(self) -> list[QWidget]:
        fold: list[QWidget] = [self._fold.button] if self._fold is not None else []
        if self._thinking_text is not None:
            fold.append(self._thinking_text)
        return [*fold, *self._body.browsers, *self.foot_stops()]

    def arrange(self, width: int) -> int:
        inner = width - 2 * INSET
        y = GAP
        if self.item.author:
            height = self._author.sizeHint().height()
            self._author.setGeometry(INSET, y, inner, height)
            y += height + GAP // 2
        if self._fold is not None:
            size = self._fold.button.sizeHint()
            self._fold.button.setGeometry(0, 0, size.width(), size.height())
            height = size.height()
            if self._thinking_text is not None:
                text_height = self._thinking_text.arrange(inner - 2 * GAP)
                self._thinking_text.setGeometry(2 * GAP, height + GAP // 2, inner - 2 * GAP, text_height)
                height += GAP + text_height
            self._fold.setGeometry(INSET - 4, y, inner + 4, height)
            y += height + GAP // 2
        height = self._body.arrange(inner)
        self._body.setGeometry(INSET, y, inner, height)
        y += height
        if self._error is not None:
            y += GAP if height else 0
            height = self._error.arrange(inner)
            self._error.setGeometry(INSET, y, inner, height)
            y += height
        if self._foot is not None:
            height = self._foot.arrange(inner)
            y += GAP if height else 0
            self._foot.setGeometry(INSET, y, inner, height)
            y += height
        return y + GAP

    @Slot(bool)
    def _on_toggled(self, is_open: bool) -> None:
        self.state.is_open = is_open
        self._show_thinking()
        self.resized.emit(True)

    def _show_thinking(self) -> None:
        if self._thinking_text is not None:
            self._thinking_text.hide()
            self._thinking_text.deleteLater()
            self._thinking_text = None
        if self._fold is not None and self.state.is_open:
            self._thinking_text = Plain(self._style, self._fold, muted=True)
            self._thinking_text.setAccessibleName(self.tr("Thinking"))
            self._thinking_text.append_text(self._thinking)
            self._thinking_text.show()


class UserView(ItemView):
    """The user's words as they are, in a bubble at the right; very long ones are folded."""

    def __init__(self, item: Item, style: Style, state: ViewState, parent: QWidget) -> None:
        super().__init__(item, style, state, parent)
        self._bubble = QRectF()
        self._folded_text = folded(item.text)
        self._text = Plain(style, self)
        self._text.append_text(item.text if self._folded_text is None else self._folded_text + "\n...")
        self._whole: QPlainTextEdit | None = None
        self._more: FlatButton | None = None
        if self._folded_text is not None:
            self._more = FlatButton("", style, self)
            self._more.clicked.connect(self._on_more_clicked)
            self._show_extent()
        self.show_foot(item)

    def stops(self) -> list[QWidget]:
        text = self._whole if self._whole is not None else self._text
        more = [self._more] if self._more is not None else []
        return [text, *more, *self.foot_stops()]

    def arrange(self, width: int) -> int:
        y = GAP
        most = round((width - 2 * INSET) * 0.85) - 2 * INSET
        if self._whole is not None:
            inner = most
            height = self._whole.fontMetrics().lineSpacing() * EXPANDED_LINES
            shown: QWidget = self._whole
        else:
            self._text.fit(most)
            inner = min(most, self._text.text_width())
            height = self._text.fit(inner)
            shown = self._text
        more = self._more.sizeHint() if self._more is not None else None
        if more is not None:
            inner = max(inner, min(most, more.width()))
        left = width - INSET - 2 * INSET - inner
        shown.setGeometry(left + INSET, y + GAP + 2, inner, height)
        bottom = y + 2 * GAP + 4 + height
        if self._more is not None and more is not None:
            self._more.setGeometry(left + INSET - 6, bottom - GAP, more.width(), more.height())
            bottom += more.height()
        self._bubble = QRectF(left, y, inner + 2 * INSET, bottom - y)
        y = self._arrange_foot(left, bottom, width)
        if self._error is not None:
            height = self._error.arrange(width - 2 * INSET)
            self._error.setGeometry(INSET, y + GAP, width - 2 * INSET, height)
            y += GAP + height
        return y + GAP

    def _arrange_foot(self, left: int, bottom: int, width: int) -> int:
        """Put the buttons beside the bubble, or below it when there is no room; return the bottom."""
        if self._foot is None:
            return bottom
        wanted = self._foot.natural_width()
        beside = wanted + GAP + INSET <= left
        room = wanted if beside else min(wanted, width - 2 * INSET)
        height = self._foot.arrange(room)
        if beside:
            self._foot.setGeometry(left - GAP - wanted, bottom - height - GAP // 2, wanted, height)
            return bottom
        self._foot.setGeometry(width - INSET - room, bottom + GAP // 2, room, height)
        return bottom + GAP // 2 + height

    def update_marks(self) -> None:
        for button in self._foot.buttons if self._foot is not None else []:
            button.setVisible(self.is_marked())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._style.colours.user_bubble))
        painter.drawRoundedRect(self._bubble, 12, 12)
        painter.end()
        super().paintEvent(event)

    @Slot()
    def _on_more_clicked(self) -> None:
        self.state.is_expanded = not self.state.is_expanded
        self._show_extent()
        self.resized.emit(True)

    def _show_extent(self) -> None:
        """Show the beginning, or all of it in a view that lays out only the lines in sight."""
        assert self._more is not None
        if self.state.is_expanded:
            self._more.setText(self.tr("Show less"))
            self._whole = QPlainTextEdit(self)
            self._whole.setReadOnly(True)
            self._whole.setAccessibleName(self.tr("Whole message"))
            PlainAppender(self._whole.document(), 100).append(self.item.text)
            self._whole.show()
        else:
            lines = self.item.text.count("\n") + 1
            all_lines = self.tr("Show all {} lines").format(QLocale().toString(lines))
            self._more.setText(all_lines if lines > 1 else self.tr("Show all"))
            if self._whole is not None:
                self._whole.hide()
                self._whole.deleteLater()
                self._whole = None
        self._more.setAccessibleName(self._more.text())
        self._text.setVisible(self._whole is None)


def folded(text: str) -> str | None:
    """Return the beginning of a text that is too long to be shown at once; None when it is not."""
    if len(text) <= FOLD_ABOVE_CHARS and text.count("\n") < FOLD_ABOVE_LINES:
        return None
    return "\n".join(text[:FOLDED_CHARS].split("\n")[:FOLDED_LINES])


class SummaryView(ItemView):
    """A divider with the summary folded below it."""

    def __init__(self, item: Item, style: Style, state: ViewState, parent: QWidget) -> None:
        super().__init__(item, style, state, parent)
        label = item.author or self.tr("Summary of the messages above")
        self._fold = Fold(label, style, state.is_open, self)
        self._fold.toggled.connect(self._on_toggled)
        self._body: MarkdownBody | None = None
        self._show_body()
        self.show_foot(item)

    def can_copy(self) -> bool:
        return self.state.is_open

    def stops(self) -> list[QWidget]:
        texts = self._body.browsers if self._body is not None else []
        return [self._fold.button, *texts, *self.foot_stops()]

    def arrange(self, width: int) -> int:
        inner = width - 2 * INSET
        size = self._fold.button.sizeHint()
        self._fold.button.setGeometry(0, 0, size.width(), size.height())
        self._fold.setGeometry((width - size.width()) // 2, GAP, size.width(), size.height())
        y = GAP + size.height()
        if self._body is not None:
            height = self._body.arrange(inner)
            self._body.setGeometry(INSET, y + GAP, inner, height)
            y += GAP + height
        for part in (self._error, self._foot):
            if part is not None:
                room = min(inner, part.natural_width()) if part is self._foot else inner
                height = part.arrange(room)
                part.setGeometry((width - room) // 2, y + GAP // 2, room, height)
                y += height + GAP // 2 if height else 0
        return y + GAP

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        colour = QColor(self._style.colours.border)
        box = self._fold.geometry()
        y = box.center().y()
        painter.fillRect(INSET, y, max(0, box.left() - GAP - INSET), 1, colour)
        painter.fillRect(box.right() + GAP, y, max(0, self.width() - INSET - box.right() - GAP), 1, colour)
        painter.end()
        super().paintEvent(event)

    @Slot(bool)
    def _on_toggled(self, is_open: bool) -> None:
        self.state.is_open = is_open
        self._show_body()
        self.show_foot(self.item)
        self.resized.emit(True)

    def _show_body(self) -> None:
        if self._body is not None:
            self._body.hide()
            self._body.deleteLater()
            self._body = None
        if self.state.is_open:
            self._body = MarkdownBody(self._style, self)
            self._body.link_activated.connect(self.link_activated)
            self._body.resized.connect(self._on_body_resized)
            self._body.append(self.item.text)
            self._body.finish()
            self._body.show()


class NoticeView(ItemView):
    """A small centred remark of the window's own."""

    def __init__(self, item: Item, style: Style, state: ViewState, parent: QWidget) -> None:
        super().__init__(item, style, state, parent)
        self._label = PlainLabel(item.text, self, "muted")
        self._label.setWordWrap(True)
        self._label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._label.setFont(style.small_font)
        self.show_foot(item)

    def can_copy(self) -> bool:
        return False

    def stops(self) -> list[QWidget]:
        return self.foot_stops()

    def arrange(self, width: int) -> int:
        inner = width - 4 * INSET
        height = self._label.heightForWidth(inner)
        self._label.setGeometry(2 * INSET, GAP, inner, height)
        y = GAP + height
        for part in (self._error, self._foot):
            if part is not None:
                height = part.arrange(inner)
                part.setGeometry(2 * INSET, y + GAP // 2, inner, height)
                y += height + GAP // 2 if height else 0
        return y + GAP
