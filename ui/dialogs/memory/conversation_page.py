"""The KV ledger of the open conversation: tokens and bytes of each message, and what taking it out would free."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QTreeWidgetItem

from app.telemetry.ledger import ledger_table
from app.telemetry.tables import Table
from ui import formatting
from ui.dialogs.memory.page import TablePage

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.chat.message import Message
    from app.engine.events import MemoryBreakdown
    from app.telemetry.ledger import Ledger
    from ui.chat_controller import ChatController
    from ui.ledger_keeper import LedgerKeeper
    from ui.saved_states import SavedStates

BEGINNING_CHARACTERS = 60


class ConversationPage(TablePage):
    """One row per message in view.

    Signals:
        message_activated: with the message's id.
    """

    message_activated = Signal(str)

    def __init__(
        self, chat: ChatController, keeper: LedgerKeeper, saved: SavedStates, parent: QWidget | None = None
    ) -> None:
        super().__init__("conversation", parent)
        self.set_columns(
            self.tr("Messages and their KV cache"),
            [
                self.tr("From"),
                self.tr("Beginning"),
                self.tr("Tokens"),
                self.tr("KV cache"),
                self.tr("Frees, with all after it"),
            ],
            2,
        )
        self._chat = chat
        self._saved = saved
        self._ids: list[str] = []
        self._followed = (saved.changed, keeper.changed, chat.session_changed)
        for changed in self._followed:
            changed.connect(self.refresh)
        self.rows.itemActivated.connect(self._on_activated)
        self.refresh()

    def end(self) -> None:
        """The dialog was closed: it may still be there for a while, without its table."""
        for changed in self._followed:
            changed.disconnect(self.refresh)

    def table(self) -> Table:
        ledger, memory = self._chat.session.ledger, self._memory()
        return ledger_table(ledger, memory) if ledger is not None and memory is not None else Table((), ())

    @Slot()
    def refresh(self) -> None:
        ledger, memory = self._chat.session.ledger, self._memory()
        if ledger is None or memory is None or not ledger.entries:
            self._ids = []
            self.set_rows([])
            self.sentences.setText(self.tr("Messages and what they take appear here, counted while a model is loaded."))
            return
        messages = {message.id: message for message in self._chat.session.conversation.messages}
        entries = [entry for entry in ledger.entries if entry.message_id in messages]
        self._ids = ["", *(entry.message_id for entry in entries)]
        opening = [
            self.tr("Template"),
            self.tr("beginning, system prompt, summary, opening of the answer"),
            formatting.count(ledger.opening_tokens),
            formatting.memory(ledger.kv_bytes(memory, 0, ledger.opening_tokens)),
            "",
        ]
        self.set_rows([opening, *(self._row(ledger, memory, messages[entry.message_id]) for entry in entries)])
        total = ledger.total_tokens
        text = self.tr(
            "{messages} messages, {tokens}, {size} of the KV cache. Counted by the model's own tokenizer on what its "
            "chat template makes of each message; thinking is not sent back and counts nowhere."
        )
        sentence = text.format(
            messages=formatting.count(len(entries)),
            tokens=formatting.tokens(total),
            size=formatting.memory(memory.kv_used_bytes(total)),
        )
        self.sentences.setText("\n".join(filter(None, (sentence, self._saved_text()))))

    def _saved_text(self) -> str:
        size_bytes = self._saved.size_bytes(self._chat.session.id)
        if not size_bytes:
            return ""
        text = self.tr("Its saved KV cache takes {size} on disk; with it the conversation goes on without being read.")
        return text.format(size=formatting.memory(size_bytes))

    def _memory(self) -> MemoryBreakdown | None:
        model = self._chat.session.series.model
        return model.memory if model is not None else None

    def _row(self, ledger: Ledger, memory: MemoryBreakdown, message: Message) -> list[str]:
        entry = ledger.entry(message.id)
        assert entry is not None
        freed_tokens, freed_bytes = ledger.freed_from(memory, message.id)
        beginning = " ".join(message.content[: 4 * BEGINNING_CHARACTERS].split())
        if len(beginning) > BEGINNING_CHARACTERS:
            beginning = beginning[: BEGINNING_CHARACTERS - 1] + "…"
        return [
            self.tr("You") if message.role == "user" else message.model or self.tr("Model"),
            beginning,
            formatting.count(entry.tokens),
            formatting.memory(ledger.message_bytes(memory, message.id)),
            self.tr("{tokens}, {size}").format(
                tokens=formatting.tokens(freed_tokens), size=formatting.memory(freed_bytes)
            ),
        ]

    @Slot(QTreeWidgetItem, int)
    def _on_activated(self, item: QTreeWidgetItem, _column: int) -> None:
        if message_id := self._ids[self.rows.indexOfTopLevelItem(item)]:
            self.message_activated.emit(message_id)
