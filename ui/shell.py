"""The window and what its first frame needs. It shows everything and does nothing: `Parts` makes it work."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSettings, QTimer

from app.settings import load_settings
from ui.main_window import MainWindow
from ui.settings_keeper import SettingsKeeper
from ui.store_worker import StoreWorker
from ui.theme import Scheme, Theme
from ui.translation import Translation

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from PySide6.QtWidgets import QApplication

    from app.paths import Paths
    from app.storage.store import Store

NEVER_PAINTED_MS = 500


class Shell:
    """What is made before the window is shown, and lives as long as it.

    Attributes:
        sentence: what was wrong with the settings file, empty for nothing.
        state: where the window keeps its size.
    """

    def __init__(self, application: QApplication, folders: Paths) -> None:
        settings, self.sentence = load_settings(folders.settings_file)
        self.folders = folders
        self.translation = Translation(application)
        locale = self.translation.set_language(settings.language)
        self.theme = Theme(application, Scheme(settings.theme), settings.zoom)
        self.theme.set_language(locale.name())
        self.store = StoreWorker(partial(_open_store, folders.database_file))
        self.settings = SettingsKeeper(settings, folders.settings_file, self.store)
        self.state = QSettings(str(folders.config / "window.ini"), QSettings.Format.IniFormat)
        self.window = MainWindow(self.theme, self.state)
        self.theme.lay_style_sheet()

    def when_seen(self, begin: Callable[[], None]) -> None:
        """Call `begin`, perhaps twice, when the first frame is on the screen, or when none will be."""
        window = self.window
        window.first_painted.connect(begin)

        def begin_unseen() -> None:
            if not window.isVisible() or window.isMinimized():
                begin()

        QTimer.singleShot(NEVER_PAINTED_MS, window, begin_unseen)

    def close(self) -> None:
        """After the window's end: the application gets its looks back."""
        self.translation.remove()
        self.translation.deleteLater()
        self.theme.deleteLater()


def _open_store(file: Path) -> tuple[Store, str]:
    from app.storage.store import open_store  # not above: it is needed in the storage thread only

    return open_store(file)
