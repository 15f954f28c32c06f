"""The widget of an answer, and the choice of the widget for any item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot

from ui.chat.body import MarkdownBody
from ui.chat.controls import Fold, PlainLabel
from ui.chat.divider_view import EdgeView, NoticeView, SummaryView
from ui.chat.geometry import GAP, INSET
from ui.chat.item import Channel, Item, Kind, State
from ui.chat.item_view import ItemView
from ui.chat.plain_text import Plain
from ui.chat.user_view import UserView

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from ui.chat.item import ViewState
    from ui.chat.style import Style


def create_view(item: Item, name: str, style: Style, state: ViewState, parent: QWidget) -> ItemView:
    """Return the widget for an item; `name` is what a screen reader says."""
    if state.draft is not None:
        from ui.chat.edit_view import EditView  # few messages are edited

        edited = EditView(item, style, state, parent)
        edited.setAccessibleName(name)
        return edited
    kinds = {
        Kind.USER: UserView,
        Kind.ASSISTANT: AnswerView,
        Kind.SUMMARY: SummaryView,
        Kind.EDGE: EdgeView,
        Kind.NOTICE: NoticeView,
    }
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
            self._fold = Fold(self.tr("Thinking…"), self._style, self.state.is_open, self)
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
