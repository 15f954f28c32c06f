"""The bench window: the plan at the left, the results at the right, what is under way at the bottom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.bench.fingerprint import machine_key
from app.bench.plan import make_plan
from app.bench.stored import expected_seconds, row_from
from app.errors import BadInputError
from ui.dialogs.bench import words
from ui.dialogs.bench.form import GridForm
from ui.dialogs.bench.machine import MachineBox
from ui.dialogs.bench.results import ResultsPane
from ui.dialogs.form_area import FormArea
from ui.notice_bar import NoticeBar
from ui.translation import localised

if TYPE_CHECKING:
    from app.bench.plan import BenchGrid, BenchGroup
    from app.bench.row import BenchRow
    from app.storage.store import BenchResult
    from app.telemetry.ceilings import Ceiling
    from ui.bench_controller import BenchController
    from ui.chat_controller import ChatController
    from ui.model_controller import ModelController
    from ui.settings_keeper import SettingsKeeper
    from ui.store_worker import StoreWorker
    from ui.theme import Theme

_PLAN_WIDTH = 330
_STEPS = 1000


class BenchDialog(QDialog):
    """A view of the controller and the store: it may be closed while a bench runs, and finds everything again."""

    def __init__(
        self,
        theme: Theme,
        bench: BenchController,
        models: ModelController,
        chat: ChatController,
        settings: SettingsKeeper,
        store: StoreWorker,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("bench_dialog")
        self.setWindowTitle(self.tr("Bench"))
        self.setAccessibleName(self.tr("Bench"))
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self._bench, self._models, self._store = bench, models, store
        self._machine = machine_key()
        self._plan: tuple[BenchGroup, ...] = ()
        self._grid: BenchGrid | None = None
        self._known: list[BenchRow] = []
        self._awaited = ""
        self._is_over = False
        loaded = models.config.path if models.config is not None else None
        self.form = GridForm(loaded, settings.value.recent_models)
        self.size_label = QLabel(wordWrap=True)
        self.size_label.setObjectName("bench_size")
        self.size_label.setTextFormat(Qt.TextFormat.PlainText)
        self.obstacle_label = QLabel(wordWrap=True)
        self.obstacle_label.setObjectName("bench_obstacle")
        self.obstacle_label.setTextFormat(Qt.TextFormat.PlainText)
        self.obstacle_label.setProperty("role", "warning")
        self.note_label = QLabel(wordWrap=True)
        self.note_label.setObjectName("bench_note")
        self.note_label.setTextFormat(Qt.TextFormat.PlainText)
        self.note_label.setProperty("role", "muted")
        self.start_button = QPushButton(self.tr("&Start"))
        self.start_button.setObjectName("bench_start")
        self.start_button.setAccessibleName(self.tr("Start the bench"))
        self.start_button.setProperty("role", "primary")
        self.start_button.setDefault(True)
        self.machine = MachineBox()
        self.results = ResultsPane(theme)
        self.notice = NoticeBar(theme, "bench_notice")
        self.progress_bar = QProgressBar(maximum=_STEPS, textVisible=False)
        self.progress_bar.setObjectName("bench_progress")
        self.progress_bar.setAccessibleName(self.tr("Progress of the bench"))
        self.progress_label = QLabel()
        self.progress_label.setObjectName("bench_progress_text")
        self.progress_label.setTextFormat(Qt.TextFormat.PlainText)
        self.cancel_button = QPushButton(self.tr("&Cancel"))
        self.cancel_button.setObjectName("bench_cancel")
        self.cancel_button.setAccessibleName(self.tr("Cancel the bench"))
        self.cancel_button.setAutoDefault(False)
        self._lay_out()
        self.resize(1200, 800)
        self.form.changed.connect(self._refresh)
        self.start_button.clicked.connect(self._start)
        self.cancel_button.clicked.connect(bench.cancel)
        self.machine.measure_requested.connect(bench.measure_machine)
        self.results.delete_requested.connect(self._delete)
        self.results.failed.connect(self._on_failed)
        bench.progressed.connect(self._refresh)
        bench.stored.connect(self._read)
        bench.finished.connect(self._on_finished)
        models.changed.connect(self._refresh)
        models.progressed.connect(self._refresh)
        chat.progressed.connect(self._refresh)
        self._read()
        self._refresh()

    def _lay_out(self) -> None:
        plan = QWidget()
        column = QVBoxLayout(plan)
        column.setContentsMargins(0, 0, 8, 0)
        column.addWidget(self.form)
        column.addSpacing(8)
        column.addWidget(self.machine)
        column.addStretch(1)
        left = QWidget()
        beside = QVBoxLayout(left)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.addStrut(_PLAN_WIDTH)
        beside.addWidget(FormArea(plan), 1)
        for label in (self.size_label, self.obstacle_label, self.note_label):
            policy = label.sizePolicy()
            policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)  # the form tells how wide the column is
            label.setSizePolicy(policy)
            beside.addWidget(label)
        beside.addWidget(self.start_button)
        columns = QHBoxLayout()
        columns.setSpacing(12)
        columns.addWidget(left)
        columns.addWidget(self.results, 1)
        bottom = QHBoxLayout()
        bottom.addWidget(self.progress_label)
        bottom.addWidget(self.progress_bar, 1)
        bottom.addWidget(self.cancel_button)
        layout = QVBoxLayout(self)
        layout.addWidget(self.notice)
        layout.addLayout(columns, 1)
        layout.addLayout(bottom)

    def done(self, result: int) -> None:
        """Close; a bench under way goes on, answers of the store are not waited for."""
        self._is_over = True
        super().done(result)

    @Slot()
    def _start(self) -> None:
        if self._grid is not None and self._plan:
            self.notice.dismiss()
            self._bench.start(self._plan, self._grid)
            self._awaited = self._bench.run_id

    @Slot()
    def _refresh(self) -> None:
        """Show what could be started, and what runs."""
        fault = ""
        try:
            self._grid = self.form.value()
            self._plan = make_plan(self._grid)
        except BadInputError as error:
            self._grid, self._plan = None, ()
            fault = localised(str(error))
        is_running = self._bench.is_running
        self.form.setEnabled(not is_running)
        if not is_running:
            self._show_size(fault)
        obstacle = fault or self._bench.obstacle
        self.obstacle_label.setText(obstacle)
        self.obstacle_label.setVisible(bool(obstacle))
        self.note_label.setText(self._note())
        self.note_label.setVisible(bool(self._note()))
        self.start_button.setEnabled(not obstacle and not is_running)
        self.machine.button.setEnabled(not self._bench.obstacle and not is_running)
        self._show_progress(is_running)

    def _show_size(self, fault: str) -> None:
        if self._grid is None or fault:
            self.size_label.setText("")
            return
        seconds = expected_seconds(self._plan, self._grid.repetitions, self._grid.warm_up, self._known)
        self.size_label.setText(words.plan_size(self._plan, self._grid.repetitions, seconds))

    def _note(self) -> str:
        if self._models.model is None:
            return ""
        return self.tr(
            "{model} is unloaded for the bench and loaded again afterwards; its conversation is then read anew."
        ).format(model=self._models.model.info.name)

    def _show_progress(self, is_running: bool) -> None:
        event = self._bench.progress
        for widget in (self.progress_bar, self.progress_label, self.cancel_button):
            widget.setVisible(is_running)
        if not is_running:
            return
        repetitions = self._bench.repetitions
        if event is None:
            self.progress_bar.setRange(0, 0)
            self.progress_label.setText(self.tr("measuring the memory") if not self._bench.is_bench else "")
            return
        self.progress_bar.setRange(0, _STEPS)
        self.progress_bar.setValue(round(_STEPS * self._bench.fraction))
        self.progress_label.setText(words.progress(event, repetitions))

    @Slot(bool)
    def _on_finished(self, cancelled: bool) -> None:
        complaints = self._bench.complaints
        if complaints:
            self.notice.offer("\n".join(complaints), role="error")
        elif cancelled:
            self.notice.offer(self.tr("Cancelled; what was measured until then is kept."))

    @Slot()
    def _read(self) -> None:
        machine = self._machine
        self._store.read(lambda store: store.bench_results(), self._on_results)
        self._store.read(lambda store: store.ceilings(machine), self._on_ceilings)

    @Slot(object)
    def _on_results(self, results: list[BenchResult]) -> None:
        if self._is_over:
            return
        selected = self.results.runs.selected_ids() or [each.run_id for each in results[-1:]]
        if self._awaited in {each.run_id for each in results}:
            selected, self._awaited = [self._awaited], ""
        self.results.set_results(results, selected)
        self._known = [row_from(each.values) for each in results if each.values["machine"] == self._machine]
        self._refresh()

    @Slot(object)
    def _on_ceilings(self, ceilings: list[Ceiling]) -> None:
        if not self._is_over:
            self.machine.show_ceilings(ceilings)

    @Slot(list)
    def _delete(self, run_ids: list[str]) -> None:
        self._store.write(lambda store: store.delete_bench_results(run_ids=run_ids))
        self._read()

    @Slot(str)
    def _on_failed(self, sentence: str) -> None:
        self.notice.offer(sentence, role="error")
