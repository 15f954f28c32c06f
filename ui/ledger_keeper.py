"""Keeps the KV ledger of the open conversation: counts with the engine when it is idle, a few messages at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.conversation import prompt_messages
from app.telemetry.ledger import uncounted

if TYPE_CHECKING:
    from pathlib import Path

    from app.chat.conversation import Conversation
    from app.chat.message import Message
    from app.engine.base import Engine
    from app.engine.events import LoadedModel
    from ui.chat_controller import ChatController
    from ui.engine_worker import EngineWorker
    from ui.model_controller import ModelController

MESSAGES_AT_ONCE = 8
"""What is sent meanwhile waits for no more than these."""


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """What is counted: answers about another conversation, or by another model, come too late."""

    conversation: Conversation
    model: LoadedModel


class LedgerKeeper(QObject):
    """Sets `Session.ledger` of the open session; None until it is counted, or when it cannot be.

    Signals:
        changed: the open session's ledger is another one.
    """

    changed = Signal()

    def __init__(
        self, chat: ChatController, models: ModelController, engine: EngineWorker, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._chat = chat
        self._models = models
        self._engine = engine
        self._counted: Wanted | None = None
        self._known_for: Path | None = None
        self._known: dict[str, tuple[str, int]] = {}
        chat.progressed.connect(self.refresh)
        models.changed.connect(self.refresh)

    @Slot()
    def refresh(self) -> None:
        """Count what is new, unless the engine is at work: then the end of that calls here again."""
        session, model = self._chat.session, self._models.model
        if not self._chat.is_idle or model is None:
            return
        counted = self._counted
        if counted is not None and session.conversation is counted.conversation and model is counted.model:
            return
        self._counted = wanted = Wanted(session.conversation, model)
        if model.info.path != self._known_for:
            self._known_for = model.info.path
            self._known.clear()
        self._count_next(wanted)

    def _count_next(self, wanted: Wanted) -> None:
        conversation = wanted.conversation
        missing = uncounted(conversation, self._tokens_of(conversation))[:MESSAGES_AT_ONCE]
        if missing:
            self._engine.ask(partial(_count, missing), partial(self._on_counted, wanted, missing))
        else:
            self._engine.ask(partial(_count_prompt, conversation), partial(self._on_prompt_counted, wanted))

    def _on_counted(self, wanted: Wanted, messages: list[Message], counts: list[int] | None) -> None:
        if wanted is not self._counted:
            return
        if counts is None:
            self._set(wanted.conversation, None)
            return
        for message, tokens in zip(messages, counts, strict=True):
            self._known[message.id] = (message.content, tokens)
        self._count_next(wanted)

    def _on_prompt_counted(self, wanted: Wanted, prompt_tokens: int | None) -> None:
        if wanted is self._counted:
            self._set(wanted.conversation, prompt_tokens)

    def _set(self, conversation: Conversation, prompt_tokens: int | None) -> None:
        from app.telemetry.ledger import make_ledger

        session = self._chat.session
        if session.conversation is not conversation:
            return
        known = self._tokens_of(conversation)
        session.ledger = None if prompt_tokens is None else make_ledger(conversation, known, prompt_tokens)
        if session.ledger is not None and session.series.expected_tokens is not None:
            session.series.expect(session.ledger.total_tokens)
        self.changed.emit()

    def _tokens_of(self, conversation: Conversation) -> dict[str, int]:
        """Return what is known of a conversation's messages as they read now."""
        found = ((message, self._known.get(message.id)) for message in conversation.messages)
        return {message.id: known[1] for message, known in found if known is not None and known[0] == message.content}


def _count(messages: list[Message], engine: Engine) -> list[int]:
    from app.chat.counting import own_tokens

    return [own_tokens(message, engine.count_tokens) for message in messages]


def _count_prompt(conversation: Conversation, engine: Engine) -> int:
    return engine.count_tokens(prompt_messages(conversation))
