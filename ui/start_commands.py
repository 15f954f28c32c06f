"""What the page of the first start does, and when it is shown."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.starter import starter_model

if TYPE_CHECKING:
    from app.engine.config import ModelConfig
    from ui.chat_controller import ChatController
    from ui.main_window import MainWindow
    from ui.model_controller import ModelController
    from ui.models_window import ModelsWindow
    from ui.start_keeper import StartKeeper
    from ui.window_dialogs import WindowDialogs


class StartCommands(QObject):
    """Shows how to get a model while there is none, and when the user asks for it."""

    def __init__(
        self,
        window: MainWindow,
        chat: ChatController,
        models: ModelController,
        dialogs: WindowDialogs,
        models_window: ModelsWindow,
        keeper: StartKeeper,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._page = page = window.welcome
        self._chat = chat
        self._models = models
        self._has_begun = False
        self._is_asked_for = False
        page.open_requested.connect(dialogs.open_model)
        page.starter_requested.connect(self.load_starter)
        page.more_requested.connect(partial(models_window.show_page, "hub_page"))
        page.library_requested.connect(partial(models_window.show_page, "library_page"))
        page.back_requested.connect(self._leave)
        page.watch(keeper)
        keeper.model_ready.connect(self._load_downloaded)
        keeper.link_activated.connect(dialogs.open_page)
        models.load_starting.connect(self._on_load_starting)
        models.failed.connect(page.set_error)
        models.changed.connect(self._refresh)
        models.progressed.connect(self._refresh)
        chat.progressed.connect(self._refresh)
        chat.answer_begun.connect(self._leave)
        chat.session_changed.connect(self._leave)

    @Slot()
    def begin(self) -> None:
        """It is settled whether a model is loaded by itself; only when none is, the window says how to get one."""
        self._has_begun = True
        self._refresh()

    @Slot()
    def choose_model(self) -> None:
        """Show the models to begin with while another one is loaded."""
        self._is_asked_for = True
        self._refresh()

    @Slot()
    def load_starter(self) -> None:
        """Load the starter model, or say that it is not installed."""
        path = starter_model()
        if path is not None:
            self._models.load(path)
        else:
            self._page.set_error(lambda: self.tr("The starter model is not installed here yet."))

    @Slot(str)
    def _load_downloaded(self, path: str) -> None:
        """What was downloaded to begin with is loaded by itself, unless the user has gone on with another meanwhile."""
        if self._is_asked_for or (self._models.model is None and self._models.loading_path is None):
            self._models.load(Path(path))

    @Slot()
    def _leave(self) -> None:
        self._is_asked_for = False
        self._refresh()

    @Slot(object)
    def _on_load_starting(self, _config: ModelConfig) -> None:
        self._leave()

    @Slot()
    def _refresh(self) -> None:
        models = self._models
        if models.model is not None or models.loading_fraction is not None or models.is_lent:
            self._page.set_error("")
            self._page.set_way_back(self._is_asked_for)
            self._window.show_welcome(self._is_asked_for)
        else:
            self._page.set_way_back(False)
            is_first = models.ended_path is None and not self._chat.session.conversation.messages
            self._window.show_welcome(self._has_begun and is_first)
