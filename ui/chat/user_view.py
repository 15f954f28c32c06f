"""What the user wrote, in a bubble at the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QRectF, Qt, Slot
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from ui.chat.controls import FlatButton
from ui.chat.geometry import GAP, INSET
from ui.chat.item_view import ItemView
from ui.chat.plain_text import Plain, PlainAppender

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from ui.chat.item import Item, ViewState
    from ui.chat.style import Style

FOLDED_LINES = 40
FOLD_ABOVE_LINES = 200
FOLD_ABOVE_CHARS = 16_000
FOLDED_CHARS = 4_000
EXPANDED_LINES = 28


class UserView(ItemView):
    """The user's words as they are, in a bubble at the right; very long ones are folded."""

    is_quiet = True

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
            self._whole.setFont(self._style.font)
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
        self._show_veil()


def folded(text: str) -> str | None:
    """Return the beginning of a text that is too long to be shown at once; None when it is not."""
    if len(text) <= FOLD_ABOVE_CHARS and text.count("\n") < FOLD_ABOVE_LINES:
        return None
    return "\n".join(text[:FOLDED_CHARS].split("\n")[:FOLDED_LINES])
