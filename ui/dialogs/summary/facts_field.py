"""The details that a summary keeps word for word: each can be left out, and others added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.chat.facts import MAX_CHARACTERS
from ui import formatting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.chat.facts import Fact


class FactsField(QWidget):
    """A list with boxes to tick. What the user chose stays chosen when the list changes.

    Signals:
        changed: by the user.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chosen: dict[str, bool] = {}
        self._added: list[str] = []
        self._title = QLabel()
        self._list = QListWidget()
        self._list.setObjectName("summary_facts")
        self._list.setAccessibleName(self.tr("Details kept word for word"))
        self._list.setWordWrap(True)
        self._list.setTextElideMode(Qt.TextElideMode.ElideNone)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setResizeMode(QListWidget.ResizeMode.Adjust)
        self._editor = QLineEdit(placeholderText=self.tr("Another detail"), maxLength=MAX_CHARACTERS)
        self._editor.setObjectName("summary_fact_editor")
        self._editor.setAccessibleName(self.tr("Another detail to keep word for word"))
        self._add = QPushButton(self.tr("Add"))
        self._add.setObjectName("summary_fact_add")
        self._add.setAutoDefault(False)
        self._add.setEnabled(False)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._editor, 1)
        row.addWidget(self._add)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self._title)
        layout.addWidget(self._list, 1)
        layout.addLayout(row)
        self._list.itemChanged.connect(self._on_ticked)
        self._editor.textChanged.connect(self._on_typed)
        self._add.clicked.connect(self.add)
        self._editor.installEventFilter(self)
        self.show_tokens(0)

    def facts(self) -> tuple[str, ...]:
        """Return those that are kept."""
        items = (self._list.item(row) for row in range(self._list.count()))
        return tuple(item.text() for item in items if item.checkState() is Qt.CheckState.Checked)

    def set_facts(self, found: Sequence[Fact], chosen: Sequence[str]) -> None:
        """Show what was found; ticked is what the user chose, and else what has room."""
        ticked = set(chosen)
        with QSignalBlocker(self._list):
            position = self._list.verticalScrollBar().value()
            self._list.clear()
            kinds = {"wish": self.tr("You asked to remember this."), "user": self.tr("You said this.")}
            for fact in found:
                self._append(
                    fact.text,
                    self._chosen.get(fact.text, fact.text in ticked),
                    kinds.get(fact.kind, self.tr("The model said this.")),
                )
            known = {fact.text for fact in found}
            for text in self._added:
                if text not in known:
                    self._append(text, self._chosen.get(text, True), self.tr("You added this."))
            self._list.verticalScrollBar().setValue(position)

    def show_tokens(self, tokens: int) -> None:
        """Say how many are kept and about what they take."""
        self._title.setText(
            self.tr("Kept word for word: {kept} of {all}, about {tokens}").format(
                kept=formatting.count(len(self.facts())),
                all=formatting.count(self._list.count()),
                tokens=formatting.tokens(tokens),
            )
        )

    @Slot()
    def add(self) -> None:
        """Keep what is typed."""
        text = " ".join(self._editor.text().split())
        if not text:
            return
        self._editor.clear()
        self._chosen[text] = True
        items = self._list.findItems(text, Qt.MatchFlag.MatchExactly)
        with QSignalBlocker(self._list):
            if items:
                items[0].setCheckState(Qt.CheckState.Checked)
            else:
                self._added.append(text)
                self._append(text, True, self.tr("You added this."))
        self._list.scrollToItem(self._list.findItems(text, Qt.MatchFlag.MatchExactly)[0])
        self.changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let Return in the line add what is typed there, and not accept the summary."""
        is_return = isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_return and event.type() == QEvent.Type.KeyPress and self._editor.text():
            self.add()
            return True
        return super().eventFilter(watched, event)

    def _append(self, text: str, is_kept: bool, tooltip: str) -> None:
        item = QListWidgetItem(text, self._list)
        item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable)
        item.setCheckState(Qt.CheckState.Checked if is_kept else Qt.CheckState.Unchecked)
        item.setToolTip(tooltip)

    @Slot(QListWidgetItem)
    def _on_ticked(self, item: QListWidgetItem) -> None:
        self._chosen[item.text()] = item.checkState() is Qt.CheckState.Checked
        self.changed.emit()

    @Slot(str)
    def _on_typed(self, text: str) -> None:
        self._add.setEnabled(bool(text.strip()))
