"""What each number means: the same words as in the tooltips."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QScrollArea, QVBoxLayout, QWidget

from ui import formatting

SHOWN = (
    "ttft",
    "queue",
    "tokenise",
    "prefill",
    "rest",
    "itl",
    "tpot",
    "e2e",
    "prefill_rate",
    "decode_rate",
    "context",
    "kv_used",
    "kv_reserved",
    "memory",
)


class AboutNumbersDialog(QDialog):
    """A list of definitions that can be selected and copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("about_numbers_dialog")
        self.setWindowTitle(self.tr("About the numbers"))
        self.resize(640, 560)
        page = QWidget()
        rows = QVBoxLayout(page)
        rows.setSpacing(16)
        for key in SHOWN:
            label = QLabel(formatting.definition(key), wordWrap=True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            rows.addWidget(label)
        rows.addStretch()
        area = QScrollArea(widgetResizable=True)
        area.setAccessibleName(self.tr("Definitions"))
        area.setWidget(page)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(area)
        layout.addWidget(buttons)
