"""A bar with one sentence and, where there is one, the next step as a button."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

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


class _Offer(NamedTuple):
    """A sentence, and what its button says and does."""

    sentence: str
    button: str = ""
    act: Callable[[], None] | None = None
    role: Role = "card"


class NoticeBar(QFrame):
    """Hidden until there is something to say; only the newest sentence is shown, until it is closed or acted on.

    What can wait, and what is not to be covered for good (`add`), is shown when nothing else is any more.

    In a narrow column `is_narrow` puts the button below the sentence.
    """

    def __init__(
        self, theme: Theme, object_name: str, parent: QWidget | None = None, *, is_narrow: bool = False
    ) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self._shown = _Offer("")
        self._added = ""
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

    def offer(
        self, sentence: str, button: str = "", act: Callable[[], None] | None = None, role: Role = "card"
    ) -> None:
        """Say a sentence; the button does `act` and takes the bar away."""
        if self._added and self.sentence == self._added:
            self._later.insert(0, self._shown)
        self._show(_Offer(sentence, button, act, role))

    def add(self, sentence: str, button: str = "", act: Callable[[], None] | None = None, role: Role = "card") -> None:
        """`offer` after what was added before, where that is still shown; a button stays until another comes."""
        offer = _Offer(sentence, button, act, role)
        if self._added and self.sentence == self._added:
            if sentence in self._added:
                return
            kept = offer if act is not None else self._shown
            offer = kept._replace(sentence=localised(joined([self._added, sentence])))
        self._added = offer.sentence
        self._show(offer)

    def offer_later(
        self, sentence: str, button: str = "", act: Callable[[], None] | None = None, role: Role = "card"
    ) -> None:
        """`offer` when nothing is shown, or nothing any more."""
        self._later.append(_Offer(sentence, button, act, role))
        if not self.sentence:
            self._show_next()

    def withdraw(self, sentence: str) -> None:
        """Say this no more, whether it is shown or waits."""
        self._later = [offer for offer in self._later if offer.sentence != sentence]
        if sentence and self.sentence == sentence:
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
        self._label.setText(offer.sentence)
        self._button.setText(offer.button)
        self._button.setAccessibleName(offer.button)
        self._button.setVisible(offer.act is not None)
        self.setAccessibleName(offer.sentence)
        set_role(self, offer.role)
        self.show()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self._close_button.setAccessibleName(self.tr("Close"))
        self._close_button.setToolTip(self.tr("Close"))
