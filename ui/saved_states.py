"""The saved KV caches as the window knows them: how large each is, and that a deleted conversation leaves none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.engine.states import StateFolder, conversation_key

if TYPE_CHECKING:
    from app.engine.states import SavedState
    from app.settings import Settings
    from ui.chat_controller import ChatController
    from ui.engine_worker import EngineWorker
    from ui.library_controller import LibraryController
    from ui.model_controller import ModelController
    from ui.settings_keeper import SettingsKeeper
    from ui.store_worker import StoreWorker

SHRINK_DELAY_MS = 5000


class SavedStates(QObject):
    """Reads the folder in the storage thread, when a conversation is opened or left and when an answer ends.

    What is beyond the budget goes when a model is loaded, and a while after the budget was changed: who types a number
    passes through smaller ones.

    Signals:
        changed: sizes may be others.
    """

    changed = Signal()

    def __init__(
        self,
        chat: ChatController,
        models: ModelController,
        settings: SettingsKeeper,
        library: LibraryController,
        engine: EngineWorker,
        store: StoreWorker,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._chat = chat
        self._models = models
        self._engine = engine
        self._store = store
        self._on_disk: dict[str, int] = {}
        self._pause = QTimer(self, singleShot=True, interval=SHRINK_DELAY_MS)
        self._pause.timeout.connect(self.shrink)
        settings.changed.connect(self._on_settings_changed)
        chat.session_changed.connect(self.refresh)
        chat.answer_ended.connect(self.refresh)
        models.load_starting.connect(self.shrink)
        library.deleted.connect(self.discard)

    @property
    def total_bytes(self) -> int:
        """What all of them take on disk."""
        return sum(self._on_disk.values())

    @property
    def conversations(self) -> int:
        """How many conversations have one on disk."""
        return len(self._on_disk)

    def size_bytes(self, conversation_id: str) -> int:
        """Return what those of a conversation take on disk, 0 for none."""
        return self._on_disk.get(conversation_key(conversation_id), 0)

    @Slot()
    def refresh(self) -> None:
        """Read the folder again."""
        folder = self._folder()
        self._store.read(lambda _store: folder.states(), self._on_read)

    @Slot()
    def shrink(self) -> None:
        """Delete what is beyond the budget."""
        folder, disk_bytes = self._folder(), self._models.state_budget().disk_bytes
        self._store.read(lambda _store: folder.shrink(disk_bytes), self._on_shrunk)

    def _folder(self) -> StateFolder:
        path = self._models.state_budget().folder
        assert path is not None
        return StateFolder(path)

    def _on_shrunk(self, _dropped: list[str]) -> None:
        self.refresh()

    @Slot(object, object)
    def _on_settings_changed(self, former: Settings, value: Settings) -> None:
        if value.kv_disk_mib != former.kv_disk_mib:
            self._pause.start()

    @Slot(str)
    def discard(self, conversation_id: str) -> None:
        """Delete those of a conversation, once the running answer has ended."""
        budget = self._models.state_budget()
        self._engine.ask(lambda engine: engine.discard(conversation_id, budget), self._on_discarded)

    def _on_discarded(self, _nothing: None) -> None:
        self.refresh()

    def _on_read(self, states: list[SavedState]) -> None:
        self._on_disk = {}
        for state in states:
            self._on_disk[state.conversation] = self._on_disk.get(state.conversation, 0) + state.size_bytes
        self.changed.emit()
