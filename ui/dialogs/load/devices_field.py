"""Which GPUs to use, and what share of the layers each one gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QGridLayout, QSpinBox, QWidget

from ui import formatting
from ui.dialogs.boxes import spin_box

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.engine.events import Device

GPU_KINDS = ("gpu", "igpu")
SHARES = 100
"""Shares are whole parts of a hundred here; a setting made by hand keeps its own numbers until it is changed."""


class DevicesField(QWidget):
    """`devices` and `tensor_split`. A device that was chosen once and is not here now stays chosen, and says so.

    Signals:
        changed: by the user.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._devices: tuple[Device, ...] = ()
        self._kept: tuple[tuple[str, ...], tuple[float, ...]] = ((), ())
        self.checks: dict[str, QCheckBox] = {}
        self.shares: dict[str, QSpinBox] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(4)

    def set_devices(self, devices: Iterable[Device]) -> None:
        """Offer the GPUs among these."""
        found = tuple(device for device in devices if device.kind in GPU_KINDS)
        if [device.name for device in found] != [device.name for device in self._devices] or not self.checks:
            chosen = self.value()
            self._devices = found
            self._build(chosen)

    @property
    def has_choice(self) -> bool:
        """Whether there is more than one device to choose from, counting those that were chosen and are gone."""
        return len({*(device.name for device in self._devices), *self._kept[0]}) > 1

    def value(self) -> tuple[tuple[str, ...], tuple[float, ...]]:
        """Return names and shares; no names: llama.cpp's own choice, no shares: by free memory."""
        return self._kept

    def set_value(self, devices: tuple[str, ...], shares: tuple[float, ...]) -> None:
        """Show this choice."""
        self._build((devices, shares))

    def _build(self, value: tuple[tuple[str, ...], tuple[float, ...]]) -> None:
        self._kept = value
        while (item := self._grid.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self.checks.clear()
        self.shares.clear()
        chosen, split = value
        here = {device.name: device for device in self._devices}
        by_name = dict(zip(chosen or tuple(here), split, strict=False))
        whole = sum(split) or 1.0
        for row, name in enumerate([*here, *(name for name in chosen if name not in here)]):
            check, share = QCheckBox(self._label(name, here.get(name))), spin_box(maximum=SHARES, suffix=" %")
            check.setObjectName(f"device_{name}")
            check.setChecked(not chosen or name in chosen)
            share.setObjectName(f"share_{name}")
            share.setSpecialValueText(self.tr("by free memory"))
            share.setAccessibleName(self.tr("Share of the layers on {}").format(name))
            share.setToolTip(self.tr("Share of the layers; with none given each device gets what its memory allows."))
            share.setValue(round(by_name.get(name, 0.0) / whole * SHARES))
            self._grid.addWidget(check, row, 0)
            self._grid.addWidget(share, row, 1, Qt.AlignmentFlag.AlignRight)
            self._grid.setColumnStretch(0, 1)
            self.checks[name], self.shares[name] = check, share
            check.toggled.connect(self._on_changed)
            share.valueChanged.connect(self._on_changed)
        self._show_state()

    def _label(self, name: str, device: Device | None) -> str:
        if device is None:
            return self.tr("{} (not here now)").format(name)
        if device.free_bytes is None:
            return name
        return self.tr("{name}, {free} free").format(name=name, free=formatting.memory(device.free_bytes))

    def _show_state(self) -> None:
        checked = [name for name, check in self.checks.items() if check.isChecked()]
        for name, share in self.shares.items():
            share.setEnabled(len(checked) > 1 and name in checked)
        if len(checked) == 1:  # the last one cannot be taken away: no device is what "0 layers" means
            self.checks[checked[0]].setEnabled(False)
            self.checks[checked[0]].setToolTip(self.tr("To use no GPU, put 0 layers on it."))
        else:
            for check in self.checks.values():
                check.setEnabled(True)
                check.setToolTip("")

    @Slot()
    def _on_changed(self) -> None:
        self._show_state()
        checked = tuple(name for name, check in self.checks.items() if check.isChecked())
        split = tuple(float(self.shares[name].value()) for name in checked)
        has_split = len(checked) > 1 and any(split)
        is_all = len(checked) == len(self.checks) and not has_split
        self._kept = (() if is_all else checked, split if has_split else ())
        self.changed.emit()
