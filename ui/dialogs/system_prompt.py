"""The open conversation's system prompt, with what it takes and what a change of it costs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from app.chat.conversation import prompt_messages
from app.chat.message import Message
from app.telemetry.outlook import outlook
from ui import formatting
from ui.forecast_keeper import PAUSE_MS
from ui.translation import joined, localised

if TYPE_CHECKING:
    from app.chat.conversation import Conversation
    from app.engine.base import Engine
    from ui.branch_controller import BranchController
    from ui.chat_controller import ChatController
    from ui.engine_worker import EngineWorker
    from ui.model_controller import ModelController
    from ui.speed_keeper import SpeedKeeper

_Counts = tuple[int, int]
"""Tokens of the whole prompt, and of the system prompt alone."""


class SystemPromptDialog(QDialog):
    """Counts with the engine while it is idle, after a pause in typing; gone when it is closed."""

    def __init__(
        self,
        chat: ChatController,
        branches: BranchController,
        models: ModelController,
        engine: EngineWorker,
        speed: SpeedKeeper,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("system_prompt_dialog")
        self.setWindowTitle(self.tr("System prompt of this conversation"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumSize(480, 320)
        self._chat = chat
        self._branches = branches
        self._models = models
        self._engine = engine
        self._speed = speed
        self._session = chat.session
        self._asked = ""
        self._is_asking = False
        self._is_over = False
        self._counts: _Counts | None = None
        self._counted = ""
        self._text = QPlainTextEdit(self._session.conversation.system_prompt)
        self._text.setObjectName("conversation_system_prompt")
        self._text.setAccessibleName(self.tr("System prompt"))
        self._text.setTabChangesFocus(True)
        self._text.setPlaceholderText(self.tr("What the model is told before the conversation"))
        self._cost = self._label("system_prompt_cost")
        self._change = self._label("system_prompt_change")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.accepted.connect(self._on_accepted)
        layout = QVBoxLayout(self)
        layout.setSpacing(8)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._cost)
        layout.addWidget(self._change)
        layout.addSpacing(8)
        layout.addWidget(buttons)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._count)
        self._text.textChanged.connect(self._on_changed)
        chat.progressed.connect(self._count)
        models.changed.connect(self._count)
        speed.changed.connect(self._show)
        self._count()

    def _label(self, name: str) -> QLabel:
        label = QLabel(wordWrap=True)
        label.setObjectName(name)
        label.setProperty("role", "muted")
        label.setTextFormat(Qt.TextFormat.PlainText)
        return label

    @Slot()
    def _on_changed(self) -> None:
        self._show()
        self._pause.start()

    @Slot()
    def _count(self) -> None:
        """Ask for one count at a time; what is typed meanwhile is counted next."""
        text = self._text.toPlainText()
        is_known = self._counts is not None and self._counted == text
        if not (is_known or self._is_asking) and self._models.model is not None and self._chat.can_answer:
            self._is_asking, self._asked = True, text
            conversation = replace(self._session.conversation, system_prompt=text)
            self._engine.ask(partial(_count_tokens, conversation), self._on_counted)
        self._show()

    def done(self, result: int) -> None:
        """What was asked for may still come when the dialog is gone."""
        self._is_over = True
        super().done(result)

    def _on_counted(self, counts: _Counts | None) -> None:
        if self._is_over:
            return
        self._is_asking = False
        self._counts, self._counted = counts, self._asked
        self._show()
        if counts is not None and self._text.toPlainText() != self._asked:
            self._pause.start()

    @Slot()
    def _show(self) -> None:
        model, text = self._models.model, self._text.toPlainText()
        if model is None:
            self._cost.setText(self.tr("What it takes is counted when a model is loaded."))
            self._change.clear()
            return
        if self._counts is None or self._counted != text:
            self._cost.setText(self.tr("What it takes is counted as soon as the engine is idle…"))
            return
        total, own = self._counts
        self._cost.setText(
            self.tr("Takes {tokens}, {size} of the KV cache, in every prompt.").format(
                tokens=formatting.tokens(own), size=formatting.memory(model.memory.kv_used_bytes(own))
            )
        )
        is_changed = text != self._session.conversation.system_prompt
        self._change.setText(self._cost_of_change(total, model.n_ctx_max) if is_changed else "")

    def _cost_of_change(self, total: int, n_ctx: int) -> str:
        """Say what reading the whole prompt anew takes."""
        if not self._session.conversation.messages:
            return self.tr("Nothing of this conversation has been read yet: the change costs nothing.")
        text = self.tr("The change makes the model read the whole prompt anew: {tokens} with the next message.").format(
            tokens=formatting.tokens(total)
        )
        speed = self._speed.speed
        foretold = outlook(total, 0, 0, n_ctx, speed.ttft) if speed is not None else None
        if foretold is None or foretold.ttft is None:
            missing = foretold.missing if foretold is not None else None
            if missing is None:
                return text
            return joined(text, self.tr("No TTFT forecast yet: {reason}").format(reason=localised(missing.reason)))
        ttft = self.tr("TTFT then is about {value} ({low} to {high}).").format(
            value=formatting.duration(foretold.ttft.value),
            low=formatting.duration(foretold.ttft.low),
            high=formatting.duration(foretold.ttft.high),
        )
        return joined(text, ttft)

    @Slot()
    def _on_accepted(self) -> None:
        text = self._text.toPlainText()
        if self._session is self._chat.session and text != self._session.conversation.system_prompt:
            self._branches.set_system_prompt(text)


def _count_tokens(conversation: Conversation, engine: Engine) -> _Counts:
    if not conversation.messages:  # a template may want a question
        conversation = replace(conversation, messages=(Message("user", "?"),))
    bare = replace(conversation, system_prompt="")
    total = engine.count_tokens(prompt_messages(conversation))
    return total, total - engine.count_tokens(prompt_messages(bare))
