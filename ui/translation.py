"""The window's language: our translations and Qt's own, exchanged while the window is open."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from PySide6.QtCore import QLibraryInfo, QLocale, QObject, QTranslator

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication


class Translation(QObject):
    """Keeps the installed translators."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self._system = QLocale.system()
        self._installed: list[QTranslator] = []

    def set_language(self, name: str) -> QLocale:
        """Use this locale, such as zh_CN; empty is the system's. Return it."""
        locale = QLocale(name) if name else self._system
        QLocale.setDefault(locale)
        for translator in self._installed:
            self._application.removeTranslator(translator)
        self._installed.clear()
        # Ours last: it is asked first.
        with as_file(files("resources") / "translations") as folder:
            for stem, where in (
                ("qtbase", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)),
                ("tokometer", str(folder)),
            ):
                translator = QTranslator(self)
                if translator.load(locale, stem, "_", where):
                    self._application.installTranslator(translator)
                    self._installed.append(translator)
        return locale
