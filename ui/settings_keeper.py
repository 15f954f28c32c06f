"""The settings as the window holds them: one value, replaced whole, written by the storage thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.settings import Settings, save_settings

if TYPE_CHECKING:
    from pathlib import Path

    from ui.store_worker import StoreWorker

SAVE_DELAY_MS = 300


class SettingsKeeper(QObject):
    """Holds the current `Settings`; changes are saved when they pause, and at close.

    Signals:
        changed: the former and the new value.
    """

    changed = Signal(object, object)

    def __init__(self, value: Settings, path: Path, store: StoreWorker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._value = value
        self._path = path
        self._store = store
        self._pause = QTimer(self, singleShot=True, interval=SAVE_DELAY_MS)
        self._pause.timeout.connect(self._save)

    @property
    def value(self) -> Settings:
        """The settings now."""
        return self._value

    def set(self, value: Settings) -> None:
        """Use these settings from now on."""
        if value == self._value:
            return
        former, self._value = self._value, value
        self._pause.start()
        self.changed.emit(former, value)

    def flush(self) -> None:
        """Hand an unsaved change to the storage thread now."""
        if self._pause.isActive():
            self._pause.stop()
            self._save()

    @Slot()
    def _save(self) -> None:
        value = self._value
        self._store.write_file(lambda: save_settings(self._path, value))
