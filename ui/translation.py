"""The window's language: our translations and Qt's own, exchanged while the window is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTranslator

import resources
from app.errors import Sentence

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

Text = str | Callable[[], str]
"""What is said for a while: a `Sentence`, a text of no language, or what makes it in the language of the moment."""
_WIDE_ENDS = ("。", "！", "？", "；")
"""Marks at the end of a sentence that bring their own space."""


class Translation(QObject):
    """Keeps the installed translators."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self._system = QLocale.system()
        self._installed: list[QTranslator] = []

    def set_language(self, name: str) -> QLocale:
        """Use this locale, such as zh_CN; empty is the system's. Return it.

        Numbers follow every locale, words those that there are translations for; the others stay English.
        """
        locale = QLocale(name) if name else self._system
        QLocale.setDefault(locale)
        self.remove()
        self._installed = self._load(written_language(locale))
        for translator in self._installed:
            self._application.installTranslator(translator)
        return locale

    def remove(self) -> None:
        """Take every translation out: the source's own words are shown."""
        for translator in self._installed:
            self._application.removeTranslator(translator)
            translator.deleteLater()
        self._installed.clear()

    def _load(self, language: QLocale) -> list[QTranslator]:
        """Return Qt's translations and ours, which are asked first when installed last; nothing without ours."""
        of_qt, ours = QTranslator(), QTranslator()
        if not ours.load(language, "tokometer", "_", str(resources.FOLDER / "translations")):
            return []
        of_qt.load(language, "qtbase", "_", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
        return [of_qt, ours]


def written_language(locale: QLocale) -> QLocale:
    """Return the language whose words to show: the one the user wants most; simplified Chinese is one everywhere.

    English needs no translations: the next of the user's languages that has some would take its place.
    """
    first = QLocale(locale.uiLanguages()[0])
    return QLocale("zh_CN") if first.script() == QLocale.Script.SimplifiedHanScript else first


def joined(*sentences: str) -> str:
    """Return what was said one after the other: an empty sentence is left out, and no space follows a Chinese one."""
    text = ""
    for sentence in filter(None, sentences):
        space = " " if text and not text.endswith(_WIDE_ENDS) else ""
        text = f"{text}{space}{sentence}"
    return text


def said(text: Text) -> str:
    """Return a text in the window's language."""
    return localised(text) if isinstance(text, str) else text()


def localised(text: str) -> str:
    """Return a sentence made in `app/` in the window's language; other text stays as it is. Callable in any thread."""
    if not isinstance(text, Sentence):
        return text
    template = QCoreApplication.translate("", text.template)
    values = {name: localised(value) if isinstance(value, str) else value for name, value in text.values.items()}
    return template.format(**values) if values else template
