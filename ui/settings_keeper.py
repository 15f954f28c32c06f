"""The settings as the window holds them: one value, replaced whole, written by the storage thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.settings import Settings, save_settings

if TYPE_CHECKING:
    from pathlib import Path

    from ui.store_worker import StoreWorker


class SettingsKeeper(QObject):
    """Holds the current `Settings` and saves every change.

    Signals:
        changed: the former and the new value.
    """

    changed = Signal(object, object)

    def __init__(self, value: Settings, path: Path, store: StoreWorker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._value = value
        self._path = path
        self._store = store

    @property
    def value(self) -> Settings:
        """The settings now."""
        return self._value

    def set(self, value: Settings) -> None:
        """Use these settings from now on."""
        if value == self._value:
            return
        former, self._value = self._value, value
        self._store.write(lambda _: save_settings(self._path, value))
        self.changed.emit(former, value)
