"""Speed explained: four pages that follow the open conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTabWidget, QVBoxLayout

from ui.dialogs.speed.history_page import HistoryPage
from ui.dialogs.speed.numbers_page import NumbersPage
from ui.dialogs.speed.roofline_page import RooflinePage
from ui.dialogs.speed.timeline_page import TimelinePage

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from ui.dialogs.speed.sources import Sources


class SpeedDialog(QDialog):
    """Stays open beside the conversation and follows it."""

    def __init__(self, sources: Sources, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("speed_dialog")
        self.timeline = TimelinePage(sources)
        self.roofline = RooflinePage(sources)
        self.history = HistoryPage(sources)
        self.numbers = NumbersPage(sources)
        self.pages = QTabWidget()
        for page in (self.timeline, self.roofline, self.history, self.numbers):
            self.pages.addTab(page, "")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.pages, 1)
        layout.addWidget(buttons)
        self.resize(860, 560)
        self._retranslate()

    def show_timeline(self, message_id: str = "") -> None:
        """Show the turn of an answer; empty: the last one."""
        self.pages.setCurrentWidget(self.timeline)
        self.timeline.choose(message_id)

    def show_roofline(self) -> None:
        """Show what the machine can do."""
        self.pages.setCurrentWidget(self.roofline)

    def show_number(self, key: str) -> None:
        """Show what a number is."""
        self.pages.setCurrentWidget(self.numbers)
        self.numbers.choose(key)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self.setWindowTitle(self.tr("Speed explained"))
        self.pages.setAccessibleName(self.tr("Speed explained"))
        titles = (self.tr("Timeline"), self.tr("Roofline"), self.tr("History"), self.tr("Numbers"))
        for number, title in enumerate(titles):
            self.pages.setTabText(number, title)
