"""What the menus and buttons do: controllers and dialogs are reached from here, and offered only when they can act."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from ui import conversation_items as items
from ui.theme import LARGEST_ZOOM, SMALLEST_ZOOM

if TYPE_CHECKING:
    from app.telemetry.diagnosis import Remedy
    from ui.bench_controller import BenchController
    from ui.chat_controller import ChatController
    from ui.diagnosis_keeper import DiagnosisKeeper
    from ui.main_window import MainWindow
    from ui.model_controller import ModelController
    from ui.models_window import ModelsWindow
    from ui.room_controller import RoomController
    from ui.settings_keeper import SettingsKeeper
    from ui.summary_controller import SummaryController
    from ui.summary_preview import SummaryPreview
    from ui.translation import Text
    from ui.view_keeper import ViewKeeper
    from ui.window_dialogs import WindowDialogs

ZOOM_STEP = 0.1


class WindowCommands(QObject):
    """Carries out menu actions and the requests of the model selector."""

    def __init__(
        self,
        window: MainWindow,
        chat: ChatController,
        models: ModelController,
        summaries: SummaryController,
        preview: SummaryPreview,
        settings: SettingsKeeper,
        dialogs: WindowDialogs,
        diagnosis: DiagnosisKeeper,
        bench: BenchController,
        room: RoomController,
        view: ViewKeeper,
        models_window: ModelsWindow,
    ) -> None:
        super().__init__(window)
        self._room = room
        self._view = view
        self._window = window
        self._chat = chat
        self._models = models
        self._summaries = summaries
        self._preview = preview
        self._settings = settings
        self._dialogs = dialogs
        self._diagnosis = diagnosis
        self._bench = bench
        self._has_begun = False
        self._load_failure: Text = ""
        actions = window.menu_actions
        for name, slot in {
            "new": self.new,
            "stop": self.stop,
            "system_prompt": dialogs.edit_system_prompt,
            "summarise": preview.open,
            "open_model": dialogs.open_model,
            "open_with_settings": dialogs.open_model_with_settings,
            "load_settings": dialogs.edit_load_settings,
            "unload": models.unload,
            "models": models_window.show,
            "memory_details": dialogs.memory_details,
            "bench": dialogs.bench,
            "preferences": dialogs.edit_preferences,
            "quit": window.close,
            "copy_conversation": window.transcript.copy_conversation,
            "undo": window.undo_bar.act,
            "search": self._focus_search,
            "composer": window.composer.focus_editor,
            "zoom_in": self._zoom_in,
            "zoom_out": self._zoom_out,
            "zoom_reset": self._zoom_reset,
            "speed_explained": dialogs.speed_explained,
            "about_numbers": dialogs.about_numbers,
            "about": dialogs.about,
        }.items():
            actions[name].triggered.connect(slot)
        selector = window.model_selector
        selector.chosen.connect(self.load_file)
        selector.open_requested.connect(dialogs.open_model)
        selector.unload_requested.connect(models.unload)
        selector.cancel_requested.connect(models.cancel_load)
        selector.settings_requested.connect(dialogs.edit_load_settings)
        selector.memory_requested.connect(dialogs.memory_details)
        selector.models_requested.connect(models_window.show)
        selector.library_requested.connect(partial(models_window.show_page, "library_page"))
        models_window.load_requested.connect(self.load_file)
        models_window.link_activated.connect(dialogs.open_page)
        window.status_line.downloads.clicked.connect(models_window.show_downloads)
        models_window.settings_requested.connect(dialogs.load_with_settings)
        window.memory_panel.details_requested.connect(dialogs.memory_details)
        for panel, number in (
            (window.ttft_panel, "ttft"),
            (window.tpot_panel, "tpot"),
            (window.memory_panel, "memory"),
        ):
            panel.heading.explanation_requested.connect(partial(dialogs.explain, number))
        window.panels.diagnosis.remedy_chosen.connect(self.apply_remedy)
        window.model_dropped.connect(self.load_file)
        window.new_button.clicked.connect(self.new)
        window.summarise_button.clicked.connect(preview.open)
        window.composer.stop_requested.connect(self.stop)
        window.transcript.link_activated.connect(dialogs.open_link)
        window.transcript.action_triggered.connect(self._on_item_action)
        models.changed.connect(self._refresh)
        models.load_starting.connect(self._on_load_starting)
        models.failed.connect(self._on_load_failed)
        models.progressed.connect(self._refresh)
        chat.progressed.connect(self._refresh)
        self._refresh()

    @Slot()
    def new(self) -> None:
        """Begin an empty conversation; what is written in others goes on."""
        self._room.cancel()
        self._chat.new()

    @Slot()
    def stop(self) -> None:
        """End the answer of the open conversation; where there is none, whatever else the engine does."""
        if self._chat.running_in(self._chat.session) is not None:
            self._chat.stop()
            return
        self._room.cancel()
        self._summaries.cancel()
        self._bench.cancel()

    @Slot(str)
    def load_file(self, path: str) -> None:
        """Load a model file."""
        self._models.load(Path(path))

    @Slot(str, str)
    def _on_item_action(self, item_id: str, action_id: str) -> None:
        match action_id:
            case items.RELOAD_MODEL:
                self._models.reload()
            case items.NEW_CONVERSATION:
                self.new()
            case items.LOAD_SETTINGS:
                self._dialogs.edit_load_settings()
            case items.SUMMARISE | items.DROP:
                self._room.make_room(action_id)
            case items.BRING_BACK:
                self._view.restore()
            case items.EXPLAIN_WAIT:
                self._dialogs.explain_wait(item_id)
            case items.UNDO_SUMMARY:
                self._preview.undo(item_id)
            case items.REDO_SUMMARY:
                self._summaries.undo(self._chat.session.id, item_id, undone=False)

    @Slot(object)
    def apply_remedy(self, remedy: Remedy) -> None:
        """Do what a finding offers, and hold what follows against its promise."""
        if not self._diagnosis.can_apply(remedy):
            return
        if remedy.action == "new_conversation":
            self.new()
        elif remedy.action == "summarise":
            self._preview.open_for(partial(self._diagnosis.note_applied, remedy))
            return
        else:
            self._diagnosis.reload_with(remedy)
        self._diagnosis.note_applied(remedy)

    @Slot(object)
    def _on_load_failed(self, sentence: Text) -> None:
        self._load_failure = sentence
        open_model = self._dialogs.open_model
        self._window.notice_bar.offer(sentence, lambda: self.tr("Open a model file…"), open_model, "error")

    @Slot()
    def _on_load_starting(self) -> None:
        self._window.notice_bar.withdraw(self._load_failure)

    @Slot()
    def _refresh(self) -> None:
        """Offer only what can be done now."""
        model, session, can_answer = self._models.model, self._chat.session, self._chat.can_answer
        actions = self._window.menu_actions
        actions["stop"].setEnabled(self._chat.running_in(session) is not None or self._chat.is_busy)
        actions["summarise"].setEnabled(can_answer and bool(session.conversation.messages))
        self._window.summarise_button.setEnabled(actions["summarise"].isEnabled())
        actions["unload"].setEnabled(model is not None)
        actions["load_settings"].setEnabled(self._models.config is not None)

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
