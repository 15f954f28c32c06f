"""What all tables of the models' pages have in common."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView

_ROW_PADDING = 10


def lay_plainly(table: QTableView) -> None:
    """Show whole rows that are read, chosen and scrolled by the pixel, without grid and row numbers."""
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.verticalHeader().hide()
    table.horizontalHeader().setHighlightSections(False)
    table.addScrollBarWidget(_HeaderEnd(table.horizontalHeader()), Qt.AlignmentFlag.AlignTop)
    fit_rows(table)


def fit_rows(table: QTableView) -> None:
    """Make the rows as high as their text needs; anew with every font."""
    header, height = table.verticalHeader(), table.fontMetrics().height()
    header.setMinimumSectionSize(height)
    header.setDefaultSectionSize(height + _ROW_PADDING)
    header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)


class _HeaderEnd(QFrame):
    """Goes on with the headings above the vertical scroll bar, which stands beside the rows alone."""

    def __init__(self, header: QHeaderView) -> None:
        super().__init__()
        self.setProperty("role", "header")
        header.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QResizeEvent):
            self.setFixedHeight(event.size().height())
        return super().eventFilter(watched, event)
