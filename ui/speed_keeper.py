"""Keeps what the user's own turns say of the loaded model's speed: curves, slowdowns, and the work a token takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from ui.job_thread import NotKnown

if TYPE_CHECKING:
    from app.engine.events import LoadedModel
    from app.storage.store import Store
    from app.telemetry.history import HistoryTurn, Slowdown
    from app.telemetry.speed import NotYet, TpotLine, TtftCurve
    from app.telemetry.work import ModelWork
    from ui.chat_controller import ChatController
    from ui.model_controller import ModelController
    from ui.speed_worker import SpeedWorker
    from ui.store_worker import StoreWorker


@dataclass(frozen=True, slots=True, eq=False)
class Speed:
    """Of one model with one set of settings.

    Attributes:
        model: the loaded one.
        turns: with this model and these settings, oldest first, over all conversations.
        ttft, tpot: fitted to them.
        slowdowns: where the newest are slower than their own past.
        work: None for an architecture whose rules are not known.
    """

    model: LoadedModel
    turns: tuple[HistoryTurn, ...]
    ttft: TtftCurve | NotYet
    tpot: TpotLine | NotYet
    slowdowns: tuple[Slowdown, ...]
    work: ModelWork | None


class SpeedKeeper(QObject):
    """Reads the turns again when an answer ends or another model is loaded, and works them out in the speed thread.

    Signals:
        changed: `speed` is another one, or None.
    """

    changed = Signal()

    def __init__(
        self,
        chat: ChatController,
        models: ModelController,
        store: StoreWorker,
        worker: SpeedWorker,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.speed: Speed | None = None
        self._models = models
        self._store = store
        self._worker = worker
        self._asked_for: tuple[LoadedModel, str] | None = None
        self._work: tuple[LoadedModel, ModelWork | None] | None = None
        models.changed.connect(self._on_model_changed)
        chat.answer_ended.connect(self._on_answer_ended)

    @Slot()
    def _on_model_changed(self) -> None:
        model = self._models.model
        if model is None:
            self._asked_for = None
            self._set(None)
        elif self._asked_for != (model, self._models.settings_json()):
            self._refresh()

    @Slot(object)
    def _on_answer_ended(self) -> None:
        if self._models.model is not None:
            self._refresh()

    def _refresh(self) -> None:
        model, settings = self._models.model, self._models.settings_json()
        assert model is not None
        self._asked_for = (model, settings)
        self._store.read(partial(_read, model.info.path.name, settings), partial(self._on_read, model))

    def _on_read(self, model: LoadedModel, turns: list[HistoryTurn]) -> None:
        known = self._work if self._work is not None and self._work[0] is model else None
        self._worker.run_job(partial(_work_out, model, tuple(turns), known), self._on_worked_out)

    def _on_worked_out(self, speed: Speed | NotKnown) -> None:
        if isinstance(speed, NotKnown) or self._asked_for is None or speed.model is not self._asked_for[0]:
            return
        self._work = (speed.model, speed.work)
        self._set(speed)

    def _set(self, speed: Speed | None) -> None:
        self.speed = speed
        self.changed.emit()


def _read(model_file: str, settings_json: str, store: Store) -> list[HistoryTurn]:
    from app.telemetry.environment import settings_key  # not above: it is slow, and comes in a thread

    return store.history(model_file, settings_key(settings_json))


def _work_out(
    model: LoadedModel, turns: tuple[HistoryTurn, ...], known: tuple[LoadedModel, ModelWork | None] | None
) -> Speed:
    from app.telemetry.history import slowdowns  # not above: numpy would come before the window's first frame
    from app.telemetry.model_work import work_of_loaded
    from app.telemetry.speed import fit_tpot, fit_ttft

    samples = [turn.sample for turn in turns]
    work = known[1] if known is not None else work_of_loaded(model)
    return Speed(model, turns, fit_ttft(samples), fit_tpot(samples), slowdowns(turns), work)
