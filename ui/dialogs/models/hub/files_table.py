"""The table of a repository's files, with a button in each line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics
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

from ui.dialogs.models.chosen_in_view import ChosenInView
from ui.dialogs.models.hub.files_model import ACTION, BITS, BUTTONS, FITS, LARGEST, NAME, FilesModel
from ui.icons import SIZE_PX

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter, QResizeEvent, QShowEvent

    from ui.downloads_keeper import DownloadsKeeper
    from ui.hub_search import HubSearch
    from ui.theme import Theme

_CELL_PADDING, _BUTTON_PADDING, _SIGN_GAP = 20, 14, 8
"""Pixels: of the style sheet's cells, what a button in a cell needs besides, and between a sign and its word."""
_GIVE_WAY = (LARGEST, BITS, ACTION)
"""Left out in this order where there is no room: the tooltips, or the button below the table, have the same."""
Index = QModelIndex | QPersistentModelIndex


class FilesTable(QTreeView):
    """Enter, a double click or the button does what a line offers; of a download that is to show it.

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
        self._theme = theme
        self._widths: dict[int, int] = {}
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
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        self.clicked.connect(self._on_clicked)
        self.activated.connect(self._on_activated)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        ChosenInView(self)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange, QEvent.Type.ApplicationFontChange):
            self._fit_columns()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._leave_columns_out()

    def _fit_columns(self) -> None:
        """Give the columns the width they will need, so that none jumps while answers come in."""
        font = self.font()
        font.setBold(True)  # as the recommended line is
        metrics = QFontMetrics(font)
        side = round(SIZE_PX * self._theme.zoom)
        self.setIconSize(QSize(side, side))
        for column, samples in enumerate(self.files.samples()):
            title = self.files.headerData(column, Qt.Orientation.Horizontal)
            width = max(metrics.horizontalAdvance(text) for text in (title, *samples))
            extra = side + _SIGN_GAP if column == FITS else _BUTTON_PADDING if column == ACTION else 0
            self._widths[column] = width + _CELL_PADDING + extra
            if column != NAME:
                self.setColumnWidth(column, self._widths[column])
        self._leave_columns_out()

    def _leave_columns_out(self) -> None:
        """Show as many columns as there is room for beside the names."""
        missing = sum(self._widths.values()) - self.viewport().width()
        for column in _GIVE_WAY:
            self.setColumnHidden(column, missing > 0)
            missing -= self._widths.get(column, 0)

    def has_button(self, index: Index) -> bool:
        """Whether a cell is drawn as a button."""
        return index.column() == ACTION and self.files.action(index.row())[0] in BUTTONS

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        if self.has_button(index):
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
        return QSize(size.width(), max(size.height(), self._button.sizeHint().height() + 4))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if not self._table.has_button(index):
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
