"""What stands in the table's place while it has no rows: why, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from ui.dialogs.models.empty import BAR_HEIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_BAR_WIDTH = 320


class EmptyPage(QWidget):
    """A title, a sentence, and the next step as buttons.

    Signals:
        hub_requested, folders_requested, clear_requested, again_requested.
    """

    hub_requested = Signal()
    folders_requested = Signal()
    clear_requested = Signal()
    again_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("library_empty")
        self._title = self._label("title")
        self._text = self._label("muted")
        self._bar = QProgressBar(textVisible=False)
        self._bar.setFixedSize(_BAR_WIDTH, BAR_HEIGHT)
        self._bar.setAccessibleName(self.tr("Progress of the search for models"))
        self.hub = self._button("library_find_on_hub", self.tr("Find models on the hub"), self.hub_requested)
        self.hub.setProperty("role", "primary")
        self.folders = self._button("library_add_folder", self.tr("Look in other folders…"), self.folders_requested)
        self.clear = self._button("library_clear", self.tr("Show all models"), self.clear_requested)
        self.again = self._button("library_again", self.tr("Try again"), self.again_requested)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        for button in (self.hub, self.folders, self.clear, self.again):
            buttons.addWidget(button)
        buttons.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setSpacing(8)
        layout.addStretch(1)
        layout.addWidget(self._title)
        layout.addWidget(self._text)
        layout.addWidget(self._bar, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addSpacing(8)
        layout.addLayout(buttons)
        layout.addStretch(1)

    @property
    def sentence(self) -> str:
        """Title and text."""
        return f"{self._title.text()} {self._text.text()}".strip()

    def show_scanning(self, done: int, total: int) -> None:
        """Models are looked for: `done` of `total` files were read, 0 of 0 while they are only being found."""
        self._say(self.tr("Looking for models…"), self.tr("In Tokometer's folder, in yours and in other programs'."))
        self._bar.setRange(0, total)
        self._bar.setValue(done)
        self._bar.show()

    def show_nothing(self, folder: Path) -> None:
        """There are none."""
        text = self.tr(
            "Put GGUF files into {}, say in which other folders to look, or fetch a model from the hub."
        ).format(folder)
        self._say(self.tr("No models on this machine yet"), text, self.hub, self.folders)

    def show_no_match(self, filters: Sequence[str]) -> None:
        """These leave none."""
        comma = self.tr(", ", "between filters of models")
        self._say(self.tr("Nothing matches"), self.tr("No model matches {}.").format(comma.join(filters)), self.clear)

    def show_failure(self, reason: str) -> None:
        """They cannot be listed."""
        self._say(self.tr("The models cannot be listed"), reason, self.again)

    def _say(self, title: str, text: str, *buttons: QPushButton) -> None:
        self._title.setText(title)
        self._text.setText(text)
        self._bar.hide()
        for button in (self.hub, self.folders, self.clear, self.again):
            button.setVisible(button in buttons)

    def _label(self, role: str) -> QLabel:
        label = QLabel(wordWrap=True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        label.setProperty("role", role)
        return label

    def _button(self, name: str, text: str, signal: SignalInstance) -> QPushButton:
        button = QPushButton(text)
        button.setObjectName(name)
        button.setAccessibleName(text.rstrip("…"))
        button.setAutoDefault(False)
        button.clicked.connect(signal)
        return button
