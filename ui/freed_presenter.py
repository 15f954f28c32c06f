"""What a new conversation and a summary would free, said at their buttons before they are pressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.telemetry.ledger import condensed_by_summary
from ui import formatting

if TYPE_CHECKING:
    from ui.chat_controller import ChatController
    from ui.ledger_keeper import LedgerKeeper
    from ui.main_window import MainWindow
    from ui.model_controller import ModelController


class FreedPresenter(QObject):
    """Reads the ledger of the open conversation and writes the window's tooltips."""

    def __init__(
        self,
        window: MainWindow,
        chat: ChatController,
        models: ModelController,
        ledger: LedgerKeeper,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._chat = chat
        self._models = models
        ledger.changed.connect(self.refresh)
        models.changed.connect(self.refresh)
        chat.progressed.connect(self.refresh)

    @Slot()
    def refresh(self) -> None:
        """Say it as it is now; nothing while it is not known."""
        session, model = self._chat.session, self._models.model
        ledger = session.ledger
        if ledger is None or model is None or not ledger.entries:
            self._window.show_freed("", "")
            return
        total = ledger.total_tokens
        new = self.tr("Frees {tokens}, {size} of the KV cache.").format(
            tokens=formatting.tokens(total), size=formatting.memory(model.memory.kv_used_bytes(total))
        )
        messages, tokens = condensed_by_summary(ledger, session.conversation, model.n_ctx)
        size = ledger.kv_bytes(model.memory, ledger.opening_tokens, ledger.opening_tokens + tokens)
        summarise = self.tr("The summary takes the place of {messages} messages: {tokens}, {size} of the KV cache.")
        text = summarise.format(
            messages=formatting.count(messages), tokens=formatting.tokens(tokens), size=formatting.memory(size)
        )
        self._window.show_freed(new, text if messages else "")
