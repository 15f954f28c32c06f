"""What all tables of the models' pages have in common."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

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
    fit_rows(table)


def fit_rows(table: QTableView) -> None:
    """Make the rows as high as their text needs; anew with every font."""
    header, height = table.verticalHeader(), table.fontMetrics().height()
    header.setMinimumSectionSize(height)
    header.setDefaultSectionSize(height + _ROW_PADDING)
    header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
