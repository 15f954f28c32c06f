"""What stands between messages: summaries, the line where the model's view begins, and notices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPen

from ui.chat.body import MarkdownBody
from ui.chat.controls import Fold, PlainLabel
from ui.chat.geometry import GAP, INSET
from ui.chat.item_view import ItemView

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent
    from PySide6.QtWidgets import QWidget

    from ui.chat.item import Item, ViewState
    from ui.chat.style import Style


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
        size = self._fold.button.sizeHint().boundedTo(QSize(inner, 1000))
        self._fold.button.setGeometry(0, 0, size.width(), size.height())
        self._fold.setGeometry((width - size.width()) // 2, GAP, size.width(), size.height())
        y = GAP + size.height()
        if self._body is not None:
            height = self._body.arrange(inner)
            self._body.setGeometry(INSET, y + GAP, inner, height)
            y += GAP + height
        if self._error is not None:
            height = self._error.arrange(inner)
            self._error.setGeometry(INSET, y + GAP // 2, inner, height)
            y += height + GAP // 2
        if self._foot is not None:
            room = min(inner, self._foot.natural_width())
            height = self._foot.arrange(room)
            self._foot.setGeometry((width - room) // 2, y + GAP // 2, room, height)
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


class EdgeView(ItemView):
    """A line across the conversation: the model sees what is below it."""

    def __init__(self, item: Item, style: Style, state: ViewState, parent: QWidget) -> None:
        super().__init__(item, style, state, parent)
        self._label = PlainLabel(item.author, self, tooltip=item.footer_tooltip)
        self._label.setFont(style.small_font)
        self._label.setWordWrap(True)
        self._label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.show_foot(item)

    def can_copy(self) -> bool:
        return False

    def stops(self) -> list[QWidget]:
        return self.foot_stops()

    def arrange(self, width: int) -> int:
        inner = width - 4 * INSET
        self._label.setWordWrap(False)
        room = min(inner, self._label.sizeHint().width())
        self._label.setWordWrap(True)
        height = self._label.heightForWidth(room)
        self._label.setGeometry((width - room) // 2, GAP, room, height)
        y = GAP + height
        if self._foot is not None:
            room = min(inner, self._foot.natural_width())
            height = self._foot.arrange(room)
            self._foot.setGeometry((width - room) // 2, y, room, height)
            y += height
        return y + GAP

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        pen = QPen(QColor(self._style.colours.limit), 1, Qt.PenStyle.DashLine)
        painter.setPen(pen)
        box = self._label.geometry()
        y = box.center().y()
        painter.drawLine(INSET, y, max(INSET, box.left() - GAP), y)
        painter.drawLine(box.right() + GAP, y, max(box.right() + GAP, self.width() - INSET), y)
        painter.end()
        super().paintEvent(event)


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
