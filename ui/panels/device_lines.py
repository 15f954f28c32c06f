"""One line per device under the memory chart, where there is more than the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.formatting import memory
from ui.panels.labels import ElidedLabel

if TYPE_CHECKING:
    from app.engine.events import Device, LoadedModel


class DeviceLines(QWidget):
    """`CUDA0  3.21 GiB this model, 1.02 GiB others, 3.77 GiB free`; hidden when there is only the CPU."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("device_lines")
        self._devices: tuple[Device, ...] = ()
        self._model: LoadedModel | None = None
        self._labels: list[ElidedLabel] = []
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(0)
        self.hide()

    def set_devices(self, devices: tuple[Device, ...], model: LoadedModel | None) -> None:
        """Show these, as they were when they were asked; `model` is what this window has loaded."""
        if (devices, model) != (self._devices, self._model):
            self._devices, self._model = devices, model
            self.retranslate()

    def retranslate(self) -> None:
        """Write the lines in the present language."""
        while (item := self._rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._labels.clear()
        shown = self._devices if len(self._devices) > 1 else ()
        for device in shown:
            label = ElidedLabel(self)
            label.setProperty("role", "muted")
            label.setText(self._text(device))
            self._rows.addWidget(label)
            self._labels.append(label)
        self.setAccessibleName(self.tr("Memory of the devices"))
        self.setAccessibleDescription("; ".join(self.texts()))
        self.setVisible(bool(shown))

    def texts(self) -> list[str]:
        """Return the lines."""
        return [label.text() for label in self._labels]

    def _text(self, device: Device) -> str:
        from app.telemetry.pools import held_bytes  # not above: it would come before the window's first frame

        held = held_bytes(self._model.memory, device) if self._model is not None else 0
        if device.total_bytes is None or device.free_bytes is None:
            return self.tr("{name}  {held} this model").format(name=device.name, held=memory(held))
        return self.tr("{name}  {held} this model, {others} others, {free} free").format(
            name=device.name,
            held=memory(held),
            others=memory(max(device.total_bytes - device.free_bytes - held, 0)),
            free=memory(device.free_bytes),
        )
