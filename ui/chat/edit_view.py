"""A message that is being edited in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from ui.chat.controls import FlatButton, PlainLabel
from ui.chat.editor import with_marks, without_marks
from ui.chat.geometry import GAP, INSET
from ui.chat.item import Kind
from ui.chat.item_view import ItemView

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from ui.chat.item import Item, ViewState
    from ui.chat.style import Style

LEAST_LINES = 3
MOST_LINES = 24


class EditView(ItemView):
    """The text in a box, with Save and Cancel; what is written survives that the box goes out of sight."""

    def __init__(self, item: Item, style: Style, state: ViewState, parent: QWidget) -> None:
        super().__init__(item, style, state, parent)
        self.setObjectName("edit_view")
        self._box = EditBox(self)
        self._box.setFont(style.font)
        self._box.setPlainText(with_marks(state.draft or ""))
        self._box.moveCursor(QTextCursor.MoveOperation.End)
        is_question = item.kind is Kind.USER
        self._hint = PlainLabel(
            self.tr("A changed message is answered anew; what stands here now stays as another version.")
            if is_question
            else self.tr("The changed answer stands as you write it; the model's own stays as another version."),
            self,
            "muted",
        )
        self._hint.setFont(style.small_font)
        self._hint.setWordWrap(True)
        self._save = FlatButton(
            self.tr("Save and answer") if is_question else self.tr("Save"), style, self, "check", primary=True
        )
        self._save.setObjectName("save_edit")
        self._save.setToolTip(self.tr("Ctrl+Enter"))
        self._cancel = FlatButton(self.tr("Cancel"), style, self)
        self._cancel.setObjectName("cancel_edit")
        self._cancel.setToolTip(self.tr("Esc"))
        self._lines = 0
        self._box.setAccessibleName(self.tr("Text of the message"))
        self._box.textChanged.connect(self._on_written)
        self._box.document().documentLayout().documentSizeChanged.connect(self._on_lines_changed)
        self._box.save_requested.connect(self._on_save)
        self._box.cancel_requested.connect(self._on_cancel)
        self._save.clicked.connect(self._on_save)
        self._cancel.clicked.connect(self._on_cancel)
        self._take_text()

    def stops(self) -> list[QWidget]:
        return [self._box, self._save, self._cancel]

    def show_foot(self, item: Item) -> None:
        self.item = item

    def arrange(self, width: int) -> int:
        inner = width - 2 * INSET
        self._box.resize(inner, self._box.height())
        self._box.ensurePolished()
        margins = self._box.contentsMargins()
        extra = 2 * self._box.document().documentMargin() + margins.top() + margins.bottom() + GAP
        self._lines = self._shown_lines()
        height = round(self._lines * self._box.fontMetrics().lineSpacing() + extra)
        self._box.setGeometry(INSET, GAP, inner, height)
        y = 2 * GAP + height
        left = INSET
        for button in (self._save, self._cancel):
            size = button.sizeHint()
            button.setGeometry(left, y, size.width(), size.height())
            left += size.width() + GAP
        room = INSET + inner - left
        hint = self._hint.heightForWidth(room)
        row = max(self._save.sizeHint().height(), hint)
        self._hint.setGeometry(left, y + (row - hint) // 2, room, hint)
        return y + row + GAP

    def _shown_lines(self) -> int:
        """Lines as they are wrapped, as many as may be shown."""
        return min(max(int(self._box.document().size().height()), LEAST_LINES), MOST_LINES)

    @Slot()
    def _on_written(self) -> None:
        self._take_text()
        self.edit_changed.emit(self.item.id, self.state.draft)

    def _take_text(self) -> None:
        text = without_marks(self._box.toPlainText())
        self.state.draft = text
        self._save.setEnabled(bool(text.strip()))

    @Slot()
    def _on_lines_changed(self) -> None:
        if self._lines and self._shown_lines() != self._lines:
            self.resized.emit(False)

    @Slot()
    def _on_save(self) -> None:
        if self._save.isEnabled():
            self.edit_ended.emit(self.item.id, self.state.draft)

    @Slot()
    def _on_cancel(self) -> None:
        self.edit_ended.emit(self.item.id, None)


class EditBox(QPlainTextEdit):
    """A text field whose Ctrl+Enter and Escape end it.

    Signals:
        save_requested, cancel_requested.
    """

    save_requested = Signal()
    cancel_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("edit_box")
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def event(self, event: QEvent) -> bool:
        is_override = event.type() == QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()  # else the window's Stop would take it
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.save_requested.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.cancel_requested.emit()
        else:
            super().keyPressEvent(event)
