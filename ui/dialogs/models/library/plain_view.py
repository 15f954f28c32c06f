"""Text out of a model's file, shown as the text it is: cut where it is long, and copied whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.hub.names import printable
from ui import formatting

if TYPE_CHECKING:
    from ui.theme import Theme

MOST_CHARACTERS = 50_000
"""Laid out at once: about 10 ms, whether in one line or in thousands."""
LONGEST_WRAPPED = 5000
"""A longer line is not wrapped, which takes ten times as long as to lay it out."""


class PlainView(QWidget):
    """A read-only text with what it is above it.

    Signals:
        whole_requested: the user wants all of a value of which only a part is known here.
    """

    whole_requested = Signal()

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._whole = ""
        self.label = QLabel(wordWrap=True)
        self.label.setProperty("role", "muted")
        self.text = QPlainTextEdit(readOnly=True)
        self.text.setObjectName(name)
        self.text.setTabChangesFocus(True)
        self.whole_button = QPushButton(self.tr("Show all values"))
        self.whole_button.setObjectName(f"{name}_whole")
        self.copy_button = QPushButton(self.tr("Copy all"))
        self.copy_button.setObjectName(f"{name}_copy")
        for button in (self.whole_button, self.copy_button):
            button.setAutoDefault(False)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.label, 1)
        row.addWidget(self.whole_button)
        row.addWidget(self.copy_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(row)
        layout.addWidget(self.text, 1)
        layout.addStretch(0)  # keeps the label where it is without a text below it
        self.whole_button.clicked.connect(self.whole_requested)
        self.copy_button.clicked.connect(self.copy_all)
        theme.changed.connect(self._take_font)
        self._take_font()
        self.show_text("", "")

    def show_text(self, about: str, whole: str, is_part: bool = False) -> None:
        """Show a text; `is_part` when the file has more of it than this."""
        self._whole = whole
        shown = printable(whole[:MOST_CHARACTERS])
        if len(whole) > MOST_CHARACTERS:
            left = formatting.count(len(whole) - MOST_CHARACTERS)
            shown += "\n" + self.tr("… {} more characters; “Copy all” copies them too.").format(left)
        is_wrapped = max(map(len, shown.split("\n"))) <= LONGEST_WRAPPED
        modes = QPlainTextEdit.LineWrapMode
        self.text.setLineWrapMode(modes.WidgetWidth if is_wrapped else modes.NoWrap)
        self.text.setPlainText(shown)
        self.label.setText(about)
        self.text.setAccessibleName(about)
        self.text.setVisible(bool(whole))
        self.whole_button.setVisible(is_part)
        self.copy_button.setVisible(bool(whole) and not is_part)

    @Slot()
    def copy_all(self) -> None:
        """Copy the whole text, cut nowhere."""
        QGuiApplication.clipboard().setText(self._whole)

    @Slot()
    def _take_font(self) -> None:
        self.text.setFont(self._theme.font(monospace=True))
