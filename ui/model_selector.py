"""The button that shows the loaded model and opens the menu of models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal, SignalInstance, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from ui.icons import keep_icon

if TYPE_CHECKING:
    from ui.model_controller import ModelController
    from ui.settings_keeper import SettingsKeeper
    from ui.theme import Theme

MAX_NAME_CHARACTERS = 40


class ModelSelector(QPushButton):
    """Signals what the user wants loaded.

    Signals:
        chosen: path of a recent model. open_requested, unload_requested, settings_requested, memory_requested,
            cancel_requested, models_requested.
    """

    chosen = Signal(str)
    open_requested = Signal()
    unload_requested = Signal()
    settings_requested = Signal()
    memory_requested = Signal()
    cancel_requested = Signal()
    models_requested = Signal()

    def __init__(
        self, theme: Theme, models: ModelController, settings: SettingsKeeper, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("model_selector")
        self._models = models
        self._settings = settings
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        self._menu.aboutToShow.connect(self._fill)
        self.setMenu(self._menu)
        keep_icon(self, "cpu", theme)
        models.changed.connect(self.refresh)
        models.progressed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the model as it is."""
        if self._models.loading_path is not None:
            text, tooltip = self._models.loading_path.stem, str(self._models.loading_path)
        elif self._models.model is not None:
            info = self._models.model.info
            text, tooltip = f"{info.name}  {info.quantisation}".strip(), str(info.path)
        else:
            text, tooltip = self.tr("No model"), self.tr("Open a model file")
        shown = text if len(text) <= MAX_NAME_CHARACTERS else text[: MAX_NAME_CHARACTERS - 1] + "…"
        # In a button an ampersand marks a shortcut; in a name it is a letter. Tooltips guess rich text.
        self.setText(shown.replace("&", "&&"))
        self.setToolTip(_plain(tooltip))
        self.setAccessibleName(self.tr("Model: {}").format(text))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.refresh()
        super().changeEvent(event)

    @Slot()
    def _fill(self) -> None:
        self._menu.clear()
        recent = self._settings.value.recent_models
        config = self._models.config
        loaded = str(config.path) if config is not None and self._models.model is not None else ""
        for path in recent:
            action = self._menu.addAction(Path(path).name.replace("&", "&&"))
            action.setToolTip(_plain(path))
            action.setData(path)
            action.setEnabled(Path(path).is_file())
            action.setCheckable(True)
            action.setChecked(path == loaded)
        if recent:
            self._menu.addSeparator()
        self._add(self.tr("Models…"), self.models_requested)
        self._add(self.tr("Open a model file…"), self.open_requested)
        self._add(self.tr("Load settings…"), self.settings_requested, self._models.config is not None)
        self._add(self.tr("Memory details…"), self.memory_requested)
        if self._models.loading_path is not None:
            self._add(self.tr("Cancel loading"), self.cancel_requested)
        else:
            self._add(self.tr("Unload"), self.unload_requested, self._models.model is not None)
        self._menu.triggered.connect(self._on_triggered, Qt.ConnectionType.UniqueConnection)

    def _add(self, text: str, signal: SignalInstance, enabled: bool = True) -> None:
        action = self._menu.addAction(text)
        action.triggered.connect(signal)
        action.setEnabled(enabled)

    @Slot(QAction)
    def _on_triggered(self, action: QAction) -> None:
        if path := action.data():
            self.chosen.emit(path)


def _plain(text: str) -> str:
    """Return text for a tooltip that must not be taken for markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;")
