"""What the engine does now, in words: status line, top bar, context gauge."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

from ui import formatting

if TYPE_CHECKING:
    from PySide6.QtWidgets import QLabel

    from app.telemetry.recorder import TurnRecorder
    from ui.bench_controller import BenchController
    from ui.chat_controller import ChatController
    from ui.model_controller import ModelController
    from ui.panels.gauge import ContextGauge
    from ui.panels.status_line import StatusLine
    from ui.summary_controller import SummaryController

NOTICE_MS = 30_000


class StatusPresenter(QObject):
    """Reads the controllers and writes the labels; owns no state of its own but the last notice."""

    def __init__(
        self,
        chat: ChatController,
        models: ModelController,
        summaries: SummaryController,
        bench: BenchController,
        status_line: StatusLine,
        state_label: QLabel,
        gauge: ContextGauge,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._chat = chat
        self._models = models
        self._summaries = summaries
        self._bench = bench
        self._status_line = status_line
        self._state_label = state_label
        self._gauge = gauge
        gauge.hide()
        self._notice_end = QTimer(self, singleShot=True, interval=NOTICE_MS)
        self._notice_end.timeout.connect(self._clear_notice)
        chat.progressed.connect(self.refresh)
        chat.under_way.ticked.connect(self.refresh)
        models.changed.connect(self.refresh)
        models.progressed.connect(self.refresh)
        summaries.progressed.connect(self.refresh)
        bench.progressed.connect(self.refresh)

    @Slot()
    def refresh(self) -> None:
        """Show everything as it is now."""
        activity = self._activity()
        self._status_line.set_activity(activity)
        self._status_line.set_model(self._model_text())
        model = self._models.model
        state = (
            activity
            if model is None
            else self.tr("{state} - {backend}").format(
                state=self.tr("ready") if self._chat.can_answer else self.tr("working"), backend=model.backend
            )
        )
        self._state_label.setText(state)
        series = self._chat.session.series
        expected = series.expected_tokens
        used = (series.context_tokens if expected is None else expected) if series.n_ctx is not None else None
        kv_used = model.memory.kv_used_bytes(used) if model is not None and used is not None else None
        self._gauge.set_expected(expected is not None)
        self._gauge.set_usage(used, series.n_ctx, kv_used, series.n_ctx_max)
        self._gauge.setVisible(series.n_ctx is not None)

    @Slot(str)
    def notice(self, sentence: str, *, is_good: bool = False) -> None:
        """Show a sentence until the next one, at most half a minute."""
        self._status_line.set_notice(sentence, is_good=is_good)
        self._notice_end.start()

    @Slot()
    def _clear_notice(self) -> None:
        self._status_line.set_notice("")

    def _activity(self) -> str:
        models, running = self._models, self._chat.running
        if models.loading_fraction is not None:
            return self.tr("loading {}%").format(formatting.count(round(models.loading_fraction * 100)))
        if running is not None:
            before = self._chat.under_way.before(running)
            activity = formatting.waiting(before) if before else self.describe(running.recorder)
            if running.session is not self._chat.session:
                return self.tr("{activity}, in “{title}”").format(
                    activity=activity, title=running.session.conversation.title
                )
            return activity
        if self._summaries.is_running:
            recorder = self._summaries.recorder
            activity = self.describe(recorder) if recorder is not None else self.tr("preparing")
            if self._chat.answers:
                return self.tr("{activity}, then the summary goes on").format(activity=activity)
            return self.tr("summarising: {}").format(activity)
        if self._bench.is_running:
            return self.tr("measuring")
        return self.tr("ready") if models.model is not None else ""  # the selector says that there is none

    def _model_text(self) -> str:
        model = self._models.model
        if model is None:
            return ""
        parts = [model.info.name, model.info.quantisation, model.backend]
        if model.n_gpu_layers:
            parts.append(
                self.tr("{offloaded} of {total} layers on the GPU").format(
                    offloaded=model.layers_offloaded, total=model.layers_total
                )
            )
        return " · ".join(part for part in parts if part)

    def describe(self, recorder: TurnRecorder) -> str:
        """Return what the engine does for an answer: waiting, reading with the time left, writing."""
        if recorder.completion_tokens:
            together = formatting.together(recorder.sequences, recorder.recent_aggregate_per_s)
            return self.tr("writing, {together}").format(together=together) if together else self.tr("writing")
        if recorder.prompt_tokens is None:
            return self.tr("preparing")
        total = recorder.prefill_total_tokens
        reading = self.tr("reading {done} / {total}").format(
            done=formatting.count(recorder.prefill_done_tokens), total=formatting.tokens(total)
        )
        left = recorder.prefill_left_s(time.perf_counter_ns())
        if not left:
            return reading
        return self.tr("{reading}, {left} left").format(reading=reading, left=formatting.duration(left))
