"""What was looked for on the hub and what was found: kept while the models window is closed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal, Slot

from app.hub.fits import Placing
from app.hub.names import local_path
from app.hub.offers import Offer, offer_of, recommended, variant_header, why_recommended
from app.hub.search import FoundModel, Repository, Sort, card_summary, repository, search
from app.telemetry.pools import after_unload
from ui.hub_thread import HubThread, HubThreads, Refusal
from ui.planner_worker import NoAnswer
from ui.translation import localised

if TYPE_CHECKING:
    from pathlib import Path

    from app.engine.events import Device
    from app.engine.gguf import Header
    from app.hub.connection import Abort
    from app.hub.variants import Variant
    from ui.model_controller import ModelController
    from ui.planner_worker import PlannerWorker
    from ui.settings_keeper import SettingsKeeper

Phase = Literal["none", "loading", "ready", "failed"]

PAGE = 50
MOST_HITS = 500
MOST_OFFERS = 64
"""Headers fetched without being asked: more variants than the largest collections of one model have."""
_HEADERS_AT_ONCE = 3
_MOST_VISITS = 16
N_CTX = 4096
"""Tokens: the context that Ollama and LM Studio load a model with when nobody says another."""
SHUTDOWN_TIMEOUT_MS = 500


@dataclass(slots=True)
class Visit:
    """One repository as far as it is known.

    Attributes:
        summary: the beginning of its card; None while it is not known.
        headers: by number of the variant; a `Refusal` where it could not be had.
        offers: likewise; those that are missing are still being asked for.
        here: numbers of the variants whose files are on this machine.
    """

    found: FoundModel
    phase: Phase = "loading"
    refusal: Refusal | None = None
    repository: Repository | None = None
    summary: str | None = None
    headers: dict[int, Header | Refusal] = field(default_factory=dict)
    offers: dict[int, Offer] = field(default_factory=dict)
    here: set[int] = field(default_factory=set)

    @property
    def n_asked(self) -> int:
        """How many variants are placed without being asked."""
        return min(len(self.repository.variants), MOST_OFFERS) if self.repository is not None else 0

    @property
    def is_placed(self) -> bool:
        """Whether all of those are."""
        return self.phase == "ready" and all(number in self.offers for number in range(self.n_asked))

    @property
    def best(self) -> int | None:
        """The number of the variant to take; None while not all are placed, and when none fits."""
        chosen = recommended(tuple(self.offers.values())) if self.is_placed else None
        return next((number for number, each in self.offers.items() if each is chosen), None)


class HubSearch(QObject):
    """Asks the hub and the planner.

    Attributes:
        hits: of the last search; phase and refusal: how that went.
        visit: the repository that is looked at, None for none.
        n_ctx: tokens of the context that is to fit.

    Signals:
        hits_changed: another search, or its result.
        visit_changed: another repository, or more is known of it.
        offer_changed: number of the variant that is placed now.
    """

    hits_changed = Signal()
    visit_changed = Signal()
    offer_changed = Signal(int)

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
        self.text, self.sort, self.limit = "", "downloads", PAGE
        self.hits: tuple[FoundModel, ...] = ()
        self.phase: Phase = "none"
        self.refusal: Refusal | None = None
        self.visit: Visit | None = None
        self._folder = folder
        self._models = models
        self._settings = settings
        self._planner = planner
        self._visits: dict[str, Visit] = {}
        self._lists = HubThread("hub search", self)
        self._pages = HubThread("hub repository", self)
        self._headers = HubThreads(_HEADERS_AT_ONCE, self)
        self._devices: tuple[Device, ...] | None = None
        self._awaits_devices = False
        config = models.config
        self.n_ctx = config.n_ctx if config is not None and config.n_ctx else N_CTX

    # -- the list -----------------------------------------------------------------------------------------------------

    def search(self, text: str, sort: Sort, limit: int = PAGE) -> None:
        """Look for models; an empty text finds all, in this order."""
        self.text, self.sort, self.limit = text, sort, limit
        self.phase, self.refusal = "loading", None
        if limit == PAGE:
            self.hits = ()
        self.hits_changed.emit()
        self._lists.ask(lambda abort: search(text, sort, limit, abort), self._on_hits)

    @Slot()
    def search_again(self) -> None:
        """Try the last search once more."""
        self.search(self.text, self.sort, self.limit)  # type: ignore[arg-type]  # a `Sort` each time

    @Slot()
    def show_more(self) -> None:
        """Ask for a longer list of the same."""
        self.search(self.text, self.sort, min(self.limit + PAGE, MOST_HITS))  # type: ignore[arg-type]

    @property
    def may_have_more(self) -> bool:
        """Whether a longer list could hold more."""
        return self.phase == "ready" and len(self.hits) == self.limit < MOST_HITS

    def _on_hits(self, answer: tuple[FoundModel, ...] | Refusal) -> None:
        if isinstance(answer, Refusal):
            self.phase, self.refusal = "failed", answer
        else:
            self.phase, self.hits = "ready", answer
        self.hits_changed.emit()

    # -- one repository -----------------------------------------------------------------------------------------------

    def look_at(self, found: FoundModel) -> None:
        """Show what a repository holds."""
        if self.visit is not None and self.visit.found.repo == found.repo and self.visit.phase != "failed":
            return
        self._pages.give_up()
        self._headers.give_up()
        self._devices = None  # others may have taken memory since
        visit = self._visits.pop(found.repo, None)
        if visit is None or visit.phase != "ready":
            visit = Visit(found)
        self._visits[found.repo] = self.visit = visit
        while len(self._visits) > _MOST_VISITS:
            del self._visits[next(iter(self._visits))]
        self.visit_changed.emit()
        if visit.phase == "ready":
            self._fetch_rest(visit)
        else:
            self._pages.ask(partial(_read, found.repo, self._folder), partial(self._on_repository, visit))

    @Slot()
    def look_again(self) -> None:
        """Try once more what failed."""
        if self.visit is None:
            return
        if self.visit.phase == "failed":
            self.look_at(self.visit.found)
            return
        for number in [number for number, header in self.visit.headers.items() if isinstance(header, Refusal)]:
            del self.visit.headers[number]
            self.visit.offers.pop(number, None)
        self.visit_changed.emit()
        self._fetch_headers(self.visit)

    def look_into(self, number: int) -> None:
        """Fetch the header of one variant beyond those that are fetched without being asked."""
        visit = self.visit
        if visit is not None and visit.is_placed and number not in visit.headers:
            self._fetch(visit, [number])

    def set_n_ctx(self, n_ctx: int) -> None:
        """Ask for a context of so many tokens to fit."""
        if n_ctx == self.n_ctx:
            return
        self.n_ctx = n_ctx
        for visit in self._visits.values():
            visit.offers.clear()
        if self.visit is not None:
            self.visit_changed.emit()
            for number in self.visit.headers:
                self._place(self.visit, number)

    def why(self) -> str:
        """Return why one is recommended, or that none fits; empty while that is not known."""
        visit = self.visit
        if visit is None or not visit.is_placed or not visit.offers:
            return ""
        places = [each.placing.place for each in visit.offers.values()]
        if all(place == "unknown" for place in places):
            return ""
        best = visit.offers[visit.best] if visit.best is not None else None
        return localised(why_recommended(best, self.n_ctx))

    def find_files(self) -> None:
        """Look which variants are on this machine now."""
        visit = self.visit
        if visit is None or visit.repository is None:
            return
        variants = visit.repository.variants

        def done(here: set[int] | NoAnswer) -> None:
            if not isinstance(here, NoAnswer):
                visit.here = here
                self.visit_changed.emit()

        self._planner.run("hub files", lambda: _here(variants, self._folder), done)

    def path_of(self, variant: Variant) -> Path:
        """Return where a variant is on this machine, or would be."""
        return local_path(self._folder, variant.files[0].repo, variant.files[0].name)

    def shutdown(self, timeout_ms: int = SHUTDOWN_TIMEOUT_MS) -> bool:
        """End all questions and threads. Return whether that was done in time."""
        self._lists.give_up()
        self._pages.give_up()
        self._headers.give_up()
        ended = [thread.shutdown(timeout_ms) for thread in (self._lists, self._pages, self._headers)]
        return all(ended)

    def _on_repository(self, visit: Visit, answer: tuple[Repository, set[int]] | Refusal) -> None:
        if isinstance(answer, Refusal):
            visit.phase, visit.refusal = "failed", answer
        else:
            visit.phase, (visit.repository, visit.here) = "ready", answer
            self._fetch_rest(visit)
        self.visit_changed.emit()

    def _on_summary(self, visit: Visit, answer: str | Refusal) -> None:
        visit.summary = answer if isinstance(answer, str) else ""
        self.visit_changed.emit()

    # -- what fits ----------------------------------------------------------------------------------------------------

    def _fetch_rest(self, visit: Visit) -> None:
        if visit.summary is None:
            self._pages.ask(partial(card_summary, visit.found.repo), partial(self._on_summary, visit))
        self._fetch_headers(visit)

    def _fetch_headers(self, visit: Visit) -> None:
        known = [number for number in visit.headers if number not in visit.offers]
        for number in known:
            self._place(visit, number)
        self._fetch(visit, [number for number in range(visit.n_asked) if number not in visit.headers])

    def _fetch(self, visit: Visit, numbers: list[int]) -> None:
        assert visit.repository is not None
        variants = visit.repository.variants

        def question(number: int, abort: Abort) -> Header:
            return variant_header(variants[number], abort)

        self._headers.ask(numbers, question, partial(self._on_header, visit))

    def _on_header(self, visit: Visit, number: int, header: Header | Refusal) -> None:
        visit.headers[number] = header
        self._place(visit, number)

    def _place(self, visit: Visit, number: int) -> None:
        assert visit.repository is not None
        variant, header = visit.repository.variants[number], visit.headers[number]
        if isinstance(header, Refusal):
            self._offer(visit, number, Offer(variant, None, Placing("unknown", reason=header.sentence)))
            return
        if not self._ask_devices():
            return
        path = self.path_of(variant)
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
        if visit is self.visit:
            self.offer_changed.emit(number)

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
        visit = self.visit
        if visit is None:
            return
        for number in [number for number in visit.headers if number not in visit.offers]:
            if isinstance(answer, tuple):
                self._place(visit, number)
            else:
                self._on_offer(visit, number, self.n_ctx, answer or NoAnswer(""))


def _read(repo: str, folder: Path, abort: Abort) -> tuple[Repository, set[int]]:
    found = repository(repo, abort)
    return found, _here(found.variants, folder)


def _here(variants: tuple[Variant, ...], folder: Path) -> set[int]:
    """Return the numbers of the variants whose files are all there, in their length."""
    if not variants or not local_path(folder, variants[0].files[0].repo, "model.gguf").parent.exists():
        return set()
    return {
        number
        for number, variant in enumerate(variants)
        if all(_is_here(local_path(folder, file.repo, file.name), file.size) for file in variant.files)
    }


def _is_here(path: Path, size: int | None) -> bool:
    try:
        found = path.stat().st_size
    except OSError:
        return False
    return size is None or found == size
