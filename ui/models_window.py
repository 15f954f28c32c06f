"""Opens the models window with its pages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSettings, Qt, QUrl, Signal, Slot

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QWidget

    from ui.dialogs.models.dialog import ModelsDialog
    from ui.dialogs.models.page import ModelsPage
    from ui.downloads_keeper import DownloadsKeeper
    from ui.hub_search import HubSearch
    from ui.library_keeper import LibraryKeeper
    from ui.model_controller import ModelController
    from ui.planner_worker import PlannerWorker
    from ui.settings_keeper import SettingsKeeper
    from ui.theme import Theme


class ModelsWindow(QObject):
    """What the pages work with outlives the window: it is handed to them anew each time.

    Signals:
        load_requested: path of a model the user wants loaded.
        link_activated: a page of the hub the user wants to open.
        settings_requested: path of a model the user wants loaded with settings to be chosen.
    """

    load_requested = Signal(str)
    link_activated = Signal(QUrl)
    settings_requested = Signal(str)

    def __init__(
        self,
        window: QWidget,
        theme: Theme,
        models: ModelController,
        settings: SettingsKeeper,
        planner: PlannerWorker,
        downloads: DownloadsKeeper,
        folder: Path,
        library: LibraryKeeper,
        state: QSettings,
    ) -> None:
        """`folder` is where models are downloaded to."""
        super().__init__(window)
        self._window = window
        self._theme = theme
        self._models = models
        self._settings = settings
        self._planner = planner
        self._downloads = downloads
        self._folder = folder
        self._search: HubSearch | None = None
        self._library = library
        self._state = state

    @Slot()
    def show(self) -> None:
        """Show the models window as it was left, or its first page."""
        self.show_page("")

    @Slot(str)
    def show_page(self, name: str) -> None:
        """Show a page of it."""
        self._show(name)

    def _show(self, name: str) -> ModelsDialog:
        from ui.dialogs.models.dialog import ModelsDialog  # a dialog is imported when it is wanted
        from ui.dialogs.reopening import Reopening

        dialog = self._window.findChild(ModelsDialog)
        if dialog is None:
            dialog = ModelsDialog(self._pages(), self._window)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.load_requested.connect(self.load_requested)
            Reopening(dialog, partial(self._show, ""))
        self._bring(dialog, name)
        return dialog

    @Slot()
    def show_downloads(self) -> None:
        """Show what is being downloaded."""
        self.show_page("downloads_page")

    def shutdown(self) -> bool:
        """End what is asked of the hub. Return whether that was done in time."""
        return self._search is None or self._search.shutdown()

    def _bring(self, dialog: ModelsDialog, name: str) -> None:
        if name or not dialog.isVisible():
            dialog.show_page(name)
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def _pages(self) -> list[ModelsPage]:
        """Make the pages in their order."""
        from ui.dialogs.models.downloads.page import DownloadsPage
        from ui.dialogs.models.hub.page import HubPage
        from ui.dialogs.models.library.page import LibraryPage
        from ui.hub_search import HubSearch

        if self._search is None:
            self._search = HubSearch(self._folder, self._models, self._settings, self._planner, self)
        hub = HubPage(self._search, self._downloads, self._theme, self._state)
        hub.link_activated.connect(self.link_activated)
        library = LibraryPage(self._theme, self._library, self._models, self._settings, self._planner, self._state)
        library.settings_requested.connect(self._on_settings_requested)
        downloads = DownloadsPage(self._downloads)
        downloads.link_activated.connect(self.link_activated)
        return [library, hub, downloads]

    @Slot(str)
    def _on_settings_requested(self, path: str) -> None:
        from ui.dialogs.models.dialog import ModelsDialog

        dialog = self._window.findChild(ModelsDialog)
        if dialog is not None:
            dialog.close()
        self.settings_requested.emit(path)
