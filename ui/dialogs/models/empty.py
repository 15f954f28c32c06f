"""What a list of the models window says while there is nothing in it: why, and the next step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from ui.dialogs.models import words
from ui.style_sheet import set_role

if TYPE_CHECKING:
    from ui.hub_thread import Refusal

TEXT_WIDTH = 420
BAR_WIDTH, BAR_HEIGHT = 160, 8


class EmptyPage(QWidget):
    """One sentence in the middle, with buttons or a sign of work below it.

    Signals:
        acted: the button was pressed.
        link_activated: a page of the hub the sentence speaks of.
    """

    acted = Signal()
    link_activated = Signal(QUrl)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._text = QLabel(wordWrap=True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._text.setMaximumWidth(TEXT_WIDTH)
        self._text.setMinimumWidth(1)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._bar = QProgressBar(minimum=0, maximum=0, textVisible=False)
        self._bar.setFixedSize(BAR_WIDTH, BAR_HEIGHT)
        self.button = QPushButton()
        self.button.setObjectName(f"{name}_button")
        self.button.setAutoDefault(False)
        self.button.clicked.connect(self._act)
        self._page = ""
        self.page_button = QPushButton()
        self.page_button.setObjectName(f"{name}_page")
        self.page_button.setAutoDefault(False)
        self.page_button.clicked.connect(self._open_page)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self.page_button)
        buttons.addWidget(self.button)
        buttons.addStretch(1)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(self._text, 1000)  # all the width there is, up to its own
        middle.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 0, 16, 0)
        layout.setSpacing(16)
        layout.addStretch(1)
        layout.addLayout(middle)
        layout.addWidget(self._bar, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addLayout(buttons)
        layout.addStretch(2)

    @property
    def text(self) -> str:
        """The sentence."""
        return self._text.text()

    def say(self, text: str, button: str = "", role: str = "muted", page: str = "") -> None:
        """Say why there is nothing, and what can be done; `page` is where on the hub."""
        self._show(text, button, role, page)

    def wait(self, text: str) -> None:
        """Say what is waited for."""
        self._show(text, "", "muted", is_working=True)

    def refuse(self, refusal: Refusal, button: str) -> None:
        """Say what went wrong; that the user works offline is nothing wrong."""
        self.say(refusal.sentence, button, "muted" if refusal.is_offline else "error", refusal.page)

    def _show(self, text: str, button: str, role: str, page: str = "", *, is_working: bool = False) -> None:
        self._text.setText(text)
        set_role(self._text, role)
        self._bar.setVisible(is_working)
        self.button.setText(button)
        self.button.setAccessibleName(button)
        self.button.setVisible(bool(button))
        self._page = page
        self.page_button.setText(words.hub_page())
        self.page_button.setVisible(bool(page))
        self.setAccessibleName(text)

    @Slot()
    def _act(self) -> None:
        self.acted.emit()

    @Slot()
    def _open_page(self) -> None:
        self.link_activated.emit(QUrl(self._page))
