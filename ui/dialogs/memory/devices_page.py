"""The devices ggml knows, with their memory now; sampled while the page is in sight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Slot

from app.telemetry.memory import devices_table
from app.telemetry.pools import held_bytes, shares_machine_memory
from ui import formatting
from ui.dialogs.memory.page import TablePage
from ui.dialogs.memory.words import device_kind
from ui.planner_worker import NoAnswer
from ui.translation import localised

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QShowEvent
    from PySide6.QtWidgets import QWidget

    from app.engine.events import Device
    from app.telemetry.tables import Table
    from ui.model_controller import ModelController
    from ui.planner_worker import PlannerWorker
    from ui.settings_keeper import SettingsKeeper

CHANNEL = "memory/devices"
SAMPLE_MS = 2000


class DevicesPage(TablePage):
    """One row per device; a device that works in the machine's own memory says so, and is not another sum."""

    def __init__(
        self,
        models: ModelController,
        settings: SettingsKeeper,
        planner: PlannerWorker,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("devices", parent)
        self.set_columns(
            self.tr("Devices and their memory"),
            [
                self.tr("Device"),
                self.tr("Kind"),
                self.tr("Description"),
                self.tr("Total"),
                self.tr("This model"),
                self.tr("Others"),
                self.tr("Free"),
            ],
            3,
        )
        self._models = models
        self._settings = settings
        self._planner = planner
        self._devices: tuple[Device, ...] = ()
        self._timer = QTimer(self, interval=SAMPLE_MS)
        self._timer.timeout.connect(self.refresh)
        self.sentences.setText(
            self.tr(
                "Others: what other programs and the system hold. Measured every two seconds while this is in sight."
            )
        )

    def table(self) -> Table:
        return devices_table(self._devices)

    @Slot()
    def refresh(self) -> None:
        if self._models.holds_servers:
            self._models.ask_devices(self._on_devices)
        else:
            self._planner.devices(CHANNEL, self._settings.value.rpc_servers, self._on_devices)

    def end(self) -> None:
        self._timer.stop()
        self._planner.forget(CHANNEL)
        if self._settings.value.rpc_servers:
            self._planner.release_servers()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.end()

    def _on_devices(self, answer: tuple[Device, ...] | NoAnswer | None) -> None:
        if answer is None:
            return
        if isinstance(answer, NoAnswer):
            self.set_warning(localised(answer.reason))
            return
        self.set_warning("")
        self._devices = answer
        self.set_rows([self._row(device) for device in answer])

    def _row(self, device: Device) -> list[str]:
        model = self._models.model
        held = held_bytes(model.memory, device) if model is not None else 0
        used = None
        if device.total_bytes is not None and device.free_bytes is not None:
            used = max(device.total_bytes - device.free_bytes - held, 0)
        kind = device_kind(device.kind)
        if device.kind != "cpu" and shares_machine_memory(device):
            kind = self.tr("{kind}, in the machine's memory").format(kind=kind)
        return [
            device.name,
            kind,
            device.description,
            formatting.memory(device.total_bytes),
            formatting.memory(held),
            formatting.memory(used),
            formatting.memory(device.free_bytes),
        ]
