"""Opens the models window with its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSettings, Qt, Signal, Slot

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from ui.dialogs.models.dialog import ModelsDialog
    from ui.dialogs.models.page import ModelsPage
    from ui.library_keeper import LibraryKeeper
    from ui.model_controller import ModelController
    from ui.planner_worker import PlannerWorker
    from ui.settings_keeper import SettingsKeeper
    from ui.theme import Theme


class ModelsWindow(QObject):
    """What the pages work with outlives the window: it is handed to them anew each time.

    Signals:
        load_requested: path of a model the user wants loaded.
        settings_requested: path of a model the user wants loaded with settings to be chosen.
    """

    load_requested = Signal(str)
    settings_requested = Signal(str)

    def __init__(
        self,
        window: QWidget,
        theme: Theme,
        models: ModelController,
        settings: SettingsKeeper,
        planner: PlannerWorker,
        library: LibraryKeeper,
        state: QSettings,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._theme = theme
        self._models = models
        self._settings = settings
        self._planner = planner
        self._library = library
        self._state = state

    @Slot()
    def show(self) -> None:
        """Show the models window as it was left, or its first page."""
        self.show_page("")

    @Slot(str)
    def show_page(self, name: str) -> None:
        """Show a page of it."""
        from ui.dialogs.models.dialog import ModelsDialog  # a dialog is imported when it is wanted

        dialog = self._window.findChild(ModelsDialog)
        if dialog is None:
            dialog = ModelsDialog(self._pages(), self._window)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.load_requested.connect(self.load_requested)
        self._bring(dialog, name)

    def _bring(self, dialog: ModelsDialog, name: str) -> None:
        if name or not dialog.isVisible():
            dialog.show_page(name)
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def _pages(self) -> list[ModelsPage]:
        """Make the pages in their order."""
        from ui.dialogs.models.library.page import LibraryPage

        library = LibraryPage(self._theme, self._library, self._models, self._settings, self._planner, self._state)
        library.settings_requested.connect(self._on_settings_requested)
        return [library]

    @Slot(str)
    def _on_settings_requested(self, path: str) -> None:
        from ui.dialogs.models.dialog import ModelsDialog

        dialog = self._window.findChild(ModelsDialog)
        if dialog is not None:
            dialog.close()
        self.settings_requested.emit(path)
