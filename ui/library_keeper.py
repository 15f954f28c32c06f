"""The models on this disk and where they would go, found in the background: one list for all who ask."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.telemetry.pools import after_unload
from ui.folder_watcher import FolderWatcher
from ui.job_thread import NotKnown
from ui.library_worker import FilesWorker, LibraryWorker
from ui.planner_worker import NoAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from app.engine.config import ModelConfig
    from app.engine.events import Device
    from app.hub.fits import Placing
    from app.hub.library import LibraryModel
    from app.hub.scan import Found, Placed, Scanned
    from app.hub.sources import Root
    from app.settings import Settings
    from ui.model_controller import ModelController
    from ui.planner_worker import PlannerWorker
    from ui.settings_keeper import SettingsKeeper

CHANNEL = "library/devices"
_PLACED_AT_ONCE = 12
"""Models whose place is asked for together: what the user scrolls to next waits for no more than these."""


class LibraryKeeper(QObject):
    """Scans when it is asked, and by itself while somebody attends.

    Attributes:
        models: by path.
        placings: where they would go, by path, as far as that is known.
        own_folder: the application's own; it need not exist.
        roots: the folders that were looked through.
        notes: a sentence for each folder that was left out.
        failure: why nothing could be listed, one sentence; empty when that went well.
        files: does what is short with a file; whole_files: reads one to its end, which takes minutes.
        devices: with their memory as it is when the loaded model was freed; None while nobody attends.
        is_listed: whether a scan has ended well.
        is_scanning: done of total models were looked at so far.

    Signals:
        changed: the models that are new or have changed, and the paths of those that are gone.
        placed: the paths whose placing is new.
        progressed: one of the other attributes.
    """

    changed = Signal(object, object)
    placed = Signal(object)
    progressed = Signal()

    def __init__(
        self,
        models: ModelController,
        settings: SettingsKeeper,
        planner: PlannerWorker,
        own_folder: Path,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.models: dict[Path, LibraryModel] = {}
        self.placings: dict[Path, Placing] = {}
        self.own_folder = own_folder
        self.roots: tuple[Root, ...] = ()
        self.notes: tuple[str, ...] = ()
        self.failure = ""
        self.is_listed = self.is_scanning = False
        self.done = self.total = 0
        self.files = FilesWorker("model files", self)
        self.whole_files = FilesWorker("whole model files", self)
        self.watcher = FolderWatcher(self)
        self._controller = models
        self._settings = settings
        self._planner = planner
        self._worker = LibraryWorker(self)
        self._is_attended = self._is_placing = self._awaits_devices = self._wants_again = False
        self.devices: tuple[Device, ...] | None = None
        self._configs: dict[Path, ModelConfig] = {}
        self._unplaced: dict[Path, None] = {}
        self._faults: dict[Path, tuple[tuple[object, ...], str]] = {}
        self._preferred: tuple[Path, ...] = ()
        self._waiting: list[Callable[[tuple[LibraryModel, ...]], None]] = []
        self.watcher.changed.connect(self.refresh)
        settings.changed.connect(self._on_settings_changed)

    @Slot()
    def refresh(self) -> None:
        """Scan now, or once more when a scan is under way."""
        if self.is_scanning:
            self._wants_again = True
            return
        self.is_scanning, self.done, self.total, self.failure = True, 0, 0, ""
        self._worker.scan(self.own_folder, self._settings.value.model_folders, self._on_found, self._on_scanned)
        self.progressed.emit()

    def attend(self) -> None:
        """From now on follow the disk, and say where the models go with the memory there is now."""
        self._is_attended = True
        self.devices = None
        self._unplaced.update(dict.fromkeys(self.models))
        self.refresh()

    def leave(self) -> None:
        """Nobody looks any more: end what is watched and asked, and let a scan under way end by itself."""
        self._is_attended = False
        self.watcher.stop()
        self._planner.forget(CHANNEL)
        if self._awaits_devices:
            self._awaits_devices = self._is_placing = False
        elif self._is_placing:
            self._worker.cancel()
        self._worker.rest()

    def ask(self, done: Callable[[tuple[LibraryModel, ...]], None]) -> None:
        """Call `done` with all models as they are on the disk now; never when they cannot be listed."""
        self._waiting.append(done)
        self.refresh()

    def keep_fault(self, path: Path, identity: tuple[object, ...], fault: str) -> None:
        """Say of a model from now on what reading all of it has found wrong, until its files are others than these.

        Args:
            identity: of the files that were read.
            fault: empty when nothing is wrong any more.
        """
        self._faults[path] = (identity, fault)
        model = self.models.get(path)
        if model is not None and model.fault != fault:
            self.models[path] = marked = replace(model, fault=fault)
            self.changed.emit((marked,), ())

    def prefer(self, paths: Iterable[Path]) -> None:
        """Place these before the others: they are seen."""
        self._preferred = tuple(paths)

    def shutdown(self) -> bool:
        """End everything. Return whether that was done in time."""
        self._is_attended = False
        self.watcher.stop()
        ended = [worker.shutdown() for worker in (self._worker, self.files, self.whole_files)]
        return all(ended)

    # -- scanning -----------------------------------------------------------------------------------------------------

    def _on_found(self, found: Found) -> None:
        self.done, self.total = found.done, found.total
        self._take(found.models)
        self.progressed.emit()

    def _take(self, models: Iterable[LibraryModel], gone: tuple[Path, ...] = ()) -> None:
        new = tuple(model for model in map(self._with_fault, models) if self.models.get(model.path) != model)
        for path in gone:
            del self.models[path]
            for known in (self.placings, self._configs, self._unplaced, self._faults):
                known.pop(path, None)
        for model in new:
            self.models[model.path] = model
            self.placings.pop(model.path, None)
            self._unplaced[model.path] = None
        if new or gone:
            self.changed.emit(new, gone)

    def _with_fault(self, model: LibraryModel) -> LibraryModel:
        identity, fault = self._faults.get(model.path, ((), ""))
        return replace(model, fault=fault) if identity == model.identity else model

    def _on_scanned(self, scanned: Scanned | NotKnown) -> None:
        self.is_scanning = False
        if isinstance(scanned, NotKnown):
            self.failure = scanned.reason
            self._waiting.clear()
        elif scanned.listing.is_complete:
            self._on_listed(scanned)
        if self._wants_again:
            self._wants_again = False
            self.refresh()
        elif self._is_attended:
            self._place_some()
        else:
            self._worker.rest()
        self.progressed.emit()

    def _on_listed(self, scanned: Scanned) -> None:
        listing = scanned.listing
        self.roots, self.notes, self.is_listed = scanned.roots, listing.notes, True
        paths = {model.path for model in listing.models}
        self._take(listing.models, tuple(path for path in self.models if path not in paths))
        if self._is_attended:
            files = [part for model in listing.models for part in model.parts]
            added = self._settings.value.model_folders
            folders = (*added, self.own_folder, *scanned.folders_of_roots, *listing.folders)
            self.watcher.watch(map(str, (*folders, *files)))
        waiting, self._waiting = self._waiting, []
        for done in waiting:
            done(listing.models)

    # -- placing ------------------------------------------------------------------------------------------------------

    def _place_some(self) -> None:
        if self._is_placing or self.is_scanning or not self._is_attended or not self._unplaced:
            return
        self._is_placing = True
        if self.devices is None:
            self._ask_devices()
            return
        wanted = [path for path in self._preferred if path in self._unplaced]
        wanted += [path for path in self._unplaced if path not in self._preferred]
        chosen = [self.models[path] for path in wanted[:_PLACED_AT_ONCE]]
        pairs = [(model, self._config(model.path)) for model in chosen]
        for model, config in pairs:
            del self._unplaced[model.path]
            self._configs[model.path] = config
        self._worker.place(pairs, self.devices, self._on_placed, self._on_placing_ended)

    def _ask_devices(self) -> None:
        self._awaits_devices = True
        if self._controller.holds_servers:
            self._controller.ask_devices(self._on_devices)
        else:
            self._planner.devices(CHANNEL, self._config(self.own_folder).rpc_servers, self._on_devices)

    def _on_devices(self, devices: tuple[Device, ...] | NoAnswer | None) -> None:
        self._is_placing = self._awaits_devices = False
        if not self._is_attended:
            return
        if self._config(self.own_folder).rpc_servers and not self._controller.holds_servers:
            self._planner.release_servers()
        if devices is None or isinstance(devices, NoAnswer):
            self._give_up(devices.reason if devices is not None else "")
            return
        loaded = self._controller.model
        self.devices = devices if loaded is None else after_unload(devices, loaded.memory)
        self._place_some()

    def _on_placed(self, placed: Placed) -> None:
        known = [(path, placing) for path, placing in placed.placings if path in self.models]
        self.placings.update(known)
        self.placed.emit(tuple(path for path, _ in known))

    def _on_placing_ended(self, ended: NotKnown | None) -> None:
        self._is_placing = False
        if isinstance(ended, NotKnown):
            self._give_up(ended.reason)
        else:
            self._place_some()

    def _give_up(self, reason: str) -> None:
        """Nothing can be said of where the models go."""
        from app.hub.fits import Placing

        paths = tuple(path for path in self.models if path not in self.placings)
        self.placings.update((path, Placing("unknown", reason=reason)) for path in paths)
        self._unplaced.clear()
        self.placed.emit(paths)

    def _config(self, path: Path) -> ModelConfig:
        return self._controller.config_for(path, self._settings.value.load_settings(path))

    @Slot(object, object)
    def _on_settings_changed(self, former: Settings, value: Settings) -> None:
        if value.model_folders != former.model_folders:
            self.refresh()
        of_loads = (value.models, value.rpc_servers, value.reserve_mib)
        if of_loads != (former.models, former.rpc_servers, former.reserve_mib) and self._is_attended:
            if value.rpc_servers != former.rpc_servers:
                self.devices = None
            self._unplaced.update(
                (path, None) for path, config in self._configs.items() if config != self._config(path)
            )
            self._place_some()
