"""What the menus and buttons do: controllers and dialogs are reached from here, and offered only when they can act."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.starter import starter_model
from ui import conversation_items as items
from ui import formatting
from ui.theme import LARGEST_ZOOM, SMALLEST_ZOOM

if TYPE_CHECKING:
    from app.engine.config import ModelConfig
    from app.telemetry.diagnosis import Remedy
    from ui.bench_controller import BenchController
    from ui.branch_controller import BranchController
    from ui.chat_controller import ChatController
    from ui.diagnosis_keeper import DiagnosisKeeper
    from ui.ledger_keeper import LedgerKeeper
    from ui.main_window import MainWindow
    from ui.message_menu import MessageMenu
    from ui.model_controller import ModelController
    from ui.models_window import ModelsWindow
    from ui.room_controller import RoomController
    from ui.settings_keeper import SettingsKeeper
    from ui.start_keeper import StartKeeper
    from ui.summary_controller import SummaryController
    from ui.summary_preview import SummaryPreview
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
        ledger: LedgerKeeper,
        diagnosis: DiagnosisKeeper,
        bench: BenchController,
        room: RoomController,
        view: ViewKeeper,
        branches: BranchController,
        menu: MessageMenu,
        models_window: ModelsWindow,
        start: StartKeeper,
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
        self._branches = branches
        self._menu = menu
        self._has_begun = False
        self._wants_welcome = False
        actions = window.menu_actions
        for name, slot in {
            "new": self.new,
            "stop": self.stop,
            "regenerate": branches.regenerate_last,
            "continue": branches.go_on,
            "edit_last": self._edit_last,
            "delete_turn": self._delete_last_turn,
            "former_version": self._show_former,
            "later_version": self._show_later,
            "branches": menu.open_branches,
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
        window.welcome.open_requested.connect(dialogs.open_model)
        window.welcome.starter_requested.connect(self.load_starter)
        window.welcome.more_requested.connect(partial(models_window.show_page, "hub_page"))
        window.welcome.library_requested.connect(partial(models_window.show_page, "library_page"))
        window.welcome.back_requested.connect(self._leave_welcome)
        window.welcome.watch(start)
        start.model_ready.connect(self._load_downloaded)
        window.transcript.link_activated.connect(dialogs.open_link)
        window.transcript.action_triggered.connect(self._on_item_action)
        window.transcript.item_edited.connect(branches.edit)
        window.transcript.menu_requested.connect(menu.open)
        menu.edit_requested.connect(window.transcript.edit_item)
        branches.deleted.connect(self._on_deleted)
        branches.parted.connect(self._on_parted)
        branches.refused.connect(self._on_refused)
        models.changed.connect(self._refresh)
        models.failed.connect(self._on_load_failed)
        models.load_starting.connect(self._on_load_starting)
        models.progressed.connect(self._refresh)
        chat.progressed.connect(self._refresh)
        ledger.changed.connect(self._show_freed)
        models.changed.connect(self._show_freed)
        chat.progressed.connect(self._show_freed)
        self._refresh()

    @Slot()
    def new(self) -> None:
        """Begin an empty conversation; whatever the engine does ends."""
        self._room.cancel()
        self._summaries.cancel()
        self._chat.new()

    @Slot()
    def stop(self) -> None:
        """End whatever the engine does."""
        self._room.cancel()
        self._summaries.cancel()
        self._bench.cancel()
        self._chat.stop()

    @Slot(str)
    def load_file(self, path: str) -> None:
        """Load a model file."""
        self._models.load(Path(path))

    @Slot(str)
    def _load_downloaded(self, path: str) -> None:
        """What was downloaded to begin with is loaded by itself, unless the user has gone on with another meanwhile."""
        if self._wants_welcome or (self._models.model is None and self._models.loading_path is None):
            self.load_file(path)

    @Slot()
    def choose_model(self) -> None:
        """Show the models to begin with while another one is loaded."""
        self._wants_welcome = True
        self._refresh()

    @Slot()
    def _leave_welcome(self) -> None:
        self._wants_welcome = False
        self._refresh()

    @Slot(object)
    def _on_load_starting(self, _config: ModelConfig) -> None:
        self._leave_welcome()

    @Slot()
    def load_starter(self) -> None:
        """Load the starter model, or say that it is not installed."""
        path = starter_model()
        if path is not None:
            self._models.load(path)
        else:
            self._window.welcome.set_error(self.tr("The starter model is not installed here yet."))

    @Slot(str, str)
    def _on_item_action(self, item_id: str, action_id: str) -> None:
        match action_id:
            case items.REGENERATE:
                self._branches.regenerate(item_id)
            case items.CONTINUE:
                self._branches.continue_last()
            case items.EDIT:
                self._window.transcript.edit_item(item_id)
            case items.PREVIOUS_VERSION | items.NEXT_VERSION:
                self._branches.step(item_id, -1 if action_id == items.PREVIOUS_VERSION else 1)
            case items.UNPIN:
                self._branches.pin(item_id, False)
            case items.DELETE_MESSAGE:
                self._branches.delete([item_id])
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

    @Slot()
    def _edit_last(self) -> None:
        """Edit the message the keyboard is at, else the user's last."""
        transcript = self._window.transcript
        messages = self._chat.session.conversation.messages
        last = next((each.id for each in reversed(messages) if each.role == "user"), "")
        if self._branches.can_change:
            transcript.edit_item(transcript.current_item or last)

    @Slot()
    def _delete_last_turn(self) -> None:
        messages = self._chat.session.conversation.messages
        if messages:
            self._branches.delete(self._branches.turn_of(messages[-1].id))

    @Slot()
    def _show_former(self) -> None:
        self._branches.step_last(-1)

    @Slot()
    def _show_later(self) -> None:
        self._branches.step_last(1)

    @Slot(str, object)
    def _on_deleted(self, conversation_id: str, message_ids: list[str]) -> None:
        """Say what became free, and offer to undo it."""
        freed = self._menu.freed(message_ids)
        if len(message_ids) == 1:
            sentence = self.tr("Deleted the message.")
        else:
            sentence = self.tr("Deleted {} messages.").format(formatting.count(len(message_ids)))
        if freed:
            sentence = self.tr("{sentence} The next prompt is shorter by {freed}.").format(
                sentence=sentence, freed=freed
            )
        undo = partial(self._branches.restore, conversation_id, message_ids)
        self._window.undo_bar.offer(sentence, self.tr("Undo"), undo)

    @Slot(str, str)
    def _on_parted(self, conversation_id: str, leaf_id: str) -> None:
        sentence = self.tr("What followed is kept as another branch.")
        back = partial(self._branches.go_back, conversation_id, leaf_id)
        self._window.undo_bar.offer(sentence, self.tr("Show it"), back)

    @Slot(str)
    def _on_refused(self, sentence: str) -> None:
        self._window.notice_bar.offer(sentence, role="warning")

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

    @Slot(str)
    def _on_load_failed(self, sentence: str) -> None:
        self._window.welcome.set_error(sentence)
        self._window.notice_bar.offer(sentence, self.tr("Open a model file…"), self._dialogs.open_model, "error")

    @Slot()
    def begin(self) -> None:
        """It is settled whether a model is loaded by itself; only when none is, the window says how to get one."""
        self._has_begun = True
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        """Offer only what can be done now."""
        model, session, can_answer = self._models.model, self._chat.session, self._chat.can_answer
        actions = self._window.menu_actions
        actions["stop"].setEnabled(self._chat.running is not None or self._chat.is_busy)
        has_messages, can_change = bool(session.conversation.messages), self._branches.can_change
        actions["regenerate"].setEnabled(can_answer and has_messages)
        actions["continue"].setEnabled(can_answer and self._branches.is_continuable)
        for name in ("edit_last", "delete_turn", "former_version", "later_version"):
            actions[name].setEnabled(can_change and has_messages)
        actions["branches"].setEnabled(bool(session.messages))
        actions["summarise"].setEnabled(can_answer and bool(session.conversation.messages))
        self._window.summarise_button.setEnabled(actions["summarise"].isEnabled())
        actions["unload"].setEnabled(model is not None)
        actions["load_settings"].setEnabled(self._models.config is not None)
        if model is not None or self._models.loading_fraction is not None or self._models.is_lent:
            self._window.welcome.set_error("")
            self._window.welcome.set_way_back(self._wants_welcome)
            self._window.show_welcome(self._wants_welcome)
        else:
            self._window.welcome.set_way_back(False)
            self._window.show_welcome(self._has_begun and not session.conversation.messages)

    @Slot()
    def _show_freed(self) -> None:
        """Say what a new conversation and a summary would free."""
        session, model = self._chat.session, self._models.model
        ledger = session.ledger
        if ledger is None or model is None or not ledger.entries:
            self._window.show_freed("", "")
            return
        from app.telemetry.ledger import condensed_by_summary  # not above: nothing is counted before the first frame

        total = ledger.total_tokens
        new = self.tr("Frees {tokens}, {size} of the KV cache.").format(
            tokens=formatting.tokens(total), size=formatting.memory(model.memory.kv_used_bytes(total))
        )
        messages, tokens = condensed_by_summary(ledger, session.conversation, model.n_ctx)
        size = ledger.kv_bytes(model.memory, ledger.opening_tokens, ledger.opening_tokens + tokens)
        summarise = self.tr("The summary takes the place of {messages} messages: {tokens}, {size} of the KV cache.")
        text = summarise.format(
            messages=formatting.count(messages), tokens=formatting.tokens(tokens), size=formatting.memory(size)
        )
        self._window.show_freed(new, text if messages else "")

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
