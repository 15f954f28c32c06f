"""What is this: each number's definition, its formula with today's figures, and what moves it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QListWidget, QVBoxLayout, QWidget

from app.telemetry.words import KEYS, explain
from ui import formatting
from ui.translation import localised

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from app.telemetry.words import Explanation
    from ui.dialogs.speed.sources import Sources

IN_WORDS = {
    "prefill_tokens_per_s": "prefill_rate",
    "decode_tokens_per_s": "decode_rate",
    **dict.fromkeys(("ttft", "queue", "tokenise", "prefill", "itl", "tpot", "e2e", "kv_used", "kv_reserved", "memory")),
}
"""Numbers that `formatting.definition` has words for, and its name where that is another."""
ONLY_WORDS = ("rest", "context")


class NumbersPage(QWidget):
    """A list of the numbers beside what the chosen one is; figures are those of the open conversation's last turn."""

    def __init__(self, sources: Sources, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sources = sources
        self.keys = (*KEYS, *ONLY_WORDS)
        self.names = QListWidget()
        self.names.setObjectName("number_names")
        self.names.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.names.setWordWrap(True)
        self.names.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.names.setTextElideMode(Qt.TextElideMode.ElideNone)  # a name takes another line where it needs one
        self.names.currentRowChanged.connect(self._show)
        self._title = QLabel()
        self._title.setProperty("role", "title")
        self.words = QLabel(wordWrap=True)
        self.words.setObjectName("number_words")
        self.formula = QLabel(wordWrap=True)
        self.formula.setObjectName("number_formula")
        self.figures = QLabel(wordWrap=True)
        self.figures.setObjectName("number_figures")
        self.moved_by = QLabel(wordWrap=True)
        self.moved_by.setObjectName("number_moved_by")
        right = QVBoxLayout()
        right.setSpacing(12)
        flags = Qt.TextInteractionFlag
        for label in (self._title, self.words, self.formula, self.figures, self.moved_by):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
            right.addWidget(label)
        right.addStretch()
        columns = QHBoxLayout(self)
        columns.setSpacing(16)
        columns.addWidget(self.names, 2)
        columns.addLayout(right, 5)
        sources.theme.changed.connect(self._restyle)
        sources.chat.answer_shown.connect(self.refresh)
        sources.chat.session_changed.connect(self.refresh)
        sources.ceilings.changed.connect(self.refresh)
        self._restyle()
        self._retranslate()

    def choose(self, key: str) -> None:
        """Show this number. Raises ValueError for an unknown one."""
        self.names.setCurrentRow(self.keys.index(key))

    @Slot()
    def refresh(self) -> None:
        """The figures are others now."""
        if self.isVisible():
            self._show(self.names.currentRow())

    @Slot(int)
    def _show(self, row: int) -> None:
        if row < 0:
            return
        key = self.keys[row]
        self._title.setText(self.names.item(row).text())
        in_words = key in IN_WORDS or key in ONLY_WORDS
        self.words.setText(formatting.definition(IN_WORDS.get(key) or key) if in_words else "")
        found = explain(key, self._sources.figures()) if key in KEYS else None
        self.formula.setText(found.definition if found is not None else "")
        self.figures.setText(self._filled(found) if found is not None else "")
        moved_by = self.tr("What moves it: {sentence}")
        self.moved_by.setText(moved_by.format(sentence=localised(found.moved_by)) if found is not None else "")
        for label in (self.words, self.formula, self.figures, self.moved_by):
            label.setVisible(bool(label.text()))

    def _filled(self, found: Explanation) -> str:
        if not found.terms:
            return self.tr("After an answer today's figures stand here.")
        value = formatting.figure(found.value, found.unit)
        lines = [f"{found.filled(formatting.figure)} = {value}" if found.formula else value]
        lines += [f"{term.symbol}: {formatting.figure(term.value, term.unit)}" for term in found.terms]
        return "\n".join(lines)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        row = max(self.names.currentRow(), 0)
        only = {"rest": self.tr("Rest of the time to first token"), "context": self.tr("Context")}
        self.names.clear()
        self.names.addItems([localised(explain(key).name) if key in KEYS else only[key] for key in self.keys])
        self.names.setAccessibleName(self.tr("Numbers"))
        self.names.setCurrentRow(row)

    @Slot()
    def _restyle(self) -> None:
        self.formula.setFont(self._sources.theme.font(monospace=True))
