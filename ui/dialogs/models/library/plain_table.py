"""What all tables of the models' pages have in common."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractItemView, QTableView

_ROW_PADDING = 8


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
    table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + _ROW_PADDING)
    table.horizontalHeader().setHighlightSections(False)
