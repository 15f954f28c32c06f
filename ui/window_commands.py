"""What the menus do that no controller does by itself: dialogs, files, links, zoom."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QFileDialog, QMessageBox

from app import __version__
from app.starter import starter_model
from ui import conversation_items as items
from ui.theme import LARGEST_ZOOM, SMALLEST_ZOOM

if TYPE_CHECKING:
    from ui.chat_controller import ChatController
    from ui.main_window import MainWindow
    from ui.model_controller import ModelController
    from ui.settings_keeper import SettingsKeeper
    from ui.summary_controller import SummaryController

ZOOM_STEP = 0.1
SAFE_SCHEMES = ("http", "https")


class WindowCommands(QObject):
    """Carries out menu actions and the requests of the model selector."""

    def __init__(
        self,
        window: MainWindow,
        chat: ChatController,
        models: ModelController,
        summaries: SummaryController,
        settings: SettingsKeeper,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._chat = chat
        self._models = models
        self._summaries = summaries
        self._settings = settings
        actions = window.menu_actions
        for name, slot in {
            "new": self.new,
            "stop": self.stop,
            "regenerate": chat.regenerate,
            "summarise": summaries.start,
            "open_model": self.open_model,
            "load_settings": self.edit_load_settings,
            "unload": models.unload,
            "preferences": self.edit_preferences,
            "quit": window.close,
            "copy_conversation": window.transcript.copy_conversation,
            "undo": window.undo_bar.act,
            "search": self._focus_search,
            "composer": window.composer.focus_editor,
            "zoom_in": self._zoom_in,
            "zoom_out": self._zoom_out,
            "zoom_reset": self._zoom_reset,
            "about_numbers": self.about_numbers,
            "about": self.about,
        }.items():
            actions[name].triggered.connect(slot)
        selector = window.model_selector
        selector.chosen.connect(self.load_file)
        selector.open_requested.connect(self.open_model)
        selector.unload_requested.connect(models.unload)
        selector.cancel_requested.connect(models.cancel_load)
        selector.settings_requested.connect(self.edit_load_settings)
        window.model_dropped.connect(self.load_file)
        window.new_button.clicked.connect(self.new)
        window.summarise_button.clicked.connect(summaries.start)
        window.composer.stop_requested.connect(self.stop)
        summaries.failed.connect(self._on_summary_failed)
        window.welcome.open_requested.connect(self.open_model)
        window.welcome.starter_requested.connect(self.load_starter)
        window.transcript.link_activated.connect(self.open_link)
        window.transcript.action_triggered.connect(self._on_item_action)
        models.changed.connect(self._refresh)
        models.failed.connect(self._on_load_failed)
        models.progressed.connect(self._refresh)
        chat.progressed.connect(self._refresh)
        self._refresh()

    @Slot()
    def new(self) -> None:
        """Begin an empty conversation; whatever the engine does ends."""
        self._summaries.cancel()
        self._chat.new()

    @Slot()
    def stop(self) -> None:
        """End whatever the engine does."""
        self._summaries.cancel()
        self._chat.stop()

    @Slot(str)
    def load_file(self, path: str) -> None:
        """Load a model file."""
        self._models.load(Path(path))

    @Slot()
    def open_model(self) -> None:
        """Let the user choose a file and load it."""
        config = self._models.config
        folder = str(config.path.parent) if config is not None else ""
        path, _ = QFileDialog.getOpenFileName(
            self._window, self.tr("Open a model file"), folder, self.tr("GGUF models (*.gguf);;All files (*)")
        )
        if path:
            self.load_file(path)

    @Slot()
    def load_starter(self) -> None:
        """Load the starter model, or say that it is not installed."""
        path = starter_model()
        if path is not None:
            self._models.load(path)
        else:
            self._window.welcome.set_error(self.tr("The starter model is not installed here yet."))

    @Slot()
    def edit_load_settings(self) -> None:
        """Change how the present model is loaded, and load it so."""
        from ui.dialogs.load_settings import LoadSettingsDialog  # a dialog is imported when it is wanted

        config = self._models.config
        if config is None:
            return
        present = self._settings.value.load_settings(config.path)
        dialog = LoadSettingsDialog(present, config.path.name, self._models.model, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if dialog.exec() == QDialog.DialogCode.Accepted:
            self._settings.set(self._settings.value.with_load_settings(config.path, dialog.value()))
            self._models.load(config.path)

    @Slot()
    def edit_preferences(self) -> None:
        """Show the preferences beside the conversation."""
        from ui.dialogs.preferences import PreferencesDialog

        dialog = self._window.findChild(PreferencesDialog)
        if dialog is None:
            dialog = PreferencesDialog(self._settings, self._window)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()
        dialog.raise_()

    @Slot()
    def about_numbers(self) -> None:
        """Show what the numbers mean."""
        from ui.dialogs.about_numbers import AboutNumbersDialog

        dialog = AboutNumbersDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

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

    @Slot(QUrl)
    def open_link(self, url: QUrl) -> None:
        """Ask, with the whole address, before a link of the model's is opened."""
        if url.scheme().lower() not in SAFE_SCHEMES:
            return
        box = QMessageBox(
            QMessageBox.Icon.Question,
            self.tr("Open a link"),
            self.tr("The model wrote this address. Open it in your browser?"),
            QMessageBox.StandardButton.Open | QMessageBox.StandardButton.Cancel,
            self._window,
        )
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setInformativeText(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))
        box.setDefaultButton(QMessageBox.StandardButton.Cancel)
        if box.exec() == QMessageBox.StandardButton.Open:
            QDesktopServices.openUrl(url)

    @Slot(str, str)
    def _on_item_action(self, item_id: str, action_id: str) -> None:
        match action_id:
            case items.REGENERATE:
                self._chat.regenerate()
            case items.RELOAD_MODEL:
                self._models.reload()
            case items.NEW_CONVERSATION:
                self.new()
            case items.SUMMARISE:
                self._summaries.start()
            case items.UNDO_SUMMARY:
                self._undo_summary(item_id)

    def _undo_summary(self, summary_id: str) -> None:
        conversation_id = self._chat.session.id
        self._summaries.undo(conversation_id, summary_id)
        redo = partial(self._summaries.undo, conversation_id, summary_id, undone=False)
        self._window.undo_bar.offer(self.tr("The summary was taken back."), self.tr("Use it again"), redo)

    @Slot(str)
    def _on_summary_failed(self, sentence: str) -> None:
        bar = self._window.notice_bar
        if self._models.model is None:
            bar.offer(sentence, self.tr("Reload the model"), self._models.reload, "error")
        else:
            bar.offer(sentence, role="warning")

    @Slot(str)
    def _on_load_failed(self, sentence: str) -> None:
        self._window.welcome.set_error(sentence)
        self._window.notice_bar.offer(sentence, self.tr("Open a model file…"), self.open_model, "error")

    @Slot()
    def _refresh(self) -> None:
        """Offer only what can be done now."""
        model, session, can_answer = self._models.model, self._chat.session, self._chat.can_answer
        actions = self._window.menu_actions
        actions["stop"].setEnabled(self._chat.running is not None or self._summaries.is_running)
        actions["regenerate"].setEnabled(can_answer and session.last_answer is not None)
        actions["summarise"].setEnabled(can_answer and bool(session.conversation.messages))
        self._window.summarise_button.setEnabled(actions["summarise"].isEnabled())
        actions["unload"].setEnabled(model is not None)
        actions["load_settings"].setEnabled(self._models.config is not None)
        if model is not None or self._models.loading_fraction is not None:
            self._window.welcome.set_error("")
            self._window.show_welcome(False)
        else:
            self._window.show_welcome(not session.conversation.messages)

    @Slot()
    def _focus_search(self) -> None:
        self._window.menu_actions["sidebar"].setChecked(True)
        self._window.conversation_list.focus_search()

    @Slot()
    def _zoom_in(self) -> None:
        self._set_zoom(self._settings.value.zoom + ZOOM_STEP)

    @Slot()
    def _zoom_out(self) -> None:
        self._set_zoom(self._settings.value.zoom - ZOOM_STEP)

    @Slot()
    def _zoom_reset(self) -> None:
        self._set_zoom(1.0)

    def _set_zoom(self, zoom: float) -> None:
        zoom = round(min(max(zoom, SMALLEST_ZOOM), LARGEST_ZOOM), 2)
        self._settings.set(replace(self._settings.value, zoom=zoom))
