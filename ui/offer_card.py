"""One model that suits this machine: what it is, what it is for, whether it fits, and its download."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QFrame,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.hub.curated import PURPOSES
from ui import formatting
from ui.dialogs.models import words
from ui.dialogs.models.downloads.row import DownloadRow
from ui.icons import keep_icon
from ui.style_sheet import set_role
from ui.translation import localised

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from app.hub.batches import Batch
    from app.hub.download import State
    from app.hub.start import StartOffer
    from ui.hub_thread import Refusal
    from ui.theme import Theme

BILLION = 1e9
SIDE = 16
LEAST_LINE = 24
"""Characters: shorter lines are hard to read."""


class OfferCard(QFrame):
    """Its button gives way to the progress of the download.

    Signals:
        chosen: the user wants this one.
        asked: what a `DownloadRow` was asked for, and its batch.
        progressed: its download is in another state; what shows it.
    """

    chosen = Signal()
    asked = Signal(str, object)
    progressed = Signal(QWidget)

    def __init__(self, offer: StartOffer, theme: Theme, is_best: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("offer_card")
        self.setProperty("role", "card")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.offer = offer
        self._theme = theme
        self._is_best = is_best
        self._row: DownloadRow | None = None
        self._state: State | None = None
        self._name = QLabel(offer.model.name)
        self._name.setObjectName("offer_name")
        self._name.setTextFormat(Qt.TextFormat.PlainText)
        font = self._name.font()
        font.setBold(True)
        self._name.setFont(font)
        self._best = QLabel(self.tr("suits this machine best") if is_best else "")
        self._best.setProperty("role", "muted")
        self._purpose = QLabel(wordWrap=True)
        self._purpose.setObjectName("offer_purpose")
        self._facts = QLabel(wordWrap=True)
        self._facts.setObjectName("offer_facts")
        self._facts.setProperty("role", "muted")
        self.button = QPushButton(self.tr("Download"))
        self.button.setObjectName("offer_download")
        keep_icon(self.button, "download", theme)
        self._lay_out()
        self.button.clicked.connect(self.chosen)
        self.show_offer(offer, None, None, is_wanted=False)

    def _lay_out(self) -> None:
        head = self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        head.setSpacing(8)
        head.addWidget(self._name)
        head.addWidget(self._best, 1)
        texts = QVBoxLayout()
        texts.setSpacing(4)
        texts.addLayout(head)
        texts.addWidget(self._purpose)
        texts.addWidget(self._facts)
        beside = self._beside = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        beside.addLayout(texts, 1)
        beside.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(SIDE, 8, SIDE, 8)
        self._rows.setSpacing(0)
        self._rows.addLayout(beside)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put below each other what does not fit beside each other."""
        super().resizeEvent(event)
        room = self.width() - 2 * SIDE
        left = room - SIDE - self.button.sizeHint().width()
        is_wide = left >= self.fontMetrics().averageCharWidth() * LEAST_LINE
        names = self._name.sizeHint().width() + self._best.sizeHint().width() + SIDE // 2
        ways = QBoxLayout.Direction
        self._beside.setDirection(ways.LeftToRight if is_wide else ways.TopToBottom)
        self._beside.setSpacing(SIDE if is_wide else SIDE // 2)
        is_one_line = names <= (left if is_wide else room)
        self._head.setDirection(ways.LeftToRight if is_one_line else ways.TopToBottom)
        self._head.setSpacing(SIDE // 2 if is_one_line else 0)

    def show_offer(self, offer: StartOffer, batch: Batch | None, refusal: Refusal | None, *, is_wanted: bool) -> None:
        """Show it as it is now.

        Args:
            batch: its download.
            refusal: why the hub cannot be asked.
            is_wanted: the hub is being asked for it, then the download begins.
        """
        self.offer = offer
        had_keyboard = self._has_keyboard()
        self._purpose.setText(localised(PURPOSES[offer.model.purpose]))
        facts = self._facts_of(offer)
        self._facts.setText(facts)
        self._facts.setToolTip(self._details_of(offer))
        is_offline = refusal is not None and refusal.is_offline
        self.button.setEnabled(not is_wanted and not is_offline)
        self.button.setToolTip(refusal.sentence if refusal is not None and is_offline else "")
        self._set_primary(self._is_best and refusal is None)
        self.button.setVisible(batch is None)
        self.button.setAccessibleName(self.tr("Download {}").format(offer.model.name))
        self.setAccessibleName(f"{offer.model.name}: {self._purpose.text()} {facts}")
        self._show_download(batch)
        state = batch.state if batch is not None else None
        if state != self._state:
            self._state = state
            self.progressed.emit(self if self._row is None else self._row)
        if had_keyboard:
            self._keep_keyboard()

    def _set_primary(self, is_primary: bool) -> None:
        role = "primary" if is_primary else ""
        if role != (self.button.property("role") or ""):
            set_role(self.button, role)
            keep_icon(self.button, "download", self._theme, "on_accent" if is_primary else "text")

    def _has_keyboard(self) -> bool:
        focused = QApplication.focusWidget()
        return focused is not None and (focused is self or self.isAncestorOf(focused))

    def _keep_keyboard(self) -> None:
        """Else the next card's button had it, and a second press of the same key would download another model."""
        if self.hasFocus() or not self._has_keyboard():
            stop = self.button if self._row is None else self._row.buttons["pause"]
            (self if stop.isHidden() or not stop.isEnabled() else stop).setFocus()

    def _show_download(self, batch: Batch | None) -> None:
        if batch is None:
            if self._row is not None:
                self._row.hide()
                self._row.deleteLater()
                self._row = None
            return
        if self._row is None:
            self._row = DownloadRow(batch, self)
            self._row.setProperty("role", "")  # it stands inside this card
            self._row.name.hide()
            self._row.repo.hide()
            if (inside := self._row.layout()) is not None:
                inside.setContentsMargins(0, 8, 0, 0)
            self._row.asked.connect(self.asked)
            self._rows.addWidget(self._row)
            self._row.show()
        else:
            self._row.show_batch(batch)

    def _facts_of(self, offer: StartOffer) -> str:
        place = words.place(offer.placing.place)
        if offer.is_rough:
            place = self.tr("{place} (estimated)").format(place=place)
        return " · ".join((formatting.memory(offer.size_bytes), place, offer.model.licence))

    def _details_of(self, offer: StartOffer) -> str:
        """What a tooltip adds: what the place means, and how large the model is."""
        model = offer.model
        about = self.tr(
            "Whether it fits is estimated from the size of its file. What it needs exactly is in the file's header, "
            "which the hub has not sent yet."
        )
        trained = self.tr("trained for {}").format(formatting.tokens(model.n_ctx_train))
        size = f"{words.parameters(round(model.parameters * BILLION))}, {trained}"
        lines = (
            words.placing(offer.placing),
            about if offer.is_rough else "",
            size,
            f"{model.repo} {model.quantisation}",
        )
        return "\n".join(line for line in lines if line)

    @Slot()
    def retranslate(self) -> None:
        """Say it in the present language."""
        if self._is_best:
            self._best.setText(self.tr("suits this machine best"))
        self.button.setText(self.tr("Download"))
