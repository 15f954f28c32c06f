"""A table with a column per model; what differs stands out in bold."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtGui import QColor, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from ui.dialogs.models.library.plain_table import fit_rows, lay_plainly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QFontMetrics

    from ui.dialogs.models.library.compared import Row
    from ui.theme import Theme

_NAME_WIDTH, _LEAST_WIDTH = 28, 16
"""Digits."""
_HEADING_PADDING = 20
"""Pixels: the style sheet's, and what Qt adds."""
_MOST_LINES = 3


class CompareTable(QTableWidget):
    """Sections of rows under headings of their own."""

    def __init__(self, theme: Theme, names: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(0, 1 + len(names), parent)
        self._theme = theme
        self.setObjectName("compare_table")
        self.setAccessibleName(self.tr("Models side by side"))
        self._names = list(names)
        for column, name in enumerate(["", *names]):
            item = QTableWidgetItem(name)
            item.setToolTip(_plain(name))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, name)
            item.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
            self.setHorizontalHeaderItem(column, item)
        lay_plainly(self)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        header = self.horizontalHeader()
        header.setTextElideMode(Qt.TextElideMode.ElideNone)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self._fit_columns()
        header.sectionResized.connect(self._wrap_name)
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self.copy_values)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            fit_rows(self)
            self._fit_columns()

    def _fit_columns(self) -> None:
        digit = self.fontMetrics().horizontalAdvance("0")
        self.horizontalHeader().setMinimumSectionSize(digit * _LEAST_WIDTH)
        self.setColumnWidth(0, digit * _NAME_WIDTH)
        for column in range(1, self.columnCount()):
            self._wrap_name(column, 0, self.columnWidth(column))

    @Slot(int, int, int)
    def _wrap_name(self, column: int, _former: int, width: int) -> None:
        """Break a model's name where its column ends."""
        if column and (item := self.horizontalHeaderItem(column)) is not None:
            # The heading's own font follows later when the text becomes larger.
            text = "\n".join(_lines(self._names[column - 1], self.fontMetrics(), width - _HEADING_PADDING))
            if text != item.text():
                item.setText(text)

    def show_sections(self, sections: Sequence[tuple[str, Sequence[Row]]], *, only_differing: bool) -> None:
        """Show these rows; a section without any is left out."""
        place = self.verticalScrollBar().value()
        self.setRowCount(0)
        self.clearSpans()
        for heading, rows in sections:
            shown = [row for row in rows if row.differs or not only_differing]
            if shown:
                self._add_heading(heading)
                for row in shown:
                    self._add(row)
        self.verticalScrollBar().setValue(place)

    def texts(self) -> list[list[str]]:
        """Return what is shown, a section's heading as a row of one text."""
        rows = []
        for row in range(self.rowCount()):
            items = [self.item(row, column) for column in range(self.columnCount())]
            rows.append([item.text() for item in items if item is not None])
        return rows

    @Slot()
    def copy_values(self) -> None:
        """Copy the table as lines of values between tabs."""
        lines = [["", *self._names], *self.texts()]
        QGuiApplication.clipboard().setText("\n".join("\t".join(texts) for texts in lines))

    def _add_heading(self, text: str) -> None:
        row = self.rowCount()
        self.insertRow(row)
        item = QTableWidgetItem(text)
        item.setForeground(QColor(self._theme.colours.muted))
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        self.setItem(row, 0, item)
        self.setSpan(row, 0, 1, self.columnCount())

    def _add(self, row: Row) -> None:
        number = self.rowCount()
        self.insertRow(number)
        name = QTableWidgetItem(row.name)
        name.setToolTip(_plain(row.tooltip or row.name))
        self.setItem(number, 0, name)
        notes = row.notes or ("",) * len(row.texts)
        for column, (text, note) in enumerate(zip(row.texts, notes, strict=True), 1):
            item = QTableWidgetItem(text)
            item.setToolTip(_plain(note or text))
            if row.differs:
                font = self.font()
                font.setBold(True)
                item.setFont(font)
                item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, self.tr("differs"))
            self.setItem(number, column, item)


def _lines(name: str, metrics: QFontMetrics, width: int) -> list[str]:
    """Return a name in lines of this width, broken after dashes and the like; what is too long is elided.

    Only a part that is too long for a line is broken after underscores: they belong to the quantisation.
    """
    pieces: list[str] = []
    for part in re.findall(r"[^- :/]+[- :/]*|[- :/]+", name):
        is_long = metrics.horizontalAdvance(part) > width
        pieces += re.findall(r"[^_]+_*|_+", part) if is_long else [part]
    lines = [""]
    for piece in pieces:
        if lines[-1] and metrics.horizontalAdvance(lines[-1] + piece) > width:
            lines.append("")
        lines[-1] += piece
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES - 1 :] = ["".join(lines[_MOST_LINES - 1 :])]
    return [metrics.elidedText(line, Qt.TextElideMode.ElideMiddle, width) for line in lines]


def _plain(text: str) -> str:
    """Return a tooltip that wraps and is never markup."""
    return f"<qt>{html.escape(text)}</qt>" if text else ""
