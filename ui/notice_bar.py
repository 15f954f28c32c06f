"""A bar with one sentence and, where there is one, the next step as a button."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QToolButton, QWidget

from app.errors import joined
from ui.icons import keep_icon
from ui.style_sheet import set_role
from ui.translation import localised

if TYPE_CHECKING:
    from collections.abc import Callable

    from ui.theme import Theme

Role = Literal["card", "warning", "error"]


class NoticeBar(QFrame):
    """Hidden until there is something to say; only the newest sentence is shown, until it is closed or acted on.

    What can wait is shown when nothing else is any more.

    In a narrow column `is_narrow` puts the button below the sentence.
    """

    def __init__(
        self, theme: Theme, object_name: str, parent: QWidget | None = None, *, is_narrow: bool = False
    ) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self._act: Callable[[], None] | None = None
        self._added = ""
        self._later: list[tuple[str, str, Callable[[], None] | None, Role]] = []
        self._label = QLabel(wordWrap=True)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._button = QPushButton()
        self._button.setObjectName(f"{object_name}_button")
        self._close_button = QToolButton()
        self._close_button.setObjectName(f"{object_name}_close")
        keep_icon(self._close_button, "x", theme, "muted")
        layout = QGridLayout(self)
        layout.setContentsMargins(8, 4, 4, 4)
        layout.setSpacing(8)
        layout.setColumnStretch(0, 1)
        layout.addWidget(self._label, 0, 0)
        if is_narrow:
            layout.addWidget(self._button, 1, 0, 1, 3, Qt.AlignmentFlag.AlignLeft)
            layout.addWidget(self._close_button, 0, 2, Qt.AlignmentFlag.AlignTop)
        else:
            layout.addWidget(self._button, 0, 1)
            layout.addWidget(self._close_button, 0, 2)
        self._button.clicked.connect(self.act)
        self._close_button.clicked.connect(self.dismiss)
        self._retranslate()
        self.hide()

    @property
    def sentence(self) -> str:
        """What is said; empty when hidden."""
        return self._label.text()

    def offer(
        self, sentence: str, button: str = "", act: Callable[[], None] | None = None, role: Role = "card"
    ) -> None:
        """Say a sentence; the button does `act` and takes the bar away."""
        self._label.setText(sentence)
        self._act = act
        self._button.setText(button)
        self._button.setAccessibleName(button)
        self._button.setVisible(act is not None)
        self.setAccessibleName(sentence)
        set_role(self, role)
        self.show()

    def add(self, sentence: str, button: str = "", act: Callable[[], None] | None = None, role: Role = "card") -> None:
        """`offer` after what was added before, where that is still shown; a button stays until another comes."""
        if self._added and self.sentence == self._added:
            if sentence in self._added:
                return
            sentence = localised(joined([self._added, sentence]))
            if act is None and self._act is not None:
                button, act, role = self._button.text(), self._act, "error"
        self._added = sentence
        self.offer(sentence, button, act, role)

    def offer_later(
        self, sentence: str, button: str = "", act: Callable[[], None] | None = None, role: Role = "card"
    ) -> None:
        """`offer` when nothing is shown, or nothing any more."""
        self._later.append((sentence, button, act, role))
        if not self.sentence:
            self._offer_next()

    def withdraw(self, sentence: str) -> None:
        """Say this no more, whether it is shown or waits."""
        self._later = [offer for offer in self._later if offer[0] != sentence]
        if sentence and self.sentence == sentence:
            self.dismiss()

    @Slot()
    def act(self) -> None:
        """Do what the bar offers."""
        act = self._act
        self.dismiss()
        if act is not None:
            act()

    @Slot()
    def dismiss(self) -> None:
        """Say nothing, or what has waited."""
        self._act = None
        self._label.clear()
        self.hide()
        self._offer_next()

    def _offer_next(self) -> None:
        if self._later:
            self.offer(*self._later.pop(0))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self._close_button.setAccessibleName(self.tr("Close"))
        self._close_button.setToolTip(self.tr("Close"))
