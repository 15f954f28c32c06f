"""The memory details: four pages about one model, its devices and the open conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTabWidget, QVBoxLayout

from ui.dialogs.memory.buffers_page import BuffersPage
from ui.dialogs.memory.conversation_page import ConversationPage
from ui.dialogs.memory.devices_page import DevicesPage
from ui.dialogs.memory.formula_page import FormulaPage

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from ui.chat_controller import ChatController
    from ui.ledger_keeper import LedgerKeeper
    from ui.model_controller import ModelController
    from ui.planner_worker import PlannerWorker
    from ui.saved_states import SavedStates
    from ui.settings_keeper import SettingsKeeper


class MemoryDetailsDialog(QDialog):
    """Stays open beside the conversation and follows it."""

    def __init__(
        self,
        models: ModelController,
        chat: ChatController,
        keeper: LedgerKeeper,
        saved: SavedStates,
        settings: SettingsKeeper,
        planner: PlannerWorker,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("memory_details_dialog")
        self.setWindowTitle(self.tr("Memory details"))
        self.buffers = BuffersPage(models, planner)
        self.devices = DevicesPage(models, settings, planner)
        self.conversation = ConversationPage(chat, keeper, saved)
        self.formula = FormulaPage(models)
        self.pages = QTabWidget()
        self.pages.setAccessibleName(self.tr("Memory details"))
        for page, title in (
            (self.buffers, self.tr("Buffers")),
            (self.devices, self.tr("Devices")),
            (self.conversation, self.tr("Conversation")),
            (self.formula, self.tr("Formula")),
        ):
            self.pages.addTab(page, title)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton(self.tr("Copy values"), QDialogButtonBox.ButtonRole.ActionRole)
        copy.setObjectName("copy_values")
        copy.clicked.connect(lambda: self._page().exporter.copy_values())
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.pages, 1)
        layout.addWidget(buttons)
        self.resize(820, 460)

    def done(self, result: int) -> None:
        """Close; answers under way are not waited for."""
        self.buffers.end()
        self.devices.end()
        self.conversation.end()
        super().done(result)

    def _page(self) -> BuffersPage | DevicesPage | ConversationPage | FormulaPage:
        return (self.buffers, self.devices, self.conversation, self.formula)[self.pages.currentIndex()]
