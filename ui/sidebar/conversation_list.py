"""The left column: search, the conversations by day, rename in place, delete with undo."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QListView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from ui.on_full import OnFullMenu
from ui.search_field import SearchField
from ui.sidebar.conversation_model import ID_ROLE, IS_HEADING_ROLE, ON_FULL_ROLE, ConversationModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.chat.conversation import OnFull
    from app.storage.store import ConversationRow
    from ui.theme import Theme

SEARCH_DELAY_MS = 150


class ConversationList(QWidget):
    """Shows conversations and says what the user wants done with them.

    Signals:
        opened: id. renamed: id and title. delete_requested: id. search_changed: the text, while typing.
        on_full_chosen: id, and what is done where its next turn would not fit; None: what the settings say.
    """

    opened = Signal(str)
    renamed = Signal(str, str)
    delete_requested = Signal(str)
    search_changed = Signal(str)
    on_full_chosen = Signal(str, object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._freed = ""
        self._default_on_full: OnFull = "grow"
        self._current_id = ""
        self._rows_missed = False
        self._search = SearchField(theme, "search")
        self._search.setObjectName("conversation_search")
        self._search_timer = QTimer(self, singleShot=True, interval=SEARCH_DELAY_MS)
        self._empty = QLabel(wordWrap=True)
        self._empty.setObjectName("conversation_list_empty")
        self._empty.setProperty("role", "muted")
        self._empty.hide()
        self._model = ConversationModel(self)
        self._view = QListView()
        self._view.setObjectName("conversation_list")
        self._view.setModel(self._model)
        delegate = _LineDelegate(theme, self)
        self._view.setItemDelegate(delegate)
        self._view.setEditTriggers(
            QAbstractItemView.EditTrigger.EditKeyPressed | QAbstractItemView.EditTrigger.DoubleClicked
        )
        self._view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._view.installEventFilter(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(8)
        layout.addWidget(self._search)
        layout.addWidget(self._empty)
        layout.addWidget(self._view)
        self._search.textChanged.connect(self._search_timer.start)
        self._search_timer.timeout.connect(self._on_search_paused)
        self._view.clicked.connect(self._on_chosen)
        self._view.activated.connect(self._on_chosen)
        self._view.customContextMenuRequested.connect(self._show_menu)
        self._model.renamed.connect(self.renamed)
        delegate.closeEditor.connect(self._on_title_edited)
        self._retranslate()

    def set_rows(self, rows: Sequence[ConversationRow]) -> None:
        """Show these conversations, the open one marked; while a title is edited they wait, since they would end it."""
        if self._view.state() == QAbstractItemView.State.EditingState:
            self._rows_missed = True
            return
        position = self._view.verticalScrollBar().value()
        self._model.set_rows(rows)
        self._mark_current()
        self._view.verticalScrollBar().setValue(position)
        self._empty.setVisible(not rows)
        self._show_reason()

    def set_current(self, conversation_id: str) -> None:
        """Mark the open conversation."""
        self._current_id = conversation_id
        self._mark_current()

    def focus_search(self) -> None:
        """Put the cursor into the search field."""
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()

    def search_text(self) -> str:
        """What is searched for."""
        return self._search.text()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Delete, never Backspace, deletes the marked conversation; it can be undone."""
        if watched is self._view and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Delete:
                self._delete(self._view.currentIndex())
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._view.currentIndex().isValid():
                self._on_chosen(self._view.currentIndex())
                return True
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self._search.setPlaceholderText(self.tr("Search"))
        self._search.setAccessibleName(self.tr("Search conversations"))
        self._view.setAccessibleName(self.tr("Conversations"))
        self._show_reason()

    def _show_reason(self) -> None:
        """Say why the list is empty, where it is."""
        self._empty.setText(
            self.tr("No conversation matches.")
            if self._search.text()
            else self.tr("Your conversations will be listed here.")
        )

    def _mark_current(self) -> None:
        index = self._model.index_of(self._current_id)
        if index.isValid():
            self._view.setCurrentIndex(index)
        else:
            self._view.clearSelection()
            self._view.setCurrentIndex(QModelIndex())

    @Slot()
    def _on_search_paused(self) -> None:
        self.search_changed.emit(self._search.text())

    @Slot()
    def _on_title_edited(self) -> None:
        if self._rows_missed:
            self._rows_missed = False
            self.search_changed.emit(self._search.text())  # the missed ones lack the new title

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        conversation_id = index.data(ID_ROLE)
        if conversation_id and conversation_id != self._current_id:
            self.opened.emit(conversation_id)

    def set_freed(self, text: str) -> None:
        """Say what deleting the open conversation frees; empty while it is not known."""
        self._freed = text

    def set_default_on_full(self, on_full: OnFull) -> None:
        """Say what is done in conversations that have no choice of their own."""
        self._default_on_full = on_full

    def _delete(self, index: QModelIndex) -> None:
        if conversation_id := index.data(ID_ROLE):
            self.delete_requested.emit(conversation_id)

    @Slot(QPoint)
    def _show_menu(self, position: QPoint) -> None:
        index = self._view.indexAt(position)
        if not index.data(ID_ROLE):
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rename = menu.addAction(self.tr("Rename"))
        on_full = OnFullMenu(index.data(ON_FULL_ROLE), self._default_on_full, menu)
        on_full.chosen.connect(partial(self.on_full_chosen.emit, index.data(ID_ROLE)))
        menu.addMenu(on_full)
        delete = menu.addAction(self.tr("Delete"))
        if index.data(ID_ROLE) == self._current_id:
            menu.setToolTipsVisible(True)
            delete.setToolTip(self._freed or delete.toolTip())
        chosen = menu.exec(self._view.viewport().mapToGlobal(position))
        if chosen is rename:
            self._view.edit(index)
        elif chosen is delete:
            self._delete(index)


class _LineDelegate(QStyledItemDelegate):
    """Draws day headings small and muted; conversations as the style does."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        if not index.data(IS_HEADING_ROLE):
            super().paint(painter, option, index)
            return
        painter.save()
        painter.setPen(self._theme.colours.muted)
        painter.setFont(self._theme.font(delta_points=-1))
        area = option.rect.adjusted(8, 0, -8, -2)
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, index.data())
        painter.restore()
