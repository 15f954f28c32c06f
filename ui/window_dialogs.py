"""The dialogs of the window, each opened with what it needs and its outcome handed on."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QFileDialog, QMessageBox

from app import __version__
from ui.translation import localised

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from ui.bench_controller import BenchController
    from ui.branch_controller import BranchController
    from ui.chat_controller import ChatController
    from ui.dialogs.bench.dialog import BenchDialog
    from ui.dialogs.memory.dialog import MemoryDetailsDialog
    from ui.dialogs.speed.dialog import SpeedDialog
    from ui.dialogs.speed.sources import Sources
    from ui.engine_worker import EngineWorker
    from ui.ledger_keeper import LedgerKeeper
    from ui.model_controller import ModelController
    from ui.planner_worker import PlannerWorker
    from ui.saved_states import SavedStates
    from ui.settings_keeper import SettingsKeeper
    from ui.store_worker import StoreWorker
    from ui.theme import Theme

NUMBER_OF = {"ttft_plot": "ttft", "tpot_plot": "tpot", "memory_plot": "memory", "context_gauge": "context"}
"""The number that a part of the window shows."""
SAFE_SCHEMES = ("http", "https")


class WindowDialogs(QObject):
    """Opens dialogs over a window.

    Signals:
        message_activated: id of a message the user wants to see.
    """

    message_activated = Signal(str)

    def __init__(
        self,
        window: QWidget,
        theme: Theme,
        models: ModelController,
        settings: SettingsKeeper,
        planner: PlannerWorker,
        chat: ChatController,
        ledger: LedgerKeeper,
        speed: Sources,
        bench: BenchController,
        store: StoreWorker,
        engine: EngineWorker,
        branches: BranchController,
        saved: SavedStates,
    ) -> None:
        super().__init__(window)
        self._saved = saved
        self._chat = chat
        self._ledger = ledger
        self._speed = speed
        self._bench = bench
        self._store = store
        self._engine = engine
        self._branches = branches
        self._window = window
        self._theme = theme
        self._planner = planner
        self._models = models
        self._settings = settings

    @Slot()
    def open_model(self) -> None:
        """Let the user choose a file and load it."""
        if path := self._ask_for_model():
            self._models.load(path)

    @Slot()
    def open_model_with_settings(self) -> None:
        """Let the user choose a file, see what it would take, and load it."""
        if path := self._ask_for_model():
            self._edit_load_settings(path)

    @Slot(str)
    def load_with_settings(self, path: str) -> None:
        """Show what a file would take, and load it."""
        self._edit_load_settings(Path(path))

    @Slot()
    def edit_load_settings(self) -> None:
        """Change how the present model is loaded, and load it so."""
        if self._models.config is not None:
            self._edit_load_settings(self._models.config.path)

    def _ask_for_model(self) -> Path | None:
        config = self._models.config
        folder = str(config.path.parent) if config is not None else ""
        path, _ = QFileDialog.getOpenFileName(
            self._window, self.tr("Open a model file"), folder, self.tr("GGUF models (*.gguf);;All files (*)")
        )
        return Path(path) if path else None

    def _edit_load_settings(self, path: Path) -> None:
        from ui.dialogs.load.dialog import LoadSettingsDialog  # a dialog is imported when it is wanted

        dialog = LoadSettingsDialog(
            self._theme,
            self._settings.value.load_settings(path),
            path,
            partial(self._models.config_for, path),
            self._planner,
            self._models,
            self._window,
        )
        # Not deleted on close: then it would be gone before it could be asked.
        if dialog.exec() == QDialog.DialogCode.Accepted:
            self._settings.set(self._settings.value.with_load_settings(path, dialog.value()))
            self._models.load(path)
        dialog.deleteLater()

    @Slot()
    def memory_details(self) -> None:
        """Show memory in detail beside the conversation."""
        self._memory_dialog()

    def _memory_dialog(self) -> MemoryDetailsDialog:
        from ui.dialogs.memory.dialog import MemoryDetailsDialog
        from ui.dialogs.reopening import Reopening

        dialog = self._window.findChild(MemoryDetailsDialog)
        if dialog is None:
            dialog = MemoryDetailsDialog(
                self._models, self._chat, self._ledger, self._saved, self._settings, self._planner, self._window
            )
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.conversation.message_activated.connect(self.message_activated)
            Reopening(dialog, self._memory_dialog)
        dialog.show()
        dialog.raise_()
        return dialog

    @Slot()
    def bench(self) -> None:
        """Show benches beside the conversation."""
        self._bench_dialog()

    def _bench_dialog(self) -> BenchDialog:
        from ui.dialogs.bench.dialog import BenchDialog
        from ui.dialogs.reopening import Reopening

        dialog = self._window.findChild(BenchDialog)
        if dialog is None:
            dialog = BenchDialog(
                self._theme, self._bench, self._models, self._chat, self._settings, self._store, self._window
            )
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            Reopening(dialog, self._bench_dialog)
        dialog.show()
        dialog.raise_()
        return dialog

    @Slot()
    def edit_preferences(self) -> None:
        """Show the preferences beside the conversation."""
        from ui.dialogs.preferences import PreferencesDialog

        dialog = self._window.findChild(PreferencesDialog)
        if dialog is None:
            dialog = PreferencesDialog(self._settings, self._models, self._saved, self._window)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()
        dialog.raise_()

    @Slot()
    def edit_system_prompt(self) -> None:
        """Change what the model is told before the open conversation."""
        from ui.dialogs.system_prompt import SystemPromptDialog

        if self._window.findChild(SystemPromptDialog) is None:
            SystemPromptDialog(
                self._chat, self._branches, self._models, self._engine, self._speed.speed, self._window
            ).open()

    @Slot()
    def about_numbers(self) -> None:
        """Show what the numbers mean, that of the chart with the keyboard first."""
        focused = self._window.focusWidget()
        self.explain(NUMBER_OF.get(focused.objectName() if focused is not None else "", "ttft"))

    @Slot(str)
    def explain(self, key: str) -> None:
        """Show what a number is."""
        self._speed_dialog().show_number(key)

    @Slot()
    def speed_explained(self) -> None:
        """Show where the time goes beside the conversation."""
        self._speed_dialog()

    @Slot(str)
    def explain_wait(self, message_id: str) -> None:
        """Show where the wait for an answer went."""
        self._speed_dialog().show_timeline(message_id)

    def _speed_dialog(self) -> SpeedDialog:
        from ui.dialogs.speed.dialog import SpeedDialog

        dialog = self._window.findChild(SpeedDialog)
        if dialog is None:
            dialog = SpeedDialog(self._speed, self._window)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()
        dialog.raise_()
        return dialog

    @Slot()
    def about(self) -> None:
        """Show what this program is."""
        QMessageBox.about(
            self._window,
            self.tr("About Tokometer"),
            self.tr(
                "<b>Tokometer {version}</b><p>A desktop chat for local models that shows where the time and the "
                "memory go.</p><p>Nothing you write leaves this machine.</p>"
            ).format(version=__version__),
        )

    def may_close(self) -> bool:
        """Ask, where something could not be stored, before it is lost with the window."""
        problem = self._store.problem()
        if not problem:
            return True
        return self._is_confirmed(
            QMessageBox.Icon.Warning,
            self.tr("Not everything is saved"),
            localised(problem),
            self.tr("What could not be saved is lost when the window is closed."),
            QMessageBox.StandardButton.Discard,
        )

    @Slot(QUrl)
    def open_link(self, url: QUrl) -> None:
        """Ask, with the whole address, before a link of the model's is opened."""
        self._ask_to_open(url, self.tr("The model wrote this address. Open it in your browser?"))

    @Slot(QUrl)
    def open_page(self, url: QUrl) -> None:
        """Ask, with the whole address, before a page of the hub is opened."""
        self._ask_to_open(url, self.tr("Open this page in your browser?"))

    def _ask_to_open(self, url: QUrl, question: str) -> None:
        if url.scheme().lower() not in SAFE_SCHEMES:
            return
        address = url.toString(QUrl.ComponentFormattingOption.FullyEncoded)
        opens = QMessageBox.StandardButton.Open
        if self._is_confirmed(QMessageBox.Icon.Question, self.tr("Open a link"), question, address, opens):
            QDesktopServices.openUrl(url)

    def _is_confirmed(
        self, icon: QMessageBox.Icon, title: str, text: str, detail: str, button: QMessageBox.StandardButton
    ) -> bool:
        """Ask in plain text, Cancel first; return whether this button was pressed."""
        box = QMessageBox(icon, title, text, button | QMessageBox.StandardButton.Cancel, self._window)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setInformativeText(detail)
        box.setDefaultButton(QMessageBox.StandardButton.Cancel)
        return bool(box.exec() == button)
