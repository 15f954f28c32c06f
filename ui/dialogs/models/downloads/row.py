"""One download: how far it is, and what can be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.hub.names import printable
from ui.dialogs.models import words
from ui.dialogs.models.empty import BAR_HEIGHT
from ui.panels.labels import ElidedLabel
from ui.style_sheet import set_role
from ui.translation import localised

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QResizeEvent

    from app.hub.batches import Batch

STEPS = 1000


def show_some(buttons: Mapping[QPushButton, bool]) -> None:
    """Show some and hide the others; where one that goes has the keyboard, the first one shown gets it."""
    shown = [button for button, is_shown in buttons.items() if is_shown]
    for button in shown:
        button.show()
    for button in buttons.keys() - shown:
        if button is button.window().focusWidget() and shown:
            shown[0].setFocus()
        button.hide()


class DownloadRow(QFrame):
    """Buttons that do nothing now are not there.

    Signals:
        asked: one of "pause", "resume", "cancel", "load", "page" and "forget", and the row's batch.
    """

    asked = Signal(str, object)

    def __init__(self, batch: Batch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("download_row")
        self.setProperty("role", "card")
        self.batch = batch
        self.name = ElidedLabel()
        font = self.name.font()
        font.setBold(True)
        self.name.setFont(font)
        self.repo = ElidedLabel()
        self.repo.setProperty("role", "muted")
        self.bar = QProgressBar(maximum=STEPS, textVisible=False)
        self.bar.setFixedHeight(BAR_HEIGHT)
        self.state = ElidedLabel()
        self.state.setObjectName("download_state")
        self.sentence = QLabel(wordWrap=True)
        self.sentence.setObjectName("download_sentence")
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.buttons: dict[str, QPushButton] = {}
        self._lay_out()
        self.show_batch(batch)

    def _lay_out(self) -> None:
        names = QHBoxLayout()
        names.setSpacing(8)
        names.addWidget(self.name)
        names.addWidget(self.repo, 1)
        self._button_row = QHBoxLayout()
        self._button_row.setSpacing(8)
        self._button_row.addStretch()
        self._foot = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._foot.setSpacing(8)
        self._foot.addWidget(self.state, 1)
        self._foot.addLayout(self._button_row)
        slots = {
            "load": self._load,
            "pause": self._pause,
            "resume": self._resume,
            "page": self._page,
            "cancel": self._cancel,
            "forget": self._forget,
        }
        for verb, slot in slots.items():
            button = self.buttons[verb] = QPushButton()
            button.setObjectName(f"download_{verb}")
            button.setAutoDefault(False)
            button.clicked.connect(slot)
            self._button_row.addWidget(button)
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(12, 8, 8, 8)
        self._rows.setSpacing(6)
        self._rows.addLayout(names)
        self._rows.addWidget(self.bar)
        self._rows.addWidget(self.sentence)
        self._rows.addLayout(self._foot)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_foot(may_rise=True)

    def show_batch(self, batch: Batch) -> None:
        """Show it as it is now."""
        is_other_state = batch.state != self.batch.state
        self.batch = batch
        state = batch.state
        self.name.setText(batch.name)
        self.repo.setText(batch.repo)
        text = words.state(batch)
        self.state.setText(text)
        self.setAccessibleName(f"{batch.name}: {text}")
        fraction = batch.fraction
        self.bar.setVisible(state != "done")
        self.bar.setRange(0, STEPS if fraction is not None or state not in ("downloading", "checking") else 0)
        self.bar.setValue(round(STEPS * (fraction or 0)))
        self.bar.setAccessibleName(self.tr("Progress of {}").format(batch.name))
        sentence = printable(localised(batch.sentence))
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))
        set_role(self.sentence, "error" if state == "failed" else "warning")
        self._show_buttons(batch)
        self._fit_foot(may_rise=is_other_state)

    def _fit_foot(self, *, may_rise: bool) -> None:
        """Put the buttons below the state where they do not fit beside it; there they stay while numbers change."""
        needed = self.state.sizeHint().width() + self._foot.spacing() + self._button_row.sizeHint().width()
        margins = self._rows.contentsMargins()
        fits = needed <= self.contentsRect().width() - margins.left() - margins.right()
        if may_rise or not fits:
            ways = QBoxLayout.Direction
            self._foot.setDirection(ways.LeftToRight if fits else ways.TopToBottom)

    def _show_buttons(self, batch: Batch) -> None:
        state = batch.state
        texts = {
            "load": self.tr("Load"),
            "pause": self.tr("Pause"),
            "resume": self.tr("Try again") if state == "failed" else self.tr("Resume"),
            "page": words.hub_page(),
            "cancel": self.tr("Discard") if state == "failed" else self.tr("Cancel"),
            "forget": self.tr("Remove from the list"),
        }
        shown = {  # in each state one of the first three, none of which does harm when its key is pressed too late
            "pause": batch.is_active,
            "resume": state in ("paused", "failed"),
            "forget": state == "done",
            "load": state == "done" and not batch.is_projector,
            "page": state == "failed" and bool(batch.page),
            "cancel": state != "done",
        }
        for verb, button in self.buttons.items():
            button.setText(texts[verb])
            button.setAccessibleName(f"{texts[verb]}: {batch.name}")
        show_some({self.buttons[verb]: is_shown for verb, is_shown in shown.items()})

    @Slot()
    def _load(self) -> None:
        self.asked.emit("load", self.batch)

    @Slot()
    def _pause(self) -> None:
        self.asked.emit("pause", self.batch)

    @Slot()
    def _resume(self) -> None:
        self.asked.emit("resume", self.batch)

    @Slot()
    def _page(self) -> None:
        self.asked.emit("page", self.batch)

    @Slot()
    def _cancel(self) -> None:
        self.asked.emit("cancel", self.batch)

    @Slot()
    def _forget(self) -> None:
        self.asked.emit("forget", self.batch)
