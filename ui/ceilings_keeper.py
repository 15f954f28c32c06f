"""Keeps what this machine can do at best: read from the store, measured when asked, raised by the fastest prefill."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.telemetry.ceilings import UNKNOWN_CEILINGS, Ceiling, Ceilings
from ui.job_thread import NotKnown

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.storage.store import Store
    from app.telemetry.timings import TurnStats
    from ui.chat_controller import ChatController
    from ui.model_controller import ModelController
    from ui.running_answer import RunningAnswer
    from ui.speed_keeper import SpeedKeeper
    from ui.speed_worker import SpeedWorker
    from ui.store_worker import StoreWorker

LEAST_PREFILL_TOKENS = 128
"""Shorter prompts leave arithmetic idle: they say nothing of the best rate."""


@dataclass(frozen=True, slots=True)
class _Known:
    machine: str
    cache_bytes: int
    found: tuple[Ceiling, ...]


class CeilingsKeeper(QObject):
    """Of this machine and the device that does the loaded model's work.

    Attributes:
        is_measuring: memory is being measured, which takes some seconds.
        refusal: why the last measurement could not be made, one sentence; else empty.

    Signals:
        changed: one of these, or the ceilings.
    """

    changed = Signal()

    def __init__(
        self,
        chat: ChatController,
        models: ModelController,
        speed: SpeedKeeper,
        store: StoreWorker,
        worker: SpeedWorker,
        measure: Callable[[], Ceiling] | None = None,
        parent: QObject | None = None,
    ) -> None:
        """`measure` reads memory as fast as it can; None: the measurement of `app.bench`."""
        super().__init__(parent)
        self.is_measuring = False
        self.refusal = ""
        self._models = models
        self._speed = speed
        self._store = store
        self._worker = worker
        self._measure = measure or _measure_memory
        self._known: _Known | None = None
        models.changed.connect(self.changed)
        models.load_starting.connect(self._read)
        chat.answer_ended.connect(self._on_answer_ended)

    @property
    def device(self) -> str:
        """What does the work, such as CPU or CUDA."""
        model = self._models.model
        return model.backend if model is not None and model.layers_offloaded else "CPU"

    def value(self) -> Ceilings:
        """Return the ceilings as they are known."""
        if self._known is None:
            return UNKNOWN_CEILINGS
        from app.telemetry.ceilings import ceilings_of

        return ceilings_of(self._known.found, self.device, self._known.cache_bytes)

    @Slot()
    def measure(self) -> None:
        """Measure how fast memory is read, unless that is being done."""
        if not self.is_measuring:
            self.is_measuring, self.refusal = True, ""
            self._worker.run_job(self._measure, self._on_measured)
            self.changed.emit()

    @Slot()
    def _read(self) -> None:
        if self._known is None:
            self._store.read(_read, self._on_read)

    def _on_read(self, known: _Known) -> None:
        self._known = known
        self.changed.emit()

    def _on_measured(self, found: Ceiling | NotKnown) -> None:
        self.is_measuring = False
        if isinstance(found, NotKnown):
            self.refusal = found.reason
        else:
            self._take([found])
        self.changed.emit()

    @Slot(object)
    def _on_answer_ended(self, running: RunningAnswer) -> None:
        """A prefill faster than all before is what the machine can do."""
        found = self._prefill_of(running.recorder.stats)
        if found is None or self._known is None:
            return
        from app.bench.ceilings import improved  # not above: it is slow, and comes in a thread

        if better := improved(self._known.found, [found]):
            self._take(better)
            self.changed.emit()

    def _prefill_of(self, stats: TurnStats) -> Ceiling | None:
        speed, model = self._speed.speed, self._models.model
        if speed is None or speed.work is None or model is None or self._known is None:
            return None
        from app.telemetry.roofline import prefill_point

        point = prefill_point(speed.work, UNKNOWN_CEILINGS, stats, model.n_ubatch)
        if point is None or point.tokens < LEAST_PREFILL_TOKENS:
            return None
        source = f"{point.tokens} tokens of a prompt, {model.info.name} {model.info.quantisation}"
        now = datetime.now(UTC)
        return Ceiling("prefill", self._known.machine, self.device, point.flops_per_s, now, source)

    def _take(self, found: list[Ceiling]) -> None:
        if self._known is None:
            return
        keys = {(each.kind, each.device) for each in found}
        kept = tuple(each for each in self._known.found if (each.kind, each.device) not in keys)
        self._known = _Known(self._known.machine, self._known.cache_bytes, (*kept, *found))
        self._store.write(partial(_write, found))


def _read(store: Store) -> _Known:
    from app.bench.caches import last_level_cache_bytes  # not above: it is slow, and comes in a thread
    from app.bench.fingerprint import machine_key

    machine = machine_key()
    return _Known(machine, last_level_cache_bytes(), tuple(store.ceilings(machine)))


def _write(found: list[Ceiling], store: Store) -> None:
    store.set_ceilings(found)


def _measure_memory() -> Ceiling:
    from app.bench.ceilings import measure_memory_read

    return measure_memory_read()
