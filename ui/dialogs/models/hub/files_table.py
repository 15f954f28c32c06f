"""The table of a repository's files, with a button in each line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionButton,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from ui.dialogs.models.hub.files_model import ACTION, NAME, FilesModel

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from ui.downloads_keeper import DownloadsKeeper
    from ui.hub_search import HubSearch
    from ui.theme import Theme

NAME_WIDTH = 140
"""Pixels: the least that the column which takes the rest keeps."""
Index = QModelIndex | QPersistentModelIndex


class FilesTable(QTreeView):
    """Enter, a double click or the button does what a line offers.

    Signals:
        acted: number of the line. current_changed: the line the keyboard is on.
    """

    acted = Signal(int)
    current_changed = Signal()

    def __init__(
        self, search: HubSearch, downloads: DownloadsKeeper, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("hub_files")
        self.files = FilesModel(search, downloads, theme, self)
        self.setModel(self.files)
        self.setProperty("role", "table")
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setAccessibleName(self.tr("Files of the model"))
        self._delegate = _ButtonColumn(self)
        self.setItemDelegate(self._delegate)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionsMovable(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(48)
        self.clicked.connect(self._on_clicked)
        self.activated.connect(self._on_activated)
        self.selectionModel().currentChanged.connect(self._on_current_changed)

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        if index.column() == ACTION:
            self.setCurrentIndex(index.siblingAtColumn(NAME))
            self.acted.emit(index.row())

    @Slot(QModelIndex)
    def _on_activated(self, index: QModelIndex) -> None:
        if index.column() != ACTION:  # there the first click of a double one has done it
            self.acted.emit(index.row())

    @Slot()
    def _on_current_changed(self) -> None:
        self.current_changed.emit()


class _ButtonColumn(QStyledItemDelegate):
    """Draws the last column as buttons: one widget per line would be ten thousand in a large repository."""

    def __init__(self, table: FilesTable) -> None:
        super().__init__(table)
        self._table = table
        self._button = QPushButton(table.viewport())
        self._button.hide()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        size = super().sizeHint(option, index)
        button = self._button.sizeHint().height() + 4
        if index.column() == ACTION:
            self._button.setText(str(index.data()))
            return QSize(self._button.sizeHint().width() + 16, button)
        return QSize(size.width(), max(size.height(), button))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if index.column() != ACTION or self._table.files.action(index.row())[0] == "none":
            super().paint(painter, option, index)
            return
        look = QStyleOptionViewItem(option)
        self.initStyleOption(look, index)
        look.text = ""
        style = self._table.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, look, painter, self._table)
        button = QStyleOptionButton()
        button.initFrom(self._button)
        button.rect = option.rect.adjusted(4, 2, -4, -2)
        button.text = str(index.data())
        button.state = QStyle.StateFlag.State_Enabled | QStyle.StateFlag.State_Raised
        if option.state & QStyle.StateFlag.State_MouseOver:
            button.state |= QStyle.StateFlag.State_MouseOver
        style.drawControl(QStyle.ControlElement.CE_PushButton, button, painter, self._button)
