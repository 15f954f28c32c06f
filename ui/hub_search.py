"""What was looked for on the hub and what was found: kept while the models window is closed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.hub.names import local_path, printable
from app.hub.offers import why_recommended
from app.hub.search import FoundModel, Repository, Sort, card_summary, repository, search
from ui.hub_fits import HubFits
from ui.hub_thread import HubThread, Refusal
from ui.hub_visit import Phase, Visit, variants_here
from ui.planner_worker import NoAnswer
from ui.translation import localised

if TYPE_CHECKING:
    from pathlib import Path

    from app.hub.connection import Abort
    from app.hub.variants import Variant
    from ui.model_controller import ModelController
    from ui.planner_worker import PlannerWorker
    from ui.settings_keeper import SettingsKeeper

PAGE = 50
MOST_HITS = 500
_MOST_VISITS = 16
SHUTDOWN_TIMEOUT_MS = 500


class HubSearch(QObject):
    """Asks the hub and the planner.

    Attributes:
        hits: of the last search; phase and refusal: how that went.
        visit: the repository that is looked at, None for none.

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
        self._planner = planner
        self._visits: dict[str, Visit] = {}
        self._lists = HubThread("hub search", self)
        self._pages = HubThread("hub repository", self)
        self._fits = HubFits(folder, models, settings, planner, self)
        self._fits.placed.connect(self._on_placed)

    @property
    def n_ctx(self) -> int:
        """Tokens of the context that is to fit."""
        return self._fits.n_ctx

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
    def show_more(self) -> None:
        """Ask for a longer list of the same, or once more for the one that failed."""
        limit = self.limit if self.phase == "failed" else min(self.limit + PAGE, MOST_HITS)
        self.search(self.text, self.sort, limit)  # type: ignore[arg-type]

    @property
    def may_have_more(self) -> bool:
        """Whether a longer list could hold more."""
        return self.phase == "ready" and len(self.hits) == self.limit < MOST_HITS

    def _on_hits(self, answer: tuple[FoundModel, ...] | Refusal) -> None:
        if isinstance(answer, Refusal):
            self.phase, self.refusal = "failed", answer
        else:
            self.phase, self.hits = "ready", answer
        if self.visit is not None and self.visit.found.repo not in {hit.repo for hit in self.hits}:
            self._leave()
        self.hits_changed.emit()

    # -- one repository -----------------------------------------------------------------------------------------------

    def look_at(self, found: FoundModel) -> None:
        """Show what a repository holds."""
        if self.visit is not None and self.visit.found.repo == found.repo and self.visit.phase != "failed":
            return
        self._pages.give_up()
        self._fits.give_up()
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

    def _leave(self) -> None:
        """Show no repository; what is known of the one that was shown is kept for a while."""
        self._pages.give_up()
        self._fits.give_up()
        self.visit = None
        self.visit_changed.emit()

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
        self._fetch_rest(self.visit)

    def look_into(self, number: int) -> None:
        """Fetch the header of one variant beyond those that are fetched without being asked."""
        visit = self.visit
        if visit is not None and visit.is_placed and number not in visit.headers:
            self._fits.fetch(visit, [number])

    def set_n_ctx(self, n_ctx: int) -> None:
        """Ask for a context of so many tokens to fit."""
        if n_ctx == self.n_ctx:
            return
        self._fits.n_ctx = n_ctx
        for visit in self._visits.values():
            visit.offers.clear()
        if self.visit is not None:
            self.visit_changed.emit()
            for number in self.visit.headers:
                self._fits.place(self.visit, number)

    def why(self) -> str:
        """Return why one is recommended, that none fits, or why nothing can be said; empty while that is not known."""
        visit = self.visit
        if visit is None or not visit.is_placed or not visit.offers:
            return ""
        if all(each.placing.place == "unknown" for each in visit.offers.values()):
            known = [each for number, each in visit.offers.items() if not isinstance(visit.headers[number], Refusal)]
            return printable(localised(known[0].placing.reason)) if known else ""
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

        self._planner.run("hub files", lambda: variants_here(variants, self._folder), done)

    def path_of(self, variant: Variant) -> Path:
        """Return where a variant is on this machine, or would be."""
        return local_path(self._folder, variant.files[0].repo, variant.files[0].name)

    def shutdown(self, timeout_ms: int = SHUTDOWN_TIMEOUT_MS) -> bool:
        """End all questions and threads. Return whether that was done in time."""
        self._lists.give_up()
        self._pages.give_up()
        self._fits.give_up()
        ended = [each.shutdown(timeout_ms) for each in (self._lists, self._pages, self._fits)]
        return all(ended)

    def _on_repository(self, visit: Visit, answer: tuple[Repository, set[int]] | Refusal) -> None:
        if isinstance(answer, Refusal):
            visit.phase, visit.refusal = "failed", answer
            self.visit_changed.emit()
            return
        visit.phase, (visit.repository, visit.here) = "ready", answer
        self.visit_changed.emit()  # before the threads are busy: ten thousand lines are laid out in it
        self._fetch_rest(visit)

    def _fetch_rest(self, visit: Visit) -> None:
        if visit.summary is None:
            self._pages.ask(partial(card_summary, visit.found.repo), partial(self._on_summary, visit))
        self._fits.fetch_all(visit)

    @Slot(object, int)
    def _on_placed(self, visit: Visit, number: int) -> None:
        if visit is self.visit:
            self.offer_changed.emit(number)

    def _on_summary(self, visit: Visit, answer: str | Refusal) -> None:
        if isinstance(answer, str):
            visit.summary = answer
            self.visit_changed.emit()


def _read(repo: str, folder: Path, abort: Abort) -> tuple[Repository, set[int]]:
    found = repository(repo, abort)
    return found, variants_here(found.variants, folder)
