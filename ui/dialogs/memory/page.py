"""What the pages share: sentences above a table that can be copied and saved."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHeaderView, QLabel, QMenu, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from ui.panels.export import Exporter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QContextMenuEvent

    from app.telemetry.tables import Table


_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class TablePage(QWidget):
    """One page of the memory details. Ctrl+C copies the values, the context menu saves them."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"memory_{name}")
        self._first_number = 1
        self.sentences = QLabel(wordWrap=True)
        self.sentences.setTextFormat(Qt.TextFormat.PlainText)
        self.sentences.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.warning = QLabel(wordWrap=True)
        self.warning.setTextFormat(Qt.TextFormat.PlainText)
        self.warning.setProperty("role", "warning")
        self.warning.setObjectName(f"memory_{name}_warning")
        self.rows = QTreeWidget()
        self.rows.setObjectName(f"memory_{name}_rows")
        self.rows.setProperty("role", "table")
        self.rows.setRootIsDecorated(False)
        self.rows.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.rows.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.rows.header().setStretchLastSection(False)
        self.exporter = Exporter(self, f"memory_{name}", self)
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self)
        copy.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        copy.activated.connect(self.exporter.copy_values)
        layout = QVBoxLayout(self)
        layout.setSpacing(8)
        layout.addWidget(self.sentences)
        layout.addWidget(self.warning)
        layout.addWidget(self.rows, 1)
        self.set_warning("")

    def set_columns(self, name: str, titles: Sequence[str], first_number: int) -> None:
        """Name the table and its columns; from `first_number` on they hold numbers, the one before takes the room."""
        self.rows.setAccessibleName(name)
        self.rows.setHeaderLabels(list(titles))
        self.rows.header().setSectionResizeMode(first_number - 1, QHeaderView.ResizeMode.Stretch)
        self._first_number = first_number
        for column in range(first_number, len(titles)):
            self.rows.headerItem().setTextAlignment(column, _RIGHT)

    def set_warning(self, sentence: str) -> None:
        """Show a warning above the table, or none."""
        self.warning.setText(sentence)
        self.warning.setVisible(bool(sentence))

    def set_rows(self, rows: Sequence[Sequence[str]], last_is_total: bool = False) -> None:
        """Fill the table."""
        self.rows.clear()
        for number, texts in enumerate(rows):
            item = QTreeWidgetItem(list(texts))
            for column in range(len(texts)):
                if column >= self._first_number:
                    item.setTextAlignment(column, _RIGHT)
                if last_is_total and number == len(rows) - 1:
                    font = self.rows.font()
                    font.setBold(True)
                    item.setFont(column, font)
            self.rows.addTopLevelItem(item)

    def texts(self) -> list[list[str]]:
        """Return the table as it is shown."""
        items = [self.rows.topLevelItem(row) for row in range(self.rows.topLevelItemCount())]
        return [[item.text(column) for column in range(self.rows.columnCount())] for item in items if item is not None]

    @abstractmethod
    def table(self) -> Table:
        """Return the page's data for other programs."""

    def picture(self) -> QWidget:
        """Return the page, for an image."""
        return self

    @Slot()
    def refresh(self) -> None:
        """Show everything as it is now."""

    def context_menu(self) -> QMenu:
        """Return the menu of this page; the caller shows it."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.exporter.fill(menu, self.rows.topLevelItemCount() > 0)
        return menu

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.context_menu().popup(event.globalPos())
