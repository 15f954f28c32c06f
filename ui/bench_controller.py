"""Benches in the window: one run at a time in the engine's thread, its results kept as they come."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.message import new_id
from ui.translation import localised

if TYPE_CHECKING:
    from app.bench.ceiling_run import CeilingMeasured, CeilingRefused
    from app.bench.plan import BenchGrid, BenchGroup
    from app.bench.row import BenchRow
    from app.bench.runner import RunEvent, RunFinished, RunProgressed, RunRefused
    from app.engine.base import Engine
    from app.storage.store import Store
    from app.telemetry.ceilings import Ceiling
    from ui.chat_controller import ChatController
    from ui.engine_worker import EngineWorker, Run
    from ui.model_controller import ModelController
    from ui.store_worker import StoreWorker


class BenchController(QObject):
    """Runs one plan, or one measurement of the machine; while it runs nothing is sent.

    Attributes:
        run_id: of the newest run; empty before the first.
        repetitions: how often it times each test.
        progress: the step under way; None while nothing runs, or the machine is measured.
        complaints: one sentence each about what the newest run could not measure.

    Signals:
        progressed: a run began, came a step further, or ended.
        stored: results or ceilings were handed to the store.
        finished: the newest run ended; whether it was cancelled.
    """

    progressed = Signal()
    stored = Signal()
    finished = Signal(bool)

    def __init__(
        self,
        chat: ChatController,
        models: ModelController,
        engine: EngineWorker,
        store: StoreWorker,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._chat = chat
        self._models = models
        self._engine = engine
        self._store = store
        self._ticket = 0
        self._is_closing = False
        self._plan: tuple[BenchGroup, ...] = ()
        self.repetitions = 0
        self.run_id = ""
        self.progress: RunProgressed | None = None
        self.complaints: list[str] = []

    @property
    def is_running(self) -> bool:
        """Whether something is being measured."""
        return bool(self._ticket)

    @property
    def is_bench(self) -> bool:
        """Whether what runs is a plan, not a measurement of the machine."""
        return self.is_running and bool(self._plan)

    @property
    def fraction(self) -> float:
        """How much of the tests is done, 0 to 1; a warm-up counts as a repetition."""
        if self.progress is None:
            return 0.0
        part = self.progress.repetition / (self.repetitions + 1) if self.progress.test is not None else 0.0
        return min((self.progress.done + part) / max(self.progress.total, 1), 1.0)

    @property
    def obstacle(self) -> str:
        """Why nothing can be measured now, empty when it can."""
        if self._chat.running is not None:
            return self.tr("An answer is being written: wait until it is done, or stop it.")
        if self._models.loading_fraction is not None:
            return self.tr("A model is being loaded: wait until that is done.")
        if self._chat.is_busy and not self.is_running:
            return self.tr("A summary is being made: wait until it is done, or stop it.")
        return ""

    def start(self, plan: tuple[BenchGroup, ...], grid: BenchGrid) -> None:
        """Measure; does nothing while something is in the way. The loaded model makes room and comes back."""
        if self.is_running or self.obstacle:
            return
        self._begin()
        self._plan, self.repetitions = plan, grid.repetitions
        self.run_id = new_id()
        self._models.lend_engine()

        def make_run(engine: Engine) -> Run:
            from app.bench.runner import BenchRun  # what few starts need is imported when it is wanted

            return BenchRun(engine, plan, grid.repetitions, grid.warm_up)

        self._ticket = self._engine.measure(make_run, self._on_event)
        self.progressed.emit()

    def measure_machine(self) -> None:
        """Measure how fast memory is read, which takes about 3 s; does nothing while something is in the way."""
        if self.is_running or self.obstacle:
            return
        self._begin()

        def make_run(_engine: Engine) -> Run:
            from app.bench.ceiling_run import CeilingRun

            return CeilingRun()

        self._ticket = self._engine.measure(make_run, self._on_ceiling_event)
        self.progressed.emit()

    @Slot()
    def cancel(self) -> None:
        """End the run soon; what was measured stays."""
        if self.is_running:
            self._engine.cancel()

    def begin_closing(self) -> None:
        """From now on results are stored, but nothing is loaded again."""
        self._is_closing = True

    def _begin(self) -> None:
        self.complaints = []
        self._plan = ()
        self._chat.set_busy(True)

    def _on_event(self, event: RunEvent) -> None:
        from app.bench import runner

        match event:
            case runner.RunProgressed():
                self.progress = event
                self.progressed.emit()
            case runner.RowMeasured(row):
                self._keep(row)
            case runner.RunRefused():
                self.complaints.append(_complaint(event))
                self.progressed.emit()
            case runner.RunFinished():
                self._end(event)

    def _on_ceiling_event(self, event: CeilingMeasured | CeilingRefused | RunFinished) -> None:
        from app.bench import ceiling_run, runner

        match event:
            case ceiling_run.CeilingMeasured(ceiling):
                self._store.write(lambda store: store.set_ceilings([ceiling]))
                self.stored.emit()
            case ceiling_run.CeilingRefused(reason):
                self.complaints.append(localised(reason))
            case runner.RunFinished():
                self._end(event)

    def _keep(self, row: BenchRow) -> None:
        from app.bench.report import fields

        run_id, values = self.run_id, fields(row)
        self._store.write(lambda store: store.add_bench_results(run_id, [values]))
        self._store.write(partial(_raise_ceilings, row))
        self.stored.emit()

    def _end(self, event: RunFinished) -> None:
        self._ticket, self.progress = 0, None
        if event.error:
            self.complaints.append(localised(event.error))
        if self._is_closing:
            return
        self._chat.set_busy(False)
        self._models.take_back_engine()
        self.progressed.emit()
        self.finished.emit(event.cancelled)


def _complaint(event: RunRefused) -> str:
    about = [] if event.model.name in event.reason else [event.model.name]
    about += [event.test.name] if event.test is not None else []
    return ": ".join([*about, localised(event.reason)])


def _raise_ceilings(row: BenchRow, store: Store) -> None:
    from app.bench.ceilings import ceilings_of, improved

    found: list[Ceiling] = ceilings_of([row])
    store.set_ceilings(improved(store.ceilings(row.subject.machine), found))
