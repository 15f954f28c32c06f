"""Summarises by itself from a share of the context on, if the user turned that on; only while nothing else is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

if TYPE_CHECKING:
    from ui.bench_controller import BenchController
    from ui.chat.composer import Composer
    from ui.chat_controller import ChatController
    from ui.model_controller import ModelController
    from ui.running_answer import RunningAnswer
    from ui.settings_keeper import SettingsKeeper
    from ui.summary_controller import SummaryController
    from ui.summary_preview import SummaryPreview

IDLE_MS = 3000
"""After the end of an answer and after the last key; who types on wants an answer soon."""


class AutoSummary(QObject):
    """Tries once for each length of a conversation: what could not be made shorter is left alone until it grows."""

    def __init__(
        self,
        chat: ChatController,
        models: ModelController,
        summaries: SummaryController,
        preview: SummaryPreview,
        bench: BenchController,
        composer: Composer,
        settings: SettingsKeeper,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._chat = chat
        self._models = models
        self._summaries = summaries
        self._preview = preview
        self._bench = bench
        self._settings = settings
        self._draft = ""
        self._tried = ("", 0)
        self._pause = QTimer(self, singleShot=True, interval=IDLE_MS)
        self._pause.timeout.connect(self._try)
        chat.answer_ended.connect(self._wait)
        chat.answer_begun.connect(self._give_way)
        chat.session_changed.connect(self._wait)
        composer.draft_changed.connect(self._on_draft_changed)
        settings.changed.connect(self._wait)

    @property
    def is_waiting(self) -> bool:
        """Whether it will look again once the user does nothing."""
        return self._pause.isActive()

    @Slot()
    def _wait(self) -> None:
        if self._settings.value.summarise_at:
            self._pause.start()
        else:
            self._pause.stop()

    @Slot(str)
    def _on_draft_changed(self, text: str) -> None:
        self._draft = text.strip()
        self._summaries.give_way()
        self._wait()

    @Slot(object)
    def _give_way(self, _running: RunningAnswer) -> None:
        self._pause.stop()
        self._summaries.give_way()

    @Slot()
    def _try(self) -> None:
        """Begin when it is time; whatever stands in the way ends in a signal that leads here again."""
        conversation = self._chat.session.conversation
        length = (conversation.id, len(conversation.messages))
        if not self._is_due() or length == self._tried:
            return
        self._tried = length
        self._summaries.start_in_background(self._on_ended)

    def _is_due(self) -> bool:
        model, series = self._models.model, self._chat.session.series
        is_idle = self._chat.can_answer and not self._bench.is_running and not self._preview.is_open and not self._draft
        if model is None or not is_idle or self._chat.running is not None:
            return False
        used = series.context_tokens if series.expected_tokens is None else series.expected_tokens
        return 100 * used >= self._settings.value.summarise_at * (series.n_ctx_max or model.n_ctx_max)

    def _on_ended(self, is_laid: bool) -> None:
        if not is_laid and self._summaries.gave_way:
            self._tried = ("", 0)
