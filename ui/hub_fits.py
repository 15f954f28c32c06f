"""What fits of a repository's files, found out from their headers before they are downloaded."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.hub.fits import Placing
from app.hub.names import local_path
from app.hub.offers import Offer, offer_of, variant_header
from app.telemetry.pools import after_unload
from ui.hub_thread import HubThreads, Refusal
from ui.planner_worker import NoAnswer

if TYPE_CHECKING:
    from pathlib import Path

    from app.engine.events import Device
    from app.engine.gguf import Header
    from app.hub.connection import Abort
    from ui.hub_visit import Visit
    from ui.model_controller import ModelController
    from ui.planner_worker import PlannerWorker
    from ui.settings_keeper import SettingsKeeper

_HEADERS_AT_ONCE = 3
N_CTX = 4096
"""Tokens: the context that Ollama and LM Studio load a model with when nobody says another."""


class HubFits(QObject):
    """Fetches headers in threads, and asks the planner with each.

    Attributes:
        n_ctx: tokens of the context that is to fit.

    Signals:
        placed: a `Visit`, and the number of the variant that has an offer now.
    """

    placed = Signal(object, int)

    def __init__(
        self,
        folder: Path,
        models: ModelController,
        settings: SettingsKeeper,
        planner: PlannerWorker,
        parent: QObject | None = None,
    ) -> None:
        """`folder` is where models are downloaded to."""
        super().__init__(parent)
        self._folder = folder
        self._models = models
        self._settings = settings
        self._planner = planner
        self._visit: Visit | None = None
        self._headers = HubThreads(_HEADERS_AT_ONCE, self)
        self._devices: tuple[Device, ...] | None = None
        self._awaits_devices = False
        config = models.config
        self.n_ctx = config.n_ctx if config is not None and config.n_ctx else N_CTX

    def give_up(self) -> None:
        """End what was asked of the hub and not yet answered."""
        self._headers.give_up()

    def shutdown(self, timeout_ms: int) -> bool:
        """End all questions and threads. Return whether that was done in time."""
        return self._headers.shutdown(timeout_ms)

    def fetch_all(self, visit: Visit) -> None:
        """Place a repository's variants, the first ones; what was asked for another one is given up."""
        self._visit = visit
        self._devices = None  # others may have taken memory since
        known = [number for number in visit.headers if number not in visit.offers]
        for number in known:
            self.place(visit, number)
        self.fetch(visit, [number for number in range(visit.n_asked) if number not in visit.headers])

    def fetch(self, visit: Visit, numbers: list[int]) -> None:
        """Place some variants."""
        assert visit.repository is not None
        variants = visit.repository.variants

        def question(number: int, abort: Abort) -> Header:
            return variant_header(variants[number], abort)

        self._headers.ask(numbers, question, partial(self._on_header, visit))

    def _on_header(self, visit: Visit, number: int, header: Header | Refusal) -> None:
        visit.headers[number] = header
        self.place(visit, number)

    def place(self, visit: Visit, number: int) -> None:
        """Plan with a header that is there, or say why it is not."""
        assert visit.repository is not None
        variant, header = visit.repository.variants[number], visit.headers[number]
        if isinstance(header, Refusal):
            self._offer(visit, number, Offer(variant, None, Placing("unknown", reason=header.sentence)))
            return
        if not self._ask_devices():
            return
        path = local_path(self._folder, variant.files[0].repo, variant.files[0].name)
        load = replace(self._settings.value.load_settings(path), n_ctx=self.n_ctx)
        config = self._models.config_for(path, load)
        self._planner.consult(
            f"hub {visit.found.repo} {number}",
            config,
            self._devices or (),
            lambda planner: offer_of(variant, header, planner, config, self._folder),
            partial(self._on_offer, visit, number, self.n_ctx),
        )

    def _on_offer(self, visit: Visit, number: int, n_ctx: int, answer: Offer | NoAnswer) -> None:
        if n_ctx != self.n_ctx:
            return
        if isinstance(answer, NoAnswer):
            assert visit.repository is not None
            variant = visit.repository.variants[number]
            answer = Offer(variant, None, Placing("unknown", reason=answer.reason))
        self._offer(visit, number, answer)

    def _offer(self, visit: Visit, number: int, offer: Offer) -> None:
        visit.offers[number] = offer
        self.placed.emit(visit, number)

    def _ask_devices(self) -> bool:
        """Return whether the devices are known; if not they are asked for, and what waits is placed then."""
        if self._devices is None and not self._awaits_devices:
            self._awaits_devices = True
            if self._models.holds_servers:
                self._models.ask_devices(self._on_devices)
            else:
                self._planner.devices("hub devices", self._settings.value.rpc_servers, self._on_devices)
        return self._devices is not None

    def _on_devices(self, answer: tuple[Device, ...] | NoAnswer | None) -> None:
        self._awaits_devices = False
        if isinstance(answer, tuple):
            loaded = self._models.model  # its memory is freed before another one is loaded
            self._devices = answer if loaded is None else after_unload(answer, loaded.memory)
        visit = self._visit
        if visit is None:
            return
        for number in [number for number in visit.headers if number not in visit.offers]:
            if isinstance(answer, tuple):
                self.place(visit, number)
            else:
                self._on_offer(visit, number, self.n_ctx, answer or NoAnswer(""))
