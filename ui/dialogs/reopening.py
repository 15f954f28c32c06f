"""Opens a dialog anew when the window's language changes: its words were chosen when it was made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Slot
from PySide6.QtWidgets import QDialog, QTabWidget

if TYPE_CHECKING:
    from collections.abc import Callable


class Reopening(QObject):
    """Belongs to a dialog that is deleted when it is closed; the next one stands where it stood, on the same page."""

    def __init__(self, dialog: QDialog, open_again: Callable[[], QDialog]) -> None:
        super().__init__(dialog)
        self._dialog = dialog
        self._open_again = open_again
        self._due = QTimer(self, singleShot=True, interval=0)
        self._due.timeout.connect(self._reopen)
        dialog.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LanguageChange:
            self._due.start()  # one language goes, another comes: both are told
        return False

    @Slot()
    def _reopen(self) -> None:
        dialog, window = self._dialog, self._dialog.parentWidget()
        if window is None or not window.isVisible() or not dialog.isVisible():
            return
        geometry, page = dialog.geometry(), _page(dialog)
        open_again = self._open_again

        def reopen() -> None:
            another = open_again()
            another.setGeometry(geometry)
            if (tabs := another.findChild(QTabWidget)) is not None:
                tabs.setCurrentIndex(page)

        dialog.destroyed.connect(lambda: QTimer.singleShot(0, window, reopen))
        dialog.close()


def _page(dialog: QDialog) -> int:
    tabs = dialog.findChild(QTabWidget)
    return tabs.currentIndex() if tabs is not None else 0
