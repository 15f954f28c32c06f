"""What a newcomer is offered: a few models of the list that suit this machine, and the way to the first of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, QUrl, Signal, Slot

from app.hub.batches import batch_key
from ui.hub_thread import HubThreads, Refusal
from ui.planner_worker import NoAnswer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from app.engine.config import ModelConfig
    from app.engine.events import Device
    from app.engine.gguf import Header
    from app.hub.batches import Batch
    from app.hub.connection import Abort
    from app.hub.curated import CuratedModel
    from app.hub.library import LibraryModel
    from app.hub.offers import Offer
    from app.hub.start import StartOffer
    from app.hub.variants import Variant
    from app.telemetry.planner import Planner
    from ui.downloads_keeper import DownloadsKeeper
    from ui.library_keeper import LibraryKeeper
    from ui.model_controller import ModelController
    from ui.planner_worker import PlannerWorker
    from ui.settings_keeper import SettingsKeeper

Found = tuple["Variant", "Header"]

_AT_ONCE = 3
SHUTDOWN_TIMEOUT_MS = 500


class StartKeeper(QObject):
    """Places the list by the sizes of its files at once, then what is offered by its headers.

    Attributes:
        offers: those to be shown, the best first.
        free_bytes: of the machine's memory; None while it is not known.
        gpu_free_bytes: of its GPUs that have memory of their own, together.
        folder: where models are downloaded to.
        lacks: why none of those that would fit the memory is offered: there is no room on the disk of that folder, or
            the hub has none of them; empty where none would fit.
        is_looking: something is still being found out.
        fault: why nothing can be offered, in one sentence; empty when all is well.
        refusal: why the hub cannot be asked; None when it answered, or was not asked yet.
        n_here: how many models for conversations are on this machine already, the starter model apart.

    Signals:
        changed: one of these, or a download of an offer.
        model_ready: path of a model that was downloaded from here, and is checked.
        link_activated: a page of the hub the user wants to open.
    """

    changed = Signal()
    model_ready = Signal(str)
    link_activated = Signal(QUrl)

    def __init__(
        self,
        folder: Path,
        models: ModelController,
        settings: SettingsKeeper,
        planner: PlannerWorker,
        downloads: DownloadsKeeper,
        disk: LibraryKeeper,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.offers: tuple[StartOffer, ...] = ()
        self.free_bytes: int | None = None
        self.gpu_free_bytes = 0
        self.folder = folder
        self.lacks: Literal["", "disk", "hub"] = ""
        self.is_looking = False
        self.fault = ""
        self.refusal: Refusal | None = None
        self.n_here = 0
        self._models = models
        self._settings = settings
        self._planner = planner
        self._downloads = downloads
        self._disk = disk
        self._all: tuple[StartOffer, ...] = ()
        self._devices: tuple[Device, ...] = ()
        self._room: float = 0
        self._is_gone = False  # one that would fit
        self._found: dict[CuratedModel, Found] = {}
        self._asked: set[CuratedModel] = set()
        self._pending: set[CuratedModel] = set()
        self._wanted: CuratedModel | None = None
        self._awaited: set[tuple[str, str, int]] = set()
        self._threads = HubThreads(_AT_ONCE, self)
        downloads.changed.connect(self.changed)
        downloads.finished.connect(self._on_downloaded)

    @Slot()
    def look(self) -> None:
        """Find out what suits this machine now; what is known already stays until then."""
        if self.is_looking:
            return
        self.is_looking = True
        self.fault, self.refusal = "", None
        self.changed.emit()
        self._disk.ask(self._on_disk)
        if self._models.holds_servers:
            self._models.ask_devices(self._on_devices)
        else:
            self._planner.devices("start devices", self._settings.value.rpc_servers, self._on_devices)

    def download(self, offer: StartOffer) -> None:
        """Fetch a model; it is loaded once it is here and checked."""
        if offer.variant is not None:
            self._fetch(offer.variant)
            return
        self._wanted = offer.model
        self.refusal = None
        self._ask([offer])

    def batch_of(self, offer: StartOffer) -> Batch | None:
        """Return the download of an offer, None when there is none."""
        if offer.variant is None and not offer.model.file:
            return None
        file = offer.variant.files[0].name if offer.variant is not None else offer.model.file
        return self._downloads.find(batch_key(offer.model.repo, file))

    def is_wanted(self, offer: StartOffer) -> bool:
        """Whether the hub is being asked for it in order to download it."""
        return offer.model == self._wanted

    @Slot(str, object)
    def act(self, verb: str, batch: Batch) -> None:
        """Do with a download what its row asks for."""
        match verb:
            case "pause":
                self._downloads.pause(batch)
            case "resume":
                self._awaited.add(batch.key)
                self._downloads.resume(batch)
            case "cancel":
                self._awaited.discard(batch.key)
                self._downloads.cancel(batch)
            case "load":
                self.model_ready.emit(str(batch.path))
            case "page":
                self.link_activated.emit(QUrl(batch.page))
            case "forget":
                self._downloads.forget(batch)

    def begin_closing(self) -> None:
        """Ask nothing more."""
        self._threads.give_up()

    def shutdown(self, timeout_ms: int = SHUTDOWN_TIMEOUT_MS) -> bool:
        """End all questions and threads. Return whether that was done in time."""
        return self._threads.shutdown(timeout_ms)

    # -- by size ------------------------------------------------------------------------------------------------------

    def _config(self, path: Path) -> ModelConfig:
        return self._models.config_for(path, self._settings.value.load_settings(path))

    @Slot(object)
    def _on_devices(self, answer: tuple[Device, ...] | NoAnswer | None) -> None:
        if not isinstance(answer, tuple):
            self._end(answer.reason if answer is not None else self.tr("The memory of this machine is not known."))
            return
        from app.telemetry.pools import after_unload

        loaded = self._models.model  # its memory is freed before another one is loaded
        self._devices = answer if loaded is None else after_unload(answer, loaded.memory)
        self.free_bytes = next((device.free_bytes for device in self._devices if device.kind == "cpu"), None)
        gpus = (device for device in self._devices if device.kind == "gpu" and device.backend != "RPC")
        self.gpu_free_bytes = sum(device.free_bytes or 0 for device in gpus)
        self._asked.clear()
        self._planner.run(
            "start list", partial(_placed, self._config(self.folder), self._devices, self.folder), self._on_list
        )

    def _on_disk(self, models: tuple[LibraryModel, ...]) -> None:
        self.n_here = sum(each.kind == "chat" and not each.problem and each.source != "starter" for each in models)
        self.changed.emit()

    @Slot(object)
    def _on_list(self, answer: tuple[tuple[StartOffer, ...], float] | NoAnswer) -> None:
        if isinstance(answer, NoAnswer):
            self._end(answer.reason)
            return
        offers, self._room = answer
        self._is_gone = False
        self._all = tuple(
            replace(each, variant=self._found[each.model][0]) if each.model in self._found else each for each in offers
        )
        self._suggest()

    # -- by header ----------------------------------------------------------------------------------------------------

    def _suggest(self) -> None:
        """Offer what suits best by what is known; ask the hub about those that it was not asked about yet."""
        from app.hub.start import suggested

        self.offers = suggested([each for each in self._all if self._has_room(each)])
        self.lacks = "" if self.offers else "disk" if suggested(self._all) else "hub" if self._is_gone else ""
        unknown = [offer for offer in self.offers if offer.model not in self._asked]
        if unknown and self.refusal is None:
            self._ask(unknown)
        else:
            self._end()

    def _has_room(self, offer: StartOffer) -> bool:
        """Whether its disk can take it; of one that was begun the queue knows how much is still to come."""
        return (offer.size_bytes or 0) <= self._room or self.batch_of(offer) is not None

    def _ask(self, offers: Sequence[StartOffer]) -> None:
        """Ask the hub about these; what it was asked before and has not answered is given up."""
        models = [offer.model for offer in offers]
        self.is_looking = True
        self._pending = set(models)
        self._asked |= self._pending
        self._threads.ask([model for model in models if model not in self._found], _look_up, self._on_found)
        for model in models:
            if model in self._found:  # what was fetched once is not fetched again in this window
                self._place(model)
        self.changed.emit()

    def _on_found(self, model: CuratedModel, answer: Found | Refusal | None) -> None:
        is_wanted = self._wanted == model
        if is_wanted:
            self._wanted = None
        if answer is None or isinstance(answer, Refusal):
            if isinstance(answer, Refusal):
                self.refusal = answer
            else:
                self._forget(model)
            self._on_answered(model)
            return
        self._found[model] = answer
        if is_wanted:
            self._fetch(answer[0])
        self._place(model)

    def _place(self, model: CuratedModel) -> None:
        variant, header = self._found[model]
        config = self._config(self.folder)
        self._planner.consult(
            f"start {model.repo}",
            config,
            self._devices,
            partial(_offer, variant, header, config, self.folder),
            partial(self._on_placed, model, variant),
        )

    def _on_placed(self, model: CuratedModel, variant: Variant, answer: Offer | NoAnswer) -> None:
        from app.hub.fits import Placing
        from app.hub.start import told_by_hub

        placing = Placing("unknown", reason=answer.reason) if isinstance(answer, NoAnswer) else answer.placing
        self._all = tuple(told_by_hub(each, variant, placing) if each.model == model else each for each in self._all)
        self._on_answered(model)

    def _forget(self, model: CuratedModel) -> None:
        """The hub has it no more: another one is offered."""
        self._is_gone = True
        self._all = tuple(each for each in self._all if each.model != model)

    def _on_answered(self, model: CuratedModel) -> None:
        if model in self._pending:
            self._pending.discard(model)
            if not self._pending:
                self._suggest()

    def _end(self, fault: str = "") -> None:
        self.is_looking = False
        self.fault = fault
        self.changed.emit()

    # -- the download -------------------------------------------------------------------------------------------------

    def _fetch(self, variant: Variant) -> None:
        from app.hub.batches import batch_key

        self._awaited.add(batch_key(variant.files[0].repo, variant.files[0].name))
        self._downloads.add(variant.files)

    @Slot(object)
    def _on_downloaded(self, batch: Batch) -> None:
        if batch.key in self._awaited:
            self._awaited.discard(batch.key)
            self.model_ready.emit(str(batch.path))


def _placed(config: ModelConfig, devices: tuple[Device, ...], folder: Path) -> tuple[tuple[StartOffer, ...], float]:
    """Return the list, and the room there is for a download."""
    from app.hub.curated import curated_models
    from app.hub.start import download_room, rough_offer

    return tuple(rough_offer(model, config, devices) for model in curated_models()), download_room(folder)


def _look_up(model: CuratedModel, abort: Abort) -> Found | None:
    """Return None when the hub has no such model, or not for everybody."""
    from app.errors import NotOnHubError
    from app.hub.start import look_up

    try:
        return look_up(model, abort)
    except NotOnHubError:
        return None


def _offer(variant: Variant, header: Header, config: ModelConfig, folder: Path, planner: Planner) -> Offer:
    from app.hub.offers import offer_of

    return offer_of(variant, header, planner, config, folder)
