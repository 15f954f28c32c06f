"""One download: how far it is, and what can be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.hub.names import printable
from ui.dialogs.models import words
from ui.dialogs.models.empty import BAR_HEIGHT
from ui.panels.labels import ElidedLabel
from ui.style_sheet import set_role
from ui.translation import localised

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        asked: one of "pause", "resume", "cancel", "load" and "forget", and the row's batch.
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
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.state, 1)
        slots = {
            "load": self._load,
            "pause": self._pause,
            "resume": self._resume,
            "cancel": self._cancel,
            "forget": self._forget,
        }
        for verb, slot in slots.items():
            button = self.buttons[verb] = QPushButton()
            button.setObjectName(f"download_{verb}")
            button.setAutoDefault(False)
            button.clicked.connect(slot)
            foot.addWidget(button)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(12, 8, 8, 8)
        rows.setSpacing(6)
        rows.addLayout(names)
        rows.addWidget(self.bar)
        rows.addWidget(self.sentence)
        rows.addLayout(foot)

    def show_batch(self, batch: Batch) -> None:
        """Show it as it is now."""
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

    def _show_buttons(self, batch: Batch) -> None:
        state = batch.state
        texts = {
            "load": self.tr("Load"),
            "pause": self.tr("Pause"),
            "resume": self.tr("Try again") if state == "failed" else self.tr("Resume"),
            "cancel": self.tr("Discard") if state == "failed" else self.tr("Cancel"),
            "forget": self.tr("Remove from the list"),
        }
        shown = {  # in each state one of the first three, none of which does harm when its key is pressed too late
            "pause": batch.is_active,
            "resume": state in ("paused", "failed"),
            "forget": state == "done",
            "load": state == "done" and not batch.is_projector,
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
    def _cancel(self) -> None:
        self.asked.emit("cancel", self.batch)

    @Slot()
    def _forget(self) -> None:
        self.asked.emit("forget", self.batch)
