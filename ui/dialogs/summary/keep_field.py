"""How many of the last turns stay word for word, and what a summary then takes the place of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QVBoxLayout, QWidget

from app.chat.conversation import title_from
from ui import formatting

if TYPE_CHECKING:
    from app.chat.summary_outline import Outline


class KeepField(QWidget):
    """A slider over the cuts of an outline; to the right more is kept.

    Signals:
        changed: by the user.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._outline: Outline | None = None
        self._covers = QLabel(wordWrap=True)
        self._covers.setObjectName("summary_covers")
        self._covers.setTextFormat(Qt.TextFormat.PlainText)
        self._kept = QLabel()
        self._slider = QSlider(Qt.Orientation.Horizontal)
        self._slider.setObjectName("summary_keep")
        self._slider.setAccessibleName(self.tr("Turns kept word for word"))
        self._slider.setEnabled(False)
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(self._kept)
        row.addWidget(self._slider, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self._covers)
        layout.addLayout(row)
        self._slider.valueChanged.connect(self._on_slid)

    @property
    def cut(self) -> int:
        """The cut that is chosen of the outline's."""
        assert self._outline is not None
        return self._outline.cuts[-1 - self._slider.value()]

    def set_outline(self, outline: Outline) -> None:
        """Let a cut of this one be chosen: the usual, or the one nearest to what was chosen before."""
        wanted = outline.cut if self._outline is None else self.cut
        self._outline = outline
        last = len(outline.cuts) - 1
        with QSignalBlocker(self._slider):
            self._slider.setRange(0, last)
            self._slider.setValue(next((i for i, cut in enumerate(reversed(outline.cuts)) if cut <= wanted), last))
        self.set_changeable(True)
        self._show()

    def set_changeable(self, is_changeable: bool) -> None:
        """Let the user choose, where there is more than one cut."""
        self._slider.setEnabled(is_changeable and self._outline is not None and len(self._outline.cuts) > 1)

    @Slot()
    def _on_slid(self) -> None:
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        assert self._outline is not None
        outline, cut = self._outline, self.cut
        covered = outline.covered(cut)
        pinned = sum(message.pinned for message in outline.messages[:cut])
        text = self.tr("Takes the place of {messages} messages, {tokens}, from the beginning to “{end}”.").format(
            messages=formatting.count(len(covered)),
            tokens=formatting.tokens(outline.covered_tokens(cut)),
            end=title_from(covered[-1].content) if covered else "",
        )
        if pinned:
            text += " " + self.tr("{pinned} pinned messages among them stay word for word.").format(
                pinned=formatting.count(pinned)
            )
        self._covers.setText(text)
        kept = formatting.turn_count(outline.kept_turns(cut))
        self._kept.setText(self.tr("Keep the last {turns} word for word").format(turns=kept))
