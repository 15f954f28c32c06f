"""The table of models; which columns it shows, how wide, in which order and by which it is sorted is the user's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QModelIndex, QPoint, QSettings, Qt, Signal, Slot
from PySide6.QtGui import QAction, QFontMetricsF
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTableView, QWidget

from ui.dialogs.models.chosen_in_view import ChosenInView
from ui.dialogs.models.library.columns import COLUMNS, NAME, title
from ui.dialogs.models.library.plain_table import fit_rows, lay_plainly

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from PySide6.QtGui import QKeyEvent, QResizeEvent

    from app.hub.library import LibraryModel
    from ui.dialogs.models.library.filter import LibraryFilter

HEADER_KEY = "models/library_header"
TEXT_WIDTH_KEY = "models/library_text_width"
"""How wide text was when the columns were kept."""
CELL_PADDING = 28


class LibraryTable(QTableView):
    """Rows are chosen, not cells; several at once to compare them.

    Signals:
        chosen: the selection or the current row is another.
        activated_row: Enter, or a double click.
        menu_requested: where the context menu is wanted, on the screen.
        seen: other rows have come into view.
    """

    chosen = Signal()
    activated_row = Signal()
    menu_requested = Signal(QPoint)
    seen = Signal()

    def __init__(self, shown: LibraryFilter, state: QSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = shown
        self._state = state
        self.setObjectName("library_table")
        self.setAccessibleName(self.tr("Models on this machine"))
        self.setModel(shown)
        lay_plainly(self)
        ChosenInView(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setCornerButtonEnabled(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header = self.horizontalHeader()
        header.setSectionsMovable(True)
        header.setStretchLastSection(True)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.setAccessibleName(self.tr("Columns"))
        self.setSortingEnabled(True)
        self._text_width = self._width_of_text()
        self._restore()
        header.customContextMenuRequested.connect(self._on_header_menu)
        self.customContextMenuRequested.connect(self._on_menu)
        self.doubleClicked.connect(self._on_double_clicked)
        self.selectionModel().selectionChanged.connect(self.chosen)
        self.selectionModel().currentChanged.connect(self.chosen)
        self.verticalScrollBar().valueChanged.connect(self.seen)

    def chosen_models(self) -> list[LibraryModel]:
        """Return the selected models, in the order they are shown."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [self._shown.model_at(row) for row in rows]

    def visible_models(self) -> list[LibraryModel]:
        """Return the models in view, in the order they are shown."""
        if not self._shown.rowCount():
            return []
        first, last = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        last = self._shown.rowCount() - 1 if last < 0 else last
        return [self._shown.model_at(row) for row in range(max(first, 0), last + 1)]

    def choose(self, paths: Iterable[Path]) -> None:
        """Select these models, and bring the first of them into view."""
        wanted = set(paths)
        rows = [row for row in range(self._shown.rowCount()) if self._shown.model_at(row).path in wanted]
        self.clearSelection()
        for row in rows:
            index = self._shown.index(row, NAME)
            flags = self.selectionModel().SelectionFlag
            self.selectionModel().select(index, flags.Select | flags.Rows)
        if rows:
            index = self._shown.index(rows[0], NAME)
            self.selectionModel().setCurrentIndex(index, self.selectionModel().SelectionFlag.NoUpdate)
            self.scrollTo(index)

    @Slot()
    def go_to_rows(self) -> None:
        """Take the keyboard; the first row is chosen when none is."""
        self.setFocus()
        if not self.selectionModel().hasSelection() and self._shown.rowCount():
            self.selectRow(0)

    def is_column_shown(self, key: str) -> bool:
        """Whether the user sees this column."""
        return not self.isColumnHidden(_number(key))

    def show_column(self, key: str, is_shown: bool) -> None:
        """Show or hide a column from now on; the name stays."""
        if key != COLUMNS[NAME].key:
            self.setColumnHidden(_number(key), not is_shown)
            self.save()

    def columns_menu(self) -> QMenu:
        """Return the menu that chooses the columns; the caller shows it."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for number, column in enumerate(COLUMNS):
            action = menu.addAction(title(column.key).replace("&", "&&"))
            action.setData(column.key)
            action.setCheckable(True)
            action.setChecked(not self.isColumnHidden(number))
            action.setEnabled(number != NAME)
        menu.triggered.connect(self._on_column_chosen)
        menu.addSeparator()
        menu.addAction(self.tr("Default columns")).triggered.connect(self.reset_columns)
        return menu

    @Slot()
    def reset_columns(self) -> None:
        """Show the columns as they were at first, sorted by name."""
        header = self.horizontalHeader()
        for number, column in enumerate(COLUMNS):
            header.moveSection(header.visualIndex(number), number)
            self.setColumnHidden(number, not column.is_shown)
        self._size_columns()
        self.sortByColumn(NAME, Qt.SortOrder.AscendingOrder)
        self.save()

    def save(self) -> None:
        """Keep columns and order for the next time."""
        self._state.setValue(HEADER_KEY, self.horizontalHeader().saveState())
        self._state.setValue(TEXT_WIDTH_KEY, self._text_width)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.activated_row.emit()
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if (header := self.horizontalHeader()).length() > self.viewport().width():
            # Where the others leave no room the last column would keep the room that it filled before.
            header.setStretchLastSection(False)
            header.setStretchLastSection(True)
        self.seen.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            fit_rows(self)
            former, self._text_width = self._text_width, self._width_of_text()
            self._scale_columns(self._text_width / former)

    def _restore(self) -> None:
        kept = self._state.value(HEADER_KEY, QByteArray(), type=QByteArray)
        if isinstance(kept, QByteArray) and not kept.isEmpty() and self.horizontalHeader().restoreState(kept):
            former = self._state.value(TEXT_WIDTH_KEY, self._text_width, type=float)
            self._scale_columns(self._text_width / float(former))  # type: ignore[arg-type]
            return
        for number, column in enumerate(COLUMNS):
            self.setColumnHidden(number, not column.is_shown)
        self._size_columns()
        self.sortByColumn(NAME, Qt.SortOrder.AscendingOrder)

    def _width_of_text(self) -> float:
        return QFontMetricsF(self.font()).horizontalAdvance(COLUMNS[NAME].sample)

    def _scale_columns(self, factor: float) -> None:
        """Keep the share of its text that each column shows, at another size of text."""
        header = self.horizontalHeader()
        header.setStretchLastSection(False)  # the last column has its own width then, not that of the room it fills
        for number in range(len(COLUMNS)):
            if not self.isColumnHidden(number):
                self.setColumnWidth(number, round(self.columnWidth(number) * factor))
        header.setStretchLastSection(True)

    def _size_columns(self) -> None:
        """By a sample and by the heading: measuring all cells would ask for every one of them."""
        metrics = self.fontMetrics()
        for number, column in enumerate(COLUMNS):
            texts = (column.sample, title(column.key))
            self.setColumnWidth(number, max(map(metrics.horizontalAdvance, texts)) + CELL_PADDING)

    @Slot(QPoint)
    def _on_header_menu(self, place: QPoint) -> None:
        self.columns_menu().popup(self.horizontalHeader().mapToGlobal(place))

    @Slot(QAction)
    def _on_column_chosen(self, action: QAction) -> None:
        if action.data():
            self.show_column(action.data(), action.isChecked())

    @Slot(QPoint)
    def _on_menu(self, place: QPoint) -> None:
        if self.indexAt(place).isValid():
            self.menu_requested.emit(self.viewport().mapToGlobal(place))

    @Slot(QModelIndex)
    def _on_double_clicked(self, index: QModelIndex) -> None:
        if index.isValid():
            self.activated_row.emit()


def _number(key: str) -> int:
    return next(number for number, column in enumerate(COLUMNS) if column.key == key)
