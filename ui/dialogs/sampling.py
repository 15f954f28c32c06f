"""How one answer is sampled, chosen for it alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QVBoxLayout, QWidget

from ui.dialogs.boxes import double_spin_box, spin_box
from ui.dialogs.preferences import MAX_SEED

if TYPE_CHECKING:
    from app.settings import SamplingSettings


class SamplingDialog(QDialog):
    """Gone when it is closed.

    Signals:
        chosen: the sampling settings, when the user wants the answer.
    """

    chosen = Signal(object)

    def __init__(self, sampling: SamplingSettings, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("sampling_dialog")
        self.setWindowTitle(self.tr("Regenerate with"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._sampling = sampling
        self._temperature = double_spin_box(minimum=0, maximum=5, singleStep=0.1, decimals=2)
        self._top_p = double_spin_box(minimum=0, maximum=1, singleStep=0.05, decimals=2)
        self._top_k = spin_box(minimum=0, maximum=1000)
        self._seed = spin_box(minimum=-1, maximum=MAX_SEED)
        self._seed.setSpecialValueText(self.tr("random"))
        self._temperature.setValue(sampling.temperature)
        self._top_p.setValue(sampling.top_p)
        self._top_k.setValue(sampling.top_k)
        self._seed.setValue(-1 if sampling.seed is None else sampling.seed)
        form = QFormLayout()
        form.setVerticalSpacing(8)
        for name, label, box in (
            ("temperature", self.tr("Temperature"), self._temperature),
            ("top_p", self.tr("Top p"), self._top_p),
            ("top_k", self.tr("Top k"), self._top_k),
            ("seed", self.tr("Seed"), self._seed),
        ):
            box.setObjectName(name)
            box.setAccessibleName(label)
            form.addRow(label, box)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.button(QDialogButtonBox.StandardButton.Ok).setText(self.tr("Regenerate"))
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.accepted.connect(self._on_accepted)
        layout = QVBoxLayout(self)
        layout.setSpacing(16)
        layout.addLayout(form)
        layout.addWidget(buttons)

    @Slot()
    def _on_accepted(self) -> None:
        self.chosen.emit(
            replace(
                self._sampling,
                temperature=self._temperature.value(),
                top_p=self._top_p.value(),
                top_k=self._top_k.value(),
                seed=None if self._seed.value() < 0 else self._seed.value(),
            )
        )
