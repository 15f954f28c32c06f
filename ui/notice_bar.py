"""A bar with one sentence and, where there is one, the next step as a button."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QToolButton, QWidget

from ui.icons import keep_icon
from ui.style_sheet import set_role
from ui.translation import joined, said

if TYPE_CHECKING:
    from collections.abc import Callable

    from ui.theme import Theme
    from ui.translation import Text

Role = Literal["card", "warning", "error"]


class _Offer(NamedTuple):
    """A sentence, and what its button says and does."""

    sentence: Text
    button: Text = ""
    act: Callable[[], None] | None = None
    role: Role = "card"


class NoticeBar(QFrame):
    """Hidden until there is something to say; only the newest sentence is shown, until it is closed or acted on.

    It is said anew when the language changes.

    What can wait, and what is not to be covered for good (`add`), is shown when nothing else is any more.

    In a narrow column `is_narrow` puts the button below the sentence.
    """

    def __init__(
        self, theme: Theme, object_name: str, parent: QWidget | None = None, *, is_narrow: bool = False
    ) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self._shown = _Offer("")
        self._added: Text = ""
        self._later: list[_Offer] = []
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

    @property
    def _shows_added(self) -> bool:
        return bool(self._added) and self._shown.sentence == self._added

    def offer(
        self, sentence: Text, button: Text = "", act: Callable[[], None] | None = None, role: Role = "card"
    ) -> None:
        """Say a sentence; the button does `act` and takes the bar away."""
        if self._shows_added:
            self._later.insert(0, self._shown)
        self._show(_Offer(sentence, button, act, role))

    def add(
        self, sentence: Text, button: Text = "", act: Callable[[], None] | None = None, role: Role = "card"
    ) -> None:
        """`offer` after what was added before, where that is still shown; a button stays until another comes."""
        offer = _Offer(sentence, button, act, role)
        if self._shows_added:
            if said(sentence) in self.sentence:
                return
            kept = offer if act is not None else self._shown
            offer = kept._replace(sentence=partial(_both, self._added, sentence))
        self._added = offer.sentence
        self._show(offer)

    def offer_later(
        self, sentence: Text, button: Text = "", act: Callable[[], None] | None = None, role: Role = "card"
    ) -> None:
        """`offer` when nothing is shown, or nothing any more."""
        self._later.append(_Offer(sentence, button, act, role))
        if not self.sentence:
            self._show_next()

    def withdraw(self, sentence: Text) -> None:
        """Say this no more, whether it is shown or waits."""
        self._later = [offer for offer in self._later if offer.sentence != sentence]
        if sentence and self._shown.sentence == sentence:
            self.dismiss()

    @Slot()
    def withdraw_added(self) -> None:
        """What was added holds no longer."""
        self.withdraw(self._added)

    @Slot()
    def act(self) -> None:
        """Do what the bar offers."""
        act = self._shown.act
        self.dismiss()
        if act is not None:
            act()

    @Slot()
    def dismiss(self) -> None:
        """Say nothing, or what has waited."""
        self._shown = _Offer("")
        self._label.clear()
        self.hide()
        self._show_next()

    def _show_next(self) -> None:
        if self._later:
            self._show(self._later.pop(0))

    def _show(self, offer: _Offer) -> None:
        self._shown = offer
        self._say()
        self._button.setVisible(offer.act is not None)
        set_role(self, offer.role)
        self.show()

    def _say(self) -> None:
        sentence, button = said(self._shown.sentence), said(self._shown.button)
        self._label.setText(sentence)
        self._button.setText(button)
        self._button.setAccessibleName(button)
        self.setAccessibleName(sentence)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self._close_button.setAccessibleName(self.tr("Close"))
        self._close_button.setToolTip(self.tr("Close"))
        self._say()


def _both(first: Text, second: Text) -> str:
    return joined(said(first), said(second))
