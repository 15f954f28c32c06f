"""The button that shows the loaded model and opens the menu of models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal, SignalInstance, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from app.engine.model_file import model_name
from app.hub.order import natural_key
from ui import formatting
from ui.icons import keep_icon

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ui.library_keeper import LibraryKeeper
    from ui.model_controller import ModelController
    from ui.settings_keeper import SettingsKeeper
    from ui.theme import Theme

MAX_NAME_CHARACTERS = 40
MAX_MENU_CHARACTERS = 60
MOST_OF_LIBRARY = 12
"""A longer menu is not looked through: a last line leads to the models window, which has all of them."""


class ModelSelector(QPushButton):
    """Signals what the user wants loaded.

    Signals:
        chosen: path of a model of the menu. open_requested, unload_requested, settings_requested, memory_requested,
            cancel_requested, models_requested, library_requested.
    """

    chosen = Signal(str)
    open_requested = Signal()
    unload_requested = Signal()
    settings_requested = Signal()
    memory_requested = Signal()
    cancel_requested = Signal()
    models_requested = Signal()
    library_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("model_selector")
        self._models: ModelController | None = None
        self._settings: SettingsKeeper | None = None
        self._library: LibraryKeeper | None = None
        self._library_actions: list[QAction] = []
        self._library_end: QAction | None = None
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        self.setMenu(self._menu)
        keep_icon(self, "cpu", theme)
        self.refresh()

    def serve(self, models: ModelController, settings: SettingsKeeper) -> None:
        """Show the model of these, and what was used lately."""
        self._models, self._settings = models, settings
        self._menu.aboutToShow.connect(self._fill)
        models.changed.connect(self.refresh)
        models.progressed.connect(self.refresh)
        self.refresh()

    def watch(self, library: LibraryKeeper) -> None:
        """Offer these models too."""
        self._library = library
        library.changed.connect(self._show_library)

    @Slot()
    def refresh(self) -> None:
        """Show the model as it is."""
        models = self._models
        if models is not None and models.loading_path is not None:
            text, tooltip = models.loading_path.stem, str(models.loading_path)
        elif models is not None and models.model is not None:
            info = models.model.info
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
        models = self._models
        assert models is not None
        self._menu.clear()
        for path in self._recent():
            self._menu.addAction(self._model_action(path, model_name(Path(path)), is_there=Path(path).is_file()))
        self._library_end = self._menu.addSeparator()
        self._library_actions = []
        self._show_library()
        if self._library is not None and not self._library.is_scanning:
            self._library.refresh()  # what is known is shown at once, what is new while the menu is open
        self._add(self.tr("Models…"), self.models_requested)
        self._add(self.tr("Open a model file…"), self.open_requested)
        self._add(self.tr("Load settings…"), self.settings_requested, models.config is not None)
        self._add(self.tr("Memory details…"), self.memory_requested)
        if models.loading_path is not None:
            self._add(self.tr("Cancel loading"), self.cancel_requested)
        else:
            self._add(self.tr("Unload"), self.unload_requested, models.model is not None)
        self._menu.triggered.connect(self._on_triggered, Qt.ConnectionType.UniqueConnection)

    @Slot()
    def _show_library(self) -> None:
        """List the models of this machine that were not used lately; the menu may be open."""
        if self._library is None or self._library_end is None:
            return
        for action in self._library_actions:
            self._menu.removeAction(action)
            action.deleteLater()
        recent = self._recent()
        found = [
            model
            for path, model in self._library.models.items()
            if model.kind == "chat" and not model.problem and str(path) not in recent
        ]
        found.sort(key=lambda model: (natural_key(model.name), str(model.path)))
        self._library_actions = []
        if found:
            line, title = QAction(self._menu), QAction(self.tr("On this machine"), self._menu)
            line.setSeparator(True)
            title.setEnabled(False)  # a heading: the style sheet draws none over a section
            models = [self._model_action(str(model.path), model.name) for model in found[:MOST_OF_LIBRARY]]
            self._library_actions = [line, title, *models]
            if left := len(found) - len(models):
                more = QAction(self.tr("{} more…").format(formatting.count(left)), self._menu)
                more.triggered.connect(self.library_requested)
                self._library_actions.append(more)
            self._menu.insertActions(self._library_end, self._library_actions)

    def _model_action(self, path: str, name: str, is_there: bool = True) -> QAction:
        metrics = self._menu.fontMetrics()
        room = MAX_MENU_CHARACTERS * metrics.averageCharWidth()
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, room)
        action = QAction(shown.replace("&", "&&"), self._menu)
        action.setToolTip(_plain(path))
        action.setData(path)
        action.setEnabled(is_there)
        action.setCheckable(True)
        action.setChecked(path == self._present())
        return action

    def _add(self, text: str, signal: SignalInstance, enabled: bool = True) -> None:
        action = self._menu.addAction(text)
        action.triggered.connect(signal)
        action.setEnabled(enabled)

    @Slot(QAction)
    def _on_triggered(self, action: QAction) -> None:
        if (path := action.data()) and path != self._present():
            self.chosen.emit(path)

    def _present(self) -> str:
        """Path of the model that is loaded or loading, empty without one."""
        models = self._models
        if models is None or models.config is None or (models.model is None and models.loading_path is None):
            return ""
        return str(models.config.path)

    def _recent(self) -> Sequence[str]:
        return self._settings.value.recent_models if self._settings is not None else ()


def _plain(text: str) -> str:
    """Return text for a tooltip that must not be taken for markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;")
