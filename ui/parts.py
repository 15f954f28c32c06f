"""Everything behind one window: made here, handed what it works with, taken down in order."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Signal, Slot

from app.starter import starter_model
from ui.auto_summary import AutoSummary
from ui.bench_controller import BenchController
from ui.branch_controller import BranchController
from ui.ceilings_keeper import CeilingsKeeper
from ui.chat_controller import ChatController
from ui.conversation_items import ConversationItems
from ui.curve_presenter import CurvePresenter
from ui.diagnosis_keeper import DiagnosisKeeper
from ui.dialogs.speed.sources import Sources
from ui.downloads_keeper import DownloadsKeeper
from ui.engine_worker import EngineWorker
from ui.forecast_keeper import ForecastKeeper
from ui.frame_stamp import FrameStamp
from ui.freed_presenter import FreedPresenter
from ui.late_imports import LateImports
from ui.ledger_keeper import LedgerKeeper
from ui.library_controller import LibraryController
from ui.library_keeper import LibraryKeeper
from ui.message_commands import MessageCommands
from ui.model_controller import ModelController
from ui.models_window import ModelsWindow
from ui.planner_worker import MakePlanners, PlannerWorker, make_planners
from ui.room_controller import RoomController
from ui.saved_states import SavedStates
from ui.shell import Shell
from ui.speed_keeper import SpeedKeeper
from ui.speed_worker import SpeedWorker
from ui.start_commands import StartCommands
from ui.start_keeper import StartKeeper
from ui.status_presenter import StatusPresenter
from ui.summary_controller import SummaryController
from ui.summary_preview import SummaryPreview
from ui.theme import Scheme
from ui.translation import localised
from ui.view_keeper import ViewKeeper
from ui.window_commands import WindowCommands
from ui.window_dialogs import WindowDialogs

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.engine.base import Engine
    from app.engine.config import ModelConfig
    from app.hub.batches import Batch
    from app.paths import Paths
    from app.settings import Settings
    from app.storage.store import Store
    from ui.arguments import Arguments
    from ui.main_window import MainWindow
    from ui.translation import Text

MakeEngine = Callable[[], "Engine"]

LATE_MODULES = (
    "app.telemetry.environment",
    "app.chat.policy",
    "ui.chat.message_view",
    "markdown_it",
    "app.telemetry.memory",
    "app.telemetry.diagnosis",
    "app.telemetry.system_state",
    "pygments.lexers",
    "pyqtgraph",
    "ui.panels.canvas",
    "app.bench.ceilings",
    "app.bench.runner",
)
"""Slow ones, imported in a thread; who needs one before imports it where it is needed."""


class Parts(QObject):
    """A child of its window, which comes first: see `Shell`.

    Signals:
        begun: the first frame is on the screen, or none will be: what is slow may begin.
    """

    begun = Signal()

    def __init__(
        self,
        shell: Shell,
        arguments: Arguments,
        make_engine: MakeEngine,
        make_planners: MakePlanners = make_planners,
    ) -> None:
        super().__init__(shell.window)
        self.window = window = shell.window
        self._shell, folders, state = shell, shell.folders, shell.state
        self.arguments = arguments
        self.theme, self.store, self.settings = shell.theme, shell.store, shell.settings
        self.engine = EngineWorker(make_engine)
        self.planner = PlannerWorker(make_planners, self)
        self.models = ModelController(self.engine, self.settings, arguments.load)
        window.model_selector.serve(self.models, self.settings)
        self.chat = ChatController(
            window.transcript,
            window.composer,
            ConversationItems(self.models, self),
            self.engine,
            self.store,
            self.models,
            self.settings,
            FrameStamp(window),
            self,
        )
        self.speed_worker = SpeedWorker(self)
        self.speed = SpeedKeeper(self.chat, self.models, self.store, self.speed_worker, self)
        self.library = LibraryController(self.chat, self.models, self.store, window, self)
        self.saved = SavedStates(self.chat, self.models, self.settings, self.library, self.engine, self.store, self)
        self.ledger = LedgerKeeper(self.chat, self.models, self.engine, self)
        FreedPresenter(window, self.chat, self.models, self.ledger, self)
        self.ceilings = CeilingsKeeper(self.chat, self.models, self.speed, self.store, self.speed_worker, parent=self)
        self.forecast = ForecastKeeper(
            window.composer, self.chat, self.models, self.engine, self.speed, self.saved, self
        )
        self.curves = CurvePresenter(window.tpot_panel, self.chat, self.engine, self.speed, self)
        self.summaries = SummaryController(self.chat, self.models, self.engine, self.store, self.speed, self)
        self.view = ViewKeeper(window, self.chat, self.models, self.settings, self.ledger, self.store, self)
        self.branches = BranchController(self.chat, self.store, self)
        self.room = RoomController(
            window, self.chat, self.branches, self.models, self.engine, self.summaries, self.view, self
        )
        self.disk = LibraryKeeper(self.models, self.settings, self.planner, folders.models, self)
        self.diagnosis = DiagnosisKeeper(
            self.chat,
            self.models,
            self.settings,
            self.ledger,
            self.speed,
            self.planner,
            self.speed_worker,
            self.ceilings.value,
            self.disk,
            self,
        )
        window.panels.diagnosis.watch(self.diagnosis)
        self.bench = BenchController(self.chat, self.models, self.engine, self.store, self)
        self.status = StatusPresenter(
            self.chat,
            self.models,
            self.summaries,
            self.bench,
            window.status_line,
            window.state_label,
            window.gauge,
            self,
        )
        self.preview = SummaryPreview(window, self.summaries, self.chat, self.models, self.speed, self.status)
        self.dialogs = WindowDialogs(
            window,
            self.theme,
            self.models,
            self.settings,
            self.planner,
            self.chat,
            self.ledger,
            Sources(self.theme, self.chat, self.models, self.speed, self.ceilings, self.store),
            self.bench,
            self.store,
            self.engine,
            self.branches,
            self.saved,
        )
        self.downloads = DownloadsKeeper(folders, self)
        self.models_window = ModelsWindow(
            window,
            self.theme,
            self.models,
            self.settings,
            self.planner,
            self.downloads,
            folders.models,
            self.disk,
            state,
        )
        self.start = StartKeeper(
            folders.models, self.models, self.settings, self.planner, self.downloads, self.disk, self
        )
        self.first_steps = StartCommands(window, self.chat, self.models, self.dialogs, self.models_window, self.start)
        self.commands = WindowCommands(
            window,
            self.chat,
            self.models,
            self.summaries,
            self.preview,
            self.settings,
            self.dialogs,
            self.diagnosis,
            self.bench,
            self.room,
            self.view,
            self.models_window,
        )
        self.auto_summary = AutoSummary(
            self.chat,
            self.models,
            self.summaries,
            self.preview,
            self.bench,
            window.composer,
            self.settings,
            self,
        )
        self.messages = MessageCommands(window, self.chat, self.models, self.branches, self.room)
        self._late = LateImports(self, *LATE_MODULES)
        self.has_ended = False
        self._hint: Text = ""
        self._has_begun = False
        self._connect()
        self.store.read(_prepare_store, self._on_store_ready)
        self.chat.show_empty(draft=window.composer.text())
        if shell.sentence:
            self._on_storage_notice(shell.sentence)

    def _connect(self) -> None:
        window = self.window
        window.may_close = self.dialogs.may_close
        window.closing.connect(self._end)
        self.begun.connect(self.first_steps.begin)
        self._late.ready.connect(window.panels.make_plots)
        self._late.ready.connect(self.downloads.begin)
        window.status_line.downloads.watch(self.downloads)
        window.model_selector.watch(self.disk)
        self.downloads.finished.connect(self._on_downloaded)
        self.downloads.restored.connect(self._on_downloads_restored)
        self.chat.session_changed.connect(self._on_session_changed)
        self.chat.progressed.connect(window.panels.redraw)
        self.chat.under_way.ticked.connect(window.panels.redraw)
        self.chat.answer_ended.connect(self.models.on_answer_ended)
        self.ledger.changed.connect(self.chat.show_costs)
        self.ledger.changed.connect(self.status.refresh)
        self.models.noticed.connect(self.status.notice)
        self.chat.noticed.connect(self.status.notice)
        self.settings.changed.connect(self._on_settings_changed)
        self.store.failed.connect(self._on_storage_failed)
        self.store.recovered.connect(window.notice_bar.withdraw_added)
        self.store.noticed.connect(self._on_storage_notice)
        self.models.changed.connect(self._on_model_changed)
        self.models.load_starting.connect(self._on_load_starting)
        self.dialogs.message_activated.connect(window.transcript.scroll_to)
        for panel in (window.ttft_panel, window.tpot_panel):
            panel.turn_activated.connect(window.transcript.scroll_to)
            window.transcript.item_hovered.connect(panel.highlight_turn)

    @Slot()
    def begin(self) -> None:
        """Once the first frame is on the screen: the database, the model, the charts' library."""
        if self._has_begun or self.has_ended:
            return
        self._has_begun = True
        self.engine.start()
        self.store.start()
        model = self.arguments.model or self._model_at_start()
        if model is not None and self.models.config is None:
            self.models.load(model)
        self._say_of_first_model(model)
        self._late.start()
        self.begun.emit()

    def _model_at_start(self) -> Path | None:
        last = self.settings.value.model_to_autoload
        if last and Path(last).is_file():
            return Path(last)
        starter = starter_model()
        is_safe = starter is not None and str(starter) not in self.settings.value.unsafe_models
        return starter if is_safe and self.settings.value.autoload else None

    def _say_of_first_model(self, model: Path | None) -> None:
        """Say that the last one ended the engine, or, at the very first start, that this is the starter model."""
        settings, bar = self.settings.value, self.window.notice_bar
        if self.arguments.model is not None:
            return
        if settings.autoload and settings.last_model in settings.unsafe_models:
            last = Path(settings.last_model)
            self._hint = lambda: self.tr("{} ended the engine last time: open it to try again.").format(last.name)
            bar.offer_later(self._hint, lambda: self.tr("Try again"), partial(self.models.load, last), "warning")
        elif model is not None and model == starter_model() and not settings.recent_models:
            self._hint = lambda: self.tr("This is the starter model: it is very small, and shows how everything works.")
            bar.offer_later(self._hint, lambda: self.tr("Choose a better model…"), self.first_steps.choose_model)

    def _on_store_ready(self, recovered: list[str]) -> None:
        self.library.refresh()
        if recovered:
            self.status.notice(self.tr("An answer was interrupted last time; what had come of it is kept."))

    @Slot(object)
    def _on_load_starting(self, config: ModelConfig) -> None:
        if config.rpc_servers:
            self.planner.release_servers()
        self.window.notice_bar.withdraw(self._hint)

    @Slot()
    def _on_model_changed(self) -> None:
        self.window.memory_panel.device_lines.set_devices(self.models.devices, self.models.model)

    @Slot(object)
    def _on_session_changed(self) -> None:
        self.window.panels.set_series(self.chat.session.series)

    @Slot(object, object)
    def _on_settings_changed(self, former: Settings, value: Settings) -> None:
        if value.language != former.language:
            locale = self._shell.translation.set_language(value.language)
            self.theme.set_language(locale.name())
            self.chat.show_again()
            self.library.refresh()
        self.theme.set_scheme(Scheme(value.theme))
        self.theme.set_zoom(value.zoom)
        self.window.panels.set_zoom(value.zoom)
        if value.system_prompt != former.system_prompt:
            self.branches.set_system_prompt(value.system_prompt)

    @Slot(object)
    def _on_storage_failed(self, sentence: str) -> None:
        def text() -> str:
            return self.tr("{} What is not saved is kept in memory.").format(localised(sentence))

        self.window.notice_bar.add(text, lambda: self.tr("Try again"), self.store.retry, "error")

    @Slot(object)
    def _on_storage_notice(self, sentence: str) -> None:
        self.window.notice_bar.add(sentence, role="warning")

    @Slot(object)
    def _on_downloaded(self, batch: Batch) -> None:
        if self.disk.is_listed:
            self.disk.refresh()
        if self.models.loading_path != batch.path:  # else it is loaded by itself
            text = self.tr("{} is downloaded: load it from the models window.").format(batch.name)
            self.status.notice(text, is_good=True)

    @Slot(int)
    def _on_downloads_restored(self, count: int) -> None:
        self.status.notice(
            self.tr("A download was interrupted; it can be resumed.")
            if count == 1
            else self.tr("{} downloads were interrupted; they can be resumed.").format(count)
        )

    @Slot()
    def _end(self) -> None:
        """End the engine, take over what it still said, write everything, end the storage thread."""
        self.library.save_draft()
        self.room.cancel()
        self.downloads.begin_closing()
        self.start.begin_closing()
        self.summaries.cancel()
        self.chat.begin_closing()
        self.bench.begin_closing()
        engine_ended = self.engine.shutdown()
        planner_ended = self.planner.shutdown()
        speed_ended = self.speed_worker.shutdown()
        downloads_ended = self.downloads.shutdown()
        hub_ended = self.models_window.shutdown()
        start_ended = self.start.shutdown()
        disk_ended = self.disk.shutdown()
        QCoreApplication.sendPostedEvents(self.engine, QEvent.Type.MetaCall.value)
        self.chat.close()
        self.settings.flush()
        ended = (engine_ended, planner_ended, speed_ended, downloads_ended, hub_ended, start_ended, disk_ended)
        self.has_ended = self.store.shutdown() and all(ended)
        self._shell.close()


def _prepare_store(store: Store) -> list[str]:
    recovered = store.recover()
    if store.is_owner:
        store.purge_deleted()
    return recovered


def compose(
    application: QApplication,
    arguments: Arguments,
    folders: Paths,
    make_engine: MakeEngine,
    make_planners: MakePlanners = make_planners,
) -> MainWindow:
    """Make a window with everything behind it; engine and planner are made in the threads that own them."""
    shell = Shell(application, folders)
    shell.when_seen(Parts(shell, arguments, make_engine, make_planners).begin)
    return shell.window
