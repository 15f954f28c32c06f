"""Shows the errors nobody caught: one dialog, each error once."""

from __future__ import annotations

import logging
import traceback
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QApplication, QMessageBox

from app.log import uncaught

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget


class ErrorDialog(QObject):
    """Listens to `app.log.uncaught` from any thread, until closed."""

    _reported = Signal(str, str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._seen: set[str] = set()
        self._box: QMessageBox | None = None
        self._handler = _Handler(self._reported.emit)
        uncaught.addHandler(self._handler)
        self._reported.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def close(self) -> None:
        """Listen no longer."""
        uncaught.removeHandler(self._handler)

    @Slot(str, str)
    def _show(self, sentence: str, details: str) -> None:
        if details in self._seen or self._box is not None:
            return
        self._seen.add(details)
        box = QMessageBox(QMessageBox.Icon.Warning, self.tr("Something went wrong"), "", parent=self._window)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(self.tr("Tokometer made a mistake and goes on. Your conversations are kept."))
        box.setInformativeText(sentence)
        box.setDetailedText(details)
        copy = box.addButton(self.tr("Copy details"), QMessageBox.ButtonRole.ActionRole)
        box.addButton(QMessageBox.StandardButton.Close)
        copy.clicked.connect(self._copy)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.finished.connect(self._on_closed)
        self._box = box
        box.open()

    @Slot()
    def _copy(self) -> None:
        if self._box is not None:
            QApplication.clipboard().setText(self._box.detailedText())

    @Slot()
    def _on_closed(self) -> None:
        self._box = None


class _Handler(logging.Handler):
    def __init__(self, report: Callable[[str, str], None]) -> None:
        super().__init__()
        self._report = report

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            details = "".join(traceback.format_exception(error))
            self._report(f"{type(error).__name__}: {error}", details)
