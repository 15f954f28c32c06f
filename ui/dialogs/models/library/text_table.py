"""Rows of text that can be filtered and sorted: a file's keys, its tensors. There may be tens of thousands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from ui.dialogs.models.library.plain_table import fit_rows, lay_plainly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent

Index = QModelIndex | QPersistentModelIndex

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_SORT_ROLE = Qt.ItemDataRole.UserRole
_FIRST_WIDTH, _NUMBER_WIDTH = 43, 16
"""Digits."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A text and, where it is a number, what it is sorted by."""

    text: str
    value: float | None = None


class _Rows(QAbstractTableModel):
    def __init__(self, titles: Sequence[str], first_number: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._titles = list(titles)
        self._first_number = first_number
        self.rows: list[tuple[Cell, ...]] = []

    def set_rows(self, rows: Sequence[tuple[Cell, ...]]) -> None:
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._titles)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return self.rows[index.row()][index.column()].text
        if role == _SORT_ROLE:
            cell = self.rows[index.row()][index.column()]
            return cell.text if cell.value is None else cell.value
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if index.column() >= self._first_number else _LEFT
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section >= self._first_number else _LEFT
        return None


class TextTable(QTableView):
    """One row is chosen at a time."""

    def __init__(
        self, name: str, accessible_name: str, titles: Sequence[str], first_number: int, parent: QWidget | None = None
    ) -> None:
        """From column `first_number` on there are numbers; the one before takes the room that is left."""
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(accessible_name)
        self._rows = _Rows(titles, first_number, self)
        self._shown = QSortFilterProxyModel(self)
        self._shown.setSourceModel(self._rows)
        self._shown.setSortRole(_SORT_ROLE)
        self._shown.setFilterKeyColumn(-1)
        self._shown.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setModel(self._shown)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        lay_plainly(self)
        self.horizontalHeader().setSectionResizeMode(max(first_number - 1, 0), QHeaderView.ResizeMode.Stretch)
        self._fit_columns()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            fit_rows(self)
            self._fit_columns()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._rows.rows and not self._shown.rowCount():
            painter = QPainter(self.viewport())
            painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
            painter.drawText(self.viewport().rect(), Qt.AlignmentFlag.AlignCenter, self.tr("No row has these words."))
            painter.end()

    def _fit_columns(self) -> None:
        digit = self.fontMetrics().horizontalAdvance("0")
        for column in range(self._rows.columnCount()):
            self.setColumnWidth(column, digit * (_NUMBER_WIDTH if column else _FIRST_WIDTH))

    def set_rows(self, rows: Sequence[tuple[Cell, ...]]) -> None:
        """Show other rows, in this order until a heading is clicked."""
        self._rows.set_rows(rows)
        self.setSortingEnabled(False)
        self._shown.sort(-1)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)

    def set_filter(self, text: str) -> None:
        """Show the rows that hold this text."""
        self._shown.setFilterFixedString(text)

    def current_row(self) -> int | None:
        """Return the number of the chosen row among those that were set, None without one."""
        index = self.currentIndex()
        return self._shown.mapToSource(index).row() if index.isValid() else None

    def texts(self) -> list[list[str]]:
        """Return what is shown."""
        columns = range(self._shown.columnCount())
        return [[self._shown.index(row, column).data() for column in columns] for row in range(self._shown.rowCount())]
